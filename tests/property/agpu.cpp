// The counts after Koike (configs/README.md section 6): laws on random programs, and cases by hand.
#include "compiling.hpp"
#include "program_generator.hpp"
#include "support/catch.hpp"
#include "support/machines.hpp"
#include "support/sanitized.hpp"

#include "memlane/ir/without_data.hpp"

namespace memlane::test {
namespace {

ir::Program code_for(Sources& sources, const std::string& text, const MachineSpec& machine) {
  auto code = compiled(sources, text, machine);
  if (!code) FAIL(render(code.errors(), sources) << text);
  return std::move(*code);
}

RunResult counted_run(const std::string& text, const MachineSpec& machine,
                      RunOptions options = {}) {
  Sources sources;
  const ir::Program code = code_for(sources, text, machine);
  RunResult run = simulate_fast(code, machine, options, sources);
  if (run.stop != Stop::none) FAIL(render(run.errors, sources) << text);
  return run;
}

std::string errors_of(const std::string& text, const MachineSpec& machine) {
  Sources sources;
  const ir::Program code = code_for(sources, text, machine);
  const RunResult run = simulate_fast(code, machine, {}, sources);
  CHECK(run.stop == Stop::error);
  return render(run.errors, sources);
}

/// Kernels, launches and lines add up to the run; the I/O is at most k times the time.
void check_sums(const RunResult& run, const MachineSpec& machine) {
  const AgpuCounts& all = run.counts.agpu;
  REQUIRE(all.io);
  REQUIRE(all.time);
  CHECK(*all.io <= machine.multiprocessors * *all.time);
  CHECK(all.shared_words == run.counts.shared_words);
  CHECK(all.global_words == run.global_words);
  std::int64_t kernel_time = 0, kernel_io = 0;
  for (const auto& [name, kernel] : run.kernels) {
    kernel_time += *kernel.agpu.time;
    kernel_io += *kernel.agpu.io;
  }
  CHECK(kernel_time == *all.time);
  CHECK(kernel_io == *all.io);
  std::int64_t launch_time = 0, launch_io = 0;
  for (const LaunchCounts& launch : run.launches) {
    launch_time += *launch.agpu.time;
    launch_io += *launch.agpu.io;
  }
  REQUIRE(run.launches.size() == static_cast<std::size_t>(run.counts.launches));
  CHECK(launch_time == *all.time);
  CHECK(launch_io == *all.io);
  std::int64_t line_time = 0, line_io = 0, operators = 0;
  for (const auto& [place, line] : run.counts.lines) {
    line_time += *line.agpu_time;
    line_io += *line.io;
    operators += line.operators;
  }
  CHECK(line_time == *all.time);
  CHECK(line_io == *all.io);
  CHECK(operators == run.counts.instructions);
}

bool equal(const AgpuCounts& a, const AgpuCounts& b) {
  return a.time == b.time && a.io == b.io && a.shared_words == b.shared_words &&
         a.global_words == b.global_words;
}

/// Runs the program on both engines and on machines with other times: the counts are the same.
void check_law(const std::string& text, std::int64_t mps, std::int64_t width,
               std::int64_t& counted) {
  MachineSpec machine = hmm(mps, width, 3, 11, width);
  Sources sources;
  const ir::Program code = code_for(sources, text, machine);
  RunOptions options;
  options.limits.steps = 20'000'000;
  Observer no_observer;
  const RunResult reference = simulate(code, machine, options, sources, no_observer);
  if (reference.stop != Stop::none || !reference.counts.agpu.io)
    return; // a race, or part of a warp
  ++counted;
  check_sums(reference, machine);
  if (const auto fast = try_fast(code, machine, options, sources)) {
    check_sums(*fast, machine);
    CHECK(equal(fast->counts.agpu, reference.counts.agpu));
  }
  machine.shared->least_stages = 3;
  machine.shared->atomic_stages = Decimal::of(2);
  if (const auto keyed = try_fast(code, machine, options, sources))
    CHECK(equal(keyed->counts.agpu, reference.counts.agpu));
  machine.resident_blocks = 3;
  machine.block_schedule = BlockSchedule::dynamic;
  machine.global->ports = 2;
  CHECK(equal(simulate_fast(code, machine, options, sources).counts.agpu, reference.counts.agpu));
  if (const auto without = ir::without_data(code)) {
    const RunResult timed = simulate_timing(*without, machine, options, sources);
    if (timed.counts.agpu.time) CHECK(equal(timed.counts.agpu, reference.counts.agpu));
    CHECK(timed.counts.agpu.io == reference.counts.agpu.io);
  }
  // The program has no letter whose value an AGPU would change.
  const RunResult on_agpu = simulate_fast(code, agpu(mps, width, 1 << 20), options, sources);
  CHECK(on_agpu.stop == Stop::none);
  CHECK(equal(on_agpu.counts.agpu, reference.counts.agpu));
  CHECK(on_agpu.counts.time.value == *reference.counts.agpu.time);
  for (const LaunchCounts& launch : on_agpu.launches) CHECK(launch.time.value == launch.agpu.time);
}

} // namespace

TEST_CASE("Koike's counts add up and depend on nothing but what is executed") {
  std::int64_t counted = 0;
  for (std::uint64_t seed = 1; seed <= (sanitized ? 4 : 40); ++seed) {
    INFO("seed " << seed);
    const auto mps = static_cast<std::int64_t>(1 + seed % 3);
    const std::int64_t width = seed % 2 == 0 ? 4 : 8;
    check_law(race_free_program(seed, true), mps, width, counted);
    check_law(regular_program(seed, true), mps, width, counted);
  }
  CHECK(counted > (sanitized ? 0 : 15));
}

// The fast engine leaves these machines to the reference engine.
TEST_CASE("smaller groups change stages and time, and none of Koike's counts") {
  std::int64_t more = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    const std::string text = race_free_program(seed, true);
    MachineSpec machine = hmm(2, 8, 3, 11, 8);
    Sources sources;
    const RunResult whole = simulate_fast(code_for(sources, text, machine), machine, {}, sources);
    if (whole.stop != Stop::none || !whole.engine.fast) continue; // blocks of one thread may race
    std::int64_t stages = whole.counts.global[0].stages;
    for (const std::int64_t group : {8, 4, 2, 1}) {
      machine.global->group = group;
      const RunResult run = counted_run(text, machine);
      CHECK(run.engine.fast);
      CHECK(equal(run.counts.agpu, whole.counts.agpu));
      CHECK(run.counts.shared[0].stages == whole.counts.shared[0].stages);
      const UnitCounts& global = run.counts.global[0];
      CHECK(global.requests == whole.counts.global[0].requests);
      CHECK(global.stages >= stages);
      if (group == 1) CHECK(global.conflicts() == 0);
      more += global.stages > stages ? 1 : 0;
      stages = global.stages;
    }
  }
  CHECK(more > 10);
}

