#include "run_grid.hpp"

#include "barriers_of_warps.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <optional>
#include <utility>

namespace memlane::ptx {

namespace {

/// Steps of a warp before others get their turn: of a block that runs alone, and of one of several
/// that may wait for each other.
constexpr std::int64_t steps_alone = 1 << 16, steps_beside = 1 << 12;
/// Parts of a turn, of so many steps each, that a warp gets if it writes in each of them.
constexpr int most_parts = 256;
/// Rounds in which all only waited before it is looked whether any of them can go on.
constexpr std::int64_t idle_rounds_of_look = 64;
/// Steps in which a warp that waits has read again all that it waits for.
constexpr std::int64_t steps_of_wait = 1 << 14;

/// Of shared memory that `%reserved_smem_offset_…` tell of: as much as sm_80 to sm_90 have, for
/// each of their two parts.
constexpr std::int64_t reserved_bytes = 2048;
bool uses_reserved(const Image& image) {
  return std::any_of(image.specials().begin(), image.specials().end(), [](const UsedSpecial& used) {
    return used.special >= Special::reserved_begin && used.special <= Special::reserved_1;
  });
}

/// The first byte from there on at a multiple of `align`.
std::uint8_t* aligned_at(std::uint8_t* at, std::uintptr_t align) {
  return at + (align - reinterpret_cast<std::uintptr_t>(at) % align) % align;
}

/// Whether it differs between the blocks of a launch.
bool is_of_block(Special special) {
  return special == Special::ctaid_x || special == Special::ctaid_y || special == Special::ctaid_z;
}

} // namespace

/// A block under way. When it has ended, another one takes its place.
class GridRun::Block {
public:
  explicit Block(const GridRun& grid)
      : grid_(grid), shape_(grid.shape_), threads_(count_of(grid.shape_.threads)) {
    const std::int64_t warps = (threads_ + warp_lanes - 1) / warp_lanes;
    // What cooperative_groups have for themselves stands behind the block's own.
    reserved_begin_ = (grid.image_.dynamic_begin() + shape_.dynamic_shared + 127) / 128 * 128;
    shared_bytes_ = uses_reserved(grid.image_)
                        ? reserved_begin_ + reserved_bytes
                        : grid.image_.dynamic_begin() + shape_.dynamic_shared;
    memories_.resize(static_cast<std::size_t>(warps));
    warps_.resize(memories_.size());
    states_.resize(memories_.size());
  }

  void begin(std::int64_t number, Watched watched) {
    const bool first = shared_.empty();
    const bool same_ranges = changes_ == grid_.device_.changes();
    changes_ = grid_.device_.changes();
    fault_.reset();
    const std::int64_t local = grid_.kernel_.stack_bytes;
    number_ = number;
    block_ = grid_.place_of(number);
    watched_ = watched;
    shared_.assign(static_cast<std::size_t>(shared_bytes_) + 128, 0);
    local_.assign(static_cast<std::size_t>(local * warp_lanes) * warps_.size() + 16, 0);
    barriers_ = {};
    words_.emplace(shared_bytes_);
    if (shared_bytes_ > reserved_begin_)
      words_->write(static_cast<std::uint64_t>(reserved_begin_), reserved_bytes);
    observers_.clear();
    for (std::size_t k = 0; k < warps_.size(); ++k) {
      const auto warp = static_cast<std::int64_t>(k);
      begin_memories(warp, same_ranges);
      const std::int64_t count = std::min<std::int64_t>(warp_lanes, threads_ - warp * warp_lanes);
      const std::uint32_t lanes = count == warp_lanes ? all_lanes : (std::uint32_t{1} << count) - 1;
      warps_[k].start(grid_.image_, grid_.kernel_, lanes, memories_[k], watched.counts);
      warps_[k].fill_specials(
          [&](Special special) { return first || is_of_block(special); },
          [&](Special special, int lane) { return special_value(special, warp, lane); });
      states_[k] = WarpState::runs;
    }
  }

  std::int64_t number() const { return number_; }
  bool ended() const {
    return std::all_of(states_.begin(), states_.end(),
                       [](WarpState state) { return state == WarpState::ended; });
  }
  std::int64_t steps() const {
    std::int64_t sum = 0;
    for (const WarpRun& warp : warps_) sum += warp.executed();
    return sum;
  }
  const std::optional<GridFault>& fault() const { return fault_; }

