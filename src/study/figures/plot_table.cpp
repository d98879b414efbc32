#include "plot_table.hpp"

#include "memlane/support/suggest.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace memlane {
namespace {

using sweep::Cell;
using sweep::StoreColumn;

/// Beside parameters and shared columns; those that a store lacks are empty.
constexpr std::string_view own_columns[] = {"seed",    "status", "check_failed", "basis",
                                            "command", "time",   "nanoseconds"};

struct OptionColumn {
  std::string_view option;
  std::string name;
};

std::vector<OptionColumn> wanted_columns(const PlotRequest& request) {
  std::vector<OptionColumn> wanted;
  if (request.x) wanted.push_back({"--x", *request.x});
  for (const std::string& name : request.y) wanted.push_back({"--y", name});
  for (const std::string& name : request.by.value_or(std::vector<std::string>()))
    wanted.push_back({"--by", name});
  for (const std::string& name : request.panels.value_or(std::vector<std::string>()))
    wanted.push_back({"--panels", name});
  return wanted;
}

/// The columns of all stores, each once, and `store`; names of machine columns (`p`) only if they
/// are asked for.
std::vector<StoreColumn> columns_of_all(const std::vector<PlottedStore>& stores,
                                        const PlotRequest& request) {
  std::vector<StoreColumn> all;
  std::set<std::string> seen, asked;
  for (const PlottedStore& store : stores)
    for (StoreColumn& column : store.reader->columns())
      if (seen.insert(column.name).second) all.push_back(std::move(column));
  for (const OptionColumn& wanted : wanted_columns(request)) asked.insert(wanted.name);
  for (const PlottedStore& store : stores)
    for (const StoreColumn& column : store.reader->machine_names())
      if (asked.count(column.name) != 0 && seen.insert(column.name).second) all.push_back(column);
  all.push_back({"store", "the file of the row", true});
  return all;
}

Status check_columns(const PlotRequest& request, const std::vector<PlottedStore>& stores,
                     const std::vector<StoreColumn>& columns) {
  std::vector<std::string> known;
  for (const StoreColumn& column : columns) known.push_back(column.name);
  ErrorCollector errors;
  for (const OptionColumn& wanted : wanted_columns(request)) {
    if (std::find(known.begin(), known.end(), wanted.name) != known.end()) continue;
    std::vector<std::string> help = did_you_mean(wanted.name, known);
    if (help.empty()) help = stores.front().reader->suggestions(wanted.name);
    errors.add(error_in(std::string(wanted.option),
                        fmt::format("no store has a column '{}'", wanted.name), help));
  }
  return errors.status();
}

bool is_read(const StoreColumn& column, const PlotRequest& request) {
  if (column.shared || column.parameter) return true;
  for (const std::string_view name : own_columns)
    if (column.name == name) return true;
  for (const OptionColumn& wanted : wanted_columns(request))
    if (column.name == wanted.name) return true;
  return false;
}

SeriesBasis basis_of(const Cell& cell) {
  const std::string text = text_of_cell(cell);
  for (const SeriesBasis basis :
       {SeriesBasis::formula, SeriesBasis::measured, SeriesBasis::printed})
    if (text == name_of(basis)) return basis;
  return SeriesBasis::model;
}

/// Adds the rows of a store; cells of columns that it lacks stay empty.
Status add_rows(const PlottedStore& store, const PlotRequest& request, PlotTable& table) {
  sweep::RowQuery query;
  query.where = request.where;
  query.most = static_cast<std::int64_t>(most_plotted_rows) + 1;
  std::vector<std::size_t> places;
  std::vector<StoreColumn> columns = store.reader->columns();
  const auto& machine = store.reader->machine_names();
  columns.insert(columns.end(), machine.begin(), machine.end());
  for (const StoreColumn& column : columns) {
    if (!table.has(column.name)) continue;
    query.columns.push_back(column.name);
    places.push_back(table.at(column.name));
  }
  Result<sweep::Rows> rows = store.reader->rows(query);
  if (!rows) return rows.errors();
  for (std::vector<Cell>& cells : rows->rows) {
    PlotRow row;
    row.cells.resize(table.columns.size());
    for (std::size_t i = 0; i < places.size(); ++i) row.cells[places[i]] = std::move(cells[i]);
    row.cells.back() = store.name;
    const std::string status =
        table.has("status") ? text_of_cell(table.cell(row, "status")) : std::string();
    if (!status.empty() && status != "done") {
      ++table.left_out;
      continue;
    }
    if (table.has("basis")) row.basis = basis_of(table.cell(row, "basis"));
    table.rows.push_back(std::move(row));
  }
  if (table.rows.size() + table.left_out > most_plotted_rows)
    return error_in("", fmt::format("there are more than {} rows to plot", most_plotted_rows),
                    {"--where 'n >= 1024' takes fewer"});
  return Done{};
}

/// Whether the stores have numbers in a column, and nothing else.
bool has_only_numbers(const PlotTable& table, std::size_t column) {
  bool any = false;
  for (const PlotRow& row : table.rows) {
    if (std::holds_alternative<std::string>(row.cells[column])) return false;
    any = any || number_of_cell(row.cells[column]);
  }
  return any;
}

/// Adds the printed rows. Errors: what is no number in a column of numbers, with its place.
Status add_printed(const PrintedValues& printed, PlotTable& table) {
  std::vector<std::size_t> places;
  std::vector<bool> numbers;
  for (const std::string& column : printed.columns) {
    places.push_back(table.at(column));
    numbers.push_back(has_only_numbers(table, places.back()));
  }
  ErrorCollector errors;
  for (std::size_t k = 0; k < printed.rows.size(); ++k) {
    PlotRow row;
    row.basis = SeriesBasis::printed;
    row.cells.resize(table.columns.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      Cell& cell = row.cells[places[i]] = printed.rows[k][i];
      if (!numbers[i]) continue;
      if (const auto* text = std::get_if<std::string>(&cell)) cell = number_in_text(*text);
      const auto number = number_of_cell(cell);
      const bool was_empty = std::holds_alternative<std::monostate>(printed.rows[k][i]);
      if (was_empty || (number && std::isfinite(*number))) continue;
      errors.add(error_at(printed.places[k][i],
                          fmt::format("'{}' is no number, as {} has in the store",
                                      text_of_cell(printed.rows[k][i]), printed.columns[i])));
    }
    table.rows.push_back(std::move(row));
  }
  return errors.status();
}

/// Measured rows have nanoseconds instead of time.
void choose_y(const PlotRequest& request, PlotTable& table) {
  table.y = request.y;
  if (!table.y.empty()) return;
  for (const char* name : {"time", "nanoseconds"}) {
    if (!table.has(name)) continue;
    const std::size_t at = table.at(name);
    if (std::any_of(table.rows.begin(), table.rows.end(),
                    [&](const PlotRow& row) { return number_of_cell(row.cells[at]).has_value(); }))
      table.y.emplace_back(name);
  }
  if (table.y.empty()) table.y = {"time"};
}

/// Printed values have columns of the stores and `series`.
Status check_printed(const PrintedValues& printed, const PlotTable& table) {
  std::vector<std::string> known;
  for (const StoreColumn& column : table.columns) known.push_back(column.name);
  ErrorCollector errors;
  for (const std::string& column : printed.columns) {
    if (table.has(column)) continue;
    std::vector<std::string> help = did_you_mean(column, known);
    help.push_back(fmt::format("its heading may name: {}", fmt::join(known, ", ")));
    errors.add(error_in("--printed", fmt::format("no store has a column '{}'", column), help));
  }
  return errors.status();
}

/// Where all layouts, or all inputs, are those of one array, their names alone tell them apart:
/// `padded(1)` of `t=padded(1)`.
void name_by_array(PlotTable& table, const char* column) {
  if (!table.has(column)) return;
  const std::size_t at = table.at(column);
  std::set<std::string> arrays;
  for (const PlotRow& row : table.rows) {
    const std::string text = text_of_cell(row.cells[at]);
    const std::size_t end = text.find('=');
    if (text.find('=', end + 1) != std::string::npos && end != std::string::npos) return;
    if (!text.empty()) arrays.insert(text.substr(0, end));
  }
  if (arrays.size() != 1) return;
  for (PlotRow& row : table.rows) {
    const std::string text = text_of_cell(row.cells[at]);
    if (!text.empty())
      row.cells[at] = text.substr(text.find('=') + 1);
    else if (row.basis != SeriesBasis::printed)
      row.cells[at] = std::string("as declared");
  }
}

/// Eight digits of a hash tell the contents of a few files apart, and fit into a legend.
void shorten_hashes(PlotTable& table) {
  constexpr std::size_t whole = 64, shown = 8; // hexadecimal digits
  if (!table.has("input_hashes")) return;
  const std::size_t at = table.at("input_hashes");
  for (PlotRow& row : table.rows) {
    std::string text = text_of_cell(row.cells[at]);
    for (std::size_t equals = text.find('='); equals != std::string::npos;
         equals = text.find('=', equals + 1))
      if (text.size() > equals + whole) text.erase(equals + 1 + shown, whole - shown);
    row.cells[at] = std::move(text);
  }
}

} // namespace

