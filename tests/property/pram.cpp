// PRAM steps, work and class (configs/README.md section 9) against an independent oracle: a run in
// lockstep with all blocks resident, on a machine whose rounds show in the times of dispatch.
#include "compiling.hpp"
#include "program_generator.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace memlane::test {
namespace {

/// Rounds as the machine in lockstep carries them out: in a round every unit dispatches without a
/// pause, and with latencies of at least 2 each request is under way until the round's last one has
/// been dispatched. So a dispatch after all earlier requests have completed begins a round.
struct LockstepRounds : Observer, TimeObserver {
  struct Access {
    std::int64_t block = 0;
    std::vector<std::int64_t> addresses;
    bool shared = false, write = false;
    SourceLine line{0, 0};
  };
  const Sources& sources;
  bool private_shared;
  PramCounts counts;
  std::int64_t launch = -1, round = -1;
  Cycles until{0};
  std::vector<Access> accesses; ///< of the round

  LockstepRounds(const Sources& all_sources, const MachineSpec& machine)
      : sources(all_sources), private_shared(machine.shared && machine.global) {}

  TimeObserver* times() override { return this; }
  void run_begins() override { counts = {}; }
  void launch_begins(std::int64_t number, const LaunchShape&, std::string_view) override {
    launch = number;
    round = -1;
    until = Cycles{-1};
  }
  void dispatched(const Dispatch& d) override {
    if (round < 0 || d.time >= until) {
      judge();
      round += 1;
      counts.steps += 1;
      until = Cycles{0};
    }
    until = std::max(until, d.completion);
    accesses.push_back({d.warp.block,
                        d.request->addresses,
                        d.request->unit == UnitId::shared,
                        writes(d.request->kind),
                        {d.request->span.file, sources.begin(d.request->span).line}});
  }
  void launch_ends(std::int64_t, const LaunchTally&) override { judge(); }

