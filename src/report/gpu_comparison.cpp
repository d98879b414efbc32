#include "gpu_json.hpp"
#include "gpu_words.hpp"

#include "memlane/config/machine.hpp"
#include "memlane/report/gpu_report.hpp"
#include "memlane/report/json_parts.hpp"
#include "memlane/report/paper_table.hpp"
#include "memlane/report/text_table.hpp"

#include <fmt/format.h>

#include <array>

namespace memlane {
namespace {

using measure::ComparedPoint;
using measure::MeasuredComparison;

std::string measured_table(const MeasuredComparison& comparison) {
  TextTable table = compared_point_columns().text(comparison.points);
  for (const measure::SkippedPoint& skipped : comparison.skipped) {
    table.add({on_one_line(skipped.program, 60),
               on_one_line(measure::parameters_text(skipped.parameters), 60),
               std::string(name_of(skipped.variant)), "", "", "", "", "", "", "", "",
               "not measured: " + on_one_line(skipped.why, 200)});
  }
  const std::string device =
      comparison.points.empty() ? "" : comparison.points.front().measured.device.name;
  std::string text = fmt::format("device {}, machine {}\n\n{}", on_one_line(device, 80),
                                 on_one_line(comparison.machine.name, 80), table.text());
  if (comparison.costs) text += "\n" + costs_sentence(*comparison.costs) + "\n";
  const auto add = [&](std::string_view heading, const measure::Ordering& ordering) {
    text += fmt::format("\n{}\n", heading);
    for (const std::string& sentence : order_sentences(ordering)) {
      text += "  " + on_one_line(sentence, 400) + '\n';
    }
  };
  add("does the model put the emitted kernels in the measured order?", comparison.emitted);
  if (!comparison.hand_written.sizes.empty())
    add("and those written by hand?", comparison.hand_written);
  return text;
}

} // namespace

std::string render_measured(const MeasuredComparison& comparison, std::string_view version,
                            Format format) {
  switch (format) {
  case Format::table: return measured_table(comparison);
  case Format::csv: return compared_point_columns().csv(comparison.points);
  case Format::markdown:
  case Format::latex:
    return paper_text(
        {compared_point_columns().paper("Measured times beside those of " + comparison.machine.name,
                                        comparison.points)},
        format);
  case Format::json: return json_text(measured_json(comparison, version), 2);
  case Format::jsonl: break;
  }
  return json_lines(compared_point_columns().json(), comparison.points);
}

} // namespace memlane
