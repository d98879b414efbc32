// Events in order of time: most are near, and each time unit that is near has a list of its own.
#pragma once

#include "memlane/support/units.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <queue>
#include <vector>

namespace memlane::fast {

/// Warps at times not before `now`, which grows.
class Wheel {
public:
  /// Requires time > now.
  void add(Cycles time, std::int64_t warp, Cycles now) {
    if (time.value - now.value >= size) return far_.push({time.value, warp});
    const auto at = static_cast<std::size_t>(time.value % size);
    near_[at].push_back(warp);
    marks_[at / 64] |= std::uint64_t{1} << (at % 64);
  }

  /// Calls f(warp) for all whose time is `now`, in the order in which they were added if they were
  /// near, and takes them out. `f` adds nothing.
  template <class F>
  void take(Cycles now, F f) {
    const auto at = static_cast<std::size_t>(now.value % size);
    for (const std::int64_t warp : near_[at]) f(warp);
    near_[at].clear();
    marks_[at / 64] &= ~(std::uint64_t{1} << (at % 64));
    for (; !far_.empty() && far_.top().first == now.value; far_.pop()) f(far_.top().second);
  }

  /// The first time behind `now` at which there is one; `otherwise` if that comes first.
  Cycles next(Cycles now, Cycles otherwise) const {
    if (!far_.empty() && far_.top().first < otherwise.value) otherwise = {far_.top().first};
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
  std::priority_queue<Far, std::vector<Far>, std::greater<>> far_;
};

} // namespace memlane::fast