  /// The round's accesses, word by word.
  void judge() {
    struct Word {
      int threads = 0;
      bool write = false;
      SourceLine line{INT32_MAX, 0};
    };
    std::map<std::tuple<bool, std::int64_t, std::int64_t>, Word> words;
    for (const Access& access : accesses)
      for (const std::int64_t address : access.addresses) {
        if (address < 0) continue;
        counts.work += 1;
        const bool own = private_shared && access.shared;
        Word& word = words[{own, own ? access.block : 0, address}];
        word.threads += 1;
        word.write = word.write || access.write;
        word.line = std::min(word.line, access.line);
      }
    accesses.clear();
    for (const auto& [place, word] : words) {
      const PramClass needs = word.threads < 2 ? PramClass::erew
                              : word.write     ? PramClass::crcw
                                               : PramClass::crew;
      if (needs == PramClass::erew || needs < counts.needs) continue;
      const PramPlace here{launch, round, word.line};
      if (needs > counts.needs || here < counts.place) counts.place = here;
      counts.needs = needs;
    }
  }
};

/// The machine with its letters unchanged, in lockstep with room for all blocks.
MachineSpec with_all_resident(MachineSpec machine) {
  machine.lockstep = true;
  machine.resident_blocks = 1000;
  machine.max_threads.reset();
  machine.instruction_cost = machine.barrier_cost = machine.launch_cost = Cycles{0};
  for (auto* unit : {&machine.shared, &machine.global})
    if (*unit) {
      (*unit)->ports = 1;
      (*unit)->capacity.reset();
    }
  return machine;
}

void check_same(const PramCounts& counted, const PramCounts& rounds) {
  CHECK(counted.steps == rounds.steps);
  CHECK(counted.work == rounds.work);
  CHECK(name_of(counted.needs) == name_of(rounds.needs));
  CHECK((counted.place == rounds.place));
}

RunOptions counting_pram(bool allow_races) {
  RunOptions options;
  options.pram = true;
  options.verify = false;
  options.allow_races = allow_races;
  options.limits.steps = 20'000;
  return options;
}

struct Compared {
  int programs = 0, fast = 0;
  std::map<std::string_view, int> classes;
};

void compare_with_rounds(const std::string& text, MachineSpec machine, bool allow_races,
                         Compared& compared) {
  INFO(text);
  for (auto* unit : {&machine.shared, &machine.global})
    if (*unit) (*unit)->latency = Cycles{(*unit)->latency.value + 1}; // at least 2
  Sources sources;
  const auto code = compiled(sources, text, machine);
  if (!code || !check_machine(*code, machine)) return;
  const MachineSpec resident = with_all_resident(machine);
  LockstepRounds rounds(sources, resident);
  const RunOptions options = counting_pram(allow_races);
  const RunResult counted = simulate(*code, resident, options, sources, rounds);
  if (counted.stop != Stop::none) return;
  REQUIRE(counted.counts.pram);
  check_same(*counted.counts.pram, rounds.counts);
  compared.programs += 1;
  compared.classes[name_of(rounds.counts.needs)] += 1;
  if (allow_races) return; // what follows may depend on the order of dispatch
  Observer no_observer;
  const RunResult reference = simulate(*code, machine, options, sources, no_observer);
  CHECK(reference.counts.pram == counted.counts.pram);
  const auto fast = try_fast(*code, machine, options, sources, static_cast<int>(machine.width));
  if (!fast) return;
  compared.fast += 1;
  CHECK(fast->counts.pram == counted.counts.pram);
  for (const auto& [kernel, counts] : fast->kernels)
    CHECK(counts.pram == reference.kernels.at(kernel).pram);
  REQUIRE(fast->launches.size() == reference.launches.size());
  for (std::size_t k = 0; k < fast->launches.size(); ++k)
    CHECK(fast->launches[k].pram == reference.launches[k].pram);
}

/// A kernel's statements for two warps of 4 threads on a UMM, or on an HMM.
PramCounts counts_of(const std::string& statements, Model model = Model::umm,
                     const std::string& launch = "threads=8") {
  const std::string text = "memory a[16], q[16]: int = index\n"
                           "kernel k() {\n  shared s[8]: int\n" +
                           statements + "\n}\nmain { launch k() " + launch +
                           " }\nverify { assert true }\n";
  INFO(text);
  MachineSpec machine = machine_of_8(model, 8);
  machine.width = 4;
  Sources sources;
  const auto code = compiled(sources, text, machine);
  REQUIRE(code);
  Observer no_observer;
  const RunResult run = simulate(*code, machine, counting_pram(true), sources, no_observer);
  REQUIRE(run.stop == Stop::none);
  const RunResult strict = simulate(*code, machine, counting_pram(false), sources, no_observer);
  if (strict.stop == Stop::none) CHECK(strict.counts.pram == run.counts.pram);
  if (const auto fast = try_fast(*code, machine, counting_pram(false), sources))
    CHECK(fast->counts.pram == run.counts.pram);
  return *run.counts.pram;
}

struct PramCase {
  const char* statements;
  std::int64_t steps, work;
  PramClass needs;
  std::int32_t line;
  std::int64_t round = 0;
};

constexpr PramCase pram_cases[] = {
    {"a[thread] = 1", 1, 8, PramClass::erew, 0},
    {"let x = a[thread]\na[thread] = x", 2, 16, PramClass::erew, 0},
    // Threads of one warp, and of two, read one word; two warps in different rounds do not.
    {"let x = a[warp]", 1, 8, PramClass::crew, 4},
    {"let x = a[4*(lane % 1) + lane]", 1, 8, PramClass::crew, 4},
    {"if warp == 0 { let x = a[lane] } else { let y = q[lane]\nlet x = a[lane] }", 2, 12,
     PramClass::erew, 0},
    // The earliest round that needs the class, then the smallest line.
    {"let x = a[thread]\nlet y = a[warp]\nlet z = a[0]", 3, 24, PramClass::crew, 5, 1},
    {"if warp == 1 {\nlet x = a[lane] } else {\nlet x = a[lane] }", 1, 8, PramClass::crew, 5},
    {"let y = a[0]\na[8] = lane", 2, 16, PramClass::crcw, 5, 1},
    // Threads of one request write a word.
    {"if warp == 0 { a[0] = lane }", 1, 4, PramClass::crcw, 4},
    {"if thread == 0 { a[0] = lane }", 1, 1, PramClass::erew, 0},
    // A read beside a write of one word is a race, in one round or in two.
    {"if warp == 0 { let x = a[lane] } else { a[lane] = 0 }", 1, 8, PramClass::crcw, 4},
    {"if warp == 0 { let x = a[lane] } else { let y = q[lane]\na[lane] = 0 }", 2, 12,
     PramClass::erew, 0},
    // Atomics are writes, and no race.
    {"atomic a[lane] += 1", 1, 8, PramClass::crcw, 4},
    {"let x = a[warp + 8]\nlet y = q[0]\natomic a[lane] += 1", 3, 24, PramClass::crcw, 6, 2},
    // A barrier ends the rounds of all warps of the block.
    {"if warp == 0 { let x = a[lane]\nlet y = a[lane + 4] }\nbarrier\nlet z = a[thread]", 3, 16,
     PramClass::erew, 0},
    {"barrier\nif warp == 1 { let z = a[thread] }\nbarrier\na[thread] = 1", 2, 12, PramClass::erew,
     0},
};

/// Operators and words of BSP from the tallies of the machine's own multiprocessors.
struct TalliedBsp : Observer {
  BspCounts counts;

