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

/// Adds the combinations that begin with `values`, in lexical order.
void enumerate(const std::vector<GridAxis>& axes, GridValues& values, GridValues& all,
               Watch* watch) {
  const bool last = values.size() + 1 == axes.size();
  GridValues room;
  for (const std::int64_t candidate : candidates_after(axes, values, room)) {
    if (!goes_on(watch)) return;
    values.push_back(candidate);
    if (last)
      all.insert(all.end(), values.begin(), values.end());
    else
      enumerate(axes, values, all, watch);
    values.pop_back();
  }
}

/// How many begin with `values`; no more than one above `most` is counted. Axes that depend on none
/// before them need not be walked.
std::size_t count(const std::vector<GridAxis>& axes, GridValues& values, std::size_t most) {
  const auto is_fixed = [](const GridAxis& axis) { return !axis.fixed.empty(); };
  const auto next = axes.begin() + static_cast<std::ptrdiff_t>(values.size());
  std::size_t number = 1;
  if (std::all_of(next, axes.end(), is_fixed)) {
    for (auto axis = next; axis != axes.end() && number <= most; ++axis)
      number *= axis->fixed.size();
    return std::min(number, most + 1);
  }
  GridValues room;
  number = 0;
  for (const std::int64_t candidate : candidates_after(axes, values, room)) {
    values.push_back(candidate);
    number += count(axes, values, most - number);
    values.pop_back();
    if (number > most) break;
  }
  return number;
}

/// Random combinations, in lexical order.
GridValues draw(const std::vector<GridAxis>& axes, Watch* watch) {
  GridValues drawn, values, room;
  drawn.reserve(drawn_of_more * axes.size());
  for (std::uint64_t k = 0; k < drawn_of_more; ++k) {
    values.clear();
    while (values.size() < axes.size()) {
      const GridValues& candidates = candidates_after(axes, values, room);
      if (candidates.empty() || !goes_on(watch)) return {};
      const std::uint64_t bits = random_bits(seed_of_combinations, 1 + values.size(), k);
      values.push_back(candidates[bits % candidates.size()]);
    }
    drawn.insert(drawn.end(), values.begin(), values.end());
  }
  std::vector<const std::int64_t*> rows(drawn_of_more);
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = drawn.data() + k * axes.size();
  const auto end = [&](const std::int64_t* row) { return row + axes.size(); };
  std::sort(rows.begin(), rows.end(), [&](const std::int64_t* a, const std::int64_t* b) {
    return std::lexicographical_compare(a, end(a), b, end(b));
  });
  GridValues all;
  all.reserve(drawn.size());
  for (const std::int64_t* row : rows)
    if (all.empty() || !std::equal(row, end(row), all.end() - (end(row) - row)))
      all.insert(all.end(), row, end(row));
  return all;
}

} // namespace

Combinations::Combinations(const std::vector<GridAxis>& axes, Watch* watch) : axes_(axes.size()) {
  GridValues values;
  if (axes.empty()) return;
  if (count(axes, values, most_enumerated) > most_enumerated)
    values_ = draw(axes, watch);
  else
    enumerate(axes, values, values_, watch);
}

} // namespace memlane