TEST_CASE("what shared requests cost beside their stages changes none of Koike's counts") {
  const std::string text = "memory a[16]: int\n"
                           "kernel k() {\n"
                           "  shared s[16]: int\n"
                           "  s[lane] = 1\n"
                           "  s[4*lane] = 2\n"
                           "  atomic s[0] += 1\n"
                           "  atomic s[lane] += 1\n"
                           "  if lane < 2 { s[4*lane] = 3 }\n"
                           "  a[4*block + lane] = s[lane]\n"
                           "}\n"
                           "main { launch k() blocks=4 threads=w }\nverify { assert true }\n";
  std::int64_t stages = 0;
  for (const char* const cost : {"1", "2.5"})
    for (const std::int64_t least : {1, 2, 3, 7}) {
      MachineSpec machine = hmm(2, 4, 3, 11, 4);
      machine.shared->least_stages = least;
      machine.shared->atomic_stages = *decimal_of(cost);
      const RunResult run = counted_run(text, machine);
      INFO(cost << ' ' << least);
      CHECK(run.engine.fast);
      check_sums(run, machine);
      // Statements without conflicts cost 1, three have 3, 3 and 1 of them; two blocks each.
      CHECK(*run.counts.agpu.time == 2 * (6 + 3 + 3 + 1));
      Sources sources;
      Observer no_observer;
      const RunResult reference =
          simulate(code_for(sources, text, machine), machine, {}, sources, no_observer);
      CHECK(equal(reference.counts.agpu, run.counts.agpu));
      for (const auto& [place, line] : run.counts.lines)
        CHECK(reference.counts.lines.at({place.first, place.second}).agpu_time == line.agpu_time);
      CHECK(run.counts.shared[0].stages > stages * (cost[0] == '1' ? 1 : 0));
      stages = run.counts.shared[0].stages;
    }
}

