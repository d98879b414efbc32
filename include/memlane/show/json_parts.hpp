// Single values as the formats write them, and members that the JSON of several commands has.
#pragma once

#include "memlane/count/fields.hpp"
#include "memlane/ir/program.hpp"
#include "memlane/show/run_report.hpp"
#include "memlane/support/json_table.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

/// A JSON value as a cell: a text as it is, null as nothing, no digit of a number lost.
inline std::string cell_text(const schema::Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  return value.dump();
}

/// RFC 4180: quotes where a comma, a quote or a line end needs them. Other control characters are
/// escaped: a terminal may show the cell.
inline std::string csv_cell(std::string_view cell) {
  const std::string shown = escape_controls(cell, "\t\r\n");
  if (shown.find_first_of(",\"\r\n") == std::string::npos) return shown;
  std::string out = "\"";
  for (const char c : shown) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

/// The ratio of a claim's sides: four digits, and as many more as tell it from 1.
inline std::string ratio_cell(double ratio) {
  constexpr int most = 17; // tell any two doubles apart
  std::string text = fmt::format("{:.4g}", ratio);
  for (int digits = 5; text == "1" && ratio != 1 && digits <= most; ++digits)
    text = fmt::format("{:.{}g}", ratio, digits);
  return text;
}

/// `not_run` as `not run`.
inline std::string with_blanks(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

/// `n=64;m=4`.
inline std::string parameters_cell(const ProgramInfo& program) {
  std::string text;
  for (const ir::Constant& p : program.parameters)
    text += (text.empty() ? "" : ";") + p.name + "=" + to_string(p.type, p.value);
  return text;
}

inline schema::Json constant_json(const ir::Constant& constant) {
  if (constant.type == ir::Scalar::boolean) return constant.value.truth();
  if (ir::is_integer(constant.type)) return constant.value.integer();
  return schema::json_of_value(constant.value.real());
}

/// The tool and the rules by which it counted.
schema::Json tool_json(std::string_view version);
schema::Json tool_schema();

/// The member of an integer of a table of counts; `get` gives the counts of what is described.
template <class T, class Counted, class Get = std::identity>
schema::Member<T> count_member(const Field<Counted>& field, Get get = {}) {
  const schema::Json schema = schema::count(fmt::format("{} ({})", field.meaning, field.unit));
  return {
      std::string(field.name), field.known ? schema::or_null(schema) : schema,
      [get, &field](const T& described) { return field.count(schema::get_from(described, get)); }};
}
/// One for each integer of the table.
template <class T, class Counted, class Get = std::identity>
schema::Members<T> count_members(const std::vector<Field<Counted>>& fields, Get get = {}) {
  schema::Members<T> members;
  for (const Field<Counted>& field : fields) members.push_back(count_member<T>(field, get));
  return members;
}

/// A text, or null where it is empty.
std::optional<std::string> if_text(const std::string& text);

/// A program's parameters and their values, what was replaced in it, and its inputs.
schema::Json parameters_json(const ProgramInfo& program);
schema::Json parameters_schema();
schema::Json replaced_json(const ProgramInfo& program);
schema::Json replaced_schema();
schema::Json inputs_json(const ProgramInfo& program);
schema::Json inputs_schema();
schema::Json sha256_schema();
schema::Json races_allowed_schema();
schema::Json verify_schema();
schema::Json limitation_schema();

/// A result as it is written; bytes that are not UTF-8 appear as U+FFFD. `indent` -1: on one line.
std::string json_text(const schema::Json& result, int indent);

/// A schema of JSON Lines: what each line of `--format jsonl` is.
schema::Json line_document(std::string_view command, schema::Json line);

} // namespace memlane
