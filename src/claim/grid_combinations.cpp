#include "memlane/claim/grid.hpp"
#include "memlane/support/random.hpp"

#include <algorithm>

namespace memlane {
namespace {

/// Combinations to consider: all, or some of them if they are more than this.
constexpr std::size_t most_enumerated = 1'000'000;
constexpr std::size_t drawn_of_more = 200'000;
constexpr std::uint64_t seed_of_combinations = 1;

/// Those of the next axis, in rising order, in `room` if they are its own.
const GridValues& candidates_after(const std::vector<GridAxis>& axes, const GridValues& values,
                                   GridValues& room) {
  const GridAxis& axis = axes[values.size()];
  if (!axis.fixed.empty()) return axis.fixed;
  room = axis.candidates(values);
  std::sort(room.begin(), room.end());
  room.erase(std::unique(room.begin(), room.end()), room.end());
  return room;
}

/// Adds the combinations that begin with `values`, in lexical order. False: there are too many.
bool enumerate(const std::vector<GridAxis>& axes, GridValues& values, GridValues& all,
               Watch* watch) {
  const bool last = values.size() + 1 == axes.size();
  GridValues room;
  for (const std::int64_t candidate : candidates_after(axes, values, room)) {
    if (!goes_on(watch)) return true;
    if (last && all.size() / axes.size() == most_enumerated) return false;
    values.push_back(candidate);
    if (last) all.insert(all.end(), values.begin(), values.end());
    const bool whole = last || enumerate(axes, values, all, watch);
    values.pop_back();
    if (!whole) return false;
  }
  return true;
}

/// Random combinations, in lexical order.
GridValues draw(const std::vector<GridAxis>& axes, Watch* watch) {
  std::vector<GridValues> drawn(drawn_of_more);
  GridValues room;
  for (std::uint64_t k = 0; k < drawn.size(); ++k) {
    GridValues& values = drawn[k];
    values.reserve(axes.size());
    while (values.size() < axes.size()) {
      const GridValues& candidates = candidates_after(axes, values, room);
      if (candidates.empty() || !goes_on(watch)) return {};
      const std::uint64_t bits = random_bits(seed_of_combinations, 1 + values.size(), k);
      values.push_back(candidates[bits % candidates.size()]);
    }
  }
  std::sort(drawn.begin(), drawn.end());
  drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
  GridValues all;
  all.reserve(drawn.size() * axes.size());
  for (const GridValues& values : drawn) all.insert(all.end(), values.begin(), values.end());
  return all;
}

} // namespace

Combinations::Combinations(const std::vector<GridAxis>& axes, Watch* watch) : axes_(axes.size()) {
  GridValues values;
  if (!axes.empty() && !enumerate(axes, values, values_, watch)) values_ = draw(axes, watch);
}

} // namespace memlane