TEST_CASE("a launch takes its slowest multiprocessor, and launches add up") {
  // Launch 0 keeps multiprocessor 0 busy, launch 1 multiprocessor 1.
  const std::string text = "memory a[2, 4]: int\n"
                           "kernel work(m: int) {\n"
                           "  for i = 1 to (if block == m then 10 else 3) { a[block, lane] = i }\n"
                           "}\n"
                           "main { launch work(0) blocks=2 threads=b  launch work(1) blocks=2 "
                           "threads=b }\n"
                           "verify { assert true }\n";
  const RunResult run = counted_run(text, agpu(2, 4, 64));
  CHECK(run.counts.time.value == 10 + 10); // the sums of both are 13
  CHECK(*run.counts.agpu.io == 2 * 13);
  REQUIRE(run.launches.size() == 2);
  CHECK(run.launches[1].kernel == "work");
  CHECK(run.launches[1].blocks == 2);
  CHECK(run.launches[1].threads == 4);
  CHECK(run.launches[1].time.value == 10);
  // Of more blocks than multiprocessors, number 0 runs blocks 0 and 2 in turn.
  const std::string more = "memory a[3, 4]: int\n"
                           "kernel k() { a[block, lane] = 1 }\n"
                           "main { launch k() blocks=3 threads=b }\nverify { assert true }\n";
  CHECK(counted_run(more, agpu(2, 4, 64)).counts.time.value == 2);
}

TEST_CASE("a block has b threads unless the launch says otherwise, and p counts all cores") {
  const std::string text = "memory a[p]: int\n"
                           "kernel fill() { a[block*threads + thread] = threads }\n"
                           "main { launch fill() blocks=k }\n"
                           "verify { for i = 0 to p - 1 { assert a[i] == b } }\n";
  CHECK(counted_run(text, agpu(3, 4, 64)).verify == Verdict::passed);
}

TEST_CASE("counts are unknown where a block is not one full warp") {
  const auto text = [](const std::string& threads) {
    return "memory a[64]: int\nkernel k() { a[thread] = 1 }\nkernel full() { a[lane] = 1 }\n"
           "main { launch full() threads=4  launch k() threads=" +
           threads + " }\nverify { assert true }\n";
  };
  for (const char* const threads : {"8", "3"}) {
    const RunResult run = counted_run(text(threads), hmm(1, 4, 1, 1, 16));
    CHECK(!run.counts.agpu.time);
    CHECK(!run.counts.agpu.io);
    CHECK(run.counts.agpu.global_words == 64);
    CHECK(!run.kernels.at("k").agpu.io);
    CHECK(*run.kernels.at("full").agpu.io == 1);
    CHECK(*run.launches[0].agpu.time == 1);
    CHECK(!run.launches[1].agpu.time);
  }
  CHECK(*counted_run(text("4"), hmm(1, 4, 1, 1, 16)).counts.agpu.io == 2);
  // A DMM has no unified unit: its requests' groups are counted for such launches.
  const std::string strided = "memory a[16]: int\nkernel k() { a[2*lane] = 1  a[lane] = 2 }\n"
                              "main { launch k() threads=w }\nverify { assert true }\n";
  for (const MachineSpec& machine : {dmm(4, 1, 16), umm(4, 1, 16), hmm(1, 4, 1, 1, 16)})
    CHECK(*counted_run(strided, machine).counts.agpu.io == 3);
  CHECK(*counted_run(strided, dmm(4, 1, 16)).counts.agpu.time ==
        1 + 1 + 1); // a[2*lane]: 2 banks of 4
}

