// Counts from what warps report, execution by execution: those of a PRAM and of BSP
// (configs/README.md section 9).
#include "model_counter.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace memlane {

namespace {

/// Touches are joined when there are this many, then whenever they have doubled.
constexpr std::size_t least_joined = std::size_t{1} << 16;
/// A block and its node in the table, about.
constexpr std::int64_t block_bytes = 160;

/// One launch at a time. All blocks are resident, so that a block's rounds do not depend on the
/// others: between two barriers they are the requests of its warp with the most, and a launch has
/// as many as the block with the most (configs/README.md section 9).
///
/// Memory: 40 to 100 bytes for each word that a warp accesses in a round of the launch; of a run
/// that stops at races, for each word that it reads. Less where an early round needs the class.
/// About 160 bytes for each block, and 16 for each of its warps.
class PramCounter final : public ModelCounter {
public:
  /// `races_possible`: the run does not stop at a race. `memory`: most bytes.
  PramCounter(const MachineSpec& machine, const Sources& sources, bool races_possible,
              std::int64_t memory)
      : sources_(sources), private_shared_(machine.shared && machine.global),
        races_possible_(races_possible), memory_(memory) {}

  void launch_begins(std::int64_t number, const LaunchShape& shape) override;
  void executed(const Execution& execution) override;
  void accessed(const WarpAccess& access) override;
  void set_none(ModelCounts& counts) const override { counts.pram.emplace(); }
  void set_launch(const LaunchTally&, ModelCounts& counts) override;
  /// Its class is then not known.
  bool over_memory() const override { return over_memory_; }

private:
  /// Threads of one warp that access a word in a round; of several warps when they were joined.
  struct Touch {
    std::int64_t block = -1; ///< -1: of a memory that all blocks access
    std::int64_t address = 0;
    std::int64_t round = 0;
    std::int32_t instruction = 0;
    bool write = false;
  };
  struct Touches {
    std::vector<Touch> all;
    std::size_t joined = 0; ///< length when they were joined last
  };
  /// Between two barriers.
  struct WarpRounds {
    std::int64_t barriers = 0; ///< barriers that the warp has executed
    std::int64_t rounds = 0;   ///< rounds since the last one
  };
  struct BlockRounds {
    std::int64_t barriers = 0; ///< barriers that all warps have executed
    std::int64_t before = 0;   ///< rounds before the last one
    std::int64_t most = 0;     ///< rounds of a warp since then
    std::vector<WarpRounds> warps;
    Touches shared; ///< what was touched since then
  };

  BlockRounds& block_of(WarpRef ref);
  std::int64_t round_of(WarpRef ref);
  void take_memory(std::int64_t bytes);
  void touch(Touches& touches, const Touch& touch);
  bool make_room(Touches& touches);
  void join(Touches& touches);
  void need(PramClass needs, std::int64_t round, std::int32_t instruction);
  bool is_settled(const Touch& touch) const;
  void forget(Touches& touches);
  const SourceLine& line_of(std::int32_t instruction) const {
    return kernel_->instructions[static_cast<std::size_t>(instruction)].line;
  }

  const Sources& sources_;
  bool private_shared_; ///< blocks have shared memories of their own
  bool races_possible_;
  std::int64_t memory_;
  std::int64_t bytes_ = 0; ///< bytes that the launch uses
  bool over_memory_ = false;
  const KernelInfo* kernel_ = nullptr;
  PramCounts counts_;
  std::unordered_map<std::int64_t, BlockRounds> blocks_;
  std::int64_t last_block_ = -1; ///< the latest argument of block_of
  BlockRounds* last_ = nullptr;
  Touches common_;
  std::vector<std::int64_t> addresses_; ///< one request's addresses
};

/// One launch at a time. Memory: linear in the multiprocessors that have blocks.
class BspCounter final : public ModelCounter {
public:
  explicit BspCounter(std::int64_t multiprocessors) : multiprocessors_(multiprocessors) {}

  void launch_begins(std::int64_t, const LaunchShape& shape) override;
  void executed(const Execution& execution) override;
  void accessed(const WarpAccess& access) override;
  void set_none(ModelCounts& counts) const override { counts.bsp = {multiprocessors_, 0, 0}; }
  void set_launch(const LaunchTally&, ModelCounts& counts) override;

private:
  struct Sums {
    std::int64_t operators = 0;
    std::int64_t words = 0;
  };

