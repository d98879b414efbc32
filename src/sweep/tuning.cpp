#include "memlane/sweep/tuning.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>

namespace memlane::sweep {
namespace {

std::optional<double> number_of(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

/// Finds the best and its surroundings.
class Tuner {
public:
  Tuner(const std::vector<TunedAxis>& axes, const std::vector<TunedValue>& values, double within)
      : axes_(axes), values_(values), within_(within) {}

  std::optional<Tuning> find();

private:
  const Objective& objective(std::size_t value) const { return *values_[value].objective; }
  bool comes_before(std::size_t a, std::size_t b, std::size_t axis) const;
  bool is_better(std::size_t a, std::size_t b) const;
  TuningLine line(std::size_t axis, std::size_t best) const;
  void add_range(TuningLine& line, std::size_t best, bool ordered) const;
  std::vector<TrendPart> trend(const std::vector<std::size_t>& values) const;
  std::vector<std::size_t> best_of_rows(const std::vector<std::size_t>& chosen) const;

  const std::vector<TunedAxis>& axes_;
  const std::vector<TunedValue>& values_;
  double within_;
};

/// By the number of the axis' value, else in the order of the command.
bool Tuner::comes_before(std::size_t a, std::size_t b, std::size_t axis) const {
  const std::vector<double>& numbers = axes_[axis].numbers;
  const std::size_t at_a = values_[a].at[axis], at_b = values_[b].at[axis];
  return numbers.empty() ? at_a < at_b : numbers[at_a] < numbers[at_b];
}

/// Of equal ones, that with the lesser values is better.
bool Tuner::is_better(std::size_t a, std::size_t b) const {
  if (is_less(objective(a), objective(b))) return true;
  if (is_less(objective(b), objective(a))) return false;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    if (comes_before(a, b, axis)) return true;
    if (comes_before(b, a, axis)) return false;
  }
  return false;
}

std::vector<TrendPart> Tuner::trend(const std::vector<std::size_t>& values) const {
  std::vector<TrendPart> parts;
  for (std::size_t k = 1; k < values.size(); ++k) {
    const Objective& before = objective(values[k - 1]);
    const Objective& now = objective(values[k]);
    const Trend trend = is_less(now, before)   ? Trend::improves
                        : is_less(before, now) ? Trend::worsens
                                               : Trend::level;
    if (parts.empty() || parts.back().trend != trend)
      parts.push_back({trend, values[k - 1], values[k]});
    parts.back().last = values[k];
  }
  return parts;
}

void Tuner::add_range(TuningLine& line, std::size_t best, bool ordered) const {
  const auto near = [&](std::size_t place) {
    return is_near(objective(line.values[place]), objective(best), within_);
  };
  const auto at = static_cast<std::size_t>(std::find(line.values.begin(), line.values.end(), best) -
                                           line.values.begin());
  line.range_first = line.range_last = at;
  while (line.range_last + 1 < line.values.size() && near(line.range_last + 1)) ++line.range_last;
  while (line.range_first > 0 && near(line.range_first - 1)) --line.range_first;
  if (!ordered) return;
  const auto is_worse = [&](std::size_t value) {
    return is_less(objective(best), objective(value));
  };
  const bool differs = std::any_of(line.values.begin(), line.values.end(), is_worse);
  line.at_least = differs && at == 0;
  line.at_greatest = differs && at + 1 == line.values.size();
}

TuningLine Tuner::line(std::size_t axis, std::size_t best) const {
  TuningLine line;
  for (std::size_t value = 0; value < values_.size(); ++value) {
    bool same = values_[value].objective.has_value();
    for (std::size_t other = 0; other < axes_.size(); ++other)
      same = same && (other == axis || values_[value].at[other] == values_[best].at[other]);
    if (same) line.values.push_back(value);
  }
  const bool ordered = !axes_[axis].numbers.empty();
  std::stable_sort(line.values.begin(), line.values.end(), [&](std::size_t a, std::size_t b) {
    return ordered ? comes_before(a, b, axis) : is_better(a, b);
  });
  add_range(line, best, ordered);
  if (ordered) line.trend = trend(line.values);
  return line;
}

std::vector<std::size_t> Tuner::best_of_rows(const std::vector<std::size_t>& chosen) const {
  std::map<std::size_t, std::size_t> best; // by value of the first axis
  for (const std::size_t value : chosen) {
    const auto [known, is_new] = best.emplace(values_[value].at[0], value);
    if (!is_new && is_better(value, known->second)) known->second = value;
  }
  std::vector<std::size_t> rows;
  for (const auto& [row, value] : best) rows.push_back(value);
  return rows;
}

std::optional<Tuning> Tuner::find() {
  std::vector<std::size_t> chosen;
  for (std::size_t value = 0; value < values_.size(); ++value)
    if (values_[value].objective) chosen.push_back(value);
  if (chosen.empty()) return std::nullopt;
  std::sort(chosen.begin(), chosen.end(),
            [&](std::size_t a, std::size_t b) { return is_better(a, b); });
  Tuning tuning;
  tuning.best = chosen.front();
  for (std::size_t k = 1;
       k < chosen.size() && !is_less(objective(tuning.best), objective(chosen[k])); ++k)
    tuning.ties.push_back(chosen[k]);
  tuning.all_equal = chosen.size() > 1 && tuning.ties.size() + 1 == chosen.size();
  for (std::size_t axis = 0; axis < axes_.size(); ++axis)
    tuning.lines.push_back(line(axis, tuning.best));
  if (axes_.size() == 2) tuning.best_of_rows = best_of_rows(chosen);
  return tuning;
}

} // namespace

bool is_less(const Objective& a, const Objective& b) {
  return a.whole && b.whole ? *a.whole < *b.whole : a.value < b.value;
}

bool is_near(const Objective& objective, const Objective& best, double within) {
  if (!is_less(best, objective)) return true;
  return objective.value <= best.value * (1 + within);
}

std::optional<double> ratio_of(const Objective& a, const Objective& b) {
  if (b.value != 0) return a.value / b.value;
  return a.value == 0 ? std::optional(1.0) : std::nullopt;
}

std::optional<Objective> mean_of(const std::vector<Cell>& cells) {
  if (cells.empty()) return std::nullopt;
  double sum = 0;
  for (const Cell& cell : cells) {
    if (const auto* whole = std::get_if<std::int64_t>(&cell))
      sum += static_cast<double>(*whole);
    else if (const auto* real = std::get_if<double>(&cell))
      sum += *real;
    else
      return std::nullopt;
  }
  Objective mean{sum / static_cast<double>(cells.size()), {}};
  const auto* first = std::get_if<std::int64_t>(&cells.front());
  const bool all_same =
      std::all_of(cells.begin(), cells.end(), [&](const Cell& cell) { return cell == cells[0]; });
  if (first && all_same) mean.whole = *first;
  return mean;
}

TunedAxis tuned_axis(std::string title, std::vector<std::string> values) {
  TunedAxis axis{std::move(title), std::move(values), {}};
  for (const std::string& value : axis.values) {
    const auto number = number_of(value);
    if (!number) {
      axis.numbers.clear();
      return axis;
    }
    axis.numbers.push_back(*number);
  }
  return axis;
}

std::string_view name_of(Trend trend) {
  switch (trend) {
  case Trend::improves: return "improves";
  case Trend::worsens: return "worsens";
  case Trend::level: return "level";
  }
  return "";
}

std::optional<Tuning> tune(const std::vector<TunedAxis>& axes,
                           const std::vector<TunedValue>& values, double within) {
  return Tuner(axes, values, within).find();
}

} // namespace memlane::sweep
