// The address groups that a block has read.
#pragma once

#include "memlane/machine/stages.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace memlane::fast {

/// A set of numbers from 0 on. Those that are side by side share a place: lanes, and the warps
/// after them, often read on.
class GroupSet {
public:
  /// Rising groups. Returns how many of them were not there.
  std::int64_t insert(std::span<const AtomicGroup> groups) {
    std::int64_t added = 0;
    for (auto group = groups.begin(); group != groups.end();) {
      const std::int64_t number = group->group / of_place;
      std::uint64_t bits = 0;
      for (; group != groups.end() && group->group / of_place == number; ++group)
        bits |= std::uint64_t{1} << (group->group % of_place);
      if (2 * count_ >= places_.size()) grow();
      Place& place = find(number);
      added += std::popcount(bits & ~place.bits);
      count_ += place.bits == 0 ? 1 : 0;
      place = {number, place.bits | bits};
    }
    return added;
  }
  void clear() {
    places_.clear();
    count_ = 0;
  }

private:
  static constexpr std::int64_t of_place = 64;
  struct Place {
    std::int64_t number = 0;
    std::uint64_t bits = 0; ///< by group; 0: free
  };

  /// The number's place, or the one that it would get.
  Place& find(std::int64_t number) {
    const std::uint64_t mixed = static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15;
    std::size_t at = static_cast<std::size_t>(mixed >> 32) & (places_.size() - 1);
    while (places_[at].bits != 0 && places_[at].number != number)
      at = (at + 1) & (places_.size() - 1);
    return places_[at];
  }
  void grow() {
    const std::size_t size = places_.empty() ? 64 : 2 * places_.size();
    for (const Place& place : std::exchange(places_, std::vector<Place>(size)))
      if (place.bits != 0) find(place.number) = place;
  }

  std::vector<Place> places_;
  std::size_t count_ = 0; ///< places that are not free
};

} // namespace memlane::fast