std::size_t PlotTable::at(std::string_view column) const {
  std::size_t i = 0;
  while (columns[i].name != column) ++i;
  return i;
}

std::vector<std::size_t> PlotTable::places(const std::vector<std::string>& names) const {
  std::vector<std::size_t> places;
  for (const std::string& name : names) places.push_back(at(name));
  return places;
}

bool PlotTable::has(std::string_view column) const {
  return std::any_of(columns.begin(), columns.end(),
                     [&](const StoreColumn& known) { return known.name == column; });
}

const Cell& PlotTable::cell(const PlotRow& row, std::string_view column) const {
  return row.cells[at(column)];
}

Status check_printed_rows(const PrintedValues& printed, const PlotTable& table,
                          const std::string& x) {
  ErrorCollector errors;
  const auto place_in_heading = [&](const std::string& name) {
    const auto at = std::find(printed.columns.begin(), printed.columns.end(), name);
    return static_cast<std::size_t>(at - printed.columns.begin());
  };
  const std::size_t at_x = place_in_heading(x), none = printed.columns.size();
  std::vector<std::size_t> at_y;
  for (const std::string& y : table.y)
    if (const std::size_t at = place_in_heading(y); at < none) at_y.push_back(at);
  if (at_x == none)
    errors.add(error_at(printed.heading, fmt::format("no column '{}', which is the x axis", x),
                        {"name it in the heading, or choose another one with --x"}));
  if (at_y.empty())
    errors.add(error_at(printed.heading,
                        fmt::format("no column '{}', which is drawn", fmt::join(table.y, "' or '")),
                        {"name it in the heading, or choose another one with --y"}));
  for (std::size_t k = 0; k < printed.rows.size() && errors.ok(); ++k) {
    const auto is_empty = [&](std::size_t at) { return text_of_cell(printed.rows[k][at]).empty(); };
    if (is_empty(at_x))
      errors.add(error_at(printed.places[k][at_x], fmt::format("no value of {}", x)));
    else if (std::all_of(at_y.begin(), at_y.end(), is_empty))
      errors.add(error_at(printed.places[k][at_y.front()],
                          fmt::format("no value of {}", fmt::join(table.y, " or "))));
  }
  return errors.status();
}

