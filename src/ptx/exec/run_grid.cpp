#include "run_grid.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>

namespace memlane::ptx {

namespace {

/// Steps of a warp before others get their turn.
constexpr std::int64_t steps_of_turn = 1 << 12;
/// Turns of a block that waits before another one starts beside it.
constexpr int turns_alone = 64;

/// A block under way.
class BlockRun {
public:
  BlockRun(const Image& image, const Code& kernel, const GridShape& shape, Dim3 block,
           const std::vector<std::uint8_t>& params, const DeviceMemory& device,
           AccessObserver* observer)
      : shape_(shape), block_(block) {
    threads_ = shape.threads[0] * shape.threads[1] * shape.threads[2];
    const std::int64_t warps = (threads_ + warp_lanes - 1) / warp_lanes;
    const std::int64_t shared = image.dynamic_begin() + shape.dynamic_shared;
    shared_.resize(static_cast<std::size_t>(shared) + 128);
    local_.resize(static_cast<std::size_t>(kernel.local_bytes * warp_lanes * warps) + 16);
    const auto aligned = [](std::uint8_t* at, std::uintptr_t align) {
      return at + (align - reinterpret_cast<std::uintptr_t>(at) % align) % align;
    };
    for (std::int64_t number = 0; number < warps; ++number) {
      Memories& memories = *memories_.emplace_back(std::make_unique<Memories>());
      memories.device = &device;
      memories.shared = aligned(shared_.data(), 128);
      memories.shared_bytes = shared;
      memories.local = aligned(local_.data(), 16) + number * kernel.local_bytes * warp_lanes;
      memories.local_bytes = kernel.local_bytes;
      memories.kernel_params = params.data();
      memories.kernel_param_bytes = static_cast<std::int64_t>(params.size());
      memories.observer = observer;
      const std::int64_t first = number * warp_lanes;
      const std::int64_t count = std::min<std::int64_t>(warp_lanes, threads_ - first);
      const std::uint32_t lanes = count == warp_lanes ? all_lanes : (std::uint32_t{1} << count) - 1;
      WarpRun& warp = warps_.emplace_back();
      warp.start(image, kernel, lanes, memories);
      warp.fill_specials(
          [&](Special special, int lane) { return special_value(special, number, lane); });
      states_.push_back(WarpState::runs);
    }
  }

  bool ended() const {
    return std::all_of(states_.begin(), states_.end(),
                       [](WarpState state) { return state == WarpState::ended; });
  }
  std::int64_t steps() const {
    std::int64_t sum = 0;
    for (const WarpRun& warp : warps_) sum += warp.executed();
    return sum;
  }
  std::optional<GridFault> fault() const { return fault_; }

  /// Each warp takes its turn. Returns whether any of them has come to a barrier, its end, or more
  /// than a wait.
  bool turn() {
    bool progress = false;
    for (std::size_t k = 0; k < warps_.size(); ++k) {
      if (states_[k] != WarpState::runs && states_[k] != WarpState::yields) continue;
      states_[k] = warps_[k].run(steps_of_turn);
      progress = progress || states_[k] != WarpState::yields;
      if (states_[k] == WarpState::faulted) {
        const Fault& fault = memories_[k]->fault;
        fault_ = GridFault{fault, block_,
                           thread_of(static_cast<std::int64_t>(k) * warp_lanes + fault.lane)};
        return true;
      }
    }
    return open_barriers() || progress;
  }

private:
  Dim3 thread_of(std::int64_t number) const {
    return {number % shape_.threads[0], number / shape_.threads[0] % shape_.threads[1],
            number / (shape_.threads[0] * shape_.threads[1])};
  }

  std::uint64_t special_value(Special special, std::int64_t warp, int lane) const {
    const Dim3 thread = thread_of(warp * warp_lanes + lane);
    const std::uint32_t bit = std::uint32_t{1} << lane;
    const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    switch (special) {
    case Special::tid_x: return number(thread[0]);
    case Special::tid_y: return number(thread[1]);
    case Special::tid_z: return number(thread[2]);
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
    case Special::dynamic_smem_size: return number(shape_.dynamic_shared);
    default: return 0;
    }
  }

