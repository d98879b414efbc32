// Shared by the generators of random programs.
#pragma once

#include "memlane/support/random.hpp"

#include <cstdint>
#include <string>

namespace memlane::test {

/// Text from random choices; each generator has its own stream of random numbers.
class RandomText {
protected:
  RandomText(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}

  /// 0..below-1.
  std::int64_t pick(std::int64_t below) {
    return random_integer(seed_, stream_, counter_++, 0, below - 1);
  }
  /// An extent of a shared array, at least `least`; one in three depends on the launch.
  std::string shared_extent(const std::string& least) {
    static const char* const more[] = {"", "", "", "", " + threads", " + warps_of(threads)"};
    const std::string extent = least + more[pick(6)];
    return pick(6) == 0 ? "max(" + extent + ", 2*threads)" : extent;
  }
  /// What that may call.
  static std::string shared_fns() { return "fn warps_of(t) = ceil_div(t, w)\n"; }
  std::string number(std::int64_t below) { return std::to_string(pick(below)); }
  /// A name that no other has.
  std::string fresh(const char* name) { return name + std::to_string(names_++); }
  std::string indent() const { return std::string(static_cast<std::size_t>(2 * depth_), ' '); }

  int depth_ = 0; ///< of the blocks around

private:
  std::uint64_t seed_, stream_;
  std::uint64_t counter_ = 0;
  int names_ = 0;
};

} // namespace memlane::test
