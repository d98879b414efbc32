// The counts of an MMM: both engines, a model written another way, and the theorems of [HMX].
#include "memlane/count/mmm.hpp"

#include "compiling.hpp"
#include "program_generator.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

#include "memlane/count/fields.hpp"
#include "memlane/ir/without_data.hpp"
#include "memlane/support/random.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memlane::test {
namespace {

MachineSpec mmm(std::int64_t transfer, std::optional<std::int64_t> processors) {
  MachineSpec machine = machine_of(Model::mmm);
  machine.name = "mmm";
  machine.local_words = 4096;
  machine.transfer = transfer;
  machine.processors = processors;
  derive_values(machine);
  return machine;
}

/// The same program with the threads of every launch named, and p and w as constants.
std::string with_threads(std::string text, std::int64_t threads) {
  for (std::size_t at = text.find("launch "); at != std::string::npos;
       at = text.find("launch ", at + 1)) {
    const std::size_t end = text.find_first_of("\n}", at);
    if (text.substr(at, end - at).find("threads=") == std::string::npos)
      text.insert(end, " threads=" + std::to_string(threads) + " ");
  }
  return "const p = " + std::to_string(threads) + "\n" + text;
}

/// What one thread does.
struct Thread {
  std::int64_t operators = 0, reads = 0, writes = 0, local = 0;
};

/// Every thread of every block by itself, from the addresses that its warp accesses.
struct EveryThread : Observer, ExecutionObserver {
  ExecutionObserver* executions() override { return this; }
  void run_begins() override {
    blocks.clear();
    launch = -1;
  }
  void launch_begins(std::int64_t number, const LaunchShape& shape, std::string_view) override {
    launch = number;
    for (std::int64_t block = 0; block < shape.blocks; ++block) blocks[{launch, block}];
  }
  void executed(const Execution& e) override {
    if (!e.kernel->instructions[e.instruction].counted) return;
    for (std::size_t lane = 0; lane < e.active.size(); ++lane)
      if (e.active[lane]) thread(e.warp, lane).operators += 1;
  }
  void accessed(const WarpAccess& a) override {
    for (std::size_t lane = 0; lane < a.addresses.size(); ++lane) {
      if (a.addresses[lane] < 0) continue;
      Thread& own = thread(a.warp, lane);
      if (a.unit == UnitId::shared)
        own.local += 1;
      else if (writes(a.site->kind))
        own.writes += 1;
      else
        own.reads += 1;
    }
  }
  Thread& thread(WarpRef warp, std::size_t lane) {
    return blocks[{launch, warp.block}][warp.warp * 32 + static_cast<std::int64_t>(lane)];
  }