  /// Opens the barriers that all their threads have reached; warps that have ended count.
  bool open_barriers() {
    std::map<std::uint32_t, std::int64_t> arrived, wanted;
    for (std::size_t k = 0; k < warps_.size(); ++k) {
      if (states_[k] != WarpState::at_barrier) continue;
      const BarrierWait& wait = warps_[k].barrier();
      arrived[wait.number] += warp_lanes;
      wanted[wait.number] = std::max(wanted[wait.number], wait.threads);
    }
    std::int64_t alive = 0;
    for (const WarpState state : states_) alive += state != WarpState::ended ? warp_lanes : 0;
    bool opened = false;
    for (const auto& [number, count] : arrived) {
      const std::int64_t needed = wanted[number] > 0 ? wanted[number] : alive;
      if (count < needed) continue;
      open(number);
      opened = true;
    }
    return opened;
  }

  void open(std::uint32_t number) {
    bool all = true, any = false;
    std::int64_t count = 0;
    const auto each = [&](auto f) {
      for (std::size_t k = 0; k < warps_.size(); ++k)
        if (states_[k] == WarpState::at_barrier && warps_[k].barrier().number == number) f(k);
    };
    each([&](std::size_t k) {
      if (!warps_[k].barrier().reduces) return;
      const std::uint32_t votes = warps_[k].reduction_votes();
      all = all && votes == warps_[k].lanes();
      any = any || votes != 0;
      count += std::popcount(votes);
    });
    each([&](std::size_t k) {
      if (warps_[k].barrier().reduces) warps_[k].set_reduction(all, any, count);
    });
    each([&](std::size_t k) { states_[k] = WarpState::runs; });
  }

  const GridShape& shape_;
  Dim3 block_;
  std::int64_t threads_ = 0;
  std::vector<std::uint8_t> shared_, local_;
  std::vector<std::unique_ptr<Memories>> memories_;
  std::deque<WarpRun> warps_;
  std::vector<WarpState> states_;
  std::optional<GridFault> fault_;
};

} // namespace

GridResult run_grid(const Image& image, const Code& kernel, const GridShape& shape,
                    const std::vector<std::uint8_t>& params, const DeviceMemory& device,
                    const Limits& limits, AccessObserver* observer) {
  GridResult result;
  const std::int64_t count = shape.blocks[0] * shape.blocks[1] * shape.blocks[2];
  const auto block_at = [&](std::int64_t number) -> Dim3 {
    return {number % shape.blocks[0], number / shape.blocks[0] % shape.blocks[1],
            number / (shape.blocks[0] * shape.blocks[1])};
  };
  std::deque<std::unique_ptr<BlockRun>> under_way;
  std::int64_t next = 0;
  int waited = 0;
  while (next < count || !under_way.empty()) {
    if (under_way.empty() || (waited >= turns_alone && next < count)) {
      under_way.push_back(std::make_unique<BlockRun>(image, kernel, shape, block_at(next++), params,
                                                     device, observer));
      waited = 0;
    }
    bool progress = false;
    for (std::size_t k = 0; k < under_way.size();) {
      BlockRun& block = *under_way[k];
      progress = block.turn() || progress;
      if (block.fault()) {
        result.faults.push_back(*block.fault());
        result.warp_steps += block.steps();
        return result;
      }
      if (block.ended()) {
        result.warp_steps += block.steps();
        under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(k));
      } else {
        ++k;
      }
    }
    waited = progress ? 0 : waited + 1;
    if (limits.check && (result.stop = limits.check()) != Stop::none) return result;
    if (waited > 1 << 16 && next == count) {
      result.waits_for_ever = true;
      return result;
    }
  }
  return result;
}

} // namespace memlane::ptx
