#include "plot_table.hpp"

#include "memlane/study/results/cell_numbers.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace memlane {
namespace {

using sweep::Cell;
using sweep::StoreColumn;
using Names = std::vector<std::string>;

constexpr std::int64_t most_rows = 100'000;

/// Columns of a store by all names, also the letters and keys of machines (`p`, `shared.latency`).
std::vector<StoreColumn> columns_of(const sweep::StoreReader& reader) {
  std::vector<StoreColumn> columns = reader.columns();
  const std::vector<StoreColumn>& others = reader.other_names();
  columns.insert(columns.end(), others.begin(), others.end());
  return columns;
}

bool has_name(const std::vector<StoreColumn>& columns, std::string_view name) {
  return std::any_of(columns.begin(), columns.end(),
                     [&](const StoreColumn& column) { return column.name == name; });
}

/// Columns of what was run that tell these rows of a store apart.
Result<Names> telling_columns(const sweep::StoreReader& reader, const sweep::RowQuery& query) {
  Result<Names> names = reader.shown_columns(query);
  if (!names) return names;
  const std::vector<StoreColumn> columns = reader.columns();
  std::erase_if(*names, [&](const std::string& name) {
    return name == "sweep" || name == "path" ||
           std::none_of(columns.begin(), columns.end(), [&](const StoreColumn& column) {
             return column.name == name && (column.shared || column.parameter);
           });
  });
  return names;
}

/// The table's columns: those of the request and of printed values, those that tell rows apart, and
/// what the words about a point need. Errors: names that no store knows.
Status add_columns(const std::vector<PlottedStore>& stores, const PlotRequest& request,
                   const PrintedValues& printed, PlotTable& table) {
  std::vector<StoreColumn> known;
  for (const PlottedStore& store : stores)
    for (StoreColumn& column : columns_of(*store.reader)) known.push_back(std::move(column));
  known.push_back({"store", "the file of the row", true});
  if (!printed.rows.empty()) known.push_back({"series", "the name of a printed value's series"});
  ErrorCollector errors;
  for (const PlotColumn& column : request.columns) {
    const auto is_taken = [&](const PlottedStore& store) {
      return has_name(store.reader->columns(), column.name);
    };
    const Names& of = column.formula.columns;
    if (std::any_of(stores.begin(), stores.end(), is_taken) ||
        std::find(of.begin(), of.end(), column.name) != of.end())
      errors.add(error_in(column.option, fmt::format("'{}' is a column already", column.name),
                          {"give the formula another name: FORMULA as NAME"}));
    known.insert(known.begin(), {column.name, ""}); // before a machine's letter
  }
  const auto add = [&](const char* option, const Names& names) {
    for (const std::string& name : names) {
      const auto column =
          std::find_if(known.begin(), known.end(), [&](auto& one) { return one.name == name; });
      if (column != known.end() && !table.has(name))
        table.columns.push_back(*column);
      else if (column == known.end() && option)
        errors.add(error_in(option, fmt::format("no store has a column '{}'", name),
                            stores.front().reader->suggestions(name)));
    }
  };
  add("--x", request.x ? Names{*request.x} : Names());
  add("--y", request.y);
  add("--by", request.by.value_or(Names()));
  add("--panels", request.panels);
  add("--printed", printed.columns);
  for (const PlotColumn& column : request.columns)
    add(column.option.c_str(), column.formula.columns);
  for (const PlotCurve& curve : request.curves)
    add("--curve", curve.of_claims ? Names{"key"} : curve.formula.columns);
  add(nullptr, table.telling);
  add(nullptr, {"program", "machine", "machine_name", "machine_model", "basis", "command",
                "check_failed", "time", "nanoseconds", "store"});
  for (const StoreColumn& column : known)
    if (column.parameter) add(nullptr, {column.name});
  return errors.status();
}

/// Adds the rows of a store, with their claims if asked for; cells of columns that it lacks stay
/// empty.
Status add_rows(const PlottedStore& store, sweep::RowQuery query, const PlotRequest& request,
                PlotTable& table) {
  const Result<std::int64_t> all = store.reader->count(query);
  if (!all) return all.errors();
  if (*all + static_cast<std::int64_t>(table.rows.size() + table.left_out) > most_rows)
    return error_in("", fmt::format("there are more than {} rows to plot", most_rows),
                    {"--where 'n >= 1024' takes fewer"});
  const std::vector<StoreColumn> known = columns_of(*store.reader);
  const auto is_computed = [&](const StoreColumn& column) {
    return std::any_of(request.columns.begin(), request.columns.end(),
                       [&](const PlotColumn& one) { return one.name == column.name; });
  };
  for (const StoreColumn& column : table.columns)
    if (has_name(known, column.name) && !is_computed(column)) query.columns.push_back(column.name);
  const bool with_claims = std::any_of(request.curves.begin(), request.curves.end(),
                                       [](const PlotCurve& curve) { return curve.of_claims; });
  query.also = {{"status = 'done'"}};
  Result<sweep::Rows> rows = store.reader->rows(query);
  if (!rows) return rows.errors();
  table.left_out += static_cast<std::size_t>(*all) - rows->rows.size();
  for (std::vector<Cell>& cells : rows->rows) {
    PlotRow row{SeriesBasis::model, std::vector<Cell>(table.columns.size())};
    for (std::size_t i = 0; i < cells.size(); ++i)
      row.cells[table.at(query.columns[i])] = std::move(cells[i]);
    row.cells[table.at("store")] = store.name;
    for (const SeriesBasis basis : {SeriesBasis::formula, SeriesBasis::measured})
      if (table.text(row, "basis") == name_of(basis)) row.basis = basis;
    if (with_claims) {
      const Result<std::string> json = store.reader->json(table.text(row, "key"));
      if (!json) return json.errors();
      row.claims = claims_in(*json);
      std::erase_if(row.claims, [&](const RowClaim& claim) { // such as `merge.shared_stages`
        return !has_name(known, claim.count) && !table.has(claim.count);
      });
    }
    table.rows.push_back(std::move(row));
  }
  return Done{};
}

/// Computes a column in all rows that do not have it, as printed rows may; a row without a number
/// in each of the formula's columns has no value, one where the formula is undefined NaN.
Status fill_column(const PlotColumn& column, PlotTable& table) {
  const std::size_t place = table.at(column.name);
  for (PlotRow& row : table.rows) {
    if (row.cells[place].index() != 0) continue;
    std::vector<exact::Number> numbers;
    for (const std::string& name : column.formula.columns) {
      const Cell& cell = table.cell(row, name);
      if (std::holds_alternative<std::string>(cell)) return text_in_formula(column.option, name);
      if (auto number = exact_number(cell)) numbers.push_back(std::move(*number));
    }
    if (numbers.size() < column.formula.columns.size()) continue;
    const ColumnValue value = value_of(column.formula, numbers);
    row.cells[place] = value.value ? cell_of_number(*value.value) : Cell(NAN);
  }
  return Done{};
}

/// The telling column of numbers with the most values; of those with as many `n`, else a parameter.
Result<std::string> most_varied(const PlotTable& table) {
  std::string best;
  std::tuple<std::size_t, bool, bool> most{1, true, true};
  for (const std::string& name : table.telling) {
    if (!table.has(name) || table.has_text(name)) continue;
    std::set<double> simulated; // or measured: a paper's values do not choose the axis
    for (const PlotRow& row : table.rows)
      if (const auto value = sweep::number_in(table.cell(row, name));
          value && row.basis != SeriesBasis::printed)
        simulated.insert(*value);
    const std::tuple rank{simulated.size(), name == "n", table.columns[table.at(name)].parameter};
    if (rank <= most) continue;
    best = name;
    most = rank;
  }
  if (!best.empty()) return best;
  Names others = table.telling;
  for (const StoreColumn& column : table.columns)
    if (table.telling.empty() && column.parameter) others.push_back(column.name);
  return error_in("--x", "no column of numbers has several values in these rows",
                  {fmt::format("choose the x axis with --x: {}", fmt::join(others, ", "))});
}

/// Whether rows of one basis that are equal in `columns` differ in this one.
bool differs_within(const PlotTable& table, const Names& columns, std::string_view name) {
  std::map<Names, const Cell*> first;
  for (const PlotRow& row : table.rows) {
    if (row.basis == SeriesBasis::printed) continue;
    Names key = {std::string(name_of(row.basis))};
    for (const std::string& column : columns) key.push_back(table.text(row, column));
    const auto [known, is_new] = first.emplace(std::move(key), &table.cell(row, name));
    if (!is_new && *known->second != table.cell(row, name)) return true;
  }
  return false;
}

} // namespace

