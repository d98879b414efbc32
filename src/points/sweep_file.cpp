// Reads sweep files: their keys, programs, machines and all that is not an axis.
#include "sweep_file_reader.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>

namespace memlane::sweep {

PlacedText placed(const JsonPlace& place) {
  const JsonValue& value = place.value;
  if (value.kind == JsonKind::boolean) return {value.boolean ? "true" : "false", value.span};
  if (value.kind == JsonKind::null) return {"null", value.span};
  Sources& sources = *place.file.sources;
  Span span = value.span;
  if (value.kind == JsonKind::string) span.begin += 1, span.end -= 1;
  if (sources.text(span) == value.text) return {value.text, span};
  const std::int32_t own =
      sources.add(fmt::format("{}: {}", sources.path(span.file), place.path), value.text);
  return {value.text, {own, 0, static_cast<std::uint32_t>(value.text.size())}};
}

std::string beside_file(const JsonPlace& place, std::string_view ending) {
  const std::string& name = place.value.text;
  const std::filesystem::path path(name);
  const auto folder =
      std::filesystem::path(place.file.sources->path(place.value.span.file)).parent_path();
  if (name.find('/') == std::string::npos && !name.ends_with(ending)) return name;
  if (path.is_absolute() || folder.empty()) return name;
  return (folder / path).lexically_normal().generic_string();
}

namespace {

constexpr std::int64_t most_seeds = 1'000'000; ///< the most that a sweep may have

// --- programs

/// Layouts or types by name.
template <const char* Option>
void read_replaced(const JsonPlace& place, SweptProgram& program) {
  if (!place.is_a(JsonKind::object, "an object")) return;
  for (const JsonMember& member : place.value.members)
    if (place.member(member).is_line())
      program.replaced.emplace_back(Option, fmt::format("{}={}", member.key, member.value.text));
}

void read_fns(const JsonPlace& place, SweptProgram& program) {
  if (!place.is_a(JsonKind::object, "an object")) return;
  for (const JsonMember& member : place.value.members) {
    const JsonPlace fn = place.member(member);
    if (!fn.is_line({fn_form})) continue;
    const char first = fn.value.text.front();
    if (first != '(' && first != '=') fn.fail("does not begin with the fn's parameters", {fn_form});
    program.replaced.emplace_back("fn", member.key + (first == '=' ? " " : "") + fn.value.text);
  }
}

void read_parameters(const JsonPlace& place, SweptProgram& program) {
  if (!place.is_a(JsonKind::object, "an object")) return;
  for (const JsonMember& member : place.value.members) {
    const JsonPlace own = place.member(member);
    const bool plain = own.value.kind == JsonKind::number || own.value.kind == JsonKind::boolean;
    if (!plain && !own.is_line({"a number, true, false, or an expression in quotes"})) continue;
    const PlacedText text = placed(own);
    program.definitions.push_back({member.key, text.text, text.span});
  }
}

constexpr char layout_option[] = "layout", type_option[] = "type";

const Record<SweptProgram>& program_record() {
  static const Json line = kinds::line().schema;
  static const Record<SweptProgram> record = {
      "program",
      "a program of a sweep",
      {{"program", "a shipped program's name, or a path that is relative to the file", line,
        [](const JsonPlace& place, SweptProgram& program) {
          if (!place.is_line()) return;
          program.name = beside_file(place, ".lane");
          program.span = place.value.span;
        },
        required},
       {"layout", "layouts by array, as --layout: { \"t\": \"padded(1)\" }", map(line),
        read_replaced<layout_option>},
       {"fn", "fns by name, as --fn: { \"combine\": \"(x, y) = max(x, y)\" }", map(line), read_fns},
       {"type", "types by name, as --type: { \"value\": \"float\" }", map(line),
        read_replaced<type_option>},
       {"parameters", "values of parameters for this program alone, as -D: { \"n\": \"2^10\" }",
        map(any_of({{"type", {"number", "boolean"}}}, line)), read_parameters}},
      [](const JsonPlace&, SweptProgram& program) {
        // As a command's options are applied: fns, types, layouts.
        std::stable_sort(program.replaced.begin(), program.replaced.end(),
                         [](const auto& a, const auto& b) {
                           constexpr std::string_view order = "fn type layout";
                           return order.find(a.first) < order.find(b.first);
                         });
      }};
  return record;
}

const Record<SweptProgram>& command_record() {
  static const Record<SweptProgram> record = {
      "command",
      "CUDA kernels in the place of a program",
      {{"command",
        "`cuda` and an executable with its arguments, or `ptx` and a file with its launches, as "
        "--command; {n} in it is the value of the axis \"n\". A path with a / is relative to the "
        "file",
        kinds::line().schema,
        [](const JsonPlace& place, SweptProgram& program) {
          if (!place.is_line()) return;
          program.name = program.command = place.value.text;
          const std::string& path = place.file.sources->path(place.value.span.file);
          program.folder = std::filesystem::path(path).parent_path().string();
          program.span = place.value.span;
        },
        required}}};
  return record;
}

// --- machines

void read_machine_values(const JsonPlace& place, SweptMachine& machine) {
  if (!place.is_a(JsonKind::object, "an object")) return;
  for (const JsonMember& member : place.value.members) {
    const JsonPlace own = place.member(member);
    const bool nested = own.value.kind == JsonKind::object || own.value.kind == JsonKind::array;
    if (own.require(!nested, "one value",
                    {"write keys as --set takes them: \"shared.latency\": 5"}))
      machine.overrides.push_back(fmt::format("{}={}", member.key, placed(own).text));
  }
}

const Record<SweptMachine>& machine_record() {
  static const Record<SweptMachine> record = {
      "machine",
      "a machine of a sweep",
      {{"machine", "a shipped machine's name, or a path that is relative to the file",
        kinds::line().schema,
        [](const JsonPlace& place, SweptMachine& machine) {
          if (!place.is_line()) return;
          machine.name = beside_file(place, ".json");
          machine.span = place.value.span;
        },
        required},
       {"set", "values of the machine, as --set: { \"shared.latency\": 5 }",
        map({{"type", {"number", "string", "boolean", "null"}}}), read_machine_values}}};
  return record;
}

/// A list of programs or machines, each once: its name, or an object with its name first. `other`:
/// objects whose first key is another one.
template <class T>
Kind<std::vector<T>> names_or_objects(const Record<T>& record, std::string example,
                                      const Record<T>* other = nullptr) {
  Json schema = any_of(kinds::line().schema, record.schema());
  if (other) schema["anyOf"].push_back(other->schema());
  return {some(std::move(schema)), [&record, example = std::move(example),
                                    other](const JsonPlace& place, std::vector<T>& all) {
            if (!place.is_a(JsonKind::array, "a list", {"write " + example})) return;
            if (place.value.items.empty())
              place.fail("is empty", {fmt::format("name a {}: {}", record.name, example)});
            std::set<std::string> titles;
            for (std::size_t k = 0; k < place.value.items.size(); ++k) {
              const JsonPlace item = place.item(k);
              T& one = all.emplace_back();
              one.span = item.value.span;
              if (item.value.kind == JsonKind::string)
                record.keys.front().read(item, one);
              else
                (other && find_member(item.value, other->keys.front().name) ? *other : record)
                    .read(item, one);
              if (!titles.insert(one.title()).second)
                item.fail_at(one.span, one.title() + " is listed twice", {"leave one out"});
            }
          }};
}

// --- the sweep

void read_where(const JsonPlace& place, SweepSpec& sweep) {
  if (!place.is_line({"a condition in quotes: \"m*m <= capacity\""})) return;
  const PlacedText text = placed(place);
  sweep.where = text.text;
  sweep.where_span = text.span;
}

void read_seeds(const JsonPlace& place, SweepSpec& sweep) {
  const JsonValue& value = place.value;
  const auto number = whole_number(value);
  if (number && *number >= 1 && *number <= most_seeds) {
    sweep.seeds.resize(static_cast<std::size_t>(*number));
    for (std::size_t k = 0; k < sweep.seeds.size(); ++k) sweep.seeds[k] = k + 1;
    return;
  }
  if (value.kind != JsonKind::array || value.items.empty())
    return place.fail(
        fmt::format("must be a number from 1 to {} or a list of seeds, is {}", most_seeds,
                    value.kind == JsonKind::array ? "an empty list" : describe(value)));
  sweep.seeds.clear();
  std::set<std::uint64_t> seen;
  for (std::size_t k = 0; k < value.items.size(); ++k) {
    const JsonPlace item = place.item(k);
    const auto seed = whole_number(item.value);
    if (!item.require(seed && *seed >= 0, "an integer from 0 on")) continue;
    const auto own = static_cast<std::uint64_t>(*seed);
    if (!seen.insert(own).second) item.fail(fmt::format("seed {} is listed twice", own));
    sweep.seeds.push_back(own);
  }
}

void read_own_prices(const JsonPlace& place, SweepSpec& sweep) {
  Result<std::vector<PriceRequest>> prices = read_price_object(place.value);
  if (place.check(prices)) sweep.prices = std::move(*prices);
}

Json seeds_schema() {
  const Json number = {{"type", "integer"}, {"minimum", 1}, {"maximum", most_seeds}};
  return any_of(number, some({{"type", "integer"}, {"minimum", 0}}));
}

Json zip_schema() {
  Json group = map(axis_schema());
  group["minProperties"] = 1;
  return schema::list(std::move(group));
}

const Record<SweepSpec>& sweep_record() {
  using S = SweepSpec;
  static const Record<S> record = {
      "sweep",
      "a sweep",
      {{"$schema", "the JSON Schema of the file, for editors", kinds::line()},
       {"name", "of the sweep; default: the file's name", kinds::line(), &S::name},
       {"description", "what the sweep shows", kinds::line(), &S::description},
       {"programs", "names, paths, or objects with values for one program; or commands",
        names_or_objects(program_record(), "[\"sum\"]", &command_record()), &S::programs, required},
       {"machines", "names, paths, or objects with values for one machine",
        names_or_objects(machine_record(), "[\"umm-w32\"]"), &S::machines, required},
       {"axes", "what varies, and its values; every combination is a point", map(axis_schema()),
        read_axes},
       {"zip",
        "groups of axes that advance together: [{ \"n\": [64, 128], \"p\": [32, 64] }]; the lists "
        "of a "
        "group have equal lengths",
        zip_schema(), read_zip},
       {"where", "a condition over parameters and the machine; only points with it run",
        kinds::line().schema, read_where},
       {"seeds", "N runs of each point, with seeds 1 to N, or a list of seeds; default: 1",
        seeds_schema(), read_seeds},
       {"timing_only", "time without data, as --timing-only; default: false", kinds::flag(),
        &S::timing_only},
       {"verify", "false: results are not checked, as with --no-verify; default: true",
        kinds::flag(), &S::verify},
       {"allow_races", "true: races are counted, as with --allow-races; default: false",
        kinds::flag(), &S::allow_races},
       {"pram", "true: what a PRAM does is counted, as with --pram; default: false", kinds::flag(),
        &S::pram},
       {"prices", "prices on other models, as a file of prices has them: { \"io\": {} }",
        price_object_schema(), read_own_prices},
       {"inputs",
        "files or programs by array, as --input; paths are relative to the file. Several of "
        "them are an axis: \"input a\"",
        map(kinds::line().schema), read_inputs}}};
  return record;
}

/// Each axis once.
void check_once(const SweepSpec& sweep, RecordFile& file) {
  std::set<std::string> seen;
  for (const auto& group : sweep.axes)
    for (const SweepAxis& one : group)
      if (!seen.insert(one.title()).second)
        file.errors.push_back(
            error_at(one.span, fmt::format("{} is an axis twice", one.title()), {"leave one out"}));
}

} // namespace

Result<SweepSpec> read_sweep_file(Sources& sources, std::int32_t file,
                                  const std::vector<std::string>& machines) {
  Diagnostics errors;
  std::optional<JsonValue> root = read_json(sources, file, "a sweep", errors);
  if (!root) return errors;
  const bool lacks_machines = root->kind == JsonKind::object && !find_member(*root, "machines");
  if (lacks_machines && !machines.empty()) {
    JsonValue names{JsonKind::array, root->span, false, "", {}, {}};
    for (const std::string& machine : machines)
      names.items.push_back({JsonKind::string, root->span, false, machine, {}, {}});
    root->members.push_back({"machines", root->span, std::move(names)});
  }
  Result<SweepSpec> sweep = read_sweep(sources, *root, "");
  if (errors.empty()) return sweep;
  if (!sweep) errors.insert(errors.end(), sweep.errors().begin(), sweep.errors().end());
  return errors;
}

Result<SweepSpec> read_sweep(Sources& sources, const JsonValue& sweep, const std::string& path) {
  RecordFile file{&sources};
  SweepSpec read;
  read.name = std::filesystem::path(sources.path(sweep.span.file)).stem().generic_string();
  sweep_record().read({sweep, file, path}, read);
  check_once(read, file);
  if (file.errors.empty())
    if (const Status size = check_size(read); !size) file.errors = size.errors();
  if (!file.errors.empty()) return file.errors;
  return read;
}

std::vector<FileKey> sweep_file_keys() {
  return keys_of(sweep_record(), program_record(), command_record(), machine_record(),
                 axis_record());
}

Json sweep_schema() { return file_schema("A sweep of memlane", sweep_record()); }

} // namespace memlane::sweep
