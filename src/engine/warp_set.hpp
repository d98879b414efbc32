// A set of warps that gives its members in cyclic order.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace memlane::reference {

/// Numbers 0 … size − 1, a bit each.
class WarpSet {
public:
  explicit WarpSet(std::int64_t size) : words_(static_cast<std::size_t>(size / 64 + 1)) {}

  bool empty() const { return count_ == 0; }
  bool contains(std::int64_t warp) const {
    return (words_[static_cast<std::size_t>(warp / 64)] & bit(warp)) != 0;
  }
  void insert(std::int64_t warp) {
    word(warp) |= bit(warp);
    ++count_;
  }
  void erase(std::int64_t warp) {
    word(warp) &= ~bit(warp);
    --count_;
  }
  /// The first member from `from` on, in cyclic order. Requires a member. O(size / 64).
  std::int64_t next(std::int64_t from) const {
    auto at = static_cast<std::size_t>(from / 64);
    std::uint64_t members = words_[at] & ~(bit(from) - 1);
    while (members == 0) {
      at = at + 1 == words_.size() ? 0 : at + 1;
      members = words_[at];
    }
    return static_cast<std::int64_t>(at) * 64 + std::countr_zero(members);
  }

private:
  static std::uint64_t bit(std::int64_t warp) { return std::uint64_t{1} << (warp % 64); }
  std::uint64_t& word(std::int64_t warp) { return words_[static_cast<std::size_t>(warp / 64)]; }

  std::vector<std::uint64_t> words_;
  std::int64_t count_ = 0;
};

} // namespace memlane::reference
