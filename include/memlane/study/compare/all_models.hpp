// One program priced by every model of computation, in one table.
#pragma once

#include "memlane/claim/prices.hpp"
#include "memlane/show/run_report.hpp"
#include "memlane/study/compare/comparison.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace memlane {

/// One number of a run on one machine.
struct ModelRow {
  std::string machine; ///< its name as the user gave it
  std::string model;   ///< `umm`, `agpu`, `pram`, `pem`, …
  std::string count;   ///< its name in a run's CSV: `time`, `agpu_io`, `price_pem`
  std::string value;   ///< exact; empty: none
  std::string meaning; ///< what it counts
  std::string note;    ///< why there is no value, and what gives one
};

struct AllModels {
  std::string version; ///< memlane's version
  ProgramInfo program;
  std::uint64_t seed = 1;
  bool timing_only = false; ///< nothing was computed
  std::vector<ModelRow> rows;
};

/// The numbers of a run on the machine; of one that did not come to its end, the reason alone.
/// `prices`: those with parameters; the others' rows say which they need.
std::vector<ModelRow> model_rows(const sweep::ComparisonRow& row, const MachineSpec& machine,
                                 const std::vector<PriceRequest>& prices);

/// The schemas of `--format json` and of a line of `--format jsonl`.
nlohmann::ordered_json all_models_schema();
nlohmann::ordered_json all_models_line_schema();
/// Any of the formats, ending with a line end. jsonl and csv: a row a line.
std::string render_all_models(const AllModels& models, Format format);

} // namespace memlane
