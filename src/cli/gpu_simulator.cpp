#include "gpu.hpp"
#include "program.hpp"

#include "memlane/ir/without_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

namespace memlane::cli {
namespace {

ProgramSelection selection_of(const measure::MeasuredPoint& point) {
  ProgramSelection selection{point.program, point.replaced};
  for (const auto& [name, value] : point.parameters)
    selection.definitions.push_back(fmt::format("{}={}", name, value));
  return selection;
}

measure::Prediction stopped() {
  measure::Prediction none;
  none.stop = true;
  return none;
}

measure::Prediction impossible(const Diagnostics& errors) {
  measure::Prediction none;
  none.why_not = errors.front().message;
  return none;
}

/// Checked programs are kept: a fit runs each many times.
class PointRunner {
public:
  PointRunner(Sources& sources, const Limits& limits, sweep::Engine engine)
      : sources_(sources), limits_(limits), engine_(engine) {}

  measure::Prediction predict(const measure::MeasuredPoint& point, const MachineSpec& machine,
                              std::int64_t max_steps);

private:
  measure::Prediction time_only(const ir::Program& code, const MachineSpec& machine,
                                RunOptions options, std::int64_t max_steps);
  static measure::Prediction prediction_of(const RunResult& run, std::int64_t steps, bool at_most,
                                           std::int64_t max_steps);
  Result<sweep::CheckedProgram>& program_of(const ProgramSelection& selection);

  Sources& sources_;
  Limits limits_;
  sweep::Engine engine_;
  std::map<std::string, Result<sweep::CheckedProgram>> programs_;
};

Result<sweep::CheckedProgram>& PointRunner::program_of(const ProgramSelection& selection) {
  std::string key = selection.name;
  for (const auto& [option, text] : selection.replaced) key += "\n" + option + " " + text;
  const auto found = programs_.find(key);
  if (found != programs_.end()) return found->second;
  return programs_.emplace(key, load_checked_program(sources_, selection)).first->second;
}

measure::Prediction PointRunner::predict(const measure::MeasuredPoint& point,
                                         const MachineSpec& machine, std::int64_t max_steps) {
  if (limits_.check && limits_.check() != Stop::none) return stopped();
  const ProgramSelection selection = selection_of(point);
  const Result<sweep::CheckedProgram>& program = program_of(selection);
  if (!program) return impossible(program.errors());
  const Result<sweep::Point> bound =
      bound_point(sources_, *program, machine, selection.definitions);
  if (!bound) return impossible(bound.errors());
  const ir::Program& code = *bound->code;
  RunOptions options;
  options.seed = point.seed;
  options.verify = false; // the time is wanted; tests and `verify` look at results
  options.limits = limits_;
  if (engine_ == sweep::Engine::fast) {
    // Where time does not depend on data, large sizes take little work.
    const Result<ir::Program> timed = ir::without_data(code, limits_);
    if (timed) return time_only(*timed, machine, options, max_steps);
    if (stop_of(timed.errors()) != Stop::none) return stopped();
  }
  options.limits.steps = max_steps;
  const RunResult run = sweep::simulate_on(engine_, code, machine, options, sources_);
  return prediction_of(run, run.steps, run.stop == Stop::steps, max_steps);
}

measure::Prediction PointRunner::time_only(const ir::Program& code, const MachineSpec& machine,
                                           RunOptions options, std::int64_t max_steps) {
  // A run that is asked to stop does so at once; one at the limit of its steps would begin again in
  // the reference engine, which has to say where. Skipped steps are no work, so they do not count.
  constexpr std::int64_t steps_between = RunProgress::steps_between;
  RunProgress progress;
  options.limits.progress = &progress;
  const auto is_beyond = [&progress, most = max_steps / steps_between + 1] {
    return progress.steps / steps_between > most;
  };
  options.limits.check = [&is_beyond, check = limits_.check] {
    if (is_beyond()) return Stop::wall_clock;
    return check ? check() : Stop::none;
  };
  options.limits.steps = max_steps < steps_between ? max_steps : INT64_MAX;
  options.timing_only = true;
  const RunResult run = sweep::simulate_on(engine_, code, machine, options, sources_);
  const std::int64_t steps = std::min<std::int64_t>(run.steps, progress.steps);
  return prediction_of(run, steps, is_beyond() || run.stop == Stop::steps, max_steps);
}

/// `steps` were executed; `at_most`: no more than `max_steps` were to be.
measure::Prediction PointRunner::prediction_of(const RunResult& run, std::int64_t steps,
                                               bool at_most, std::int64_t max_steps) {
  measure::Prediction prediction;
  prediction.steps = steps;
  prediction.launches = run.counts.launches;
  if (at_most) {
    prediction.why_not = fmt::format("more than {} instructions (--max-steps)", max_steps);
  } else if (run.stop == Stop::none) {
    prediction.time = run.counts.time.value;
  } else if (run.stop == Stop::wall_clock || run.stop == Stop::interrupted) {
    prediction.stop = true;
  } else {
    prediction.why_not =
        run.errors.empty() ? std::string(sweep::stop_text(run.stop)) : run.errors.front().message;
  }
  return prediction;
}

} // namespace

measure::Simulator gpu_simulator(Sources& sources, const Limits& limits, sweep::Engine engine) {
  const auto runner = std::make_shared<PointRunner>(sources, limits, engine);
  measure::Simulator simulator;
  simulator.sha256 = [&sources](const std::string& program) -> Result<std::string> {
    const Result<ProgramText> text = load_program_text(sources, {program});
    if (!text) return text.errors();
    return text->info.sha256;
  };
  simulator.predict = [runner](const measure::MeasuredPoint& point, const MachineSpec& machine,
                               std::int64_t max_steps) {
    return runner->predict(point, machine, max_steps);
  };
  return simulator;
}

} // namespace memlane::cli
