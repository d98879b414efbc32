#include "reader.hpp"

#include "memlane/points/sweep_file.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace memlane {

std::string text_of_member(const JsonValue& object, std::string_view key) {
  const JsonValue* value = find_member(object, key);
  return value ? value->text : std::string();
}

std::vector<std::string> lines_of_member(const JsonValue& object, std::string_view key) {
  const JsonValue* value = find_member(object, key);
  std::vector<std::string> lines;
  if (value && value->kind == JsonKind::string) lines = {value->text};
  if (value)
    for (const JsonValue& item : value->items) lines.push_back(item.text);
  return lines;
}

FigureQuery query_of(const JsonValue& object, std::string_view key) {
  FigureQuery query;
  for (const std::string& line : lines_of_member(object, key))
    query.sql += (query.sql.empty() ? "" : "\n") + line;
  query.span = find_member(object, key)->span;
  return query;
}

namespace {

/// Keys of a sweep in a figure that are not the sweep's own.
constexpr std::string_view quick_key = "quick", continue_key = "continue";
constexpr std::string_view axes_key = "axes"; ///< of sweeps

std::vector<std::string> names_of(const std::vector<FigureKeyRule>& rules) {
  std::vector<std::string> names;
  for (const FigureKeyRule& rule : rules) names.emplace_back(rule.key.name);
  return names;
}

Span first_byte_of(const JsonValue& value) {
  return {value.span.file, value.span.begin, value.span.begin + 1};
}

bool flag_of_member(const JsonValue& object, std::string_view key) {
  const JsonValue* value = find_member(object, key);
  return value && value->boolean;
}

std::size_t word_of_member(const JsonValue& object, std::string_view key,
                           const std::vector<std::string>& words) {
  const auto found = std::find(words.begin(), words.end(), text_of_member(object, key));
  return found == words.end() ? 0 : static_cast<std::size_t>(found - words.begin());
}

ChartAxis axis_of(const JsonValue& chart, std::string_view key) {
  const JsonValue& axis = *find_member(chart, key);
  ChartAxis read;
  read.name = text_of_member(axis, "name");
  read.scale = static_cast<AxisScale>(word_of_member(axis, "scale", scale_words()));
  return read;
}

constexpr const char* table_names = "a letter, then letters, digits and _";

bool names_table(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !name.empty() && letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '_';
  });
}

/// Puts the members of an object in place of those with the same keys, or behind the others.
void replace_members(JsonValue& object, const JsonValue& others) {
  for (const JsonMember& member : others.members) {
    const auto own = std::find_if(object.members.begin(), object.members.end(),
                                  [&](const JsonMember& m) { return m.key == member.key; });
    if (own == object.members.end())
      object.members.push_back(member);
    else
      *own = member;
  }
}

/// The sweep with the keys of another in place of its own; `axes` axis by axis. Without the keys
/// that only figures have.
JsonValue replaced(const JsonValue& sweep, const JsonValue* other) {
  JsonValue out = sweep;
  std::erase_if(out.members, [](const JsonMember& member) {
    return member.key == quick_key || member.key == continue_key;
  });
  if (!other) return out;
  JsonValue others = *other;
  for (JsonMember& member : others.members) {
    const JsonValue* own = find_member(out, member.key);
    if (member.key != axes_key || !own || own->kind != JsonKind::object) continue;
    JsonValue axes = *own;
    replace_members(axes, member.value);
    member.value = std::move(axes);
  }
  replace_members(out, others);
  return out;
}

} // namespace

bool FigureReader::fail(Span span, const std::string& path, const std::string& message,
                        std::vector<std::string> help) {
  errors.push_back(error_at(span, path.empty() ? message : fmt::format("{}: {}", path, message),
                            std::move(help)));
  return false;
}

bool FigureReader::expect(bool right, const JsonValue& value, const std::string& path,
                          std::string_view what) {
  return right || fail(value.span, path, fmt::format("must be {}, is {}", what, describe(value)));
}

bool FigureReader::check_lines(const JsonValue& value, const std::string& path) {
  if (value.kind == JsonKind::string) return true;
  if (!expect(value.kind == JsonKind::array && !value.items.empty(), value, path,
              "a string or a list of strings"))
    return false;
  for (const JsonValue& item : value.items)
    if (!expect(item.kind == JsonKind::string, item, path, "a list of strings")) return false;
  return true;
}

