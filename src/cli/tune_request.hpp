// What `memlane tune` is asked: one program, the values of one or two parameters, machines.
#pragma once

#include "pending_file.hpp"
#include "plan_options.hpp"
#include "results.hpp"
#include "sweep_request.hpp"

#include "memlane/sweep/sweep_run.hpp"
#include "memlane/sweep/sweep_spec.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memlane::cli {

/// A file for charts.
struct ChartFile {
  PendingFile file;
  bool is_page = false; ///< HTML, else SVG
};

struct TuneRequest {
  sweep::SweepSpec spec;            ///< with one machine, that of -m
  std::vector<std::string> confirm; ///< other machines
  /// The axes that vary: their groups in the spec.
  std::vector<std::size_t> tuned;
  std::vector<std::size_t> naive; ///< by tuned axis: the number of a value
  std::string naive_program;      ///< instead of `naive`; empty: there is none
  std::optional<std::string> objective;
  double within = 0.05;
  std::string store; ///< empty: a temporary one
  PlanOptions how;
  std::vector<ResultTarget> targets;
  std::vector<ChartFile> charts;
};

std::vector<Option> tune_options();
/// Errors stay in `options`.
TuneRequest read_tune_request(OptionReader& options, Sources& sources);

} // namespace memlane::cli