  std::int64_t multiprocessors_;
  const KernelInfo* kernel_ = nullptr;
  std::unordered_map<std::int64_t, Sums> of_; ///< keyed by multiprocessor
};

} // namespace

void PramCounter::launch_begins(std::int64_t number, const LaunchShape& shape) {
  kernel_ = shape.kernel;
  counts_ = {};
  counts_.place = {number, 0, {0, 0}};
  blocks_.clear();
  last_block_ = -1;
  common_ = {};
  bytes_ = 0;
}

PramCounter::BlockRounds& PramCounter::block_of(WarpRef ref) {
  if (ref.block != last_block_) {
    const auto [place, added] = blocks_.try_emplace(ref.block);
    if (added) take_memory(block_bytes);
    last_ = &place->second; // its place does not change
    last_block_ = ref.block;
  }
  const auto warps = static_cast<std::size_t>(ref.warp) + 1;
  if (last_->warps.size() < warps) {
    take_memory(static_cast<std::int64_t>((warps - last_->warps.size()) * sizeof(WarpRounds)));
    last_->warps.resize(warps);
  }
  return *last_;
}

void PramCounter::take_memory(std::int64_t bytes) {
  bytes_ += bytes;
  over_memory_ = over_memory_ || bytes_ > memory_;
}

void PramCounter::executed(const Execution& execution) {
  if (!kernel_->instructions[execution.instruction].barrier) return;
  WarpRounds& warp = block_of(execution.warp).warps[static_cast<std::size_t>(execution.warp.warp)];
  warp.barriers += 1;
  warp.rounds = 0;
}

/// The round of the warp's next request. The first one after a barrier shows that all warps of the
/// block have executed the barrier.
std::int64_t PramCounter::round_of(WarpRef ref) {
  BlockRounds& block = block_of(ref);
  WarpRounds& warp = block.warps[static_cast<std::size_t>(ref.warp)];
  if (warp.barriers > block.barriers) {
    block.barriers = warp.barriers;
    block.before += block.most;
    block.most = 0;
    join(block.shared);
    forget(block.shared);
  }
  const std::int64_t round = block.before + warp.rounds;
  warp.rounds += 1;
  block.most = std::max(block.most, warp.rounds);
  return round;
}

void PramCounter::accessed(const WarpAccess& access) {
  addresses_.clear();
  for (const std::int64_t address : access.addresses)
    if (address >= 0) addresses_.push_back(address);
  if (addresses_.empty()) return; // no request
  counts_.work += static_cast<std::int64_t>(addresses_.size());
  const std::int64_t round = round_of(access.warp);
  const auto instruction = static_cast<std::int32_t>(access.site->instruction);
  const bool write = writes(access.site->kind);
  std::sort(addresses_.begin(), addresses_.end());
  const auto distinct = std::unique(addresses_.begin(), addresses_.end());
  if (distinct != addresses_.end())
    need(write ? PramClass::crcw : PramClass::crew, round, instruction);
  addresses_.erase(distinct, addresses_.end());
  const bool own = private_shared_ && access.unit == UnitId::shared;
  if (access.site->kind == AccessKind::write && !races_possible_) return; // of no other warp
  Touches& touches = own ? block_of(access.warp).shared : common_;
  for (const std::int64_t address : addresses_)
    touch(touches, {own ? access.warp.block : -1, address, round, instruction, write});
}

/// It cannot change what is needed, nor where: it is of a later round. Without races no two warps
/// access a word in one round if one of them writes, but by atomics: the only writes kept then.
bool PramCounter::is_settled(const Touch& touch) const {
  const bool most = counts_.needs == PramClass::crcw ||
                    (counts_.needs == PramClass::crew && !races_possible_ && !touch.write);
  return most && touch.round > counts_.place.round;
}

void PramCounter::touch(Touches& touches, const Touch& touch) {
  if (is_settled(touch)) return;
  if (!make_room(touches)) return;
  touches.all.push_back(touch);
  if (touches.all.size() >= std::max(least_joined, 2 * touches.joined)) join(touches);
}