TEST_CASE("the multiplicity is M/m in lowest terms") {
  const auto text = [](int words) {
    return "shared s[" + std::to_string(words) +
           "]: int\nmemory a[4]: int\nkernel k() { s[0] = 1  a[0] = s[0] }\n"
           "main { launch k() }\nverify { assert true }\n";
  };
  CHECK(counted_run(text(10), agpu(1, 4, 64)).counts.agpu.multiplicity->text() == "32/5");
  CHECK(counted_run(text(16), agpu(1, 4, 64)).counts.agpu.multiplicity->text() == "4");
  CHECK(!counted_run(text(16), hmm(1, 4, 1, 1, 4)).counts.agpu.multiplicity); // unbounded
  CHECK(
      errors_of(text(65), agpu(1, 4, 64)) ==
      "random.lane:4:8: error: a block of k has m = 65 shared words, and the shared memory M = 64: "
      "the multiplicity M/m would be below 1\n"
      "    main { launch k() }\n"
      "           ^^^^^^^^^^\n"
      "  help: make the arrays smaller, or change the machine: --set shared.capacity=65\n");
  const std::string without = "memory a[4]: int\nkernel k() { a[0] = 1 }\nmain { launch k() }\n"
                              "verify { assert true }\n";
  CHECK(!counted_run(without, agpu(1, 4, 64)).counts.agpu.multiplicity);
}

TEST_CASE("an AGPU refuses blocks of other than b threads, with the way out") {
  const std::string error = errors_of("memory a[p]: int\nkernel k() { a[thread] = 1 }\n"
                                      "main { launch k() threads=p }\nverify { assert true }\n",
                                      agpu(2, 4, 64));
  CHECK(error.find("k is launched with blocks of 8 threads, and a block of an AGPU has b = 4: one "
                   "warp a multiprocessor") != std::string::npos);
  CHECK(error.find("help: write launch … blocks=k threads=b") != std::string::npos);
}

namespace {

/// Block 1 of each launch reads what block 0 of the same multiprocessor, or the launch before, has
/// left.
std::string leaving(const std::string& where, int first) {
  return "memory a[4]: int\n" + std::string(where == "top" ? "shared s[4]: int\n" : "") +
         "kernel k(from: int) {\n" + (where == "top" ? "" : "  shared s[4]: int\n") +
         "  if block == 0 and from == 0 { s[lane] = 7 }\n"
         "  if block >= " +
         std::to_string(first) +
         " or from > 0 { a[lane] = s[lane] }\n"
         "}\n"
         "main { launch k(0) blocks=2 threads=b  launch k(1) threads=b }\n"
         "verify { for i = 0 to 3 { assert a[i] == 7 } }\n";
}

} // namespace

