// The reader of sweep files: a table for each kind of object (sweep_file_keys.cpp) names its keys
// and the functions that read them.
#pragma once

#include "axis_values.hpp"

#include "memlane/points/sweep_file.hpp"
#include "memlane/support/json_table.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::sweep {

/// Seeds of a sweep.
constexpr std::int64_t most_seeds = 1'000'000;
/// How a fn is written in a sweep file.
inline constexpr const char* fn_form = "write the fn without its name: \"(x, y) = max(x, y)\"";

/// Reads one sweep; collects its errors.
class SweepFileReader {
public:
  SweepFileReader(Sources& sources, std::int32_t file)
      : sources_(sources), file_(file),
        folder_(std::filesystem::path(sources.path(file)).parent_path()) {}

  Result<SweepSpec> read(const JsonValue& sweep, const std::string& path);

  // How the values of keys are read; `path` is the JSON path of the value.
  void ignore(const JsonValue& value, const std::string& path, SweepSpec& sweep);
  void name(const JsonValue& value, const std::string& path, SweepSpec& sweep);
  void description(const JsonValue& value, const std::string& path, SweepSpec& sweep);
  void programs(const JsonValue& value, const std::string& path, SweepSpec& sweep);
  void machines(const JsonValue& value, const std::string& path, SweepSpec& sweep);
  void axes(const JsonValue& value, const std::string& path, SweepSpec& sweep);
  void zip(const JsonValue& value, const std::string& path, SweepSpec& sweep);
  void where(const JsonValue& value, const std::string& path, SweepSpec& sweep);
  void seeds(const JsonValue& value, const std::string& path, SweepSpec& sweep);
  void timing_only(const JsonValue& value, const std::string& path, SweepSpec& sweep);
  void verify(const JsonValue& value, const std::string& path, SweepSpec& sweep);
  void allow_races(const JsonValue& value, const std::string& path, SweepSpec& sweep);
  void pram(const JsonValue& value, const std::string& path, SweepSpec& sweep);
  void prices(const JsonValue& value, const std::string& path, SweepSpec& sweep);
  void inputs(const JsonValue& value, const std::string& path, SweepSpec& sweep);
  void program_name(const JsonValue& value, const std::string& path, SweptProgram& program);
  void program_layouts(const JsonValue& value, const std::string& path, SweptProgram& program);
  void program_fns(const JsonValue& value, const std::string& path, SweptProgram& program);
  void program_types(const JsonValue& value, const std::string& path, SweptProgram& program);
  void parameters(const JsonValue& value, const std::string& path, SweptProgram& program);
  void machine_name(const JsonValue& value, const std::string& path, SweptMachine& machine);
  void machine_values(const JsonValue& value, const std::string& path, SweptMachine& machine);
  void axis_values(const JsonValue& value, const std::string& path, SweepAxis& axis);
  void axis_range(const JsonValue& value, const std::string& path, SweepAxis& axis);
  void axis_pow2(const JsonValue& value, const std::string& path, SweepAxis& axis);

private:
  template <class T>
  void object(const JsonValue& value, const std::string& path, T& into);
  void fail(Span place, const std::string& path, const std::string& message,
            std::vector<std::string> help = {});
  /// Keeps the errors of a value, with its JSON path.
  template <class T>
  bool take_at(const std::string& path, const Result<T>& result);
  bool is_a(JsonKind kind, const JsonValue& value, const std::string& path, std::string_view what,
            std::string help = "");
  bool is_text(const JsonValue& value, const std::string& path, std::string help = "");
  void flag(const JsonValue& value, const std::string& path, bool& into);
  PlacedText placed(const JsonValue& value, const std::string& path);
  std::string beside_file(const std::string& name, std::string_view ending) const;
  SweepAxis axis_named(const JsonMember& member, const std::string& path);
  SweepAxis axis(const JsonMember& member, const std::string& path);
  void value_of(const JsonValue& value, const std::string& path, SweepAxis& axis);
  std::vector<std::int64_t> numbers(const JsonValue& value, const std::string& path,
                                    std::size_t most);
  void check_lengths(const std::vector<SweepAxis>& group, const std::string& path);
  void check_once(const SweepSpec& sweep);
  void check_distinct(const std::vector<std::string>& identities, const std::vector<Span>& places,
                      const std::string& path);

  Sources& sources_;
  std::int32_t file_;
  std::filesystem::path folder_; ///< of the file
  ErrorCollector errors_;
};

/// A key of an object that describes a T.
template <class T>
struct FileKey {
  std::string_view name;
  std::string_view meaning;
  schema::Json schema;
  void (SweepFileReader::*read)(const JsonValue&, const std::string&, T&);
  bool required = false;
};

/// The keys of the object that describes a T, and what it is called.
template <class T>
struct FileObject {
  std::string_view name;    ///< in documents
  std::string_view article; ///< in messages: `a sweep`
  std::vector<FileKey<T>> keys;

  /// `program, layout, fn`.
  std::string names() const {
    std::string all;
    for (const FileKey<T>& key : keys) all += (all.empty() ? "" : ", ") + std::string(key.name);
    return all;
  }
};

template <class T>
const FileObject<T>& file_object();
template <>
const FileObject<SweepSpec>& file_object();
template <>
const FileObject<SweptProgram>& file_object();
template <>
const FileObject<SweptMachine>& file_object();
template <>
const FileObject<SweepAxis>& file_object();

/// The JSON path of a key or an item.
std::string inside(const std::string& path, std::string_view key);
std::string inside(const std::string& path, std::size_t item);

template <class T>
bool SweepFileReader::take_at(const std::string& path, const Result<T>& result) {
  if (result) return true;
  Diagnostics errors = result.errors();
  for (Diagnostic& error : errors)
    if (error.span.file == file_) error.message = path + ": " + error.message;
  errors_.add(errors);
  return false;
}

/// Reads the members of an object with the table of its keys.
template <class T>
void SweepFileReader::object(const JsonValue& value, const std::string& path, T& into) {
  const FileObject<T>& table = file_object<T>();
  if (!is_a(JsonKind::object, value, path, "an object",
            fmt::format("{} has the keys {}", table.article, table.names())))
    return;
  std::vector<std::string> names;
  for (const FileKey<T>& key : table.keys) names.emplace_back(key.name);
  for (const JsonMember& member : value.members) {
    const auto key = std::find_if(table.keys.begin(), table.keys.end(),
                                  [&](const FileKey<T>& k) { return k.name == member.key; });
    if (key != table.keys.end()) {
      (this->*key->read)(member.value, inside(path, member.key), into);
      continue;
    }
    std::vector<std::string> help = did_you_mean(member.key, names);
    if (help.empty()) help = {fmt::format("{} has the keys {}", table.article, table.names())};
    fail(member.key_span, inside(path, member.key), "unknown key", std::move(help));
  }
  for (const FileKey<T>& key : table.keys)
    if (key.required && !find_member(value, key.name))
      fail({value.span.file, value.span.begin, value.span.begin + 1}, inside(path, key.name),
           "is missing", {std::string(key.meaning)});
}

} // namespace memlane::sweep
