// Single values as the formats write them.
#pragma once

#include "memlane/ir/program.hpp"
#include "memlane/show/run_report.hpp"
#include "memlane/support/json_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace memlane {

/// A JSON value as a cell: a text as it is, null as nothing, no digit of a number lost.
inline std::string cell_text(const schema::Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  return value.dump();
}

/// RFC 4180: quotes where a comma, a quote or a line end needs them.
inline std::string csv_cell(std::string_view cell) {
  if (cell.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(cell);
  std::string out = "\"";
  for (char c : cell) {
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

inline nlohmann::ordered_json constant_json(const ir::Constant& constant) {
  if (constant.type == ir::Scalar::boolean) return constant.value.truth();
  if (ir::is_integer(constant.type)) return constant.value.integer();
  return schema::json_of_value(constant.value.real());
}

} // namespace memlane
