#include "engine_rows.hpp"

#include "engine/fast/launcher.hpp"
#include "plain.hpp"

#include "memlane/lang/check.hpp"
#include "memlane/lang/lower.hpp"
#include "memlane/lang/parse.hpp"

#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace memlane::bench {

namespace {

MachineSpec dmm(std::int64_t threads, std::int64_t latency) {
  MachineSpec machine;
  machine.name = "dmm";
  machine.model = Model::dmm;
  machine.threads = threads;
  machine.shared = UnitSpec{UnitKind::discrete, Cycles{latency}, 1, std::nullopt};
  return machine;
}

MachineSpec umm(std::int64_t threads, std::int64_t latency) {
  MachineSpec machine;
  machine.name = "umm";
  machine.threads = threads;
  machine.global = UnitSpec{UnitKind::unified, Cycles{latency}, 1, std::nullopt};
  return machine;
}

MachineSpec hmm(std::int64_t mps) {
  MachineSpec machine = umm(1024, 400);
  machine.name = "hmm";
  machine.model = Model::hmm;
  machine.multiprocessors = mps;
  machine.shared = UnitSpec{UnitKind::discrete, Cycles{2}, 1, std::nullopt};
  return machine;
}

MachineSpec machine_of(const Row& row) {
  if (row.program == "tests/bench/patterns.lane") return dmm(1024, 8);
  if (row.program == "programs/multiply.lane") return hmm(32);
  return umm(row.parameters.front().second / 2, 20);
}

Result<ir::Program> code_of(const Row& row, const MachineSpec& machine, Sources& sources) {
  std::ifstream file(MEMLANE_SOURCE_DIR "/" + row.program);
  std::stringstream text;
  text << file.rdbuf();
  const auto number = sources.add(row.program, text.str());
  const auto no_uses = [](const lang::Name& name, const std::string&) -> Result<std::int32_t> {
    return error_at(name.span, "no uses");
  };
  auto program = lang::load_program(sources, number, no_uses, {});
  if (!program) return program.errors();
  auto checked = lang::check(sources, std::move(*program));
  if (!checked) return checked.errors();
  lang::Bindings bindings{letters(machine), machine.name, {}};
  for (const auto& [name, value] : row.parameters) {
    lang::Expr expr;
    expr.integer = value;
    bindings.params.push_back({name, std::move(expr)});
  }
  return lang::lower(*checked, bindings, sources);
}

} // namespace

const std::vector<Row>& rows() {
  constexpr std::int64_t words = 1 << 22, many = 1 << 26, matrix = 1024, gathered = 1 << 24;
  const char* const patterns = "tests/bench/patterns.lane";
  static const std::vector<Row> all = {
      {"contiguous", patterns, {{"n", words}, {"pattern", 0}}, [] { return naive_dmm(0, words); }},
      {"stride 2", patterns, {{"n", words}, {"pattern", 1}}, [] { return naive_dmm(1, words); }},
      {"stride 32", patterns, {{"n", words}, {"pattern", 2}}, [] { return naive_dmm(2, words); }},
      {"random", patterns, {{"n", words}, {"pattern", 3}}, [] { return naive_dmm(3, words); }},
      {"sum", "programs/sum.lane", {{"n", many}}, [] { return plain_sum(many); }},
      {"prefix sums",
       "programs/prefix_sums.lane",
       {{"n", many}},
       [] { return plain_prefix_sums(many); }},
      {"multiply",
       "programs/multiply.lane",
       {{"n", matrix}, {"m", 32}},
       [] { return plain_multiply(matrix); }},
      {"gather", patterns, {{"n", gathered}, {"pattern", 3}}, [] {
         return plain_gather(gathered);
       }}};
  return all;
}

double engine_seconds(const Row& row) {
  const MachineSpec machine = machine_of(row);
  Sources sources;
  const auto code = code_of(row, machine, sources);
  if (!code) {
    std::fputs(render(code.errors(), sources).c_str(), stderr);
    return -1;
  }
  fast::FastRun run;
  const Launcher launcher = fast::launcher(run, sources);
  double seconds = 0;
  const Launcher timed = [&](const RunState& state, const ir::Function& kernel,
                             const LaunchShape& shape, std::vector<ir::Value> formals,
                             FnTally& tally, std::int64_t number, Cycles start) {
    const auto begin = std::chrono::steady_clock::now();
    LaunchOutcome outcome =
        launcher(state, kernel, shape, std::move(formals), tally, number, start);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return outcome;
  };
  RunOptions options;
  options.verify = false;
  Observer nobody;
  const RunResult result =
      simulate_with(timed, HostRuns::as_code, *code, machine, options, sources, nobody);
  return result.stop == Stop::none && run.halted == fast::Halted::no ? seconds : -1;
}

} // namespace memlane::bench
