// The blocks of a launch that are executed where the others are estimated.
#pragma once

#include "memlane/engine/timed_launch.hpp"
#include "memlane/ptx/price.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace memlane::ptx {

/// A wave is as many blocks as the machine holds at the same time. Executed are the first full
/// waves, at least three, and as many further blocks as the launch's last wave has. So whole waves
/// are left out, and each of them takes as long as the later half of the executed ones did on
/// average.
class LaunchSample {
public:
  /// `wanted`: blocks; 0: all. The shape is that of the whole launch.
  LaunchSample(const MachineSpec& machine, const LaunchShape& shape, std::int64_t wanted)
      : all_(shape.blocks), blocks_(shape.blocks) {
    if (wanted == 0) return;
    wave_ = blocks_of_wave(machine, shape);
    waves_ = std::max<std::int64_t>(3, (wanted + wave_ - 1) / wave_);
    if (waves_ < all_ / wave_) blocks_ = waves_ * wave_ + all_ % wave_;
  }

  bool is_part() const { return blocks_ < all_; }
  std::int64_t blocks() const { return blocks_; }

  /// The machine has started the block.
  void starts(std::int64_t block, Cycles now) {
    if (block == first() * wave_) from_ = now;
    if (block == (waves_ - 1) * wave_) to_ = now;
  }
  /// Once it is over.
  void add_to(SampledLaunches& sum) const {
    sum.launches += 1;
    sum.blocks += all_;
    sum.executed += blocks_;
    const auto left = static_cast<double>((all_ - blocks_) / wave_);
    const auto measured = static_cast<double>(waves_ - 1 - first());
    sum.further += Cycles{std::llround(static_cast<double>((to_ - from_).value) / measured * left)};
  }

private:
  /// The wave from whose beginning on waves are measured.
  std::int64_t first() const { return (waves_ - 1) / 2; }

  std::int64_t all_, blocks_, wave_ = 1, waves_ = 0;
  Cycles from_{0}, to_{0};
};

} // namespace memlane::ptx