Result<PlotTable> read_plot_table(const std::vector<PlottedStore>& stores,
                                  const PlotRequest& request, const PrintedValues& printed) {
  PlotTable table;
  std::vector<StoreColumn> all = columns_of_all(stores, request);
  if (Status known = check_columns(request, stores, all); !known) return known.errors();
  for (StoreColumn& column : all)
    if (is_read(column, request)) table.columns.push_back(std::move(column));
  if (!printed.rows.empty()) {
    table.columns.insert(table.columns.end() - 1,
                         {"series", "the name of a printed value's series"});
    if (Status fits = check_printed(printed, table); !fits) return fits.errors();
  }
  for (const PlottedStore& store : stores)
    if (Status added = add_rows(store, request, table); !added) return added.errors();
  if (table.rows.empty()) {
    std::vector<std::string> help;
    if (table.left_out > 0)
      help.push_back(fmt::format("{} did not end: 'memlane results' shows why",
                                 counted(static_cast<std::int64_t>(table.left_out), "point")));
    return error_in(request.where.empty() ? "" : "--where", "no row to plot", help);
  }
  if (Status added = add_printed(printed, table); !added) return added.errors();
  choose_y(request, table);
  shorten_hashes(table);
  for (const char* const column : {"layouts", "inputs", "input_hashes"})
    name_by_array(table, column);
  return table;
}

std::optional<double> number_of_cell(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return std::nullopt;
}

std::string text_of_cell(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{}", *real);
  const auto* text = std::get_if<std::string>(&cell);
  return text ? *text : "";
}

} // namespace memlane