std::size_t PlotTable::at(std::string_view column) const {
  const auto known = std::find_if(columns.begin(), columns.end(),
                                  [&](const StoreColumn& one) { return one.name == column; });
  return static_cast<std::size_t>(known - columns.begin());
}

const Cell& PlotTable::cell(const PlotRow& row, std::string_view column) const {
  static const Cell none;
  const std::size_t place = at(column);
  return place < columns.size() ? row.cells[place] : none;
}

std::string PlotTable::text(const PlotRow& row, std::string_view column) const {
  const Cell& value = cell(row, column);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{}", *real);
  const auto* text = std::get_if<std::string>(&value);
  return text ? *text : "";
}

std::vector<double> PlotTable::numbers(std::string_view column) const {
  std::set<double> values;
  for (const PlotRow& row : rows)
    if (const auto value = sweep::number_in(cell(row, column)); value && !std::isnan(*value))
      values.insert(*value);
  return {values.begin(), values.end()};
}

bool PlotTable::has_text(std::string_view column) const {
  return std::any_of(rows.begin(), rows.end(), [&](const PlotRow& row) {
    return std::holds_alternative<std::string>(cell(row, column));
  });
}

Names differing_columns(const PlotTable& table, const std::string& x, Names chosen, bool at_x) {
  Names added;
  for (const std::string& name : table.telling) {
    if (name == x || std::find(chosen.begin(), chosen.end(), name) != chosen.end()) continue;
    Names within = chosen;
    if (at_x || name == "store" || !table.has_text(name) || table.has_text(x)) within.push_back(x);
    if (!differs_within(table, within, name)) continue;
    chosen.push_back(name);
    added.push_back(name);
  }
  return added;
}

