#include "counting.hpp"

#include "compiling.hpp"
#include "difference.hpp"
#include "support/catch.hpp"
#include "support/machines.hpp"

#include "memlane/ir/without_data.hpp"

namespace memlane::test {
namespace {

/// An HMM of one multiprocessor with one warp of four threads.
MachineSpec one_warp(std::int64_t instruction_cost) {
  MachineSpec machine = hmm(1, 4, 2, 5, 4);
  machine.name = "one warp";
  machine.instruction_cost = Cycles{instruction_cost};
  return machine;
}

/// The run of the reference engine, and that of the fast one.
std::vector<RunResult> runs_of_both(const std::string& text) {
  const MachineSpec machine = one_warp(0);
  Sources sources;
  const auto code = compiled(sources, text, machine);
  REQUIRE(code);
  Observer no_observer;
  const auto fast = try_fast(*code, machine, {}, sources);
  REQUIRE(fast);
  return {simulate(*code, machine, {}, sources, no_observer), *fast};
}

} // namespace

Counts counts_by_all_engines(const std::string& text, bool& fast) {
  INFO(text);
  Counts first;
  for (const std::int64_t cost : {0, 7}) {
    const MachineSpec machine = one_warp(cost);
    Sources sources;
    const auto code = compiled(sources, text, machine);
    if (!code) FAIL(render(code.errors(), sources));
    Observer observer;
    const RunResult run = simulate(*code, machine, {}, sources, observer);
    if (run.stop != Stop::none) FAIL(render(run.errors, sources));
    if (cost == 0) first = run.counts;
    CHECK(run.counts.instructions == first.instructions);
    CHECK(run.counts.time.value - first.time.value == cost * first.instructions);
    const auto fast_run = try_fast(*code, machine, {}, sources);
    fast = fast_run.has_value();
    if (fast) CHECK(fast_run->counts.instructions == first.instructions);
    if (fast) CHECK(fast_run->counts.time == run.counts.time);
    const auto without = ir::without_data(*code);
    if (!without) continue;
    const RunResult timed = simulate_timing(*without, machine, {}, sources);
    CHECK(timed.counts.instructions == first.instructions);
    CHECK(timed.counts.time == run.counts.time);
  }
  return first;
}

std::vector<StatementCounts> statements_by_all_engines(const std::string& text,
                                                       std::int64_t warps) {
  INFO(text);
  MachineSpec machine = one_warp(0);
  machine.threads = 4 * warps;
  Sources sources;
  const auto code = compiled(sources, text, machine);
  if (!code) FAIL(render(code.errors(), sources));
  RunOptions options;
  options.verify = false;
  const TalliedRun reference = tallied_reference(*code, machine, options, sources);
  if (reference.result.stop != Stop::none) FAIL(render(reference.result.errors, sources));
  const auto statements = [&](const TalliedRun& run) {
    REQUIRE(run.launches.size() == 1);
    const LaunchTally& launch = run.launches[0];
    std::vector<StatementCounts> counts;
    count_statements(launch.multiprocessors[0], run.kernels[0], counts);
    return counts;
  };
  if (const auto fast = tallied_fast(*code, machine, options, sources)) {
    Difference difference;
    difference.compare_runs(*fast, reference);
    CHECK(difference.text() == "");
  }
  // Without data, code that data decides about is executed by all, if nothing counts it.
  if (const auto without = ir::without_data(*code))
    CHECK(statements(tallied_timing(*without, machine, options, sources)) == statements(reference));
  return statements(reference);
}

TEST_CASE("shared and global words include spare words of layouts, and no alignment gaps") {
  const std::string text = "memory a[5]: int\n"
                           "memory b[3, 5]: int layout padded(2)\n"
                           "shared s[5]: int\n"
                           "shared t[4, 4]: int layout padded(1)\n"
                           "shared u[6]: int layout diagonal\n"
                           "fn spread(i) = 3*i\n"
                           "shared v[3]: int layout spread\n"
                           "kernel one() { s[0] = a[0]  v[0] = b[0, 0] }\n"
                           "kernel all() { s[0] = 1  t[0, 0] = 1  u[0] = 1 }\n"
                           "main { launch one()  launch all() }\nverify { assert true }\n";
  for (const RunResult& run : runs_of_both(text)) {
    CHECK(run.global_words == 5 + (15 + 3 * 2));
    CHECK(run.kernels.at("one").shared_words == 5 + 7);
    CHECK(run.kernels.at("all").shared_words == 5 + (16 + 4 * 1) + 8); // a diagonal has whole rows
    CHECK(run.counts.shared_words == 33);
  }
}

TEST_CASE("calls of every fn that a kernel calls are counted") {
  const std::string text = "memory a[4], c[4]: int\n"
                           "fn id(x) = x\nfn f(x, y) = x*y\nfn never(x) = x\n"
                           "kernel k() {\n"
                           "  c[id(lane)] = id(a[lane]) + f(a[lane], 1)\n"
                           "  if lane < 2 { c[lane] = f(lane, lane) }\n"
                           "}\nmain { launch k() }\nverify { assert true }\n";
  for (const RunResult& run : runs_of_both(text)) {
    CHECK(run.fns.at("id").calls == 8);
    CHECK(run.fns.at("id").steps == 2);
    CHECK(run.fns.at("f").calls == 6);
    CHECK(run.fns.at("never").calls == 0);
    CHECK(run.counts.instructions == 2);
  }
}

} // namespace memlane::test
