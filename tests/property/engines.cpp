// Compares the fast engine with the reference engine on random programs and machines. Reduces a
// program on which they differ, and shows it.
#include "compiling.hpp"
#include "difference.hpp"
#include "program_generator.hpp"
#include "support/catch.hpp"
#include "support/machines.hpp"

#include "memlane/machine/machine.hpp"
#include "memlane/points/parallel_tasks.hpp"
#include "memlane/support/random.hpp"

#include <atomic>
#include <climits>
#include <fstream>
#include <functional>
#include <sstream>

namespace memlane::test {
namespace {

constexpr std::uint64_t programs = MEMLANE_PROPERTY_PROGRAMS;

struct Case {
  std::string text;
  MachineSpec machine;
  int tile_lanes = 0;
  std::int64_t steps = 2'000'000; ///< the limit
  int polls = INT_MAX;            ///< how often the caller is asked before it says stop
  std::size_t threads = 1;        ///< that execute blocks
  std::int64_t least = 0;         ///< instructions of a launch that several serve
};

/// The difference of the engines; empty: none, or the text is not a program.
std::string difference(const Case& at, bool* was_fast = nullptr) {
  Sources sources;
  const auto code = compiled(sources, at.text, at.machine);
  if (!code || !check_machine(*code, at.machine)) return {};
  RunOptions options;
  std::atomic<int> polls = 0; // by all threads
  options.limits.steps = at.steps;
  options.limits.check = [&] { return ++polls > at.polls ? Stop::interrupted : Stop::none; };
  for (const ir::Array& array : code->arrays)
    if (array.space == ir::Space::memory) options.outputs.push_back(array.name);
  const TalliedRun reference = tallied_reference(*code, at.machine, options, sources);
  polls = 0;
  options.side_by_side = {at.threads, sweep::run_together, at.least};
  const auto fast = tallied_fast(*code, at.machine, options, sources, at.tile_lanes);
  if (was_fast) *was_fast = fast.has_value();
  const RunResult &r = reference.result, &f = fast ? fast->result : r;
  Difference d;
  d.compare("stop", static_cast<int>(f.stop), static_cast<int>(r.stop));
  d.compare("errors", render(f.errors, sources), render(r.errors, sources));
  d.compare("reached", f.reached, r.reached);
  d.compare("host words", f.host_words, r.host_words);
  d.compare("global words", f.global_words, r.global_words);
  d.compare("verdict", static_cast<int>(f.verify), static_cast<int>(r.verify));
  if (fast) d.compare_runs(*fast, reference);
  if (f.outputs != r.outputs) d.compare("arrays", std::string("other"), std::string("these"));
  return d.text();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// The line after the block that begins in this line, or the next line.
std::size_t end_of(const std::vector<std::string>& lines, std::size_t at) {
  int open = 0;
  for (std::size_t k = at; k < lines.size(); ++k) {
    for (const char c : lines[k]) open += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (open <= 0) return k + 1;
  }
  return lines.size();
}

/// Removes lines, blocks and options of the machine as long as the engines differ.
Case shrunk(Case at) {
  const auto keeps = [&](Case less) {
    if (difference(less).empty()) return false;
    at = std::move(less);
    return true;
  };
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (std::size_t k = 0; k < lines_of(at.text).size();) {
      std::vector<std::string> lines = lines_of(at.text);
      const auto first = lines.begin() + static_cast<std::ptrdiff_t>(k);
      lines.erase(first, lines.begin() + static_cast<std::ptrdiff_t>(end_of(lines, k)));
      Case less = at;
      less.text = joined(lines);
      if (keeps(std::move(less))) {
        smaller = true;
      } else {
        ++k;
      }
    }
  }
  const MachineSpec plain;
  const std::function<void(MachineSpec&)> simpler[] = {
      [](MachineSpec& m) { m.lockstep = false; },
      [](MachineSpec& m) { m.instruction_cost = m.barrier_cost = m.launch_cost = {0}; },
      [](MachineSpec& m) { m.resident_blocks = 1; },
      [](MachineSpec& m) { m.operations.clear(); },
      [](MachineSpec& m) { m.word_bytes = std::nullopt; },
      [](MachineSpec& m) {
        if (m.shared) m.shared->least_stages = 1;
      },
      [](MachineSpec& m) {
        if (m.global) m.global->reuse = Reuse::none;
      },
      [](MachineSpec& m) {
        if (m.global) m.global->own_port = false;
      },
      [](MachineSpec& m) { m.block_schedule = BlockSchedule::static_; },
      [](MachineSpec& m) {
        if (m.shared) m.shared->ports = 1;
      },
      [](MachineSpec& m) {
        if (m.global) m.global->ports = 1;
      },
      [](MachineSpec& m) { m.multiprocessors = 1; }};
  Case alone = at;
  alone.threads = 1;
  keeps(std::move(alone));
  for (const auto& change : simpler) {
    Case less = at;
    change(less.machine);
    keeps(std::move(less));
  }
  return at;
}

std::string words_of(const MachineSpec& m) {
  std::ostringstream text;
  text << "model " << name_of(m.model) << ", width " << m.width << ", threads " << m.threads
       << ", multiprocessors " << m.multiprocessors;
  const auto unit = [&](const char* name, const std::optional<UnitSpec>& spec) {
    if (spec)
      text << ", " << name << " latency " << spec->latency.value << " ports " << spec->ports
           << " group " << spec->group.value_or(0) << " least " << spec->least_stages << " line "
           << spec->line.value_or(0) << " own_port " << spec->own_port << " reuse "
           << name_of(spec->reuse);
  };
  unit("shared", m.shared);
  unit("global", m.global);
  text << ", lockstep " << m.lockstep << ", resident_blocks " << m.resident_blocks
       << ", block_schedule " << name_of(m.block_schedule) << ", instruction_cost "
       << m.instruction_cost.value << ", max_threads " << m.max_threads.value_or(0)
       << ", operations " << m.operations.size() << ", word_bytes " << m.word_bytes.value_or(0)
       << ", barrier_cost " << m.barrier_cost.value << ", launch_cost " << m.launch_cost.value;
  return text.str();
}

void check_engines(std::uint64_t seed, const Case& at, std::int64_t& done) {
  Sources sources;
  const auto code = compiled(sources, at.text, at.machine);
  if (!code) FAIL("program " << seed << " is none\n" << render(code.errors(), sources) << at.text);
  bool was_fast = false;
  if (difference(at, &was_fast).empty()) {
    done += was_fast ? 1 : 0;
    return;
  }
  const Case least = shrunk(at);
  FAIL("the engines differ on program " << seed << ":\n"
                                        << difference(least) << "--- failure.lane\n"
                                        << least.text << "--- " << words_of(least.machine) << ", "
                                        << least.threads << " threads of the host, steps "
                                        << least.steps << ", polls " << least.polls);
}

/// Runs every other program in tiles of one or two warps, like large blocks.
Case case_of(std::uint64_t seed, const std::string& text, const MachineSpec& machine) {
  const auto tile = machine.width * static_cast<std::int64_t>(seed % 3);
  Case at{text, machine, seed % 2 == 0 ? 0 : static_cast<int>(tile)};
  at.threads = 1 + seed % 4;
  at.least = seed % 3 == 0 ? 1000 : 0;
  return at;
}

/// Steps of a run, for tests of limits.
std::int64_t steps_of(const Case& at) {
  Sources sources;
  const auto code = compiled(sources, at.text, at.machine);
  RunOptions options;
  options.limits.steps = at.steps;
  return code ? simulate_fast(*code, at.machine, options, sources).steps : 0;
}

} // namespace

TEST_CASE("both engines agree on random programs and machines") {
  std::int64_t done = 0; // by the fast engine
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const MachineSpec machine = random_machine(seed);
    check_engines(seed, case_of(seed, race_free_program(seed, machine.shared.has_value()), machine),
                  done);
  }
  // The fast engine leaves programs with races, and few others, to the reference engine.
  CHECK(done > static_cast<std::int64_t>(programs * 9 / 10));
}