  /// Each warp takes its turn. Returns whether any of them has written, or come to a barrier or its
  /// end.
  /// `most`: steps of all warps after which the turn ends early.
  bool turn(std::int64_t steps, std::int64_t most) {
    bool progress = false;
    std::int64_t executed = 0;
    for (std::size_t k = 0; k < warps_.size(); ++k) {
      for (int parts = 0; parts < most_parts; ++parts) {
        if (states_[k] != WarpState::runs && states_[k] != WarpState::yields) break;
        const std::int64_t written = memories_[k].writes;
        const std::int64_t before = warps_[k].executed();
        states_[k] = warps_[k].run(steps);
        executed += warps_[k].executed() - before;
        const bool only_waits = states_[k] == WarpState::yields && memories_[k].writes == written;
        progress = progress || !only_waits;
        if (!stops(k) || executed > most) return true;
        if (only_waits) break;
      }
    }
    return open_barriers() || progress;
  }

  /// Whether no warp can go on unless another block writes.
  bool waits() {
    for (std::size_t k = 0; k < warps_.size(); ++k) {
      if (states_[k] != WarpState::yields) continue;
      const std::int64_t written = memories_[k].writes;
      const bool goes_round = warps_[k].goes_round(steps_of_wait);
      states_[k] = warps_[k].state();
      if (!goes_round || memories_[k].writes != written) return stops(k) && false;
    }
    return true;
  }

  /// Where its first thread that waits does.
  GridFault wait() const {
    const auto k = static_cast<std::size_t>(
        std::find(states_.begin(), states_.end(), WarpState::yields) - states_.begin());
    // Others wait at barriers, which open or are faults.
    if (k == states_.size()) return {};
    const Fault fault = warps_[k].wait();
    return {fault, block_, thread_of(static_cast<std::int64_t>(k) * warp_lanes + fault.lane)};
  }

  /// As WarpRun::part_lanes, in all its warps.
  bool part_lanes() {
    return std::count_if(warps_.begin(), warps_.end(),
                         [](WarpRun& warp) { return warp.part_lanes(); }) > 0;
  }

private:
  /// What a warp may access. `same_ranges`: ranges that the block before has accessed are there.
  void begin_memories(std::int64_t warp, bool same_ranges) {
    const std::int64_t local = grid_.kernel_.stack_bytes;
    Memories& memories = memories_[static_cast<std::size_t>(warp)];
    Memories fresh;
    if (same_ranges) {
      std::copy(std::begin(memories.known), std::end(memories.known), fresh.known);
      fresh.next_known = memories.next_known;
    }
    fresh.device = &grid_.device_;
    fresh.shared = aligned_at(shared_.data(), 128);
    fresh.shared_bytes = shared_bytes_;
    fresh.local = aligned_at(local_.data(), 16) + warp * local * warp_lanes;
    fresh.local_bytes = local;
    fresh.shared_words = words_->left > 0 ? &*words_ : nullptr;
    fresh.launch = shape_.state;
    fresh.barriers = &barriers_;
    fresh.block = number_;
    fresh.warp = warp;
    fresh.kernel_params = grid_.params_.data();
    fresh.kernel_param_bytes = static_cast<std::int64_t>(grid_.params_.size());
    fresh.observer =
        watched_.observer ? &observers_.emplace_back(*watched_.observer, warp) : grid_.accesses_;
    if (watched_.observer) fresh.reads = watched_.observer->reads(warp);
    memories = fresh;
  }

  /// Tells a block's observer which warp accesses.
  class WarpAccesses final : public AccessObserver {
  public:
    WarpAccesses(BlockObserver& block, std::int64_t warp) : block_(block), warp_(warp) {}
    void accesses(const Warp& warp, const Step& step, const LaneAddresses& lanes) override {
      block_.accesses(warp_, warp, step, lanes);
    }
    void fences(const Warp& warp, const Step&) override { block_.fences(warp_, warp); }
    void allocates(const Warp&, std::uint64_t begin, std::uint64_t bytes) override {
      block_.allocates(warp_, begin, bytes);
    }
    void completes() override { block_.barrier(false); }
    void operates(const Warp& warp) override { block_.operates(warp_, warp); }
    void needs(const Warp& warp, const StepCount& step,
               std::span<const std::int64_t> reads) override {
      block_.needs(warp_, warp, step, reads);
    }
    void executes(const Warp& warp, const Step& step, const StepCount& count,
                  std::span<const std::int64_t> steps) override {
      block_.executes(warp_, warp, step, count, steps);
    }
    bool round(RoundEvent event) override { return block_.round(warp_, event); }

  private:
    BlockObserver& block_;
    std::int64_t warp_;
  };

