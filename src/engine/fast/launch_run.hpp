// The state that the blocks of one launch share while they are executed, and what each of them
// adds.
#pragma once

#include "fast/races.hpp"
#include "fast/time.hpp"
#include "fast/vectors.hpp"
#include "host.hpp"
#include "kernel_stream.hpp"
#include "saturate.hpp"

#include "memlane/engine/run.hpp"
#include "memlane/engine/tally.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace memlane::fast {

// The counts of one block as an array of numbers, so that the counts of a repeated part can be
// multiplied. Of the kinds that a kernel may count, as requests by stages, it knows the few that
// were counted. Blocks that are executed together have a number each, and one that all of them
// have.

class BlockTally {
public:
  /// Instead of one of the blocks that are executed together: each of them, or the only block.
  static constexpr int every = -1;
  /// What a number counts.
  using Kind = std::uint32_t;

  /// `most_stages`: of a request.
  BlockTally(const ir::Function& kernel, std::int64_t most_stages);

  // Each gives the numbers of one kind, indexed by block or `every`. They stay where they are until
  // `clear`.

  std::int64_t* warps(std::size_t instruction) { return at(2 * instruction); }
  std::int64_t* threads(std::size_t instruction) { return at(2 * instruction + 1); }
  std::int64_t* silent(std::int32_t statement) {
    return at(silent_ + static_cast<std::size_t>(statement));
  }
  /// How many requests of a memory instruction took so many stages, from 1 to the most.
  std::int64_t* requests(std::size_t instruction, std::int64_t stages) {
    return at(first_[instruction] + sums - 1 + static_cast<std::size_t>(stages));
  }
  std::int64_t* concurrent_writes(std::size_t instruction) { return at(first_[instruction]); }
  std::int64_t* groups(std::size_t instruction) { return at(first_[instruction] + 1); }
  std::int64_t* further_needed(std::size_t instruction) { return at(first_[instruction] + 2); }
  std::int64_t* added(std::size_t instruction) { return at(first_[instruction] + 6); }
  std::int64_t* of(Kind kind) { return at(kind); }
  /// Adds a request at a multiprocessor's own port.
  void add_port(std::size_t instruction, const PortTally& port);

  /// All numbers, for `since`: none decreases while a block is executed.
  std::vector<std::int64_t> numbers() const;
  /// Calls f(kind, block, before, now) for each number; it may change `now`. `before`: the numbers
  /// at an earlier time of the same blocks.
  template <class F>
  void since(const std::vector<std::int64_t>& before, F f) {
    std::size_t at = 0;
    for (const Kind kind : kinds_)
      for (std::size_t slot = 0; slot < slots_; ++slot, ++at)
        f(kind, static_cast<int>(slot) - 1, at < before.size() ? before[at] : 0,
          numbers_[kind * slots_ + slot]);
  }
  std::int64_t largest() const;
  /// Adds everything, of so many such blocks, to the tally of a multiprocessor.
  void add_to(Tally& tally, std::int64_t blocks = 1) const;
  /// Adds the requests of a block only.
  void add_to(std::vector<RequestTally>& requests, int block = every) const;
  /// Of blocks first, first + 1, … that are executed together: adds each to its multiprocessor's.
  void add_each_to(std::vector<Tally>& tallies, std::int64_t first) const;
  /// For one block, or for so many that are executed together.
  void clear(std::size_t together = 1);

private:
  std::int64_t* at(std::size_t kind) {
    if (!counted_[kind]) [[unlikely]]
      add_kind(kind);
    return numbers_.data() + kind * slots_ + 1;
  }
  const std::int64_t* slots_of(Kind kind) const { return numbers_.data() + kind * slots_; }
  std::int64_t value(Kind kind, int block) const {
    const std::int64_t* const slots = slots_of(kind);
    return slots[0] + (block == every ? 0 : slots[block + 1]);
  }

  void add_kind(std::size_t kind);
  void make_room(Tally& tally) const;
  void add_number(Tally& tally, Kind kind, std::int64_t value) const;
  void add_number(std::vector<RequestTally>& requests, Kind kind, std::int64_t value) const;