/// For one more touch. False without memory for it.
bool PramCounter::make_room(Touches& touches) {
  std::vector<Touch>& all = touches.all;
  if (over_memory_) return false;
  if (all.size() < all.capacity()) return true;
  const std::size_t before = all.capacity(), after = std::max<std::size_t>(16, before + before / 2);
  take_memory(static_cast<std::int64_t>(after * sizeof(Touch))); // both exist while touches move
  if (over_memory_) return false;
  all.reserve(after);
  bytes_ -= static_cast<std::int64_t>(before * sizeof(Touch));
  return true;
}

/// Finds the words that several warps access in one round, and keeps one touch of each word and
/// round.
void PramCounter::join(Touches& touches) {
  if (over_memory_) return; // the class will not be known
  std::vector<Touch>& all = touches.all;
  const auto word = [](const Touch& t) { return std::tie(t.block, t.address, t.round); };
  std::sort(all.begin(), all.end(),
            [&](const Touch& a, const Touch& b) { return word(a) < word(b); });
  std::size_t kept = 0;
  for (std::size_t k = 0; k < all.size();) {
    std::size_t end = k + 1;
    Touch joined = all[k];
    for (; end < all.size() && word(all[end]) == word(all[k]); ++end) {
      joined.write = joined.write || all[end].write;
      if (line_of(all[end].instruction) < line_of(joined.instruction))
        joined.instruction = all[end].instruction;
    }
    if (end - k > 1)
      need(joined.write ? PramClass::crcw : PramClass::crew, joined.round, joined.instruction);
    all[kept++] = joined;
    k = end;
  }
  all.resize(kept);
  std::erase_if(all, [this](const Touch& t) { return is_settled(t); });
  touches.joined = all.size();
}

void PramCounter::forget(Touches& touches) {
  bytes_ -= static_cast<std::int64_t>(touches.all.capacity() * sizeof(Touch));
  touches = {};
}

void PramCounter::need(PramClass needs, std::int64_t round, std::int32_t instruction) {
  const PramPlace place{counts_.place.launch, round, line_of(instruction)};
  if (needs < counts_.needs || (needs == counts_.needs && !(place < counts_.place))) return;
  counts_.needs = needs;
  counts_.place = place;
}

void PramCounter::set_launch(const LaunchTally&, ModelCounts& counts) {
  for (auto& [number, block] : blocks_) {
    join(block.shared);
    counts_.steps = std::max(counts_.steps, block.before + block.most);
  }
  join(common_);
  const SourceLine line = counts_.place.line;
  if (counts_.needs == PramClass::erew) counts_.place = {};
  if (line.second > 0) counts_.file = sources_.path(line.first);
  blocks_.clear();
  last_block_ = -1;
  counts.pram = counts_;
}

void BspCounter::launch_begins(std::int64_t, const LaunchShape& shape) {
  kernel_ = shape.kernel;
  of_.clear();
}

void BspCounter::executed(const Execution& execution) {
  if (kernel_->instructions[execution.instruction].counted)
    of_[execution.warp.block % multiprocessors_].operators += 1;
}

void BspCounter::accessed(const WarpAccess& access) {
  if (!access.site->global) return;
  of_[access.warp.block % multiprocessors_].words +=
      std::count_if(access.addresses.begin(), access.addresses.end(),
                    [](std::int64_t address) { return address >= 0; });
}

void BspCounter::set_launch(const LaunchTally&, ModelCounts& counts) {
  set_none(counts);
  for (const auto& [multiprocessor, sums] : of_) {
    counts.bsp->operators = std::max(counts.bsp->operators, sums.operators);
    counts.bsp->words = std::max(counts.bsp->words, sums.words);
  }
}

std::unique_ptr<ModelCounter> pram_counter(const MachineSpec& machine, const Sources& sources,
                                           bool races_possible, std::int64_t memory) {
  return std::make_unique<PramCounter>(machine, sources, races_possible, memory);
}

std::unique_ptr<ModelCounter> bsp_counter(std::int64_t multiprocessors) {
  return std::make_unique<BspCounter>(multiprocessors);
}

} // namespace memlane
