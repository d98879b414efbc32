// Reads the axes of sweep files.
#include "sweep_file_reader.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <array>

namespace memlane::sweep {
namespace {

bool has_words(const SweepAxis& axis) {
  return axis.kind != AxisKind::named && axis.kind != AxisKind::machine_key;
}

/// An axis without values.
SweepAxis axis_named(const JsonMember& member, const JsonPlace& place) {
  SweepAxis axis;
  axis.name = member.key;
  axis.span = member.key_span;
  const std::size_t blank = member.key.find(' ');
  if (blank == std::string::npos) {
    if (axis.name.empty()) place.fail_at(axis.span, "has no name");
    return axis;
  }
  const std::string prefix = member.key.substr(0, blank);
  axis.name = member.key.substr(blank + 1);
  for (const AxisKind kind : {AxisKind::layout, AxisKind::fn, AxisKind::type, AxisKind::input})
    if (axis_title(kind, axis.name) == member.key) axis.kind = kind;
  if (axis.kind != AxisKind::named) return axis;
  std::vector<std::string> help = did_you_mean(prefix, {"layout", "fn", "type", "input"});
  help.emplace_back("an axis is a parameter (n), a key of the machine (shared.latency), "
                    "\"layout t\", \"fn combine\", \"type value\" or \"input a\"");
  place.fail_at(axis.span, "unknown kind of axis", std::move(help));
  return axis;
}

void add_value(const JsonPlace& place, SweepAxis& axis) {
  const JsonValue& value = place.value;
  const bool nested = value.kind == JsonKind::array || value.kind == JsonKind::object;
  const bool words = has_words(axis);
  if (!place.require(!nested && (!words || value.kind == JsonKind::string),
                     words ? "a string" : "one value"))
    return;
  if (value.kind == JsonKind::string && !place.is_line()) return;
  const bool headless = value.text.front() == '(' || value.text.front() == '=';
  if (axis.kind == AxisKind::fn && !headless)
    place.fail("does not begin with the fn's parameters", {fn_form});
  PlacedText text = placed(place);
  if (axis.kind == AxisKind::input) text.text = beside_file(place, "");
  axis.add({std::move(text.text), text.span});
}

void read_values(const JsonPlace& place, SweepAxis& axis) {
  if (!place.is_a(JsonKind::array, "a list",
                  {"write [32, 64], or { \"range\": [1, 33, 2] } or { \"pow2\": [1, 1024] }"}))
    return;
  if (place.value.items.empty()) place.fail("has no values", {"leave the axis out"});
  for (std::size_t k = 0; k < place.value.items.size(); ++k) add_value(place.item(k), axis);
}

/// The whole numbers of a list with 2 to `most`; none after an error.
std::vector<std::int64_t> numbers(const JsonPlace& place, std::size_t most) {
  const std::string form =
      most == 2 ? "write [first, last]" : "write [first, last] or [first, last, step]";
  if (!place.is_a(JsonKind::array, "a list", {form})) return {};
  const std::size_t size = place.value.items.size();
  if (size < 2 || size > most) {
    place.fail("has " + counted(static_cast<std::int64_t>(size), "number"), {form});
    return {};
  }
  constexpr std::array names = {"the beginning of a range", "the end of a range",
                                "the step of a range"};
  std::vector<std::int64_t> all;
  for (std::size_t k = 0; k < size; ++k) {
    const JsonPlace item = place.item(k);
    if (item.value.kind != JsonKind::number &&
        !item.is_line({"a whole number, or an expression in quotes: \"2^20\""}))
      continue;
    const auto read = placed_number(*place.file.sources, placed(item), names.at(k));
    if (item.check(read)) all.push_back(*read);
  }
  return all.size() == size ? all : std::vector<std::int64_t>();
}

using Range = Result<std::pair<Progression, std::int64_t>>;

void add_range(const JsonPlace& place, const Range& range, SweepAxis& axis) {
  const Span span = place.value.span;
  if (place.check(range))
    axis.add({std::string(place.file.sources->text(span)), span, range->first}, range->second);
}

void read_range(const JsonPlace& place, SweepAxis& axis) {
  const std::vector<std::int64_t> given = numbers(place, 3);
  if (given.empty()) return;
  const std::int64_t step = given.size() > 2 ? given[2] : 1;
  add_range(place, steps_of(given[0], given[1], step, place.value.span), axis);
}

void read_pow2(const JsonPlace& place, SweepAxis& axis) {
  const std::vector<std::int64_t> given = numbers(place, 2);
  if (!given.empty()) add_range(place, doubles_of(given[0], given[1], place.value.span), axis);
}

/// An axis with its values; without values where some are wrong.
SweepAxis read_axis(const JsonMember& member, const JsonPlace& place) {
  const std::size_t failures_before = place.file.failures;
  SweepAxis axis = axis_named(member, place);
  if (place.value.kind != JsonKind::object) {
    read_values(place, axis);
  } else {
    axis_record().read(place, axis);
    if (place.value.members.size() != 1) place.fail("needs one of values, range and pow2");
  }
  const bool counted = axis.parts.size() == 1 && axis.parts.front().numbers;
  if (counted && has_words(axis)) place.fail("is no number", {"list the values"});
  if (place.file.failures > failures_before) axis.parts.clear(), axis.size = 0;
  return axis;
}

bool have_equal_lengths(const std::vector<SweepAxis>& group, const JsonPlace& place) {
  bool equal = true;
  for (const SweepAxis& other : group)
    if (other.size != group.front().size) {
      equal = false;
      place.fail_at(other.span,
                    fmt::format("{} has {}, {} has {}", other.title(), counted(other.size, "value"),
                                group.front().title(), counted(group.front().size, "value")),
                    {"axes of a group advance together: give them equally many values"});
    }
  return equal;
}

/// Axes that advance together, each combination of their values once.
void add_group(std::vector<SweepAxis> group, const JsonPlace& place, SweepSpec& sweep) {
  if (const Status once = check_repetitions(group); !once) place.add(once.errors());
  sweep.axes.push_back(std::move(group));
}

} // namespace

const Record<SweepAxis>& axis_record() {
  static const Json number = any_of({{"type", "integer"}}, kinds::line().schema);
  static const Json first_and_last = {
      {"type", "array"}, {"items", number}, {"minItems", 2}, {"maxItems", 2}};
  static const Json with_step = {
      {"type", "array"}, {"items", number}, {"minItems", 2}, {"maxItems", 3}};
  static const Record<SweepAxis> record = {
      "axis",
      "the values of an axis",
      {{"values", "the values, each a number, true, false, or an expression in quotes: \"n/2\"",
        some(any_of({{"type", {"number", "boolean", "null"}}}, kinds::line().schema)), read_values},
       {"range", "whole numbers [first, last] or [first, last, step]; both ends are included",
        with_step, read_range},
       {"pow2", "[first, last]: each value is twice the one before; both ends are included",
        first_and_last, read_pow2}},
      {},
      {{"minProperties", 1}, {"maxProperties", 1}}};
  return record;
}

Json axis_schema() { return any_of(axis_record().keys.front().schema, axis_record().schema()); }

void read_axes(const JsonPlace& place, SweepSpec& sweep) {
  if (!place.is_a(JsonKind::object, "an object", {"write { \"n\": [1024, 2048] }"})) return;
  for (const JsonMember& member : place.value.members) {
    SweepAxis axis = read_axis(member, place.member(member));
    if (axis.size == 0) continue;
    add_group({std::move(axis)}, place, sweep);
  }
}

void read_zip(const JsonPlace& place, SweepSpec& sweep) {
  const std::vector<std::string> help = {"write [{ \"n\": [1024, 4096], \"p\": [32, 64] }]"};
  if (!place.is_a(JsonKind::array, "a list", help)) return;
  for (std::size_t k = 0; k < place.value.items.size(); ++k) {
    const JsonPlace item = place.item(k);
    if (!item.is_a(JsonKind::object, "an object", help)) continue;
    if (item.value.members.empty()) item.fail("has no axes");
    std::vector<SweepAxis> group;
    for (const JsonMember& member : item.value.members) {
      SweepAxis axis = read_axis(member, item.member(member));
      if (axis.size > 0) group.push_back(std::move(axis));
    }
    if (group.empty() || group.size() < item.value.members.size()) continue;
    if (have_equal_lengths(group, item)) add_group(std::move(group), item, sweep);
  }
}

void read_inputs(const JsonPlace& place, SweepSpec& sweep) {
  if (!place.is_a(JsonKind::object, "an object", {"write { \"a\": \"a.csv\" }"})) return;
  for (const JsonMember& member : place.value.members) {
    SweepAxis axis;
    axis.kind = AxisKind::input;
    axis.name = member.key;
    axis.span = member.key_span;
    add_value(place.member(member), axis);
    if (axis.size > 0) sweep.axes.push_back({std::move(axis)});
  }
}

} // namespace memlane::sweep
