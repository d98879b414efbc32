#include "engine_rows.hpp"

#include "engine/fast/launch_run.hpp"
#include "plain.hpp"
#include "support/machines.hpp"

#include "memlane/claim/claim.hpp"
#include "memlane/lang/check.hpp"
#include "memlane/lang/lower.hpp"
#include "memlane/lang/parse.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace memlane::bench {

namespace {

MachineSpec machine_of(const Row& row, std::int64_t n) {
  if (row.program == "tests/bench/patterns.lane") return test::dmm(32, 8);
  if (row.program == "programs/matrix/multiply.lane") {
    const std::int64_t m = row.parameters.front().second; // one thread for each word of a tile
    return test::hmm(32, 32, 2, 400, std::min<std::int64_t>(1024, m * m));
  }
  return test::umm(32, 20, n / 2);
}

Result<ir::Program> code_of(const Row& row, std::int64_t n, const MachineSpec& machine,
                            Sources& sources) {
  std::ifstream file(MEMLANE_SOURCE_DIR "/" + row.program);
  std::stringstream text;
  text << file.rdbuf();
  const auto number = sources.add(row.program, text.str());
  const auto no_uses = [](const lang::Name& name, const std::string&) -> Result<std::int32_t> {
    return error_at(name.span, "no uses");
  };
  auto program = lang::load_program(sources, number, no_uses, {});
  if (!program) return program.errors();
  auto checked = lang::check(sources, std::move(*program), claim_counts());
  if (!checked) return checked.errors();
  lang::Bindings bindings{letters(machine), machine.name, {}};
  const auto bind = [&](const std::string& name, std::int64_t value) {
    lang::Expr expr;
    expr.integer = value;
    bindings.params.push_back({name, std::move(expr)});
  };
  bind("n", n);
  for (const auto& [name, value] : row.parameters) bind(name, value);
  return lang::lower(*checked, bindings, sources);
}

} // namespace

const std::vector<Row>& rows() {
  constexpr std::int64_t words = 1 << 22, many = 1 << 26, gathered = 1 << 24, few = 1 << 12;
  const std::string patterns = "tests/bench/patterns.lane";
  using N = std::int64_t;
  static const std::vector<Row> all = {
      {"contiguous", patterns, words, few, {{"pattern", 0}}, [](N n) { return naive_dmm(0, n); }},
      {"stride 2", patterns, words, few, {{"pattern", 1}}, [](N n) { return naive_dmm(1, n); }},
      {"stride 32", patterns, words, few, {{"pattern", 2}}, [](N n) { return naive_dmm(2, n); }},
      {"random", patterns, words, few, {{"pattern", 3}}, [](N n) { return naive_dmm(3, n); }},
      {"sum", "programs/reduction/sum.lane", many, few, {}, plain_sum},
      {"prefix sums", "programs/scan/prefix_sums.lane", many, few, {}, plain_prefix_sums},
      {"multiply", "programs/matrix/multiply.lane", 1024, 64, {{"m", 32}}, plain_multiply},
      {"multiply 16", "programs/matrix/multiply.lane", 1024, 64, {{"m", 16}}, plain_multiply},
      {"multiply 8", "programs/matrix/multiply.lane", 1024, 64, {{"m", 8}}, plain_multiply},
      {"gather", patterns, gathered, few, {{"pattern", 3}}, plain_gather}};
  return all;
}

double engine_seconds(const Row& row, std::int64_t n) {
  const MachineSpec machine = machine_of(row, n);
  Sources sources;
  const auto code = code_of(row, n, machine, sources);
  if (!code) {
    std::fputs(render(code.errors(), sources).c_str(), stderr);
    return -1;
  }
  RunOptions options;
  options.verify = false;
  fast::FastRun run;
  run.side_by_side = &options.side_by_side;
  const Launcher launcher = fast::launcher(run);
  double seconds = 0;
  Launcher timed = launcher;
  timed.run = [&](const RunState& state, const ir::Function& kernel, const LaunchShape& shape,
                  std::vector<ir::Value> formals, std::int64_t number, Cycles start) {
    const auto begin = std::chrono::steady_clock::now();
    LaunchOutcome outcome = launcher.run(state, kernel, shape, std::move(formals), number, start);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return outcome;
  };
  Observer observer;
  const RunOutcome result =
      run_with(timed, HostRuns::as_code, *code, machine, options, sources, observer);
  return result.stop == Stop::none && run.halted == fast::Halted::no ? seconds : -1;
}

} // namespace memlane::bench
