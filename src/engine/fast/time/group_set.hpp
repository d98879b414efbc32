// The address groups that a block has read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace memlane::fast {

/// A set of numbers from 0 on.
class GroupSet {
public:
  /// False: it is there already.
  bool insert(std::int64_t group) {
    if (2 * count_ >= places_.size()) grow();
    std::size_t at = place_of(group);
    for (; places_[at] != 0; at = (at + 1) & (places_.size() - 1))
      if (places_[at] == group + 1) return false;
    places_[at] = group + 1;
    ++count_;
    return true;
  }
  void clear() {
    places_.clear();
    count_ = 0;
  }

private:
  std::size_t place_of(std::int64_t group) const {
    const std::uint64_t mixed = static_cast<std::uint64_t>(group) * 0x9e3779b97f4a7c15;
    return static_cast<std::size_t>(mixed >> 32) & (places_.size() - 1);
  }
  void grow() {
    const std::size_t size = places_.empty() ? 256 : 2 * places_.size();
    const std::vector<std::int64_t> before =
        std::exchange(places_, std::vector<std::int64_t>(size));
    count_ = 0;
    for (const std::int64_t group : before)
      if (group != 0) insert(group - 1);
  }

  std::vector<std::int64_t> places_; ///< group + 1; 0: free
  std::size_t count_ = 0;
};

} // namespace memlane::fast
