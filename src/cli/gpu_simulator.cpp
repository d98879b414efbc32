#include "gpu.hpp"
#include "program.hpp"
#include "results.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>

namespace memlane::cli {
namespace {

/// The command line that would give the point's program its replacements and parameters.
Arguments arguments_of(const gpu::Measured& point) {
  Arguments arguments;
  for (const auto& [option, text] : point.replaced) arguments.options.emplace_back(option, text);
  for (const auto& [name, value] : point.parameters) {
    arguments.options.emplace_back("define", fmt::format("{}={}", name, value));
  }
  return arguments;
}

/// Checked programs are kept: a fit runs each many times.
class PointRunner {
public:
  PointRunner(Sources& sources, const Limits& limits, Engine engine)
      : sources_(sources), limits_(limits), engine_(engine) {}

  gpu::Prediction predict(const gpu::Measured& point, const MachineSpec& machine,
                          std::int64_t max_steps);

private:
  Result<CheckedProgram>& program_of(const gpu::Measured& point, const Arguments& arguments);

  Sources& sources_;
  Limits limits_;
  Engine engine_;
  std::map<std::string, Result<CheckedProgram>> programs_;
};

Result<CheckedProgram>& PointRunner::program_of(const gpu::Measured& point,
                                                const Arguments& arguments) {
  std::string key = point.program;
  for (const auto& [option, text] : point.replaced) key += "\n" + option + " " + text;
  const auto found = programs_.find(key);
  if (found != programs_.end()) return found->second;
  return programs_.emplace(key, load_checked_program(sources_, point.program, arguments))
      .first->second;
}

gpu::Prediction PointRunner::predict(const gpu::Measured& point, const MachineSpec& machine,
                                     std::int64_t max_steps) {
  gpu::Prediction prediction;
  if (limits_.check && limits_.check() != Stop::none) {
    prediction.stop = true;
    return prediction;
  }
  const Arguments arguments = arguments_of(point);
  Result<CheckedProgram>& program = program_of(point, arguments);
  if (!program) {
    prediction.why_not = program.errors().front().message;
    return prediction;
  }
  program->info.parameters.clear(); // which compile appends to
  const Result<ir::Program> code = compile(sources_, *program, machine, arguments);
  if (!code) {
    prediction.why_not = code.errors().front().message;
    return prediction;
  }
  RunOptions options;
  options.seed = point.seed;
  options.verify = false; // the time is wanted; tests and `verify` look at results
  options.limits = limits_;
  options.limits.steps = max_steps;
  const RunResult run = simulate_on(engine_, *code, machine, options, sources_);
  prediction.steps = run.steps;
  prediction.launches = run.counts.launches;
  prediction.stop = run.stop == Stop::wall_clock || run.stop == Stop::interrupted;
  if (run.stop == Stop::none) {
    prediction.time = run.counts.time.value;
  } else if (run.stop == Stop::steps) {
    prediction.why_not = fmt::format("more than {} instructions (--max-steps)", max_steps);
  } else {
    prediction.why_not =
        run.errors.empty() ? std::string(words_for(run.stop)) : run.errors.front().message;
  }
  return prediction;
}

} // namespace

gpu::Simulator gpu_simulator(Sources& sources, const Limits& limits, Engine engine) {
  const auto runner = std::make_shared<PointRunner>(sources, limits, engine);
  gpu::Simulator simulator;
  simulator.sha256 = [&sources](const std::string& program) -> Result<std::string> {
    const Result<ProgramText> text = load_program_text(sources, program, Arguments{});
    if (!text) return text.errors();
    return text->info.sha256;
  };
  simulator.predict = [runner](const gpu::Measured& point, const MachineSpec& machine,
                               std::int64_t max_steps) {
    return runner->predict(point, machine, max_steps);
  };
  return simulator;
}

} // namespace memlane::cli