Result<PlotColumns> choose_columns(const PlotTable& table, const PlotRequest& request) {
  PlotColumns chosen{request.x.value_or(""), request.y, {}, request.panels};
  if (!request.x) {
    const Result<std::string> x = most_varied(table);
    if (!x) return x.errors();
    chosen.x = *x;
  }
  for (const char* name : {"time", "nanoseconds"}) // measured rows have nanoseconds
    if (request.y.empty() && !table.numbers(name).empty()) chosen.y.emplace_back(name);
  if (chosen.y.empty()) chosen.y = {"time"};
  chosen.by = request.by ? *request.by : differing_columns(table, chosen.x, chosen.panels, false);
  return chosen;
}

Result<PlotTable> read_plot_table(const std::vector<PlottedStore>& stores,
                                  const PlotRequest& request, const PrintedValues& printed) {
  PlotTable table;
  sweep::RowQuery query;
  query.where = request.where;
  ErrorCollector errors;
  const auto tell = [&](const Names& names) {
    for (const std::string& name : names)
      if (std::find(table.telling.begin(), table.telling.end(), name) == table.telling.end())
        table.telling.push_back(name);
  };
  if (stores.size() > 1) tell({"program", "machine"});
  for (const PlottedStore& store : stores) {
    Names names;
    errors.take(telling_columns(*store.reader, query), names);
    tell(names);
  }
  if (stores.size() > 1) tell({"store"});
  errors.check(add_columns(stores, request, printed, table));
  if (!errors.ok()) return errors.errors();
  for (const PlottedStore& store : stores)
    if (Status added = add_rows(store, query, request, table); !added) return added.errors();
  if (table.rows.empty()) {
    std::vector<std::string> help;
    if (table.left_out > 0)
      help.push_back(fmt::format("{} did not end: 'memlane results' shows why",
                                 counted(static_cast<std::int64_t>(table.left_out), "point")));
    return error_in(request.where.empty() ? "" : "--where", "no row to plot", help);
  }
  if (Status added = add_printed(printed, table); !added) return added.errors();
  for (const PlotColumn& column : request.columns)
    if (Status filled = fill_column(column, table); !filled) return filled.errors();
  return table;
}

} // namespace memlane
