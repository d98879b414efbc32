#include "axis_values.hpp"

#include "memlane/lang/parse.hpp"
#include "memlane/lang/values.hpp"

#include <fmt/format.h>

#include <optional>
#include <set>

namespace memlane::sweep {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

PlacedText part_of(const PlacedText& whole, std::size_t begin, std::size_t end) {
  while (begin < end && is_blank(whole.text[begin])) ++begin;
  while (end > begin && is_blank(whole.text[end - 1])) --end;
  Span span = whole.span;
  span.begin = whole.span.begin + static_cast<std::uint32_t>(begin);
  span.end = whole.span.begin + static_cast<std::uint32_t>(end);
  return {whole.text.substr(begin, end - begin), span};
}

/// Calls visit(position) for each character outside of brackets and quotes, until it returns false.
template <class Visit>
void each_outside(const std::string& text, const Visit& visit) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth == 0 && !visit(at)) return;
  }
}

/// The first place outside of brackets where `wanted` begins.
std::size_t find_outside(const std::string& text, std::string_view wanted) {
  std::size_t found = std::string::npos;
  each_outside(text, [&](std::size_t at) {
    if (text.compare(at, wanted.size(), wanted) == 0) found = at;
    return found == std::string::npos;
  });
  return found;
}

struct WrittenRange {
  PlacedText first, last;
  std::optional<PlacedText> step;
};

std::optional<WrittenRange> range_in(const PlacedText& text) {
  const std::size_t dots = find_outside(text.text, "..");
  if (dots == std::string::npos) return std::nullopt;
  WrittenRange range{part_of(text, 0, dots), part_of(text, dots + 2, text.text.size()), {}};
  const std::size_t colon = find_outside(range.last.text, ":");
  if (colon != std::string::npos) {
    range.step = part_of(range.last, colon + 1, range.last.text.size());
    range.last = part_of(range.last, 0, colon);
  }
  return range;
}

Status add_range(const Sources& sources, const PlacedText& text, const WrittenRange& range,
                 SweepAxis& axis) {
  ErrorCollector errors;
  std::int64_t first = 0, last = 0, step = 1;
  errors.take(placed_number(sources, range.first, "the beginning of a range"), first);
  errors.take(placed_number(sources, range.last, "the end of a range"), last);
  const bool doubles = range.step && range.step->text == "pow2";
  if (range.step && !doubles)
    errors.take(placed_number(sources, *range.step, "the step of a range"), step);
  if (!errors.ok()) return errors.status();
  const auto numbers =
      doubles ? doubles_of(first, last, text.span) : steps_of(first, last, step, text.span);
  if (!numbers) return numbers.errors();
  axis.add({text.text, text.span, numbers->first}, numbers->second);
  return Done{};
}

Diagnostic range_error(Span place, std::string message, std::string help) {
  return error_at(place, std::move(message), {std::move(help)});
}

} // namespace

Result<std::int64_t> placed_number(const Sources& sources, const PlacedText& text,
                                   std::string_view what) {
  if (text.text.empty()) return error_at(text.span, fmt::format("{} is missing", what));
  const Result<lang::Expr> expr = lang::parse_expression(sources, text.span);
  if (!expr) return expr.errors();
  Result<std::int64_t> number = lang::whole_number_of(sources, *expr, what);
  if (number) return number;
  Diagnostics errors = number.errors();
  errors.front().help = {
      fmt::format("{} is a whole number, or an expression without names: 2^20", what)};
  return errors;
}

Result<std::pair<Progression, std::int64_t>> steps_of(std::int64_t first, std::int64_t last,
                                                      std::int64_t step, Span place) {
  if (step < 1) return range_error(place, "a step is at least 1", "values ascend");
  if (first > last)
    return range_error(place, fmt::format("the range descends from {} to {}", first, last),
                       fmt::format("write {} first", last));
  const auto distance = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  const std::uint64_t steps = distance / static_cast<std::uint64_t>(step);
  if (steps >= INT64_MAX)
    return range_error(place, "the range has more than 2^63 values", "take a larger step");
  if (distance % static_cast<std::uint64_t>(step) != 0) {
    const auto before = static_cast<std::int64_t>(static_cast<std::uint64_t>(first) +
                                                  steps * static_cast<std::uint64_t>(step));
    return range_error(place, fmt::format("steps of {} from {} miss the end {}", step, first, last),
                       fmt::format("both ends are included: end at {}", before));
  }
  return std::pair(Progression{first, step, false}, static_cast<std::int64_t>(steps) + 1);
}

Result<std::pair<Progression, std::int64_t>> doubles_of(std::int64_t first, std::int64_t last,
                                                        Span place) {
  if (first < 1) return range_error(place, "doubling begins at 1 or more", "give a positive start");
  if (first > last)
    return range_error(place, fmt::format("the range descends from {} to {}", first, last),
                       fmt::format("write {} first", last));
  std::int64_t count = 1, value = first;
  while (value <= last / 2) value *= 2, ++count;
  if (value != last)
    return range_error(place, fmt::format("doubling {} misses the end {}", first, last),
                       fmt::format("both ends are included: end at {}", value));
  return std::pair(Progression{first, 1, true}, count);
}

std::vector<PlacedText> split_outside_brackets(const PlacedText& text, char separator) {
  std::vector<PlacedText> parts;
  std::size_t begin = 0;
  each_outside(text.text, [&](std::size_t at) {
    if (text.text[at] != separator) return true;
    parts.push_back(part_of(text, begin, at));
    begin = at + 1;
    return true;
  });
  parts.push_back(part_of(text, begin, text.text.size()));
  return parts;
}

Status add_written_values(const Sources& sources, const PlacedText& text, SweepAxis& axis) {
  ErrorCollector errors;
  const bool numbers = axis.kind == AxisKind::named || axis.kind == AxisKind::machine_key;
  for (const PlacedText& part : split_outside_brackets(text, ',')) {
    if (part.text.empty()) {
      errors.add(error_at(part.span, fmt::format("{}: a value is missing", axis.title()),
                          {"write values with commas between them: 32,64,128"}));
      continue;
    }
    const auto range = numbers ? range_in(part) : std::nullopt;
    if (range) {
      errors.check(add_range(sources, part, *range, axis));
    } else {
      axis.add({part.text, part.span});
    }
  }
  return errors.status();
}

Status check_repetitions(const std::vector<SweepAxis>& group) {
  // One range, or one value, has no value twice, and so no combination is there twice.
  for (const SweepAxis& axis : group)
    if (axis.parts.size() == 1) return Done{};
  std::set<std::vector<std::string>> seen;
  const SweepAxis& first = group.front();
  for (std::int64_t k = 0; k < first.size; ++k) {
    std::vector<std::string> values;
    for (const SweepAxis& axis : group) values.push_back(axis.value(k));
    if (seen.insert(values).second) continue;
    std::string twice = fmt::format("{} has the value {} twice", first.title(), values.front());
    if (group.size() > 1) {
      twice = "the axes have these values twice:";
      for (std::size_t axis = 0; axis < group.size(); ++axis)
        twice += fmt::format("{} {}={}", axis == 0 ? "" : ",", group[axis].title(), values[axis]);
    }
    return error_at(first.part(k).span, std::move(twice), {"leave one out"});
  }
  return Done{};
}

} // namespace memlane::sweep