TEST_CASE("both engines agree on random programs and machines with keys of real GPUs") {
  std::int64_t done = 0; // by the fast engine
  for (std::uint64_t seed = 1; seed <= programs / 2; ++seed) {
    const bool folded = seed % 3 == 0;
    check_engines(seed,
                  case_of(seed, folded ? folded_program(seed, true) : race_free_program(seed, true),
                          random_gpu(seed)),
                  done);
  }
  CHECK(done > static_cast<std::int64_t>(programs / 2 * 8 / 10));
}

// Rounds of loops are repeated with their data steps only.
TEST_CASE("both engines agree on long loops over data") {
  std::int64_t done = 0, repeated = 0; // by the fast engine
  for (std::uint64_t seed = 1; seed <= programs / 2; ++seed) {
    const MachineSpec machine = random_machine(seed);
    const Case at = case_of(seed, data_loop_program(seed, machine.shared.has_value()), machine);
    check_engines(seed, at, done);
    Sources sources;
    const auto code = compiled(sources, at.text, at.machine);
    const RunResult run = simulate_fast(*code, at.machine, {}, sources);
    repeated += run.engine.work.iterations.skipped > 0 ? 1 : 0;
  }
  CHECK(done > static_cast<std::int64_t>(programs / 2 * 8 / 10));
  CHECK(repeated > static_cast<std::int64_t>(programs / 4));
}

