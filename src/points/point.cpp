#include "memlane/points/point.hpp"

#include "memlane/ir/without_data.hpp"
#include "memlane/machine/keys.hpp"
#include "memlane/points/parallel_tasks.hpp"
#include "memlane/points/recipe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

namespace memlane::sweep {
namespace {

/// The errors of a program on a machine that does not fit it, with one that does.
Diagnostics with_fitting_machine(Diagnostics errors, const Point& point) {
  const DefaultMachine fitting = default_machine({&point.program->checked});
  if (fitting.model != point.machine.model)
    errors.back().help.push_back(fmt::format("take -m {}", fitting.name));
  return errors;
}

PointResult run_bound(const Point& point, std::shared_ptr<const ir::Program> code,
                      const Sources& sources) {
  PointResult result;
  if (!point.command.empty()) {
    result = point.run_command(point);
    result.code = std::move(code);
    return result;
  }
  result.started = true;
  result.run =
      simulate_on(point.engine, *code, point.machine, point.options, sources, point.observer);
  if (point.claims) result.claims = claims_of(point, *code, result.run, sources);
  result.code = std::move(code);
  return result;
}

/// Points under way. Each task has its own place in the list.
class PointQueue {
public:
  PointQueue(const PointSource& points, const Sources& sources, const PointRuns& runs,
             const TakeResult& take)
      : points_(points), sources_(sources), runs_(runs), take_(take), under_way_(points.count) {}

  void run();

private:
  struct UnderWay {
    Point point;
    PointResult result;
  };

  std::int64_t prepare(std::size_t at);
  void work(std::size_t at);
  void run_prepared(std::size_t at);
  void deliver(std::size_t at);

