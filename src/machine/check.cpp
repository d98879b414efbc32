#include "check.hpp"

#include <fmt/format.h>

namespace memlane {
namespace {

/// Lines of text as a value of a machine: a string, or a list of strings.
Kind<std::string> remarks() {
  const schema::Json one = {{"type", "string"}, {"pattern", kinds::plain_pattern}};
  return {{{"type", {"string", "array"}}, {"pattern", kinds::plain_pattern}, {"items", one}},
          [](const JsonPlace& place, std::string& into) {
            if (place.value.kind == JsonKind::array) {
              for (std::size_t k = 0; k < place.value.items.size(); ++k) {
                const JsonPlace item = place.item(k);
                if (item.is_a(JsonKind::string, "a string") && item.is_plain())
                  into += (k > 0 ? "\n" : "") + item.value.text;
              }
            } else if (place.is_a(JsonKind::string, "a string or a list of strings") &&
                       place.is_plain()) {
              into = place.value.text;
            }
          }};
}

/// The kind, with its results as values of keys.
template <class V>
Kind<KeyValue> as_value(Kind<V> kind) {
  return {kind.schema, [kind](const JsonPlace& place, KeyValue& into) {
            V value{};
            kind.read(place, value);
            into = std::move(value);
          }};
}

Kind<KeyValue> choice_of(const std::vector<std::string_view>& choices) {
  const Kind<std::size_t> word = kinds::word({choices.begin(), choices.end()});
  return {word.schema, [word, choices](const JsonPlace& place, KeyValue& into) {
            std::size_t which = 0;
            word.read(place, which);
            into = std::string(choices[which]);
          }};
}

constexpr std::int64_t most_stages = 65535; // of an operation

/// The stages of one class in the slots of a unit.
RecordKey<OperationUnit> slot_of(OperationClass operation, std::string_view meaning) {
  return {name_of(operation), meaning, kinds::whole(1, most_stages),
          [operation](OperationUnit &
                      unit) -> auto& {return unit.stages[static_cast<std::size_t>(operation)];
}
}; // namespace
} // namespace memlane

const Record<OperationUnit>& slots_record() {
  static const Record<OperationUnit> record = {
      "slots",
      "slots",
      {slot_of(OperationClass::double_, "stages of an operation on doubles"),
       slot_of(OperationClass::special, "else, of a root, a sine, …"),
       slot_of(OperationClass::division, "else, of an integer division"),
       slot_of(OperationClass::other, "of any other")},
      [](const JsonPlace& place, OperationUnit&) {
        if (place.value.members.empty()) place.fail("must have at least one class");
      }};
  return record;
}

const Record<OperationUnit>& operation_record() {
  static const Record<OperationUnit> record = {
      "operations", "a unit for operations",
      {{"name", "its name in results", kinds::line(), &OperationUnit::name, required},
       {"ports", "stages accepted in one time unit; default: 1", kinds::whole(1, 1024),
        &OperationUnit::ports},
       {"latency", "time units from an operation's last stage to its end; default: 1",
        kinds::whole(1, 1000000000), [](OperationUnit & unit) -> auto& {return unit.latency.value;
}
}
, {
  "slots", "from a class of operations to the stages of one", slots_record().schema(),
      [](const JsonPlace& place, OperationUnit& unit) { slots_record().read(place, unit); },
      required
}
}
}
;
return record;
}

/// A class has at most one unit, and a name belongs to one.
void check_units(const JsonPlace& place, const std::vector<OperationUnit>& units) {
  for (std::size_t k = 1; k < units.size(); ++k)
    for (std::size_t before = 0; before < k; ++before) {
      if (units[before].name == units[k].name)
        place.item(k).fail(fmt::format("has the name of another unit, {}", units[k].name));
      for (std::size_t of = 0; of < operation_classes; ++of)
        if (units[before].stages[of] > 0 && units[k].stages[of] > 0)
          place.item(k).fail(fmt::format("{} operations have a unit, {}",
                                         name_of(static_cast<OperationClass>(of)),
                                         units[before].name),
                             {"a class of operations has at most one unit"});
    }
}

Kind<std::vector<OperationUnit>> operation_units() {
  const Kind<std::vector<OperationUnit>> units = kinds::list(operation_record().kind());
  return {units.schema, [units](const JsonPlace& place, std::vector<OperationUnit>& into) {
            const std::size_t failures_before = place.file.failures;
            units.read(place, into);
            if (place.file.failures == failures_before) check_units(place, into);
          }};
}

} // namespace

Kind<KeyValue> kind_of(const MachineKey& key) {
  switch (key.kind) {
  case KeyKind::integer: return as_value(kinds::whole(key.minimum, key.maximum));
  case KeyKind::decimal: return as_value(kinds::decimal(key.minimum, key.maximum));
  case KeyKind::choice: return choice_of(key.choices);
  case KeyKind::text: return as_value(kinds::line({"write a text, or leave the key out"}));
  case KeyKind::lines: return as_value(remarks());
  case KeyKind::units: return as_value(operation_units());
  case KeyKind::boolean: break;
  }
  return as_value(kinds::flag());
}

std::optional<KeyValue> check_value(const MachineKey& key, const JsonPlace& place) {
  const bool is_null = place.value.kind == JsonKind::null;
  if (is_null && key.nullable != 0) return KeyValue();
  const std::size_t failures_before = place.file.failures;
  KeyValue value;
  kind_of(key).read(place, value);
  if (place.file.failures == failures_before) return value;
  if (place.file.errors.size() > RecordFile::most_errors) return std::nullopt; // it is not kept
  std::vector<std::string>& help = place.file.errors.back().help;
  const auto number = whole_number(place.value);
  if (number && *number < key.minimum && !key.least_because.empty())
    help.emplace_back(key.least_because);
  if (key.nullable != 0 && !number) help.emplace_back(key.meaning); // says where null is accepted
  if (is_null && key.default_value.index() != 0)
    help.push_back(
        fmt::format("leave the key out to use its default, {}", text_of(key.default_value)));
  return std::nullopt;
}

JsonValue value_of_option(const MachineKey& key, std::string text, Span span) {
  JsonValue value;
  value.kind = JsonKind::string;
  value.span = span;
  const bool words = key.kind == KeyKind::choice || key.per_file();
  const char first = text.empty() ? '\0' : text[0];
  if (words) {
    value.text = std::move(text);
  } else if (key.kind == KeyKind::units) {
    Diagnostics unused; // what is no JSON is no list
    if (auto list = read_json({text, span.file, span.begin}, "a list", unused))
      return std::move(*list);
    value.text = std::move(text);
  } else if (text == "null") {
    value.kind = JsonKind::null;
  } else if (text == "true" || text == "false") {
    value.kind = JsonKind::boolean;
    value.boolean = text == "true";
  } else {
    // Text that begins like a number is quoted in messages like one, even if it is none.
    const bool number = (first >= '0' && first <= '9') || first == '-' || first == '+';
    if (number) value.kind = JsonKind::number;
    value.text = std::move(text);
  }
  return value;
}

} // namespace memlane
