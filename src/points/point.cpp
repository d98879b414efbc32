#include "memlane/points/point.hpp"

#include "memlane/ir/without_data.hpp"
#include "memlane/machine/keys.hpp"
#include "memlane/points/recipe.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::sweep {
namespace {

/// The errors of a program on a machine that does not fit it, with one that does.
Diagnostics with_fitting_machine(Diagnostics errors, const Point& point) {
  const DefaultMachine fitting = default_machine({&point.program->checked});
  if (fitting.model != point.machine.model)
    errors.back().help.push_back(fmt::format("take -m {}", fitting.name));
  return errors;
}

} // namespace

lang::Bindings bindings_of(const MachineSpec& machine, std::vector<lang::ParamValue> parameters,
                           std::string_view option) {
  lang::Bindings bindings{letters(machine), machine.name, std::move(parameters),
                          std::string(option)};
  bindings.awaits_reads = machine.requests_in_flight > 1;
  for (const auto& [letter, value] : bindings.letters)
    if (const auto key = key_of_letter(letter, machine.model)) bindings.keys.emplace(letter, *key);
  if (machine.model == Model::mmm && !machine.processors)
    bindings.keys.emplace("P", *key_of_letter("P", machine.model));
  if (is_timed(machine.model) && !machine.tensor_size)
    for (const char* const letter : {"tensor_size", "tensor_latency"})
      bindings.keys.emplace(letter, "tensor.size");
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

bool shares_run(const Point& point, const Point& other) {
  return point.command.empty() && other.command.empty() && point.engine == Engine::fast &&
         other.engine == Engine::fast && !point.observer && !other.observer &&
         differ_in_latency(point.machine, other.machine) &&
         (point.code == other.code || point.code->same_code(*other.code));
}

namespace {

/// One execution for the point and those that share it.
PointResult run_with_same(const Point& point, const Sources& sources) {
  std::vector<const MachineSpec*> machines{&point.machine};
  for (const Point& other : point.same) machines.push_back(&other.machine);
  auto runs = simulate_on_all(*point.code, machines, point.options, sources);
  const auto result_of = [&](const Point& of, std::optional<RunResult>& run) {
    if (!run) return run_point(of, sources);
    PointResult result;
    result.started = true;
    result.run = std::move(*run);
    if (of.claims) result.claims = claims_of(of, *of.code, result.run, sources);
    result.code = of.code;
    return result;
  };
  PointResult result = result_of(point, runs.front());
  for (std::size_t k = 0; k < point.same.size(); ++k)
    result.same.push_back(result_of(point.same[k], runs[k + 1]));
  return result;
}

} // namespace

PointResult run_point(const Point& point, const Sources& sources) {
  if (!point.same.empty()) return run_with_same(point, sources);
  PointResult result;
  if (!point.command.empty()) {
    result = point.run_command(point);
    result.code = point.code;
    return result;
  }
  result.started = true;
  result.run =
      simulate_on(point.engine, *point.code, point.machine, point.options, sources, point.observer);
  if (point.claims) result.claims = claims_of(point, *point.code, result.run, sources);
  result.code = point.code;
  return result;
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
