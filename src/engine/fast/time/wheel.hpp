// Events in order of time. Most are near: each of the next time units has a list.
#pragma once

#include "memlane/support/units.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace memlane::fast {

/// Numbers at times not before `now`, which grows.
class Wheel {
public:
  /// Requires time > now.
  void add(Cycles time, std::int64_t number, Cycles now) {
    if (time.value - now.value >= size) {
      far_.push_back({time.value, number});
      return std::push_heap(far_.begin(), far_.end(), std::greater<>());
    }
    const auto at = static_cast<std::size_t>(time.value % size);
    near_[at].push_back(number);
    marks_[at / 64] |= std::uint64_t{1} << (at % 64);
  }

  /// Calls f(number) for all whose time is `now`, in the order in which they were added if they
  /// were near, and takes them out. `f` adds nothing.
  template <class F>
  void take(Cycles now, F f) {
    const auto at = static_cast<std::size_t>(now.value % size);
    for (const std::int64_t number : near_[at]) f(number);
    near_[at].clear();
    marks_[at / 64] &= ~(std::uint64_t{1} << (at % 64));
    for (; !far_.empty() && far_.front().first == now.value; far_.pop_back()) {
      f(far_.front().second);
      std::pop_heap(far_.begin(), far_.end(), std::greater<>());
    }
  }

  /// Moves a number, which is here, to a later time.
  void move(Cycles from, Cycles to, std::int64_t number, Cycles now) {
    const auto at = static_cast<std::size_t>(from.value % size);
    std::vector<std::int64_t>& list = near_[at];
    const auto found = std::find(list.begin(), list.end(), number);
    if (from.value - now.value < size && found != list.end()) {
      list.erase(found);
      if (list.empty()) marks_[at / 64] &= ~(std::uint64_t{1} << (at % 64));
    } else {
      std::erase(far_, Far{from.value, number});
      std::make_heap(far_.begin(), far_.end(), std::greater<>());
    }
    add(to, number, now);
  }

  /// The first time behind `now` at which there is one; `otherwise` if that comes first.
  Cycles next(Cycles now, Cycles otherwise) const {
    if (!far_.empty() && far_.front().first < otherwise.value) otherwise = {far_.front().first};
    const auto from = static_cast<std::size_t>((now.value + 1) % size);
    std::uint64_t marks = marks_[from / 64] & (~std::uint64_t{0} << (from % 64));
    for (std::size_t k = 0; k <= marks_.size(); ++k) {
      const std::size_t word = (from / 64 + k) % marks_.size();
      if (k > 0) marks = marks_[word];
      if (marks == 0) continue;
      const auto at = word * 64 + static_cast<std::size_t>(std::countr_zero(marks));
      const std::int64_t later = (static_cast<std::int64_t>(at) - now.value % size + size) % size;
      return later > 0 && now.value + later < otherwise.value ? Cycles{now.value + later}
                                                              : otherwise;
    }
    return otherwise;
  }

private:
  static constexpr std::int64_t size = 2048;
  using Far = std::pair<std::int64_t, std::int64_t>;

  std::vector<std::vector<std::int64_t>> near_ = std::vector<std::vector<std::int64_t>>(size);
  std::array<std::uint64_t, size / 64> marks_{};
  std::vector<Far> far_; ///< a heap, the first time at its front
};

} // namespace memlane::fast