  /// What the warp has stopped at. False: at a fault.
  bool stops(std::size_t k) {
    const auto warp = static_cast<std::int64_t>(k);
    if (states_[k] == WarpState::faulted) {
      const Fault& fault = memories_[k].fault;
      fault_ = GridFault{fault, block_, thread_of(warp * warp_lanes + fault.lane)};
      return false;
    }
    if (states_[k] == WarpState::ended && watched_.observer)
      watched_.observer->ends(warp, warps_[k].warp());
    if (states_[k] != WarpState::at_barrier) return true;
    if (watched_.observer) watched_.observer->arrives(warp, warps_[k].warp());
    return true;
  }

  /// Where a cooperative launch counts blocks; 0: it is none.
  std::uint64_t workspace() const {
    return shape_.state && shape_.state->cooperative
               ? reinterpret_cast<std::uint64_t>(shape_.state->workspace)
               : 0;
  }
  Dim3 thread_of(std::int64_t number) const {
    return {number % shape_.threads[0], number / shape_.threads[0] % shape_.threads[1],
            number / (shape_.threads[0] * shape_.threads[1])};
  }

  std::uint64_t special_value(Special special, std::int64_t warp, int lane) const {
    const std::int64_t number_of_thread = warp * warp_lanes + lane;
    const std::uint32_t bit = std::uint32_t{1} << lane;
    const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    switch (special) {
    case Special::tid_x: return number(thread_of(number_of_thread)[0]);
    case Special::tid_y: return number(thread_of(number_of_thread)[1]);
    case Special::tid_z: return number(thread_of(number_of_thread)[2]);
    case Special::ntid_x: return number(shape_.threads[0]);
    case Special::ntid_y: return number(shape_.threads[1]);
    case Special::ntid_z: return number(shape_.threads[2]);
    case Special::ctaid_x: return number(block_[0]);
    case Special::ctaid_y: return number(block_[1]);
    case Special::ctaid_z: return number(block_[2]);
    case Special::nctaid_x: return number(shape_.blocks[0]);
    case Special::nctaid_y: return number(shape_.blocks[1]);
    case Special::nctaid_z: return number(shape_.blocks[2]);
    case Special::laneid: return number(lane);
    case Special::warpid: return number(warp);
    case Special::nwarpid: return number(static_cast<std::int64_t>((threads_ + 31) / 32));
    case Special::lanemask_eq: return bit;
    case Special::lanemask_lt: return bit - 1;
    case Special::lanemask_le: return bit | (bit - 1);
    case Special::lanemask_gt: return ~(bit | (bit - 1)) & all_lanes;
    case Special::lanemask_ge: return ~(bit - 1) & all_lanes;
    case Special::warp_size: return warp_lanes;
    case Special::total_smem_size: return number(memories_.front().shared_bytes);
    case Special::reserved_begin:
    case Special::reserved_0: return number(reserved_begin_);
    case Special::reserved_1: return number(reserved_begin_ + reserved_bytes / 2);
    case Special::reserved_end: return number(reserved_begin_ + reserved_bytes);
    case Special::reserved_cap: return number(reserved_bytes);
    case Special::envreg1: return workspace() >> 32;
    case Special::envreg2: return workspace() & 0xffffffff;
    case Special::dynamic_smem_size: return number(shape_.dynamic_shared);
    default: return 0;
    }
  }

  /// If all warps wait at barriers and none opens, none ever will.
  bool open_barriers() {
    const bool opened =
        ptx::open_barriers(warps_, states_, barriers_, [&](std::uint32_t, bool whole) {
          if (watched_.observer) watched_.observer->barrier(whole);
        });
    const auto is = [&](WarpState state) {
      return [=](WarpState other) { return other == state; };
    };
    const auto stuck = std::find_if(states_.begin(), states_.end(), is(WarpState::at_barrier));
    if (opened || stuck == states_.end() ||
        std::any_of(states_.begin(), states_.end(), is(WarpState::runs)) ||
        std::any_of(states_.begin(), states_.end(), is(WarpState::yields)))
      return opened;
    const auto k = static_cast<std::size_t>(stuck - states_.begin());
    warps_[k].fail_barrier();
    states_[k] = WarpState::faulted;
    stops(k);
    return true;
  }

