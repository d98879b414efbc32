// Reads sweep files: programs, machines and all that is not an axis.
#include "sweep_file_reader.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <set>

namespace memlane::sweep {

std::string inside(const std::string& path, std::string_view key) {
  return path.empty() ? shown_key(key) : fmt::format("{}.{}", path, shown_key(key));
}
std::string inside(const std::string& path, std::size_t item) {
  return fmt::format("{}[{}]", path, item);
}

void SweepFileReader::fail(Span place, const std::string& path, const std::string& message,
                           std::vector<std::string> help) {
  constexpr std::size_t most_errors = 100; // of lists of wrong values
  if (errors_.errors().size() > most_errors) return;
  if (errors_.errors().size() == most_errors)
    return errors_.add(error_at(place, "too many errors; later ones are not shown"));
  errors_.add(error_at(place, path.empty() ? message : path + ": " + message, std::move(help)));
}

bool SweepFileReader::is_a(JsonKind kind, const JsonValue& value, const std::string& path,
                           std::string_view what, std::string help) {
  if (value.kind == kind) return true;
  fail(value.span, path, fmt::format("must be {}, is {}", what, describe(value)),
       help.empty() ? std::vector<std::string>() : std::vector{std::move(help)});
  return false;
}

bool SweepFileReader::is_text(const JsonValue& value, const std::string& path, std::string help) {
  if (!is_a(JsonKind::string, value, path, "a string", std::move(help))) return false;
  const bool plain = !has_control(value.text);
  if (value.text.empty()) fail(value.span, path, "must not be empty");
  if (!plain) fail(value.span, path, "has a line end or another control character");
  return plain && !value.text.empty();
}

void SweepFileReader::flag(const JsonValue& value, const std::string& path, bool& into) {
  if (is_a(JsonKind::boolean, value, path, "true or false")) into = value.boolean;
}

/// The text of a value with its place. A string with escapes becomes a text of its own, in which
/// places are those of its characters.
PlacedText SweepFileReader::placed(const JsonValue& value, const std::string& path) {
  if (value.kind == JsonKind::boolean) return {value.boolean ? "true" : "false", value.span};
  if (value.kind == JsonKind::null) return {"null", value.span};
  Span span = value.span;
  if (value.kind == JsonKind::string) span.begin += 1, span.end -= 1;
  if (sources_.text(span) == value.text) return {value.text, span};
  const std::int32_t own =
      sources_.add(fmt::format("{}: {}", sources_.path(span.file), path), value.text);
  return {value.text, {own, 0, static_cast<std::uint32_t>(value.text.size())}};
}

/// A path of the file, as this process reads it; other names stay.
std::string SweepFileReader::beside_file(const std::string& name, std::string_view ending) const {
  const std::filesystem::path path(name);
  if (name.find('/') == std::string::npos && !name.ends_with(ending)) return name;
  if (path.is_absolute() || folder_.empty()) return name;
  return (folder_ / path).lexically_normal().generic_string();
}

void SweepFileReader::ignore(const JsonValue& value, const std::string& path, SweepSpec&) {
  is_text(value, path);
}
void SweepFileReader::name(const JsonValue& value, const std::string& path, SweepSpec& sweep) {
  if (is_text(value, path)) sweep.name = value.text;
}
void SweepFileReader::description(const JsonValue& value, const std::string& path,
                                  SweepSpec& sweep) {
  if (is_text(value, path)) sweep.description = value.text;
}

void SweepFileReader::program_name(const JsonValue& value, const std::string& path,
                                   SweptProgram& program) {
  if (!is_text(value, path)) return;
  program.name = beside_file(value.text, ".lane");
  program.span = value.span;
}

void SweepFileReader::program_layouts(const JsonValue& value, const std::string& path,
                                      SweptProgram& program) {
  if (!is_a(JsonKind::object, value, path, "an object")) return;
  for (const auto& [name, key_span, text] : value.members)
    if (is_text(text, inside(path, name)))
      program.replaced.emplace_back("layout", fmt::format("{}={}", name, text.text));
}

void SweepFileReader::program_types(const JsonValue& value, const std::string& path,
                                    SweptProgram& program) {
  if (!is_a(JsonKind::object, value, path, "an object")) return;
  for (const auto& [name, key_span, text] : value.members)
    if (is_text(text, inside(path, name)))
      program.replaced.emplace_back("type", fmt::format("{}={}", name, text.text));
}

void SweepFileReader::program_fns(const JsonValue& value, const std::string& path,
                                  SweptProgram& program) {
  if (!is_a(JsonKind::object, value, path, "an object")) return;
  for (const auto& [name, key_span, text] : value.members) {
    if (!is_text(text, inside(path, name), fn_form)) continue;
    if (text.text.front() != '(' && text.text.front() != '=')
      fail(text.span, inside(path, name), "does not begin with the fn's parameters", {fn_form});
    program.replaced.emplace_back("fn", name + (text.text.front() == '=' ? " " : "") + text.text);
  }
}

void SweepFileReader::parameters(const JsonValue& value, const std::string& path,
                                 SweptProgram& program) {
  if (!is_a(JsonKind::object, value, path, "an object")) return;
  for (const JsonMember& member : value.members) {
    const JsonValue& given = member.value;
    const std::string own = inside(path, member.key);
    const bool plain = given.kind == JsonKind::number || given.kind == JsonKind::boolean;
    if (!plain && !is_text(given, own, "a number, true, false, or an expression in quotes"))
      continue;
    const PlacedText text = placed(given, own);
    program.definitions.push_back({member.key, text.text, text.span});
  }
}

void SweepFileReader::programs(const JsonValue& value, const std::string& path, SweepSpec& sweep) {
  if (!is_a(JsonKind::array, value, path, "a list", "write [\"sum\"]")) return;
  if (value.items.empty()) fail(value.span, path, "is empty", {"name a program: [\"sum\"]"});
  for (std::size_t k = 0; k < value.items.size(); ++k) {
    const JsonValue& item = value.items[k];
    SweptProgram program;
    program.span = item.span;
    if (item.kind == JsonKind::string) {
      program_name(item, inside(path, k), program);
    } else {
      object(item, inside(path, k), program);
      // As a command's options are applied: fns, types, layouts.
      std::stable_sort(program.replaced.begin(), program.replaced.end(),
                       [](const auto& a, const auto& b) {
                         constexpr std::string_view order = "fn type layout";
                         return order.find(a.first) < order.find(b.first);
                       });
    }
    sweep.programs.push_back(std::move(program));
  }
  std::vector<std::string> identities;
  std::vector<Span> places;
  for (const SweptProgram& program : sweep.programs)
    identities.push_back(program.title()), places.push_back(program.span);
  check_distinct(identities, places, path);
}

void SweepFileReader::machine_name(const JsonValue& value, const std::string& path,
                                   SweptMachine& machine) {
  if (!is_text(value, path)) return;
  machine.name = beside_file(value.text, ".json");
  machine.span = value.span;
}

void SweepFileReader::machine_values(const JsonValue& value, const std::string& path,
                                     SweptMachine& machine) {
  if (!is_a(JsonKind::object, value, path, "an object")) return;
  for (const JsonMember& member : value.members) {
    const JsonKind kind = member.value.kind;
    const std::string own = inside(path, member.key);
    if (kind == JsonKind::object || kind == JsonKind::array) {
      fail(member.value.span, own, fmt::format("must be one value, is {}", describe(member.value)),
           {"write keys as --set takes them: \"shared.latency\": 5"});
      continue;
    }
    machine.overrides.push_back(fmt::format("{}={}", member.key, placed(member.value, own).text));
  }
}

void SweepFileReader::machines(const JsonValue& value, const std::string& path, SweepSpec& sweep) {
  if (!is_a(JsonKind::array, value, path, "a list", "write [\"umm-w32\"]")) return;
  if (value.items.empty()) fail(value.span, path, "is empty", {"name a machine: [\"umm-w32\"]"});
  for (std::size_t k = 0; k < value.items.size(); ++k) {
    const JsonValue& item = value.items[k];
    SweptMachine machine;
    machine.span = item.span;
    if (item.kind == JsonKind::string) {
      machine_name(item, inside(path, k), machine);
    } else {
      object(item, inside(path, k), machine);
    }
    sweep.machines.push_back(std::move(machine));
  }
  std::vector<std::string> identities;
  std::vector<Span> places;
  for (const SweptMachine& machine : sweep.machines)
    identities.push_back(machine.title()), places.push_back(machine.span);
  check_distinct(identities, places, path);
}

/// An error for each program or machine that is listed before.
void SweepFileReader::check_distinct(const std::vector<std::string>& identities,
                                     const std::vector<Span>& places, const std::string& path) {
  std::set<std::string> seen;
  for (std::size_t k = 0; k < identities.size(); ++k)
    if (!seen.insert(identities[k]).second)
      fail(places[k], inside(path, k), fmt::format("{} is listed twice", identities[k]),
           {"leave one out"});
}

void SweepFileReader::where(const JsonValue& value, const std::string& path, SweepSpec& sweep) {
  if (!is_text(value, path, "a condition in quotes: \"m*m <= capacity\"")) return;
  const PlacedText text = placed(value, path);
  sweep.where = text.text;
  sweep.where_span = text.span;
}

void SweepFileReader::seeds(const JsonValue& value, const std::string& path, SweepSpec& sweep) {
  const auto number = whole_number(value);
  if (number && *number >= 1 && *number <= most_seeds) {
    sweep.seeds.resize(static_cast<std::size_t>(*number));
    for (std::size_t k = 0; k < sweep.seeds.size(); ++k) sweep.seeds[k] = k + 1;
    return;
  }
  if (value.kind != JsonKind::array || value.items.empty()) {
    fail(value.span, path,
         fmt::format("must be a number from 1 to {} or a list of seeds, is {}", most_seeds,
                     value.kind == JsonKind::array ? "an empty list" : describe(value)));
    return;
  }
  sweep.seeds.clear();
  std::set<std::uint64_t> seen;
  for (std::size_t k = 0; k < value.items.size(); ++k) {
    const JsonValue& item = value.items[k];
    const auto seed = whole_number(item);
    if (!seed || *seed < 0) {
      fail(item.span, inside(path, k),
           fmt::format("must be a whole number from 0 on, is {}", describe(item)));
      continue;
    }
    const auto own = static_cast<std::uint64_t>(*seed);
    if (!seen.insert(own).second)
      fail(item.span, inside(path, k), fmt::format("seed {} is listed twice", own));
    sweep.seeds.push_back(own);
  }
}

void SweepFileReader::timing_only(const JsonValue& value, const std::string& path,
                                  SweepSpec& sweep) {
  flag(value, path, sweep.timing_only);
}
void SweepFileReader::verify(const JsonValue& value, const std::string& path, SweepSpec& sweep) {
  flag(value, path, sweep.verify);
}
void SweepFileReader::allow_races(const JsonValue& value, const std::string& path,
                                  SweepSpec& sweep) {
  flag(value, path, sweep.allow_races);
}
void SweepFileReader::pram(const JsonValue& value, const std::string& path, SweepSpec& sweep) {
  flag(value, path, sweep.pram);
}
void SweepFileReader::prices(const JsonValue& value, const std::string& path, SweepSpec& sweep) {
  Result<std::vector<PriceRequest>> prices = read_price_object(value);
  if (take_at(path, prices)) sweep.prices = std::move(*prices);
}

void SweepFileReader::inputs(const JsonValue& value, const std::string& path, SweepSpec& sweep) {
  if (!is_a(JsonKind::object, value, path, "an object", "write { \"a\": \"a.csv\" }")) return;
  for (const JsonMember& member : value.members) {
    SweepAxis axis;
    axis.kind = AxisKind::input;
    axis.name = member.key;
    axis.span = member.key_span;
    value_of(member.value, inside(path, member.key), axis);
    if (axis.size > 0) sweep.axes.push_back({std::move(axis)});
  }
}

/// Each axis once.
void SweepFileReader::check_once(const SweepSpec& sweep) {
  std::set<std::string> seen;
  for (const auto& group : sweep.axes)
    for (const SweepAxis& one : group)
      if (!seen.insert(one.title()).second)
        fail(one.span, "", fmt::format("{} is an axis twice", one.title()), {"leave one out"});
}

Result<SweepSpec> SweepFileReader::read(const JsonValue& value, const std::string& path) {
  SweepSpec sweep;
  sweep.name = std::filesystem::path(sources_.path(value.span.file)).stem().generic_string();
  object(value, path, sweep);
  check_once(sweep);
  if (errors_.ok()) errors_.check(check_size(sweep));
  if (!errors_.ok()) return errors_.errors();
  return sweep;
}

Result<SweepSpec> read_sweep_file(Sources& sources, std::int32_t file) {
  Diagnostics errors;
  const std::optional<JsonValue> root = read_json(sources, file, "a sweep", errors);
  if (!root) return errors;
  Result<SweepSpec> sweep = read_sweep(sources, *root, "");
  if (errors.empty()) return sweep;
  if (!sweep) errors.insert(errors.end(), sweep.errors().begin(), sweep.errors().end());
  return errors;
}

Result<SweepSpec> read_sweep(Sources& sources, const JsonValue& sweep, const std::string& path) {
  return SweepFileReader(sources, sweep.span.file).read(sweep, path);
}

} // namespace memlane::sweep