  std::int64_t launch = -1;
  std::map<std::pair<std::int64_t, std::int64_t>, std::map<std::int64_t, Thread>> blocks;
};

struct Block {
  std::int64_t launch = 0, span = 0, cost = 0;
};

/// The least of the multiprocessors that are free first takes the next block, one after the other.
std::int64_t makespan(const std::vector<Block>& blocks, std::int64_t processors) {
  std::int64_t start = 0, end = 0, launch = -1;
  std::vector<std::int64_t> free(static_cast<std::size_t>(processors), 0);
  for (const Block& block : blocks) {
    if (block.launch != launch) start = end;
    launch = block.launch;
    for (std::int64_t& time : free) time = std::max(time, start);
    std::int64_t& first = *std::min_element(free.begin(), free.end());
    first += block.cost;
    end = std::max(end, first);
  }
  return end;
}

/// From every thread of a run whose launches follow each other.
MmmCounts expected(const EveryThread& run, const MachineSpec& machine) {
  MmmCounts counts;
  counts.processors = machine.processors;
  std::vector<Block> blocks;
  std::map<std::int64_t, std::int64_t> spans, longest, number; // by launch
  for (const auto& [place, threads] : run.blocks) {
    std::int64_t most = 0, r = 0, s = 0, moved = 0, slowest = 0;
    for (const auto& [thread, own] : threads) {
      counts.work += own.operators;
      counts.local_accesses += own.local;
      most = std::max(most, own.operators);
      r = std::max(r, own.reads);
      s = std::max(s, own.writes);
      moved = std::max(moved, own.reads + own.writes);
      slowest = std::max(slowest, own.operators + (own.reads + own.writes) * machine.transfer);
    }
    const std::int64_t overhead = (r + s) * machine.transfer, cost = most + overhead;
    counts.overhead += overhead;
    counts.block_cost = std::max(counts.block_cost, cost);
    counts.sequential_time += cost;
    counts.transfer_time += moved * machine.transfer;
    counts.thread_time += slowest;
    spans[place.first] = std::max(spans[place.first], most);
    longest[place.first] = std::max(longest[place.first], cost);
    number[place.first] += 1;
    blocks.push_back({place.first, most, cost});
  }
  for (const auto& [launch, span] : spans) counts.span += span;
  for (const auto& [launch, time] : longest) counts.unbounded_time += time;
  for (const auto& [launch, own] : number) counts.antichain = std::max(counts.antichain, own);
  counts.blocks = static_cast<std::int64_t>(blocks.size());
  counts.path = static_cast<std::int64_t>(number.size());
  const std::int64_t enough = std::max<std::int64_t>(counts.blocks, 1);
  counts.time = makespan(blocks, machine.processors.value_or(enough));
  return counts;
}

std::string text_of(const MmmCounts& counts) {
  ModelCounts all;
  all.mmm = counts;
  std::string text;
  for (const ModelField& field : model_table("mmm").fields)
    if (field.kind == ModelField::Kind::whole)
      text += std::string(field.name) + " " + to_text(field.get(all)) + "\n";
  return text;
}

/// The theorems, as they are printed.
void check_theorems(const MmmCounts& c, std::int64_t processors) {
  CHECK(c.time * processors <= (c.blocks + c.path * processors) * c.block_cost);
  if (processors >= c.antichain)
    CHECK(c.time * c.antichain <= (c.blocks + c.path * c.antichain) * c.block_cost);
  CHECK(c.corollary1().has_value() == (processors >= c.antichain));
  CHECK(c.span <= c.time);
}

/// Each listed block has the counts of its threads, and the schedule is one: no multiprocessor runs
/// two blocks at a time, and a launch begins when the one before it has ended.
void check_blocks(const RunResult& run, const EveryThread& every, const MachineSpec& machine) {
  const std::size_t blocks = std::min(every.blocks.size(), most_listed_blocks);
  REQUIRE(run.blocks.size() == blocks);
  std::map<std::int64_t, std::int64_t> are_free; // by multiprocessor
  std::int64_t before = 0, so_far = 0, launch = -1;
  auto next = every.blocks.begin();
  for (const BlockCounts& block : run.blocks) {
    const auto& [place, threads] = *next++;
    CHECK(std::pair(block.launch, block.block) == place);
    if (launch != block.launch) before = so_far;
    launch = block.launch;
    BlockCounts expected = block;
    expected.work = expected.span = expected.reads = expected.writes = 0;
    for (const auto& [thread, own] : threads) {
      expected.work += own.operators;
      expected.span = std::max(expected.span, own.operators);
      expected.reads = std::max(expected.reads, own.reads);
      expected.writes = std::max(expected.writes, own.writes);
    }
    expected.overhead = (expected.reads + expected.writes) * machine.transfer;
    expected.end = expected.start + expected.span + expected.overhead;
    CHECK((block == expected));
    std::int64_t& is_free = are_free[block.multiprocessor];
    CHECK(block.start >= std::max(before, is_free));
    CHECK(block.multiprocessor < machine.processors.value_or(INT64_MAX));
    is_free = block.end;
    so_far = std::max(so_far, block.end);
  }
  if (blocks == every.blocks.size()) CHECK(so_far == run.counts.mmm->time);
}

/// 1 if the program runs to its end.
int compare(const std::string& text, std::int64_t transfer, std::optional<std::int64_t> processors,
            int tile_lanes) {
  INFO(text);
  const MachineSpec machine = mmm(transfer, processors);
  Sources sources;
  const auto code = compiled(sources, text, machine);
  if (!code || !check_machine(*code, machine)) return 0;
  RunOptions options;
  options.limits.steps = 40'000;
  options.verify = false;
  EveryThread every;
  const RunResult run = simulate(*code, machine, options, sources, every);
  const auto fast = try_fast(*code, machine, options, sources, tile_lanes);
  if (run.stop != Stop::none) {
    CHECK(!fast);
    return 0;
  }
  REQUIRE(run.counts.mmm);
  CHECK(text_of(*run.counts.mmm) == text_of(expected(every, machine)));
  CHECK(run.counts.time.value == run.counts.mmm->time);
  check_theorems(*run.counts.mmm, processors.value_or(run.counts.mmm->blocks + 1));
  check_blocks(run, every, machine);
  std::int64_t work = 0, overhead = 0, of_lines = 0;
  for (const auto& [name, counts] : run.kernels) {
    work += counts.mmm->work;
    overhead += counts.mmm->overhead;
  }
  for (const auto& [place, line] : run.counts.lines) of_lines += line.mmm->work;
  CHECK(work == run.counts.mmm->work);
  CHECK(of_lines == run.counts.mmm->work);
  CHECK(overhead == run.counts.mmm->overhead);
  const auto timed = ir::without_data(*code, options.limits);
  if (timed) {
    const RunResult without = simulate_timing(*timed, machine, options, sources);
    CHECK(text_of(*without.counts.mmm) == text_of(*run.counts.mmm));
    CHECK((without.blocks == run.blocks));
  }
  if (!fast) return 1;
  CHECK(text_of(*fast->counts.mmm) == text_of(*run.counts.mmm));
  CHECK(fast->counts.mmm == run.counts.mmm);
  CHECK((fast->blocks == run.blocks));
  return 1;
}

} // namespace