TEST_CASE("both engines agree on blocks of one warp that are executed together") {
  std::int64_t done = 0, together = 0, in_order = 0; // by the fast engine
  for (std::uint64_t seed = 1; seed <= programs / 2; ++seed) {
    MachineSpec machine = random_machine(seed);
    const bool one_memory = !machine.shared || !machine.global;
    if (one_memory && seed % 3 == 0) {
      machine = hmm(1 + static_cast<std::int64_t>(seed % 5), machine.width, 2, 7);
      machine.resident_blocks = 1 + static_cast<std::int64_t>(seed % 2);
    }
    machine.threads = std::max(machine.threads, machine.width);
    if (machine.shared) machine.shared->capacity = std::nullopt;
    const Case at = case_of(
        seed, one_warp_program(seed, machine.width, machine.shared && machine.global), machine);
    check_engines(seed, at, done);
    Sources sources;
    const auto code = compiled(sources, at.text, at.machine);
    const RunResult run = simulate_fast(*code, at.machine, {}, sources);
    const bool are = run.engine.work.blocks.skipped > 0;
    together += are ? 1 : 0;
    in_order += are && (!machine.shared || !machine.global) ? 1 : 0;
  }
  // About one in six does race: on two paths of an `if`.
  CHECK(done > static_cast<std::int64_t>(programs / 2 * 7 / 10));
  CHECK(together > static_cast<std::int64_t>(programs / 8));
  CHECK(in_order > static_cast<std::int64_t>(programs / 32));
}

// Blocks in one tile cannot wait for each other: the reference engine runs them, and soon.
TEST_CASE(
    "a loop that waits in vain ends at once in the fast engine, and one that changes goes on") {
  const auto program = [](const std::string& loop) {
    return "memory a[64]: int\nraces allowed a \"each block waits for the one before\"\n"
           "kernel k() {\n  var x = 0\n  var y = 0\n" +
           loop +
           "  a[block] = 1 + x\n}\nmain { launch k() blocks=8 threads=1 }\n"
           "verify { assert a[7] > 0 }\n";
  };
  const std::pair<const char*, bool> cases[] = {
      {"  while block > 0 and x == 0 { x = a[block - 1] }\n", false},
      {"  while block > 0 and x == 0 { x = a[block - 1]  y = 7 }\n", false},
      {"  while y < 5000 and x == 0 { x = a[63]  y += 1 }\n", true},
      {"  while y < 5000 and x == 0 { x = a[63]  y += 1 + block % 2 }\n", true},
  };
  const MachineSpec machine = hmm(4, 4, 2, 5);
  for (const auto& [loop, fast] : cases) {
    CAPTURE(loop);
    Sources sources;
    const auto code = compiled(sources, program(loop), machine);
    REQUIRE(code);
    int asked = 0; // each some thousand rounds
    RunOptions options;
    options.limits.check = [&] { return ++asked, Stop::none; };
    const RunResult run = simulate_fast(*code, machine, options, sources);
    CHECK(run.verify == Verdict::passed);
    CHECK(run.engine.fast == fast);
    CHECK(asked < 50);
    bool was_fast = false;
    CHECK(difference({program(loop), machine}, &was_fast) == "");
    CHECK(was_fast == fast);
  }
}

