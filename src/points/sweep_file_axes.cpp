// Reads the axes of sweep files.
#include "sweep_file_reader.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <array>

namespace memlane::sweep {

/// An axis without values.
SweepAxis SweepFileReader::axis_named(const JsonMember& member, const std::string& path) {
  SweepAxis axis;
  axis.name = member.key;
  axis.span = member.key_span;
  const std::size_t blank = member.key.find(' ');
  if (blank == std::string::npos) {
    if (axis.name.empty()) fail(axis.span, path, "has no name");
    return axis;
  }
  const std::string prefix = member.key.substr(0, blank);
  axis.name = member.key.substr(blank + 1);
  if (prefix == "layout") {
    axis.kind = AxisKind::layout;
  } else if (prefix == "fn") {
    axis.kind = AxisKind::fn;
  } else if (prefix == "type") {
    axis.kind = AxisKind::type;
  } else if (prefix == "input") {
    axis.kind = AxisKind::input;
  } else {
    std::vector<std::string> help = did_you_mean(prefix, {"layout", "fn", "type", "input"});
    help.emplace_back("an axis is a parameter (n), a key of the machine (shared.latency), "
                      "\"layout t\", \"fn combine\", \"type value\" or \"input a\"");
    fail(axis.span, path, "unknown kind of axis", std::move(help));
  }
  return axis;
}

void SweepFileReader::value_of(const JsonValue& value, const std::string& path, SweepAxis& axis) {
  const bool words = axis.kind != AxisKind::named && axis.kind != AxisKind::machine_key;
  const bool nested = value.kind == JsonKind::array || value.kind == JsonKind::object;
  if (nested || (words && value.kind != JsonKind::string)) {
    fail(value.span, path,
         fmt::format("must be {}, is {}", words ? "a string" : "one value", describe(value)));
    return;
  }
  if (value.kind == JsonKind::string && !is_text(value, path)) return;
  const bool headless = value.text.front() == '(' || value.text.front() == '=';
  if (axis.kind == AxisKind::fn && !headless)
    fail(value.span, path, "does not begin with the fn's parameters", {fn_form});
  PlacedText text = placed(value, path);
  if (axis.kind == AxisKind::input) text.text = beside_file(text.text, "");
  axis.add({std::move(text.text), text.span});
}

void SweepFileReader::axis_values(const JsonValue& value, const std::string& path,
                                  SweepAxis& axis) {
  if (!is_a(JsonKind::array, value, path, "a list",
            "write [32, 64], or { \"range\": [1, 33, 2] } or { \"pow2\": [1, 1024] }"))
    return;
  if (value.items.empty()) fail(value.span, path, "has no values", {"leave the axis out"});
  for (std::size_t k = 0; k < value.items.size(); ++k)
    value_of(value.items[k], inside(path, k), axis);
}

/// The whole numbers of a list with 2 to `most`; none after an error.
std::vector<std::int64_t> SweepFileReader::numbers(const JsonValue& value, const std::string& path,
                                                   std::size_t most) {
  const std::string form = most == 2 ? "[first, last]" : "[first, last] or [first, last, step]";
  if (!is_a(JsonKind::array, value, path, "a list", "write " + form)) return {};
  if (value.items.size() < 2 || value.items.size() > most) {
    fail(value.span, path,
         "has " + counted(static_cast<std::int64_t>(value.items.size()), "number"),
         {"write " + form});
    return {};
  }
  constexpr std::array names = {"the beginning of a range", "the end of a range",
                                "the step of a range"};
  std::vector<std::int64_t> all;
  for (std::size_t k = 0; k < value.items.size(); ++k) {
    const JsonValue& item = value.items[k];
    const std::string own = inside(path, k);
    if (item.kind != JsonKind::number &&
        !is_text(item, own, "a whole number, or an expression in quotes: \"2^20\""))
      continue;
    const auto read = placed_number(sources_, placed(item, own), names.at(k));
    if (take_at(own, read)) all.push_back(*read);
  }
  return all.size() == value.items.size() ? all : std::vector<std::int64_t>();
}

void SweepFileReader::axis_range(const JsonValue& value, const std::string& path, SweepAxis& axis) {
  const std::vector<std::int64_t> given = numbers(value, path, 3);
  if (given.empty()) return;
  const auto range = steps_of(given[0], given[1], given.size() > 2 ? given[2] : 1, value.span);
  if (take_at(path, range))
    axis.add({std::string(sources_.text(value.span)), value.span, range->first}, range->second);
}

void SweepFileReader::axis_pow2(const JsonValue& value, const std::string& path, SweepAxis& axis) {
  const std::vector<std::int64_t> given = numbers(value, path, 2);
  if (given.empty()) return;
  const auto range = doubles_of(given[0], given[1], value.span);
  if (take_at(path, range))
    axis.add({std::string(sources_.text(value.span)), value.span, range->first}, range->second);
}

/// An axis with its values; without values where some are wrong.
SweepAxis SweepFileReader::axis(const JsonMember& member, const std::string& path) {
  const std::size_t errors_before = errors_.errors().size();
  SweepAxis axis = axis_named(member, path);
  if (member.value.kind != JsonKind::object) {
    axis_values(member.value, path, axis);
  } else {
    object(member.value, path, axis);
    if (member.value.members.size() != 1)
      fail(member.value.span, path, "needs one of values, range and pow2");
  }
  const bool counted = axis.parts.size() == 1 && axis.parts.front().numbers;
  if (counted && axis.kind != AxisKind::named && axis.kind != AxisKind::machine_key)
    fail(member.value.span, path, "is no number", {"list the values"});
  if (errors_.errors().size() > errors_before) axis.parts.clear(), axis.size = 0;
  return axis;
}

void SweepFileReader::axes(const JsonValue& value, const std::string& path, SweepSpec& sweep) {
  if (!is_a(JsonKind::object, value, path, "an object", "write { \"n\": [1024, 2048] }")) return;
  for (const JsonMember& member : value.members) {
    SweepAxis one = axis(member, inside(path, member.key));
    if (one.size == 0) continue;
    errors_.check(check_repetitions(one));
    sweep.axes.push_back({std::move(one)});
  }
}

void SweepFileReader::check_lengths(const std::vector<SweepAxis>& group, const std::string& path) {
  for (const SweepAxis& other : group)
    if (other.size != group.front().size)
      fail(other.span, path,
           fmt::format("{} has {}, {} has {}", other.title(), counted(other.size, "value"),
                       group.front().title(), counted(group.front().size, "value")),
           {"axes of a group advance together: give them equally many values"});
}

void SweepFileReader::zip(const JsonValue& value, const std::string& path, SweepSpec& sweep) {
  if (!is_a(JsonKind::array, value, path, "a list",
            "write [{ \"n\": [1024, 4096], \"p\": [32, 64] }]"))
    return;
  for (std::size_t k = 0; k < value.items.size(); ++k) {
    const JsonValue& item = value.items[k];
    const std::string own = inside(path, k);
    if (!is_a(JsonKind::object, item, own, "an object")) continue;
    if (item.members.empty()) fail(item.span, own, "has no axes");
    std::vector<SweepAxis> group;
    for (const JsonMember& member : item.members) {
      SweepAxis one = axis(member, inside(own, member.key));
      if (one.size > 0) group.push_back(std::move(one));
    }
    if (group.empty() || group.size() < item.members.size()) continue;
    check_lengths(group, own);
    sweep.axes.push_back(std::move(group));
  }
}

} // namespace memlane::sweep
