#include "memlane/study/results/command_output.hpp"

#include "memlane/show/run_report.hpp"
#include "memlane/study/results/stored_result.hpp"
#include "memlane/support/text.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>

namespace memlane {
namespace {

using sweep::Cell;

/// The fields of a line of CSV, by RFC 4180; `at` is behind its end afterwards.
std::vector<std::string> csv_fields(const std::string& text, std::size_t& at) {
  std::vector<std::string> fields(1);
  for (bool quoted = false; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted && c == '"' && text.compare(at, 2, "\"\"") == 0)
      fields.back() += text[at++];
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && c == ',')
      fields.emplace_back();
    else if (!quoted && c == '\n')
      return ++at, fields;
    else
      fields.back() += c;
  }
  return fields;
}

/// The fields by name: the CSV of a run has a heading and one line.
std::map<std::string, std::string> row_of_output(const std::string& csv) {
  std::size_t at = 0;
  const std::vector<std::string> names = csv_fields(csv, at), fields = csv_fields(csv, at);
  std::map<std::string, std::string> row;
  for (std::size_t k = 0; k < std::min(names.size(), fields.size()); ++k) row[names[k]] = fields[k];
  return row;
}

/// A number where a text is one, so that queries can compare and order it.
Cell cell_of_field(const std::string& column, const std::string& text) {
  if (text.empty()) return {};
  if (text == "true" || text == "false") return std::int64_t{text == "true"};
  if (const auto whole = number_of<std::int64_t>(text)) return *whole;
  char* end = nullptr;
  const double real = std::strtod(text.c_str(), &end);
  return *end == '\0' ? Cell(real) : stored_cell(column, text);
}

} // namespace

Stop stop_of_output(const sweep::CommandOutput& output) {
  const std::string name = row_of_output(output.csv)["stop"];
  for (const Stop stop : {Stop::steps, Stop::time, Stop::memory, Stop::wall_clock})
    if (name == name_of(stop)) return stop;
  return Stop::none;
}

void take_counts_of(const sweep::CommandOutput& output, std::vector<Cell>& cells) {
  std::map<std::string, std::string> row = row_of_output(output.csv);
  const std::vector<sweep::StoreColumn>& columns = stored_columns();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const std::string& name = columns[k].name;
    if (!columns[k].shared && name != "seed" && row.contains(name))
      cells[k] = cell_of_field(name, row[name]);
  }
}

} // namespace memlane
