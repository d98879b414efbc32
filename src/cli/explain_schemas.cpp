// memlane explain schema: what the JSON of every command is.
#include "explain.hpp"

#include "memlane/claim/prices.hpp"
#include "memlane/config/machine.hpp"
#include "memlane/grade/grading.hpp"
#include "memlane/report/all_models.hpp"
#include "memlane/report/bank_report.hpp"
#include "memlane/report/comparison.hpp"
#include "memlane/report/figure_result.hpp"
#include "memlane/report/gpu_report.hpp"
#include "memlane/report/lesson.hpp"
#include "memlane/report/relations.hpp"
#include "memlane/report/stored_rows.hpp"
#include "memlane/report/sweep_report.hpp"
#include "memlane/report/timeline_report.hpp"
#include "memlane/report/tuning.hpp"
#include "memlane/report/verification.hpp"
#include "memlane/sweep/sweep_file.hpp"
#include "memlane/trace/trace_writer.hpp"

#include <nlohmann/json.hpp>

namespace memlane::cli {

const std::vector<SchemaPage>& schema_pages() {
  static const std::vector<SchemaPage> pages = {
      {"run", "a result of run or replay: --format json, and each line of jsonl", run_schema},
      {"compare", "a result of compare: --format json", comparison_schema},
      {"compare-line", "a line of compare --format jsonl", comparison_line_schema},
      {"compare-models", "a result of compare --all-models: --format json", all_models_schema},
      {"compare-models-line", "a line of compare --all-models --format jsonl",
       all_models_line_schema},
      {"verify", "a result of verify: --format json", verifications_schema},
      {"verify-line", "a line of verify --format jsonl", verification_line_schema},
      {"results", "a result of results, results best or results diff: --format json",
       stored_rows_schema},
      {"results-line", "a line of their --format jsonl", stored_row_line_schema},
      {"relations", "a result of explain relations: --format json", relations_schema},
      {"relations-line", "a line of explain relations --format jsonl", relations_line_schema},
      {"bank", "a result of bank: --format json", bank_schema},
      {"bank-line", "a line of bank --format jsonl", bank_line_schema},
      {"sweep-result", "a result of sweep: --format json", sweep_report_schema},
      {"sweep-line", "a line of sweep --dry-run --format jsonl", planned_line_schema},
      {"tune", "a result of tune: --format json", tuning_schema},
      {"tune-line", "a line of tune --format jsonl", tuning_line_schema},
      {"config", "what run --print-config --format json prints", config_schema},
      {"gpu-compare", "a result of gpu compare: --format json", measured_schema},
      {"gpu-compare-line", "a line of gpu compare --format jsonl", measured_line_schema},
      {"gpu-fit", "a result of gpu fit: --format json", fit_schema},
      {"gpu-fit-line", "a line of gpu fit --format jsonl", fit_line_schema},
      {"measured-line", "a line of measurements: gpu measure, gpu compare, gpu fit",
       measure::measured_line_schema},
      {"timeline", "a time chart: timeline --format json", timeline_schema},
      {"trace-line", "a line of a trace: run --trace, replay", trace_line_schema},
      {"machine", "a machine file", machine_schema},
      {"sweep", "a sweep file", sweep::sweep_schema},
      {"prices", "a file of prices: --prices", price_file_schema},
      {"figure", "a figure file", figure_schema},
      {"lesson", "a lesson file", lesson_schema},
      {"figures", "a result of figures: --format json", figures_schema},
      {"exercise", "an exercise file, NAME.grade.json", grade::exercise_schema},
      {"grade", "a result of grade: --format json", grade::grade_schema},
  };
  return pages;
}

} // namespace memlane::cli