TEST_CASE("a read of an unwritten shared word says what was left there") {
  const auto has = [](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  const std::string same = errors_of(leaving("top", 1), agpu(1, 4, 64));
  has(same,
      "random.lane:5:41: error: s[0] is read before anything was written to it in thread 0 of "
      "block 1, kernel k");
  has(same, "help: an earlier block of this launch had left a value there, but a block starts with "
            "erased shared memory");
  has(same, "help: an AGPU with --set volatile=false keeps it");
  const std::string before = errors_of(leaving("kernel", 2), agpu(1, 4, 64));
  has(before, "in thread 0 of block 0, kernel k");
  has(before, "help: launch 0 had left a value there");
  has(before, "keeps the arrays that are declared at the program's top level");
  // On two multiprocessors block 1 has another memory.
  has(errors_of(leaving("top", 1), agpu(2, 4, 64)),
      "help: no earlier block or launch had left a value there");
  has(errors_of(leaving("top", 1), hmm(1, 4, 1, 1, 4)), "help: an earlier block of this launch");
}

TEST_CASE("a multiprocessor that is not volatile keeps the arrays of a program's top level") {
  MachineSpec machine = agpu(1, 4, 64);
  machine.is_volatile = false;
  const RunResult run = counted_run(leaving("top", 1), machine);
  CHECK(run.verify == Verdict::passed);
  CHECK(!run.engine.fast);
  CHECK(run.counts.time.value == 1 + 1 + 1);
  // Not those of a kernel, and each multiprocessor has its own.
  CHECK(errors_of(leaving("kernel", 1), machine).find("s[0] is read before") != std::string::npos);
  machine.multiprocessors = 2;
  CHECK(errors_of(leaving("top", 1), machine).find("in thread 0 of block 1") != std::string::npos);
  CHECK(counted_run(leaving("top", 2), machine).verify == Verdict::passed);
  // A program without such arrays runs on the fast engine.
  CHECK(counted_run(
            "memory a[4]: int\nkernel k() { shared s[4]: int  s[lane] = 1  a[lane] = s[lane] }\n"
            "main { launch k() }\nverify { assert a[0] == 1 }\n",
            machine)
            .engine.fast);
}

TEST_CASE("without data, a statement that data decides about has no time after Koike") {
  const std::string text = "memory a[8], c[4]: int = index\n"
                           "kernel k() {\n"
                           "  var best = a[lane]\n"
                           "  let x = a[4 + lane]\n"
                           "  let y = if x > 5 then 1 else 0\n"
                           "  CONDITIONAL\n"
                           "  c[lane] = 1\n"
                           "}\n"
                           "main { launch k() }\nverify { assert true }\n";
  const auto with = [&](const std::string& statement) {
    std::string changed = text;
    return changed.replace(changed.find("CONDITIONAL"), 11, statement);
  };
  const auto timed = [](const std::string& program, const MachineSpec& machine) {
    Sources sources;
    const ir::Program code = code_for(sources, program, machine);
    const auto without = ir::without_data(code);
    if (!without) FAIL(render(without.errors(), sources));
    return simulate_timing(*without, machine, {}, sources);
  };
  const MachineSpec machine = hmm(1, 4, 1, 1, 4);
  CHECK(*timed(with(""), machine).counts.agpu.time ==
        *counted_run(with(""), machine).counts.agpu.time);
  const std::string conditional = with("if x > best { best = x }");
  CHECK(*counted_run(conditional, machine).counts.agpu.time == 5);
  const RunResult unknown = timed(conditional, machine);
  CHECK(unknown.stop == Stop::none);
  CHECK(!unknown.counts.agpu.time);
  CHECK(*unknown.counts.agpu.io == 3);
  const RunResult refused = timed(conditional, agpu(1, 4, 64));
  REQUIRE(refused.stop == Stop::error);
  CHECK(refused.errors[0].message ==
        "how often this is executed depends on data: the time of an AGPU run counts it");
}

TEST_CASE("a result lists the first thousand launches") {
  const std::string text = "memory a[4]: int\nkernel k() { a[lane] = 1 }\n"
                           "main { for i = 1 to 1200 { launch k() } }\nverify { assert true }\n";
  const RunResult run = counted_run(text, agpu(1, 4, 64));
  CHECK(run.counts.time.value == 1200);
  CHECK(run.launches.size() == 1000);
}

} // namespace memlane::test