  const GridRun& grid_;
  std::int64_t number_ = 0;
  const GridShape& shape_;
  Dim3 block_{};
  Watched watched_;
  std::int64_t threads_ = 0, reserved_begin_ = 0, shared_bytes_ = 0;
  std::uint64_t changes_ = 0; ///< of the device's memory, before the block
  std::vector<std::uint8_t> shared_, local_;
  std::vector<Memories> memories_;
  std::deque<WarpAccesses> observers_;
  std::deque<WarpRun> warps_;
  std::vector<WarpState> states_;
  BlockBarriers barriers_;
  std::optional<SharedWords> words_;
  std::optional<GridFault> fault_;
};

GridRun::GridRun(const Image& image, const Code& kernel, const GridShape& shape,
                 const std::vector<std::uint8_t>& params, const DeviceMemory& device,
                 const Limits& limits, GridObserver* observer, AccessObserver* accesses)
    : image_(image), kernel_(kernel), shape_(shape), params_(params), device_(device),
      limits_(limits), observer_(observer), accesses_(accesses), count_(count_of(shape.blocks)) {}

GridRun::~GridRun() = default;

Dim3 GridRun::place_of(std::int64_t block) const {
  return {block % shape_.blocks[0], block / shape_.blocks[0] % shape_.blocks[1],
          block / (shape_.blocks[0] * shape_.blocks[1])};
}

void GridRun::begin_block() {
  const Watched watched = observer_ ? observer_->begins(next_) : Watched{};
  if (ended_.empty()) ended_.push_back(std::make_unique<Block>(*this));
  under_way_.push_back(std::move(ended_.back()));
  ended_.pop_back();
  under_way_.back()->begin(next_++, watched);
}

/// A turn of a block, which is taken away if it ends. Returns whether anything but waiting was
/// done.
bool GridRun::turn(std::size_t place, std::int64_t steps) {
  Block& block = *under_way_[place];
  const std::int64_t before = block.steps();
  const std::int64_t left = std::max<std::int64_t>(0, limits_.steps - result_.warp_steps);
  const bool progress = block.turn(std::min(steps, left / warp_lanes + 1), left);
  result_.warp_steps += block.steps() - before;
  if (block.fault()) {
    result_.faults.push_back(*block.fault());
    over_ = true;
    return true;
  }
  if (!block.ended()) return progress;
  const std::int64_t number = block.number();
  ended_.push_back(std::move(under_way_[place]));
  under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(place));
  if (observer_) observer_->ends(number);
  return true;
}

/// As Block::waits, whose steps count.
bool GridRun::waits(Block& block) {
  const std::int64_t before = block.steps();
  const bool all_wait = block.waits();
  result_.warp_steps += block.steps() - before;
  return all_wait;
}

/// A turn of every block under way, the oldest first.
bool GridRun::turn_all() {
  bool progress = false;
  for (std::size_t k = 0; k < under_way_.size() && !over_;) {
    const std::size_t before = under_way_.size();
    progress = turn(k, steps_beside) || progress;
    if (under_way_.size() == before) ++k;
  }
  return progress;
}

/// Within the limits.
bool GridRun::go_on() {
  if (result_.warp_steps > limits_.steps) result_.stop = Stop::steps;
  if (limits_.check && result_.stop == Stop::none) result_.stop = limits_.check();
  over_ = over_ || result_.stop != Stop::none;
  return !over_;
}

/// Blocks begin in rising order, and those under way stand in it.
bool GridRun::has_ended(std::int64_t block) const {
  if (block >= next_) return false;
  const auto at =
      std::lower_bound(under_way_.begin(), under_way_.end(), block,
                       [](const auto& one, std::int64_t number) { return one->number() < number; });
  return at == under_way_.end() || (*at)->number() != block;
}

bool GridRun::run_to(std::int64_t block) {
  while (!has_ended(block) && go_on()) {
    if (under_way_.empty()) begin_block();
    const std::size_t before = under_way_.size();
    const bool alone = before == 1 || next_ < count_;
    if (turn(before - 1, alone ? steps_alone : steps_beside)) {
      idle_rounds_ = 0;
      // Others may have waited for the block that has ended.
      if (under_way_.size() < before) turn_all();
      continue;
    }
    if (next_ < count_) {
      begin_block();
      continue;
    }
    if (turn_all()) {
      idle_rounds_ = 0;
    } else if (++idle_rounds_ % idle_rounds_of_look == 0) {
      const auto wait = [&](const auto& block) { return waits(*block); };
      const auto part = [](const auto& block) { return block->part_lanes(); };
      over_ = result_.waits_for_ever =
          std::all_of(under_way_.begin(), under_way_.end(), wait) &&
          std::count_if(under_way_.begin(), under_way_.end(), part) == 0;
      if (over_)
        for (const auto& block : under_way_)
          if (result_.wait.fault.kind == FaultKind::none) result_.wait = block->wait();
    }
  }
  return has_ended(block);
}

GridResult run_grid(const Image& image, const Code& kernel, const GridShape& shape,
                    const std::vector<std::uint8_t>& params, const DeviceMemory& device,
                    const Limits& limits, AccessObserver* observer) {
  GridRun run(image, kernel, shape, params, device, limits, nullptr, observer);
  for (std::int64_t block = 0; block < count_of(shape.blocks); ++block)
    if (!run.run_to(block)) break;
  return run.result();
}

} // namespace memlane::ptx