TEST_CASE("an MMM's counts are those of every thread by itself, on both engines") {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < tried(40); ++seed) {
    auto pick = [&, counter = std::uint64_t{0}](std::int64_t lo, std::int64_t hi) mutable {
      return random_integer(seed, 9, counter++, lo, hi);
    };
    const std::int64_t threads = pick(1, 70), transfer = pick(2, 9);
    const std::optional<std::int64_t> processors =
        pick(0, 3) == 0 ? std::nullopt : std::optional(pick(1, 6));
    const int tile_lanes = seed % 3 == 0 ? 32 : 0;
    for (const std::string& text :
         {race_free_program(seed, true), regular_program(seed, true), folded_program(seed, true),
          tiled_program(seed), atomic_program(seed, true)})
      compared += compare(with_threads(text, threads), transfer, processors, tile_lanes);
  }
  CHECK(compared > (sanitized ? 0 : 60));
}

TEST_CASE("an atomic of an MMM is an operation and a write of its thread") {
  const std::string text = "memory b[6]: int\nkernel c() { shared s[1]: int\n"
                           "  if thread == 0 { s[0] = 0 }\n  barrier\n"
                           "  atomic b[0] += 1\n  atomic s[0] max= thread }\n"
                           "main { launch c() threads=4 }\nverify { assert b[0] == 4 }\n";
  const MachineSpec machine = mmm(5, 1);
  Sources sources;
  const auto code = compiled(sources, text, machine);
  REQUIRE(code);
  Observer nothing;
  for (const RunResult& run : {simulate(*code, machine, {}, sources, nothing),
                               simulate_fast(*code, machine, {}, sources)}) {
    CHECK(run.verify == Verdict::passed);
    CHECK(run.counts.mmm->work == 8); // two atomics of each thread
    CHECK(run.counts.mmm->span == 2);
    CHECK(run.counts.mmm->overhead == 5);
    CHECK(run.counts.mmm->local_accesses == 5);
  }
}

TEST_CASE("a program's work is equal under every P, and its time does not rise with P") {
  for (std::uint64_t seed = 0; seed < tried(12); ++seed) {
    const std::string text = with_threads(tiled_program(seed), 40);
    INFO(text);
    std::optional<MmmCounts> before;
    for (std::int64_t processors = 1; processors <= 6; ++processors) {
      Sources sources;
      const MachineSpec machine = mmm(5, processors);
      const auto code = compiled(sources, text, machine);
      REQUIRE(code);
      RunOptions options;
      options.verify = false;
      const RunResult run = simulate_fast(*code, machine, options, sources);
      if (run.stop != Stop::none) break;
      const MmmCounts& own = *run.counts.mmm;
      check_theorems(own, processors);
      if (processors == 1) CHECK(own.time == own.sequential_time);
      if (before) {
        CHECK(own.work == before->work);
        CHECK(own.overhead == before->overhead);
        CHECK(own.span == before->span);
        CHECK(own.unbounded_time == before->unbounded_time);
      }
      before = own;
    }
  }
}

TEST_CASE("a schedule of launches, some independent of each other, is that of a list of blocks") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    auto pick = [&, counter = std::uint64_t{0}](std::int64_t lo, std::int64_t hi) mutable {
      return random_integer(seed, 10, counter++, lo, hi);
    };
    const std::int64_t processors = pick(1, 7), transfer = pick(2, 5);
    MmmSums sums(processors), unbounded(std::nullopt);
    std::vector<Block> list;
    std::int64_t stage = 0, in_stage = 0, most_in_stage = 0, stages = 0;
    for (std::int64_t launches = pick(1, 6), k = 0; k < launches; ++k) {
      const bool independent = k > 0 && pick(0, 1) == 1;
      if (!independent) {
        stage += pick(1, 3);
        in_stage = 0;
        ++stages;
      }
      MmmLaunch launch;
      for (std::int64_t blocks = pick(1, 9), b = 0; b < blocks; ++b) {
        MmmBlock block;
        block.span = pick(0, 9);
        block.work = block.span * pick(1, 3);
        block.reads = pick(0, 3);
        block.writes = pick(0, 3);
        launch.add(block, transfer);
        launch.blocks += 1;
        in_stage += 1;
        list.push_back({stage, block.span, block.span + (block.reads + block.writes) * transfer});
      }
      most_in_stage = std::max(most_in_stage, in_stage);
      sums.add(launch, stage);
      unbounded.add(launch, stage);
    }
    const MmmCounts counts = sums.counts();
    CHECK(counts.time == makespan(list, processors));
    CHECK(unbounded.counts().time == makespan(list, static_cast<std::int64_t>(list.size())));
    CHECK(unbounded.counts().time == counts.unbounded_time);
    CHECK(counts.path == stages);
    CHECK(counts.antichain == most_in_stage);
    check_theorems(counts, processors);
  }
}

} // namespace memlane::test