bool FigureReader::check_word(const JsonValue& value, const std::string& path,
                              const std::vector<std::string>& words) {
  if (!expect(value.kind == JsonKind::string, value, path, "a string")) return false;
  if (std::find(words.begin(), words.end(), value.text) != words.end()) return true;
  std::vector<std::string> help = did_you_mean(value.text, words);
  help.push_back(fmt::format("accepted: {}", fmt::join(words, ", ")));
  return fail(value.span, path, fmt::format("{} is unknown", in_quotes(value.text)),
              std::move(help));
}

bool FigureReader::check_value(const JsonValue& value, const FigureKeyRule& rule,
                               const std::string& path) {
  switch (rule.value) {
  case FigureValue::text:
    return expect(value.kind == JsonKind::string && !value.text.empty(), value, path,
                  "a string that is not empty");
  case FigureValue::lines:
  case FigureValue::query: return check_lines(value, path);
  case FigureValue::boolean:
    return expect(value.kind == JsonKind::boolean, value, path, "true or false");
  case FigureValue::scale: return check_word(value, path, scale_words());
  case FigureValue::mark: return check_word(value, path, mark_words());
  case FigureValue::axis: return check(value, "axis", path);
  case FigureValue::continued: return check(value, "continue", path);
  case FigureValue::sweeps:
  case FigureValue::sweep:
    return expect(value.kind == JsonKind::object && !value.members.empty(), value, path,
                  "an object that is not empty");
  case FigureValue::queries: {
    bool right = expect(value.kind == JsonKind::object, value, path, "an object");
    for (const JsonMember& member : value.members)
      right = check_lines(member.value, path + "." + shown_key(member.key)) && right;
    return right;
  }
  case FigureValue::counts: {
    bool right = expect(value.kind == JsonKind::object && !value.members.empty(), value, path,
                        "an object that is not empty");
    for (const JsonMember& member : value.members)
      right = expect(member.value.kind == JsonKind::string, member.value, path + "." + member.key,
                     "the beginning of a claim") &&
              right;
    return right;
  }
  case FigureValue::objects: {
    if (!expect(value.kind == JsonKind::array, value, path, "a list")) return false;
    const std::string_view kind = rule.key.name.substr(0, rule.key.name.size() - 1);
    bool right = true;
    for (std::size_t i = 0; i < value.items.size(); ++i)
      right = check(value.items[i], kind, fmt::format("{}[{}]", path, i)) && right;
    return right;
  }
  }
  return false;
}

bool FigureReader::check(const JsonValue& object, std::string_view kind, const std::string& path) {
  if (!expect(object.kind == JsonKind::object, object, path, "an object")) return false;
  const std::vector<FigureKeyRule> rules = rules_of_object(kind);
  bool right = true;
  for (const JsonMember& member : object.members) {
    const std::string member_path =
        path.empty() ? shown_key(member.key) : fmt::format("{}.{}", path, shown_key(member.key));
    const auto rule = std::find_if(rules.begin(), rules.end(), [&](const FigureKeyRule& r) {
      return r.key.name == member.key;
    });
    if (rule != rules.end()) {
      right = check_value(member.value, *rule, member_path) && right;
      continue;
    }
    std::vector<std::string> help = did_you_mean(member.key, names_of(rules));
    help.push_back(fmt::format("the keys of {} are {}", "a " + std::string(kind),
                               fmt::join(names_of(rules), ", ")));
    right = fail(member.key_span, member_path, "unknown key", std::move(help));
  }
  for (const FigureKeyRule& rule : rules)
    if (rule.required && !find_member(object, rule.key.name))
      right = fail(first_byte_of(object), path,
                   fmt::format("\"{}\" is missing: {}", rule.key.name, rule.key.meaning));
  return right;
}

std::optional<sweep::SweepSpec>
FigureReader::read_spec(const JsonValue& value, const std::string& path, const std::string& table) {
  Result<sweep::SweepSpec> spec = sweep::read_sweep(sources_, value, path);
  if (!spec) {
    errors.insert(errors.end(), spec.errors().begin(), spec.errors().end());
    return std::nullopt;
  }
  spec->name = fmt::format("{}.{}", figure_.name, table);
  return std::move(*spec);
}

