#include "memlane/study/gpu/simulator.hpp"

#include "memlane/ir/without_data.hpp"
#include "memlane/points/definitions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

namespace memlane::measure {
namespace {

/// A simulation that can be run.
struct PointRun {
  std::size_t place; ///< in the list of simulations
  const Simulation& simulation;
  const CheckedProgram& program;
  const std::vector<lang::ParamValue>& parameters;
  std::unique_ptr<RunProgress> progress = std::make_unique<RunProgress>();
  bool timing_only = false;

  /// More than the most instructions were executed. Skipped steps are no work, so they do not
  /// count.
  bool is_beyond() const {
    constexpr std::int64_t between = RunProgress::steps_between;
    return progress->steps / between > simulation.max_steps / between + 1;
  }
};

Prediction impossible(const Diagnostics& errors) {
  Prediction none;
  none.why_not = errors.front().message;
  return none;
}

Prediction prediction_of(const PointRun& run, const RunResult& result) {
  Prediction prediction;
  prediction.steps = result.steps;
  if (run.timing_only) prediction.steps = std::min<std::int64_t>(result.steps, run.progress->steps);
  prediction.launches = result.counts.launches;
  if (result.stop == Stop::steps || (run.timing_only && run.is_beyond())) {
    prediction.why_not =
        fmt::format("more than {} instructions (--max-steps)", run.simulation.max_steps);
  } else if (result.stop == Stop::none) {
    prediction.time = result.counts.time.value;
  } else if (result.stop == Stop::wall_clock || result.stop == Stop::interrupted) {
    prediction.stop = true;
  } else {
    prediction.why_not = result.errors.empty() ? std::string(sweep::stop_text(result.stop))
                                               : result.errors.front().message;
  }
  return prediction;
}

/// Checked programs and parameters are kept: a fit runs each many times.
class PointRunner {
public:
  PointRunner(SimulatedFiles files, Sources& sources, const Limits& limits, sweep::Engine engine,
              std::size_t jobs)
      : files_(std::move(files)), sources_(sources), limits_(limits), engine_(engine), jobs_(jobs) {
  }

  std::vector<Prediction> predict(const std::vector<Simulation>& simulations,
                                  const SimulationProgress& progress);

private:
  const Result<CheckedProgram>& program_of(const MeasuredPoint& point);
  const Result<std::vector<lang::ParamValue>>& parameters_of(const MeasuredPoint& point);
  sweep::Point bound_point(PointRun& run) const;

  SimulatedFiles files_;
  Sources& sources_;
  Limits limits_;
  sweep::Engine engine_;
  std::size_t jobs_;
  std::map<std::string, Result<CheckedProgram>> programs_;
  std::map<std::string, Result<std::vector<lang::ParamValue>>> parameters_;
};

const Result<CheckedProgram>& PointRunner::program_of(const MeasuredPoint& point) {
  std::string key = point.program;
  for (const auto& [option, text] : point.replaced) key += "\n" + option + " " + text;
  const auto found = programs_.find(key);
  if (found != programs_.end()) return found->second;
  return programs_.emplace(key, files_.program(point.program, point.replaced)).first->second;
}

const Result<std::vector<lang::ParamValue>>&
PointRunner::parameters_of(const MeasuredPoint& point) {
  const std::string key = parameters_text(point.parameters);
  const auto found = parameters_.find(key);
  if (found != parameters_.end()) return found->second;
  std::vector<std::string> definitions;
  for (const auto& [name, value] : point.parameters)
    definitions.push_back(fmt::format("{}={}", name, value));
  return parameters_.emplace(key, sweep::param_values(sources_, definitions)).first->second;
}

/// The point, bound if that is possible: the queue binds it again for the errors. Where time does
/// not depend on data, large sizes take little work.
sweep::Point PointRunner::bound_point(PointRun& run) const {
  sweep::Point point;
  point.program = &run.program;
  point.machine = run.simulation.machine;
  point.parameters = run.parameters;
  point.engine = engine_;
  point.claims = false;
  point.options.seed = run.simulation.point->seed;
  point.options.verify = false; // the time is wanted; tests and `verify` look at results
  point.options.limits = limits_;
  Result<ir::Program> code = sweep::bind_point(point, sources_);
  if (!code) return point;
  point.options.limits.steps = run.simulation.max_steps;
  Result<ir::Program> timed =
      engine_ == sweep::Engine::fast ? ir::without_data(*code, limits_) : code;
  run.timing_only = engine_ == sweep::Engine::fast && timed.ok();
  point.code = std::make_shared<const ir::Program>(std::move(timed ? *timed : *code));
  if (!run.timing_only) return point;
  // A run that is asked to stop does so at once; one at the limit of its steps would begin again in
  // the reference engine, which has to say where.
  if (run.simulation.max_steps >= RunProgress::steps_between)
    point.options.limits.steps = INT64_MAX;
  point.options.timing_only = true;
  point.options.limits.progress = run.progress.get();
  point.options.limits.check = [&run, check = limits_.check] {
    if (run.is_beyond()) return Stop::wall_clock;
    return check ? check() : Stop::none;
  };
  return point;
}

std::vector<Prediction> PointRunner::predict(const std::vector<Simulation>& simulations,
                                             const SimulationProgress& progress) {
  std::vector<Prediction> predictions(simulations.size());
  std::vector<PointRun> points;
  for (std::size_t i = 0; i < simulations.size(); ++i) {
    const MeasuredPoint& point = *simulations[i].point;
    const auto& program = program_of(point);
    const auto& parameters = parameters_of(point);
    if (program && parameters)
      points.push_back({i, simulations[i], *program, *parameters});
    else
      predictions[i] = impossible(program ? parameters.errors() : program.errors());
  }
  sweep::PointRuns runs;
  runs.jobs = jobs_;
  runs.memory = limits_.memory;
  runs.progress = progress;
  sweep::run_points({points.size(), [&](std::size_t at) { return bound_point(points[at]); }},
                    sources_, runs, [&](std::size_t at, const sweep::PointResult& result) {
                      predictions[points[at].place] = prediction_of(points[at], result.run);
                    });
  return predictions;
}

} // namespace

Simulator simulator_of(SimulatedFiles files, Sources& sources, const Limits& limits,
                       sweep::Engine engine, std::size_t jobs) {
  Simulator simulator;
  simulator.sha256 = files.sha256;
  const auto runner =
      std::make_shared<PointRunner>(std::move(files), sources, limits, engine, jobs);
  simulator.predict = [runner](const std::vector<Simulation>& simulations,
                               const SimulationProgress& progress) {
    return runner->predict(simulations, progress);
  };
  return simulator;
}

} // namespace memlane::measure