  static constexpr std::size_t sums = 7; ///< before requests by stages
  std::size_t most_, silent_;
  std::size_t statements_end_ = 0; ///< the memory instructions' kinds begin
  std::vector<std::size_t> sites_; ///< the memory instructions
  /// By memory instruction: concurrent writes, groups, further needed stages, stages, needed ones
  /// and lines at own ports, added stages, requests by stages. Unused for others.
  std::vector<std::size_t> first_;
  std::vector<std::uint8_t> counted_; ///< by kind
  std::vector<Kind> kinds_;           ///< those counted; the numbers of all others are 0
  std::size_t slots_ = 1;             ///< of a kind: every block's, then each block's
  std::vector<std::int64_t> numbers_; ///< by kind and slot
};

// The state that the blocks of one launch share while they are executed.

/// Tells launches of a program apart: the kernel's number, values of its formals, blocks, threads.
using LaunchKey = std::vector<std::int64_t>;
LaunchKey launch_key(const ir::Program& program, const ir::Function& kernel,
                     const LaunchShape& shape, const std::vector<ir::Value>& formals);

/// What a launch without data has added to its run (repeated_launches.hpp).
struct KnownLaunch {
  LaunchTally tally;
  std::vector<LaunchTally> elsewhere; ///< as LaunchRun has it
  std::int64_t steps = 0;             ///< executed or skipped
  EngineWork work;
};

/// What the launches of a run of a compiled program share.
struct FastRun : TimedRun {
  std::map<const ir::Function*, Analysis> analyses;
  /// By kernel and array: intervals whose accesses are looked at word by word.
  std::map<std::pair<const ir::Function*, std::int32_t>, Unproven> unproven;
  /// A proof has failed and the record of its interval was too long: the run continues to find
  /// other failing proofs of the interval, for at most as many steps again.
  bool unsure = false;
  std::int64_t unsure_until = 0; ///< steps
  /// Most rounds of a loop that does not count: then the reference engine is asked whether it ends.
  std::int64_t most_rounds = std::int64_t{1} << 20;
  bool timing_only = false;       ///< no data: of a program as ir::without_data leaves it
  std::int64_t skipped_steps = 0; ///< instructions of rounds that were skipped
  std::map<LaunchKey, KnownLaunch> known_launches; ///< without data
  /// Of a block of the kernel's latest launch whose blocks were executed together, or by helpers.
  std::map<const ir::Function*, std::int64_t> steps_of_block;
  /// By kernel and barrier: launches in which the intervals behind it were recorded in vain.
  std::map<std::pair<const ir::Function*, std::size_t>, int> vain_recordings;
  int tile_lanes = 0;           ///< threads that are executed together; 0: as fits the caches
  bool together = true;         ///< blocks may be executed together (blocks_together.hpp)
  bool blocks_together = false; ///< some were
  std::map<std::int32_t, RaceWords> race_words;   ///< keyed by array
  std::map<std::int32_t, BlockWords> block_words; ///< keyed by array
  std::int64_t words_stage = 0;                   ///< stage of the launches whose words these are
  const SideBySide* side_by_side = nullptr;       ///< threads of the caller
  /// What executes blocks beside the run's own runner has a number, and notes words with it.
  std::size_t runner = 0;
  FastRun* main = nullptr; ///< the run's own; null: this is it
  std::span<AlsoTimed> also = {};
  bool unshared = false; ///< halted because `also` needs too much: the run begins again without it

  std::map<std::int32_t, BlockWords>& shared_block_words() {
    return main ? main->block_words : block_words;
  }
  /// What is known of the kernel; empty before its first launch.
  Analysis& facts_of(const ir::Function& kernel) { return (main ? main : this)->analyses[&kernel]; }

  /// A launch begins: words that launches of other stages have noted are forgotten.
  void begin_stage(std::int64_t stage) {
    if (stage == words_stage) return;
    for (auto& [array, words] : block_words) words.clear();
    words_stage = stage;
  }
};

/// An array as the present block sees it.
struct ArrayView {
  unsigned char* data = nullptr;
  ir::Scalar type = ir::Scalar::int32;
  std::int64_t elements = 0;
  std::int64_t base = 0;  ///< address of its first word
  std::int64_t words = 1; ///< of an element
  const Placement* placement = nullptr;
  UnitId unit = UnitId::global;
  std::vector<std::uint8_t> written;  ///< shared arrays: one for each word
  std::int64_t unwritten = 0;         ///< how many of these are not written; memory arrays: 0
  bool tracked = false;               ///< may race in this launch
  RaceWatch* watch = nullptr;         ///< set where the array is tracked
  WatchesOfBlocks* watches = nullptr; ///< likewise, while blocks are executed together
  bool of_block = false;              ///< each block has its own words
  BlockNotes* blocks = nullptr;       ///< set where other blocks may access it, too