// The timeline starts blocks of a multiprocessor that is ahead before earlier ones of others.
TEST_CASE("each group of blocks is executed once") {
  const MachineSpec machine = hmm(3, 4, 2, 5);
  Sources sources;
  const auto code = compiled(sources, R"(memory a[8192]: int
kernel k() {
  shared s[4]: int
  for j = 0 to 7 + block % 3 { s[lane] = j }
  a[4*block + lane] = s[lane]
}
main { launch k() blocks=2000 threads=4 }
verify { assert a[0] == 7 and a[4] == 8 and a[7999] == 8 })",
                             machine);
  REQUIRE(code);
  const RunResult run = simulate_fast(*code, machine, {}, sources);
  CHECK(run.verify == Verdict::passed);
  CHECK(run.engine.restarts == 0);
  CHECK(run.engine.work.blocks.skipped == 2000);
}

// With half of the blocks at a barrier that the others do not reach.
TEST_CASE("intervals of blocks that are executed together are replayed where all blocks meet") {
  const auto program = [](const std::string& part) {
    return R"(memory a[512]: int
kernel k() {
  shared s[4]: int
  var x = 0
  for j = 0 to 29 {
    barrier
    s[lane] = lane + 1
    barrier
    x += s[lane]
)" + part + R"(  }
  a[4*block + lane] = x
}
main { launch k() blocks=100 threads=4 }
verify { assert a[7] > 0 })";
  };
  const MachineSpec machine = hmm(3, 4, 2, 5);
  for (const char* part : {"", "    if block % 2 == 0 { x += 2  barrier  x += s[lane] }\n",
                           "    if j < block { barrier }\n"}) {
    CAPTURE(part);
    bool was_fast = false;
    CHECK(difference({program(part), machine}, &was_fast) == "");
    CHECK(was_fast);
    Sources sources;
    const auto code = compiled(sources, program(part), machine);
    REQUIRE(code);
    const EngineWork work = simulate_fast(*code, machine, {}, sources).engine.work;
    CHECK(work.blocks.skipped == 100);
    if (*part == 0) CHECK(work.intervals.skipped > 1000);
  }
}

TEST_CASE("blocks that are executed together race as they do one after the other") {
  const auto program = [](const std::string& statements) {
    return "memory a[1024]: int\nmemory b[1024]: int = index\nkernel k() {\n  var x = 0\n" +
           statements + "  if x > 9999 { b[0] = 0 }\n}\n" +
           "main { launch k() blocks=37 threads=4 }\nverify { assert b[0] == 0 }\n";
  };
  const std::pair<const char*, bool> cases[] = {
      {"  a[4 * block + lane] = lane\n", true},
      {"  a[4 * block + lane] = lane\n  x = a[4 * block + (lane xor 1)]\n", true},
      {"  a[3 * block + lane] = lane\n", false},
      {"  a[lane] = lane\n", false},
      {"  x = a[lane]\n", true},
      {"  a[4 * block + lane] = lane\n  x = a[4 * (block xor 1) + lane]\n", false},
      {"  x = a[500]\n  if block == 30 { a[501] = 1 }\n", true},
      {"  x = a[500]\n  if block == 30 { a[500] = 1 }\n", false},
      {"  if block == 30 { a[500] = 1 }\n  x = a[500]\n", false},
      {"  if block < 2 { x = a[64 * block] }\n  if block == 2 { a[64] = 1 }\n", false},
      {"  if block == 5 { a[b[7]] = 1 }\n  if block == 6 { x = a[b[7 + lane]] }\n", false},
      {"  if block == 5 { a[b[7]] = 1 }\n  if block == 6 { x = a[b[8 + lane]] }\n", true},
      // Of one block: two paths of an `if`, two iterations.
      {"  if lane < 2 { a[8 * block + lane] = 1 } else { a[8 * block + 3 - lane] = 2 }\n", false},
      {"  if lane < 2 { a[8 * block + lane] = 1 } else { a[8 * block + lane] = 2 }\n", true},
      {"  if block % 2 == 0 { a[8 * block + lane] = 1 } else { a[8 * block + lane] = 2 }\n", true},
      {"  forall i in 0..8 { a[8 * block + i] = a[8 * block + (i xor 1)] }\n", false},
      {"  forall i in 0..8 { a[8 * block + i] = a[8 * block + i] + 1 }\n", true},
  };
  for (const auto& [statements, apart] : cases) {
    CAPTURE(statements);
    bool was_fast = false;
    CHECK(difference({program(statements), hmm(3, 4, 2, 5)}, &was_fast) == "");
    CHECK(was_fast == apart);
  }
}

