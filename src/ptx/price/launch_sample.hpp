// The blocks of a launch that are priced where the others are estimated.
#pragma once

#include "memlane/engine/timed_launch.hpp"
#include "memlane/ptx/price.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace memlane::ptx {

/// A wave is as many blocks as the machine holds at the same time. Executed are the first full
/// waves, at least three, and as many further blocks as the launch's last wave has. So whole waves
/// are left out, and each of them takes as long as the later half of the executed ones did on
/// average. Where warps do not wait for their writes, blocks begin while the requests of earlier
/// ones queue up: there it takes at least as long as the ports and address groups worked for a
/// wave. The blocks that are left out may be executed without a price. Then their steps are known:
/// with twice the steps, a wave is estimated to take twice the time.
class LaunchSample {
public:
  /// `wanted`: blocks; 0: all. The shape is that of the whole launch.
  LaunchSample(const MachineSpec& machine, const LaunchShape& shape, std::int64_t wanted)
      : all_(shape.blocks), blocks_(shape.blocks), several_(machine.requests_in_flight > 1) {
    if (wanted == 0) return;
    wave_ = blocks_of_wave(machine, shape);
    waves_ = std::max<std::int64_t>(3, (wanted + wave_ - 1) / wave_);
    if (waves_ < all_ / wave_) blocks_ = waves_ * wave_ + all_ % wave_;
  }

  bool is_part() const { return blocks_ < all_; }
  std::int64_t blocks() const { return blocks_; }

  /// The machine has started the block; the warps of those before it have executed so many steps.
  void starts(std::int64_t block, const LaunchTime& time, std::int64_t steps) {
    if (block != first() * wave_ && block != (waves_ - 1) * wave_) return;
    const Cycles drained = several_ ? time.drained() : time.now;
    (block == first() * wave_ ? from_ : to_) = {time.now, drained, steps};
  }
  /// The blocks that are left out have executed so many.
  void left_out(std::int64_t steps) { steps_left_ = steps; }
  /// Once it is over.
  void add_to(SampledLaunches& sum) const {
    sum.launches += 1;
    sum.blocks += all_;
    sum.priced += blocks_;
    const auto left = static_cast<double>((all_ - blocks_) / wave_);
    const auto measured = static_cast<double>(waves_ - 1 - first());
    sum.waves = std::min(sum.waves, waves_ - 1 - first());
    const Cycles later_waves = std::max(to_.now - from_.now, to_.drained - from_.drained);
    const double further = static_cast<double>(later_waves.value) / measured * left;
    sum.further +=
        Cycles{std::llround(further * more_steps(measured * static_cast<double>(wave_)))};
  }

private:
  /// The wave from whose beginning on waves are measured.
  std::int64_t first() const { return (waves_ - 1) / 2; }

  /// How many times as many steps the blocks that are left out have, beside those measured.
  double more_steps(double measured_blocks) const {
    const auto measured = static_cast<double>(to_.steps - from_.steps);
    if (!steps_left_ || measured <= 0) return 1;
    return static_cast<double>(*steps_left_) / static_cast<double>(all_ - blocks_) /
           (measured / measured_blocks);
  }

  /// Where a wave begins.
  struct Begin {
    Cycles now{0}, drained{0};
    std::int64_t steps = 0;
  };
  std::int64_t all_, blocks_, wave_ = 1, waves_ = 0;
  bool several_;
  Begin from_, to_;
  std::optional<std::int64_t> steps_left_; ///< none: they were not executed
};

} // namespace memlane::ptx
