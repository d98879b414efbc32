#include "memlane/study/tune/tuning.hpp"

#include "memlane/support/text.hpp"

#include <algorithm>

namespace memlane::sweep {
namespace {

/// Of the values along an axis, in the order of TuningLine; `is_near` compares one with the best.
template <class IsNear>
TuningLine line_of(const std::vector<std::size_t>& along, std::size_t best, const IsNear& is_near) {
  const auto at = std::find(along.begin(), along.end(), best);
  auto first = at, last = at + 1; // of the values worth using
  while (first != along.begin() && is_near(*(first - 1))) --first;
  while (last != along.end() && is_near(*last)) ++last;
  TuningLine line;
  line.worth.assign(first, last);
  std::copy_if(along.begin(), first, std::back_inserter(line.apart), is_near);
  std::copy_if(last, along.end(), std::back_inserter(line.apart), is_near);
  line.at_least = at == along.begin();
  line.at_greatest = at + 1 == along.end();
  return line;
}

} // namespace

bool is_less(const Cell& a, const Cell& b) {
  const auto *whole_a = std::get_if<std::int64_t>(&a), *whole_b = std::get_if<std::int64_t>(&b);
  return whole_a && whole_b ? *whole_a < *whole_b : *number_in(a) < *number_in(b);
}

// A percentage is not divided by 100: of whole numbers both products are exact, so that a value
// exactly so much worse is near.
bool is_near(const Cell& number, const Cell& best, double percent) {
  return !is_less(best, number) || 100 * *number_in(number) <= *number_in(best) * (100 + percent);
}

std::optional<double> ratio_of(const Cell& a, const Cell& b) {
  const auto above = number_in(a), below = number_in(b);
  if (!above || !below) return std::nullopt;
  if (*below != 0) return *above / *below;
  return *above == 0 ? std::optional(1.0) : std::nullopt;
}

Cell mean_of(const std::vector<Cell>& cells) {
  double sum = 0;
  for (const Cell& cell : cells) {
    const auto number = number_in(cell);
    if (!number) return {};
    sum += *number;
  }
  if (cells.empty()) return {};
  const bool all_same = std::all_of(cells.begin(), cells.end(),
                                    [&](const Cell& cell) { return cell == cells.front(); });
  return all_same ? cells.front() : Cell(sum / static_cast<double>(cells.size()));
}

TunedAxis tuned_axis(std::string title, std::vector<std::string> values) {
  TunedAxis axis{std::move(title), std::move(values), {}};
  for (const std::string& value : axis.values)
    if (const auto number = number_of<double>(value)) axis.numbers.push_back(*number);
  if (axis.numbers.size() < axis.values.size()) axis.numbers.clear();
  return axis;
}

std::optional<Tuning> tune(const std::vector<TunedAxis>& axes,
                           const std::vector<TunedValue>& values, double percent) {
  const auto place = [&](std::size_t value, std::size_t axis) {
    const std::size_t at = values[value].at[axis];
    return axes[axis].numbers.empty() ? static_cast<double>(at) : axes[axis].numbers[at];
  };
  const auto is_worse = [&](std::size_t a, std::size_t b) {
    return is_less(values[b].objective, values[a].objective);
  };
  std::vector<std::size_t> chosen; // the best first; of equal ones, that with the least values
  for (std::size_t value = 0; value < values.size(); ++value)
    if (number_in(values[value].objective)) chosen.push_back(value);
  if (chosen.empty()) return std::nullopt;
  std::sort(chosen.begin(), chosen.end(), [&](std::size_t a, std::size_t b) {
    if (is_worse(a, b) || is_worse(b, a)) return is_worse(b, a);
    std::size_t axis = 0;
    while (axis + 1 < axes.size() && place(a, axis) == place(b, axis)) ++axis;
    return place(a, axis) < place(b, axis);
  });
  Tuning tuning;
  const std::size_t best = tuning.best = chosen.front();
  const auto worse = std::find_if(chosen.begin(), chosen.end(),
                                  [&](std::size_t value) { return is_worse(value, best); });
  tuning.ties.assign(chosen.begin() + 1, worse);
  tuning.all_equal = chosen.size() > 1 && worse == chosen.end();
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    std::vector<std::size_t> along;
    for (const std::size_t value : chosen) {
      std::vector<std::size_t> at = values[value].at;
      at[axis] = values[best].at[axis];
      if (at == values[best].at) along.push_back(value);
    }
    const bool can_have_edges = !axes[axis].numbers.empty() && is_worse(along.back(), best);
    if (!axes[axis].numbers.empty())
      std::stable_sort(along.begin(), along.end(), [&](std::size_t a, std::size_t b) {
        return place(a, axis) < place(b, axis);
      });
    TuningLine line = line_of(along, best, [&](std::size_t value) {
      return is_near(values[value].objective, values[best].objective, percent);
    });
    line.at_least = line.at_least && can_have_edges;
    line.at_greatest = line.at_greatest && can_have_edges;
    tuning.lines.push_back(std::move(line));
  }
  return tuning;
}

} // namespace memlane::sweep
