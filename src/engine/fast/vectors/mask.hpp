// Which lanes are active. Mostly all are: this case costs nothing.
#pragma once

#include "registers.hpp"

namespace memlane::fast {

/// A set of the tile's lanes.
struct Mask {
  bool whole = false;               ///< every thread there is; then the vectors are not used
  std::vector<std::uint8_t> lanes;  ///< 1: active
  std::vector<std::int32_t> counts; ///< active lanes of each warp
  int active_warps = 0;
  int end = 0;             ///< no warp from this one on has an active lane
  bool full = false;       ///< all lanes of the warps before `end` are active
  std::int64_t active = 0; ///< lanes
};

/// The lanes of a tile and operations on sets of them. The last warp may have missing threads.
class LaneSets {
public:
  void start(const Shape& shape, std::int64_t threads);

  /// All threads: `whole`, with its vectors filled in.
  const Mask& all() const { return all_; }
  /// The warps up to the last with an active lane.
  Shape part(const Mask& mask) const { return {mask.end, shape_.width}; }

  const std::uint8_t* lanes(const Mask& mask) const {
    return (mask.whole ? all_ : mask).lanes.data();
  }
  /// Null where no lane before mask.end is missing.
  const std::uint8_t* lanes_if_some(const Mask& mask) const {
    return mask.full ? nullptr : lanes(mask);
  }
  const std::int32_t* counts(const Mask& mask) const {
    return (mask.whole ? all_ : mask).counts.data();
  }

  void set_all(Mask& mask) const;
  void set_none(Mask& mask) const;
  /// Lanes of `mask` where the boolean register holds go to `yes`, the others to `no`.
  void split(const Mask& mask, const Register& condition, Mask& yes, Mask& no) const;
  /// Adds the lanes of `other`, which `mask` does not have.
  void unite(Mask& mask, const Mask& other) const;

private:
  void count(Mask& mask) const;

  Shape shape_;
  Mask all_;
};

} // namespace memlane::fast