  void run_begins() override { counts = {}; }
  void launch_ends(std::int64_t, const LaunchTally& tally) override {
    std::int64_t operators = 0, words = 0;
    for (const Tally& mp : tally.multiprocessors) {
      std::int64_t of_mp = 0, words_of_mp = 0;
      for (std::size_t at = 0; at < mp.executed.size(); ++at) {
        if (tally.kernel->instructions[at].counted) of_mp += mp.executed[at].warps;
      }
      for (const SiteInfo& site : tally.kernel->sites)
        if (site.global && !mp.executed.empty())
          words_of_mp += mp.executed[site.instruction].threads;
      operators = std::max(operators, of_mp);
      words = std::max(words, words_of_mp);
    }
    counts.operators += operators;
    counts.words += words;
  }
};

} // namespace

TEST_CASE("BSP's operators and words are those of the tallies of as many multiprocessors") {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < tried(60); ++seed) {
    const MachineSpec machine = random_machine(seed);
    const std::string text = race_free_program(seed, machine.model != Model::umm);
    INFO(text);
    Sources sources;
    const auto code = compiled(sources, text, machine);
    if (!code || !check_machine(*code, machine)) continue;
    RunOptions options = counting_pram(false);
    options.pram = false;
    options.bsp_multiprocessors = machine.multiprocessors;
    TalliedBsp tallied;
    const RunResult run = simulate(*code, machine, options, sources, tallied);
    if (run.stop != Stop::none) continue;
    compared += 1;
    REQUIRE(run.counts.bsp);
    CHECK(run.counts.bsp->operators == tallied.counts.operators);
    CHECK(run.counts.bsp->words == tallied.counts.words);
    if (const auto fast = try_fast(*code, machine, options, sources))
      CHECK(fast->counts.bsp == run.counts.bsp);
    // On one multiprocessor is everything, on very many each block by itself.
    options.bsp_multiprocessors = 1;
    Observer no_observer;
    const RunResult one = simulate(*code, machine, options, sources, no_observer);
    CHECK(one.counts.bsp->operators == one.counts.instructions);
    options.bsp_multiprocessors = INT64_C(1) << 40;
    const RunResult many = simulate(*code, machine, options, sources, no_observer);
    CHECK(many.counts.bsp->words <= run.counts.bsp->words);
  }
  CHECK(compared > (sanitized ? 0 : 30));
}

TEST_CASE("PRAM steps, work and class are those of a run in lockstep") {
  Compared compared;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const MachineSpec machine = random_machine(seed);
    const bool shared = machine.model != Model::umm;
    compare_with_rounds(race_free_program(seed, shared), machine, false, compared);
    compare_with_rounds(random_program(seed, shared), machine, true, compared);
    if (seed % 4 == 0) compare_with_rounds(regular_program(seed, shared), machine, false, compared);
  }
  for (std::uint64_t seed = 0; seed < 8; ++seed)
    compare_with_rounds(tiled_program(seed), machine_of_8(Model::hmm), false, compared);
  CHECK(compared.programs > 150);
  CHECK(compared.fast > 40);
  for (const std::string_view needs : {"EREW", "CREW", "CRCW"}) CHECK(compared.classes[needs] > 5);
}

TEST_CASE("the smallest runs of each class of PRAM") {
  for (const PramCase& expected : pram_cases) {
    INFO(expected.statements);
    // A UMM has no shared memory; a DMM serves everything with one.
    const PramCounts counts = counts_of(expected.statements, Model::dmm);
    CHECK(counts.steps == expected.steps);
    CHECK(counts.work == expected.work);
    CHECK(name_of(counts.needs) == name_of(expected.needs));
    CHECK(counts.place.line.second == expected.line);
    CHECK(counts.place.round == expected.round);
    CHECK(counts.file == (expected.line == 0 ? "" : "random.lane"));
  }
}