void FigureReader::read_sweep(const JsonMember& member) {
  const std::string path = "sweeps." + shown_key(member.key);
  if (!names_table(member.key)) {
    fail(member.key_span, path, "is no name of a table", {"a letter, then letters, digits and _"});
    return;
  }
  if (!expect(member.value.kind == JsonKind::object, member.value, path, "an object")) return;
  for (const FigureKeyRule& rule : rules_of_object("sweep")) {
    const JsonValue* own = find_member(member.value, rule.key.name);
    if (own && !check_value(*own, rule, fmt::format("{}.{}", path, rule.key.name))) return;
  }
  FigureSweep sweep;
  sweep.table = member.key;
  sweep.span = member.key_span;
  const JsonValue* quick = figure_.quick ? find_member(member.value, quick_key) : nullptr;
  const JsonValue whole = replaced(member.value, quick);
  auto spec = read_spec(whole, path, sweep.table);
  if (!spec) return;
  sweep.spec = std::move(*spec);
  if (const JsonValue* further = find_member(member.value, continue_key)) {
    sweep::Continuation continuation;
    JsonValue keys = *further;
    std::erase_if(keys.members, [](const JsonMember& m) { return m.key != axes_key; });
    auto beyond = read_spec(replaced(whole, &keys), path + ".continue", sweep.table);
    if (!beyond) return;
    continuation.beyond = std::move(*beyond);
    continuation.along = text_of_member(*further, "along");
    continuation.span = find_member(*further, "along")->span;
    for (const JsonMember& count : find_member(*further, "counts")->members)
      continuation.counts.emplace_back(count.key, count.value.text);
    sweep.continuation = std::move(continuation);
  }
  figure_.sweeps.push_back(std::move(sweep));
}

void FigureReader::read_checks(const JsonValue& root) {
  const JsonValue& checks = *find_member(root, "checks");
  for (std::size_t i = 0; i < checks.items.size(); ++i) {
    const JsonValue& item = checks.items[i];
    FigureCheck check;
    check.finding = text_of_member(item, "finding");
    check.says = text_of_member(item, "says");
    check.otherwise = text_of_member(item, "otherwise");
    check.cannot_say = text_of_member(item, "cannot_say");
    check.must_hold = flag_of_member(item, "must_hold");
    check.full_only = flag_of_member(item, "full_only");
    if (const JsonValue* says = find_member(item, "says")) check.span = says->span;
    if (find_member(item, "query")) check.query = query_of(item);
    const std::string path = fmt::format("checks[{}]", i);
    if (check.query.has_value() == !check.cannot_say.empty())
      fail(first_byte_of(item), path, "has either a \"query\" or \"cannot_say\"");
    else if (check.query && check.says.empty())
      fail(first_byte_of(item), path,
           "\"says\" is missing: the model's numbers in a sentence, such as \"crosses at {n}\"");
    figure_.checks.push_back(std::move(check));
  }
}

void FigureReader::read_parts(const JsonValue& root) {
  figure_.title = text_of_member(root, "title");
  for (const JsonMember& member : find_member(root, "sweeps")->members) read_sweep(member);
  if (const JsonValue* views = find_member(root, "views"))
    for (const JsonMember& view : views->members) {
      figure_.views.push_back({view.key, query_of(*views, view.key)});
      if (!names_table(view.key))
        fail(view.key_span, "views." + shown_key(view.key), "is no name of a table", {table_names});
    }
  if (const JsonValue* charts = find_member(root, "charts"))
    for (const JsonValue& chart : charts->items)
      figure_.charts.push_back({text_of_member(chart, "title"), text_of_member(chart, "caption"),
                                axis_of(chart, "x"), axis_of(chart, "y"),
                                static_cast<Mark>(word_of_member(chart, "mark", mark_words())),
                                query_of(chart)});
  if (const JsonValue* tables = find_member(root, "tables"))
    for (const JsonValue& table : tables->items)
      figure_.tables.push_back({text_of_member(table, "title"), query_of(table)});
}

void FigureReader::read(const JsonValue& root) {
  if (!check(root, "figure", "")) return;
  figure_.source = text_of_member(root, "source");
  figure_.measured = lines_of_member(root, "measured");
  figure_.model = lines_of_member(root, "model");
  read_parts(root);
  read_checks(root);
}

Result<FigureSpec> read_figure(Sources& sources, std::int32_t file, const std::string& name,
                               bool quick) {
  FigureSpec figure;
  figure.name = name;
  figure.quick = quick;
  FigureReader reader(sources, figure);
  const auto root = read_json(sources, file, "a figure", reader.errors);
  if (root) reader.read(*root);
  if (!reader.errors.empty()) return reader.errors;
  return figure;
}

} // namespace memlane