  /// Of an element's first word.
  std::int64_t address(std::int64_t element) const {
    return base + placement->word(element) * words;
  }
};

/// Warps in a tile of a launch's blocks. `tile_lanes`: threads that are executed together; 0: as
/// fits the caches.
int warps_of_tile(const MachineSpec& machine, const LaunchShape& shape, int tile_lanes);

struct LaunchRun final : TimedLaunch {
  LaunchRun(FastRun& fast_run, const RunState& run_state, const ir::Function& function,
            const LaunchShape& launch_shape, std::vector<ir::Value> launch_formals,
            std::int64_t launch_number);

  FastRun& fast;
  const RunState& run;
  const ir::Function& kernel;
  const Analysis& facts;
  std::vector<ir::Value> formals;
  std::int64_t number; ///< of the launch in its run
  bool costs;          ///< operators take time
  bool several;        ///< a warp may have several requests on their way
  bool hoists;         ///< the machine issues reads before earlier steps
  bool followed;       ///< either of these
  bool keyed;          ///< the machine has keys that closed forms of stages do not know
  bool counts_groups;  ///< whether requests' groups are counted (reference::counts_groups)
  Banks shared_banks, memory_banks;
  Banks groups; ///< address groups, where counts_groups
  Parts words, bank_rows, stage,
      lines;                     ///< single words; w words; stages of global memory, of ports
  std::vector<ArrayView> arrays; ///< the present block's, indexed as Program::arrays
  BlockTally tally;              ///< the present block's

  std::int64_t own_bytes = 0;   ///< the present block's shared arrays and threads' own arrays
  std::int64_t tile_bytes = 0;  ///< what the present block's tiles keep at a barrier
  std::int64_t resident_blocks; ///< the most at once

  /// Stages that the present block has asked of the units of each kind: a lower bound of their
  /// time.
  std::array<std::int64_t, 2> stages{}; ///< indexed by UnitId
  std::vector<LaunchTally> elsewhere;   ///< on FastRun::also, without what does not depend on time
  std::int64_t logged = 0;              ///< bytes of step logs of the present block
  std::int64_t most_of_block = INT64_MAX; ///< steps of each of the present blocks, in the mean
  std::int64_t most_steps;                ///< of the run until these have ended
  TileChains chains;

  BlockSums sums() const;
  /// Adds stages; false if the launch cannot end within its limits any more. `reused`: some of them
  /// may not enter.
  bool add_stages(UnitId unit, std::int64_t more, std::int64_t log_bytes, bool reused = false);
  /// Takes count * bytes for the present block; false if the resident blocks together might exceed
  /// the memory limit.
  bool take_bytes(std::int64_t count, std::int64_t bytes);
  /// Takes bytes for the saved tiles of the present block; false if they exceed the memory limit.
  bool take_tile_bytes(std::int64_t more);
  const UnitSpec& spec(UnitId unit) const {
    const MachineSpec& machine = run.machine;
    return unit == UnitId::shared && machine.shared ? *machine.shared : machine.memory_unit();
  }
  Banks& banks(UnitId unit) { return unit == UnitId::shared ? shared_banks : memory_banks; }
  /// So many blocks begin: sets `most_steps`.
  void bound_steps(std::int64_t blocks);
  /// Adds an interval of a block, with its longest chains and its stages, to what it asks.
  void add_interval(const Chains& longest, const std::array<std::int64_t, 2>& of_units,
                    std::array<reference::BlockLoad, 2>& loads) const;
  /// Acts on what a watch has found at an access to the array; false: execution has halted.
  bool act_on(RaceWatch::Found found, std::int32_t array, Span at);

private:
  bool ask() override;
};

// The fast engine's launches, for a run of `run_with`.

/// Refers to both. Where `run.halted` is set, the result of the run says nothing, unless the
/// caller asked to stop.
Launcher launcher(FastRun& run);

} // namespace memlane::fast