TEST_CASE("blocks of an HMM share words of global memory only") {
  CHECK(counts_of("s[lane] = 1", Model::hmm, "blocks=3 threads=4").needs == PramClass::erew);
  CHECK(counts_of("a[lane] = 1", Model::hmm, "blocks=3 threads=4").needs == PramClass::crcw);
  CHECK(counts_of("let x = a[lane]", Model::hmm, "blocks=3 threads=4").needs == PramClass::crew);
  CHECK(counts_of("a[4*block + lane] = 1", Model::hmm, "blocks=3 threads=4").needs ==
        PramClass::erew);
  // All blocks are resident: three blocks take as many rounds as one.
  CHECK(counts_of("a[4*block + lane] = 1", Model::hmm, "blocks=3 threads=4").steps == 1);
}

TEST_CASE("the class of a run is that of its first launch that needs it") {
  const PramCounts one{3, 10, PramClass::crew, {2, 0, {0, 7}}, "b.lane"};
  PramCounts sum{1, 4, PramClass::erew, {}, ""};
  sum += one;
  CHECK(sum == PramCounts{4, 14, PramClass::crew, {2, 0, {0, 7}}, "b.lane"});
  sum += PramCounts{1, 1, PramClass::crew, {1, 5, {0, 9}}, "a.lane"};
  CHECK(sum == PramCounts{5, 15, PramClass::crew, {1, 5, {0, 9}}, "a.lane"});
  sum += PramCounts{1, 1, PramClass::crcw, {4, 0, {0, 3}}, "c.lane"};
  CHECK(sum == PramCounts{6, 16, PramClass::crcw, {4, 0, {0, 3}}, "c.lane"});
  sum += one;
  CHECK(sum.needs == PramClass::crcw);
}

TEST_CASE("a PRAM's class that needs too much memory stops the run") {
  const std::string text = "memory a[65536]: int\n"
                           "kernel k() { forall i in 0..65536 { a[i] = a[i] } }\n"
                           "main { launch k() }\nverify { assert true }\n";
  const MachineSpec machine = machine_of_8(Model::dmm);
  Sources sources;
  const auto code = compiled(sources, text, machine);
  REQUIRE(code);
  RunOptions options = counting_pram(true);
  options.limits.steps = INT64_MAX;
  Observer no_observer;
  CHECK(simulate(*code, machine, options, sources, no_observer).stop == Stop::none);
  options.limits.memory = 2'000'000; // the array has 524288 bytes, the class of PRAM needs more
  const RunResult stopped = simulate(*code, machine, options, sources, no_observer);
  CHECK(stopped.stop == Stop::memory);
  CHECK(stopped.reached.find("class of PRAM") != std::string::npos);
  options.pram = false;
  CHECK(simulate(*code, machine, options, sources, no_observer).stop == Stop::none);
}

TEST_CASE("blocks count against the memory of a PRAM's class, and it grows within its limit") {
  const MachineSpec machine = machine_of_8(Model::hmm);
  const auto stop_of = [&](const std::string& text, std::int64_t memory) {
    Sources sources;
    const auto code = compiled(sources, text, machine);
    REQUIRE(code);
    RunOptions options = counting_pram(true);
    options.limits.steps = INT64_MAX;
    options.limits.memory = memory;
    Observer no_observer;
    return simulate(*code, machine, options, sources, no_observer).stop;
  };
  const std::string blocks = "memory a[20000]: int\n"
                             "kernel k() { a[block] = 1 }\n"
                             "main { launch k() blocks=20000 threads=1 }\nverify { assert true }\n";
  CHECK(stop_of(blocks, 2'000'000) == Stop::memory);
  CHECK(stop_of(blocks, 20'000'000) == Stop::none);
  // 32768 touches of 40 bytes: 1.3 MB, and while their room grows half as much again.
  const std::string words = "memory a[32768]: int\n"
                            "kernel k() { forall grid i in 0..32768 { let x = a[i] } }\n"
                            "main { launch k() }\nverify { assert true }\n";
  CHECK(stop_of(words, 1'700'000) == Stop::memory);
  CHECK(stop_of(words, 6'000'000) == Stop::none);
}

} // namespace memlane::test