TEST_CASE("both engines agree on tiles whose rows are shorter than a warp") {
  std::int64_t done = 0; // by the fast engine
  for (std::uint64_t seed = 1; seed <= programs / 4; ++seed) {
    MachineSpec machine = random_machine(seed);
    // A GPU's width, for which most rows are short, and one that the rows divide.
    if (seed % 4 < 2) {
      machine.width = seed % 4 == 0 ? 32 : 12;
      machine.threads = machine.width * (1 + static_cast<std::int64_t>(seed) % 6);
      if (machine.shared) machine.shared->capacity = std::nullopt;
    }
    check_engines(seed, case_of(seed, folded_program(seed, machine.shared.has_value()), machine),
                  done);
  }
  CHECK(done > static_cast<std::int64_t>(programs / 4 * 9 / 10));
}

TEST_CASE("the fast engine finds every race of random programs") {
  std::int64_t done = 0; // by the fast engine
  for (std::uint64_t seed = 1; seed <= programs / 2; ++seed) {
    const MachineSpec machine = random_machine(seed);
    check_engines(seed, case_of(seed, random_program(seed, machine.shared.has_value()), machine),
                  done);
  }
  CHECK(done < static_cast<std::int64_t>(programs / 2));
}

// The fast engine executes host code, and reports its errors and stops, by itself.
TEST_CASE("both engines agree on random host code, its errors and its limits") {
  std::int64_t done = 0, stopped = 0;
  for (std::uint64_t seed = 1; seed <= programs / 4; ++seed) { // each is run four times
    Case at = case_of(seed, host_program(seed), random_machine(seed));
    check_engines(seed, at, done);
    const std::int64_t steps = steps_of(at);
    for (std::uint64_t k = 0; k < 2; ++k) { // a limit somewhere, most often in main
      at.steps = random_integer(seed, 13, k, 0, std::max<std::int64_t>(1, steps));
      check_engines(seed, at, stopped);
    }
    at.steps = 2'000'000;
    if (steps < 0x4000) continue;
    at.polls = static_cast<int>(random_integer(seed, 13, 2, 0, steps >> 14));
    check_engines(seed, at, stopped);
  }
  CHECK(done > static_cast<std::int64_t>(programs / 4 * 9 / 10));
  CHECK(stopped > static_cast<std::int64_t>(programs / 4));
}

TEST_CASE("host code stops at the same step as on the reference engine, for every limit") {
  MachineSpec machine;
  machine.threads = 32;
  machine.global = UnitSpec{UnitKind::unified, Cycles{2}, 1, std::nullopt};
  Case at{R"(param n: int = 5
memory a[n]: int = index
main {
  var x[n]: float
  for i = 0 to n - 1 {
    if i % 2 == 0 { x[i] = float(a[i]) } else { a[i] = random(0, 9) }
    if i == 3 { break }
  }
}
verify {
  var rest = n
  while rest > 0 {
    rest = rest - 1
    assert initial(a)[rest] == rest
  }
  assert a[4] == 4 and a[1/(a[2] - 2)] == 0
})",
          machine};
  const std::int64_t steps = steps_of(at);
  REQUIRE(steps > 60);
  for (at.steps = 0; at.steps <= steps + 1; ++at.steps) {
    bool was_fast = false;
    CHECK(difference(at, &was_fast).empty());
    CHECK(was_fast);
  }
}

// A warp executes an `if` in lockstep, so that lanes cannot race without an `else`.
TEST_CASE("the fast engine runs the tree of reduction.lane") {
  const MachineSpec machine = hmm(14, 32, 24, 220);
  std::ifstream file(MEMLANE_SOURCE_DIR "/programs/reduction/reduction.lane");
  std::stringstream text;
  text << file.rdbuf();
  bool was_fast = false;
  CHECK(difference({text.str(), machine}, &was_fast).empty());
  CHECK(was_fast);
}

TEST_CASE("two arms of an if that access the same word are a race for the fast engine") {
  const MachineSpec machine = umm(32, 2, 32);
  bool was_fast = true;
  const Case at{R"(memory a[40]: int
kernel k() { if thread < 16 { a[thread] = 1 } else { a[31 - thread] = 2 } }
main { launch k() }
verify { assert a[39] == 0 })",
                machine};
  CHECK(difference(at, &was_fast).empty());
  CHECK_FALSE(was_fast);
}

} // namespace memlane::test