  const PointSource& points_;
  const Sources& sources_;
  const PointRuns& runs_;
  const TakeResult& take_;
  /// One for each point, null unless it is under way.
  std::vector<std::unique_ptr<UnderWay>> under_way_;
  std::mutex taking_, progressing_;
  std::size_t done_ = 0; ///< points that have ended
};

/// Binds the point unless the work was asked to stop; the bytes that its run will hold.
std::int64_t PointQueue::prepare(std::size_t at) {
  under_way_[at] = std::make_unique<UnderWay>(UnderWay{points_.point(at), {}});
  auto& [point, result] = *under_way_[at];
  if (point.options.limits.check) result.run.stop = point.options.limits.check();
  if (result.run.stop != Stop::none) return 0;
  const auto fail = [&result = result](const Diagnostics& errors) -> std::int64_t {
    result.code = nullptr;
    const Stop stop = stop_of(errors);
    result.run.stop = stop == Stop::none ? Stop::error : stop;
    result.run.errors = errors;
    return 0;
  };
  result.code = point.code;
  if (!result.code) {
    Result<ir::Program> code = bind_point(point, sources_);
    if (!code) return fail(code.errors());
    result.code = std::make_shared<const ir::Program>(std::move(*code));
  }
  if (runs_.bound)
    if (Status ready = runs_.bound(at, point, *result.code); !ready) return fail(ready.errors());
  return bytes_of_point(point, *result.code);
}

void PointQueue::run_prepared(std::size_t at) {
  auto& [point, result] = *under_way_[at];
  // It may have waited for memory since.
  if (point.options.limits.check) result.run.stop = point.options.limits.check();
  if (result.run.stop != Stop::none) return;
  if (runs_.begin) runs_.begin(at, point);
  const double begun = runs_.clock ? runs_.clock() : 0;
  result = run_bound(point, result.code, sources_);
  if (runs_.clock) result.seconds = runs_.clock() - begun;
}

void PointQueue::work(std::size_t at) {
  if (under_way_[at]->result.code) run_prepared(at);
  if (runs_.progress) {
    const std::lock_guard lock(progressing_);
    runs_.progress(++done_, points_.count);
  }
  if (runs_.take_concurrently) return deliver(at);
  if (runs_.in_order) return;
  const std::lock_guard lock(taking_);
  deliver(at);
}

void PointQueue::deliver(std::size_t at) {
  take_(at, std::move(under_way_[at]->result));
  under_way_[at].reset();
}

void PointQueue::run() {
  ParallelTasks tasks;
  tasks.count = points_.count;
  tasks.bytes = [this](std::size_t at) { return prepare(at); };
  tasks.work = [this](std::size_t at) { work(at); };
  if (runs_.in_order && !runs_.take_concurrently)
    tasks.take = [this](std::size_t at) { deliver(at); };
  run_parallel(runs_.jobs, runs_.memory, tasks);
}

} // namespace

lang::Bindings bindings_of(const MachineSpec& machine, std::vector<lang::ParamValue> parameters,
                           std::string_view option) {
  lang::Bindings bindings{letters(machine), machine.name, std::move(parameters),
                          std::string(option)};
  for (const auto& [letter, value] : bindings.letters)
    if (const auto key = key_of_letter(letter, machine.model)) bindings.keys.emplace(letter, *key);
  if (machine.model == Model::mmm && !machine.processors)
    bindings.keys.emplace("P", *key_of_letter("P", machine.model));
  return bindings;
}

Result<ir::Program> bind_point(const Point& point, const Sources& sources) {
  lang::Bindings bindings = bindings_of(point.machine, point.parameters);
  Limits limits = sources.limits();
  if (point.options.limits.check) limits.check = point.options.limits.check;
  bindings.limits = &limits;
  Result<ir::Program> code = lang::lower(point.program->checked, bindings, sources);
  if (!code) {
    const auto& letters = point.program->checked.letters;
    const bool has_letters = std::all_of(letters.begin(), letters.end(), [&](const auto& letter) {
      return bindings.letters.contains(letter);
    });
    return has_letters ? code : with_fitting_machine(code.errors(), point);
  }
  if (Status possible = check_machine(*code, point.machine); !possible)
    return with_fitting_machine(possible.errors(), point);
  if (!point.options.timing_only) return code;
  return ir::without_data(*code, point.options.limits);
}

std::vector<ir::Constant> parameters_of(const ir::Program& code) {
  std::vector<ir::Constant> parameters;
  for (const ir::Constant& constant : code.constants)
    if (constant.param) parameters.push_back(constant);
  return parameters;
}

RunResult simulate_on(Engine engine, const ir::Program& program, const MachineSpec& machine,
                      const RunOptions& options, const Sources& sources, Observer* observer) {
  if (options.timing_only) return simulate_timing(program, machine, options, sources, 0, observer);
  if (engine == Engine::fast) return simulate_fast(program, machine, options, sources, observer);
  Observer no_observer;
  RunResult result =
      simulate(program, machine, options, sources, observer ? *observer : no_observer);
  result.engine.reason = "--engine reference asks for it";
  return result;
}

std::int64_t bytes_of_point(const Point& point, const ir::Program& code) {
  constexpr std::int64_t word = sizeof(ir::Value);
  std::int64_t all = bytes_of_arrays(code, point.options);
  if (all > point.options.limits.memory) return 0;
  for (const ir::Array& array : code.arrays) {
    const auto& outputs = point.options.outputs;
    if (std::find(outputs.begin(), outputs.end(), array.name) == outputs.end()) continue;
    if (array.elements() > (INT64_MAX - all) / word) return INT64_MAX;
    all += array.elements() * word;
  }
  // Points share them, but the last of these may run alone.
  for (const auto& [array, values] : point.options.inputs)
    all += static_cast<std::int64_t>(values->size()) * word;
  return all;
}

std::vector<ClaimOutcome> claims_of(const Point& point, const ir::Program& code, RunResult& run,
                                    const Sources& sources) {
  if (run.stop != Stop::none) return {};
  std::vector<ClaimOutcome> claims = evaluate_claims(
      point.program->checked, sources, {&code, &point.machine, &run, &point.options.limits});
  run.stop = stop_of(claims);
  if (run.stop != Stop::none) run.reached = "the end of the run; its claims are not all evaluated";
  return claims;
}

PointResult run_point(const Point& point, const Sources& sources) {
  return run_bound(point, point.code, sources);
}

void run_points(const PointSource& points, const Sources& sources, const PointRuns& runs,
                const TakeResult& take) {
  PointQueue(points, sources, runs, take).run();
}

void run_points(const std::vector<Point>& points, const Sources& sources, const PointRuns& runs,
                const TakeResult& take) {
  run_points({points.size(), [&](std::size_t at) { return points[at]; }}, sources, runs, take);
}

std::string_view stop_text(Stop stop) {
  switch (stop) {
  case Stop::steps: return "stopped at the limit of --max-steps";
  case Stop::time: return "stopped at the limit of --max-time";
  case Stop::memory: return "stopped at the limit of --max-memory";
  case Stop::wall_clock: return "stopped at the limit of --max-seconds";
  case Stop::interrupted: return "interrupted";
  case Stop::none:
  case Stop::error: break;
  }
  return "";
}

std::string engine_text(const EngineUse& use, const Sources& sources) {
  const auto place = [&](Span span) {
    if (!span.known()) return std::string();
    return fmt::format(" ({}:{})", sources.path(span.file), sources.begin(span).line);
  };
  std::string text = fmt::format("engine: {}", use.fast ? "fast" : "reference");
  if (!use.reason.empty()) text += fmt::format(", since {}{}", use.reason, place(use.reason_at));
  text += fmt::format("; {} restart{}\n", use.restarts, use.restarts == 1 ? "" : "s");
  for (const EngineUse::ByWord& accesses : use.by_word)
    text += fmt::format("engine: races on {} in kernel {} are checked word by word{}\n",
                        accesses.array, accesses.kernel, place(accesses.at));
  return text;
}

} // namespace memlane::sweep
