#include "memlane/study/results/row_table.hpp"

#include "table_columns.hpp"

#include "memlane/study/results/cell_numbers.hpp"
#include "memlane/support/suggest.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace memlane {
namespace {

using exact::Number;
using sweep::Cell;
using Cells = std::vector<Cell>;
using Names = std::vector<std::string>;

bool has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Makes the table's cells from rows of the store.
class RowTabler {
public:
  RowTabler(const std::vector<TableColumn>& columns, const sweep::Rows& rows)
      : columns_(columns), rows_(rows) {
    for (std::size_t i = 0; i < rows.columns.size(); ++i) places_.emplace(rows.columns[i], i);
    for (const TableColumn& column : columns) table_.rows.columns.push_back(column.name);
  }

  Result<RowTable> make(bool grouped) {
    grouped ? add_groups() : add_rows();
    if (!errors_.ok()) return errors_.errors();
    if (without_value_ > 0)
      table_.notes.push_back(fmt::format(
          "{} without a value: {}",
          counted(without_value_, "cell") + (without_value_ == 1 ? " is" : " are"), reason_));
    return std::move(table_);
  }

private:
  const Cell& at(const Cells& row, const std::string& column) const {
    return row[places_.at(column)];
  }

  void add_rows() {
    for (const Cells& row : rows_.rows) {
      Cells& cells = table_.rows.rows.emplace_back();
      for (const TableColumn& column : columns_)
        cells.push_back(column.formula ? cell(*column.formula, row, {}) : at(row, column.text));
    }
  }

  /// Groups in the order of their first rows.
  void add_groups() {
    std::map<Cells, std::size_t> numbers;
    std::vector<std::vector<const Cells*>> groups;
    for (const Cells& row : rows_.rows) {
      Cells key;
      for (const TableColumn& column : columns_)
        if (column.is_key) key.push_back(at(row, column.text));
      const auto [number, added] = numbers.emplace(std::move(key), groups.size());
      if (added) groups.emplace_back();
      groups[number->second].push_back(&row);
    }
    note_versions(groups);
    for (const auto& group : groups) {
      Cells& cells = table_.rows.rows.emplace_back();
      for (const TableColumn& column : columns_)
        cells.push_back(column.formula ? of_group(*column.formula, group)
                                       : at(*group.front(), column.text));
    }
  }

  /// Runs of a program before and after it was edited are no repetitions of each other.
  void note_versions(const std::vector<std::vector<const Cells*>>& groups) {
    if (!places_.contains("sha256")) return;
    std::int64_t mixed = 0;
    for (const auto& group : groups) {
      std::map<Cell, Cell> version; // by program
      mixed += std::any_of(group.begin(), group.end(), [&](const Cells* row) {
        const auto& [program, first] =
            *version.emplace(at(*row, "program"), at(*row, "sha256")).first;
        return at(*row, "sha256") != first;
      });
    }
    if (mixed > 0)
      table_.notes.push_back(fmt::format(
          "{} several versions of a program: add sha256 to --group-by, or take one version with "
          "--where \"sha256 = '…'\"",
          counted(mixed, "group") + (mixed == 1 ? " has" : " have")));
  }

  Cell of_group(const ColumnFormula& formula, const std::vector<const Cells*>& group) {
    std::vector<Number> aggregates;
    for (const ColumnAggregate& aggregate : formula.aggregates) {
      std::vector<Number> values;
      for (const Cells* row : group) {
        if (aggregate.kind == Aggregate::count && counts_row(aggregate, *row))
          values.emplace_back(1);
        else if (aggregate.kind != Aggregate::count)
          if (auto value = number(aggregate.of[0], *row, {})) values.push_back(std::move(*value));
      }
      auto value = aggregate_of(aggregate.kind, std::move(values));
      if (!value) return {};
      aggregates.push_back(std::move(*value));
    }
    return cell(formula, *group.front(), aggregates);
  }

  /// `count()` counts all rows, `count(program)` those that have one.
  bool counts_row(const ColumnAggregate& aggregate, const Cells& row) const {
    return aggregate.of.empty() ||
           std::all_of(aggregate.of[0].columns.begin(), aggregate.of[0].columns.end(),
                       [&](const std::string& name) { return at(row, name).index() != 0; });
  }

  Cell cell(const ColumnFormula& formula, const Cells& row, const std::vector<Number>& aggregates) {
    const auto value = number(formula, row, aggregates);
    return value ? cell_of_number(*value) : Cell();
  }

  /// Nothing where a column has no value, or the formula has none.
  std::optional<Number> number(const ColumnFormula& formula, const Cells& row,
                               const std::vector<Number>& aggregates) {
    std::vector<Number> values;
    for (const std::string& name : formula.columns) {
      const Cell& cell = at(row, name);
      if (std::holds_alternative<std::string>(cell)) {
        if (errors_.ok()) {
          Diagnostic error = text_in_formula("--columns", name);
          error.help.push_back("count(" + name + ") counts rows that have one");
          errors_.add(std::move(error));
        }
        return std::nullopt;
      }
      auto value = exact_number(cell);
      if (!value) return std::nullopt;
      values.push_back(std::move(*value));
    }
    ColumnValue value = value_of(formula, values, aggregates);
    if (!value.value && without_value_++ == 0) reason_ = value.reason;
    return value.value;
  }

  const std::vector<TableColumn>& columns_;
  const sweep::Rows& rows_;
  std::map<std::string, std::size_t> places_;
  RowTable table_;
  std::int64_t without_value_ = 0; ///< though its columns have one
  std::string reason_;
  ErrorCollector errors_;
};

/// The columns of the store that the table needs.
Names needed_columns(const std::vector<TableColumn>& columns) {
  Names needed;
  for (const TableColumn& column : columns)
    for (const std::string& name :
         column.formula ? columns_of(*column.formula) : Names{column.text})
      if (!has(needed, name) && name != "baseline" && name != "speedup") needed.push_back(name);
  if (needed.empty()) needed.emplace_back("key"); // `count()`
  return needed;
}

/// Sorts by columns of the table.
Status sort_rows(sweep::Rows& rows, const std::vector<sweep::OrderColumn>& order) {
  std::vector<std::size_t> places;
  ErrorCollector errors;
  for (const auto& [name, descending] : order) {
    const auto at = std::find(rows.columns.begin(), rows.columns.end(), name);
    if (at == rows.columns.end()) {
      std::vector<std::string> help = sweep::order_help(name);
      if (help.empty()) help = did_you_mean(name, rows.columns);
      help.push_back(fmt::format("it has {}", fmt::join(rows.columns, ", ")));
      errors.add(
          error_in("--order", fmt::format("the table has no column '{}'", name), std::move(help)));
    }
    places.push_back(static_cast<std::size_t>(at - rows.columns.begin()));
  }
  if (!errors.ok()) return errors.errors();
  const auto less = [](const Cell& a, const Cell& b) {
    const auto left = sweep::number_in(a), right = sweep::number_in(b);
    return left && right ? *left < *right : a < b;
  };
  std::stable_sort(rows.rows.begin(), rows.rows.end(), [&](const Cells& a, const Cells& b) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Cell &left = a[places[i]], &right = b[places[i]];
      if (less(left, right)) return !order[i].descending;
      if (less(right, left)) return order[i].descending;
    }
    return false;
  });
  return Done{};
}

/// What the rows of a query need for the table; `grouped`: rows of points that are not done would
/// spoil aggregates.
sweep::BaselineQuery query_of(const TableRequest& request, const std::vector<TableColumn>& columns,
                              bool grouped, bool sorted_here, bool has_versions) {
  sweep::BaselineQuery query = request.query;
  query.rows.columns = needed_columns(columns);
  if (grouped && has_versions)
    for (const char* const name : {"program", "sha256"})
      if (!has(query.rows.columns, name)) query.rows.columns.emplace_back(name);
  if (grouped) query.rows.also.push_back({"status = 'done'"});
  if (sorted_here) {
    query.rows.order.clear();
    for (const std::string& name : request.group_by) query.rows.order.push_back({name});
    query.rows.most = INT64_MAX;
  }
  return query;
}

} // namespace

Result<RowTable> row_table(const sweep::StoreReader& reader, const TableRequest& request,
                           Sources& sources) {
  const Result<std::vector<TableColumn>> columns = table_columns(reader, request, sources);
  if (!columns) return columns.errors();
  const bool grouped = !request.group_by.empty() ||
                       std::any_of(columns->begin(), columns->end(), [](const TableColumn& column) {
                         return column.formula && !column.formula->aggregates.empty();
                       });
  const std::vector<sweep::OrderColumn>& order = request.query.rows.order;
  const bool sorted_here = grouped || !request.pivot.empty() ||
                           std::any_of(order.begin(), order.end(), [&](const auto& column) {
                             return !reader.check_columns({column.name}, "--order").ok();
                           });
  const sweep::BaselineQuery query =
      query_of(request, *columns, grouped, sorted_here, reader.check_columns({"sha256"}, "").ok());
  sweep::RowsWithBaseline rows;
  if (request.with_baseline) {
    Result<sweep::RowsWithBaseline> read = sweep::rows_with_baseline(reader, query);
    if (!read) return read.errors();
    rows = std::move(*read);
  } else {
    Result<sweep::Rows> read = reader.rows(query.rows);
    if (!read) return read.errors();
    rows.rows = std::move(*read);
    const Result<std::int64_t> all =
        grouped ? reader.count(request.query.rows) : Result<std::int64_t>(0);
    if (!all) return all.errors();
    if (grouped) rows.left_out = *all - static_cast<std::int64_t>(rows.rows.rows.size());
  }
  Result<RowTable> table = RowTabler(*columns, rows.rows).make(grouped);
  if (!table) return table;
  table->left_out = rows.left_out;
  if (!request.pivot.empty() && !table->rows.rows.empty()) {
    table = pivoted(std::move(*table), *columns, request.pivot);
    if (!table) return table;
  }
  if (!sorted_here) return table;
  if (Status sorted = sort_rows(table->rows, order); !sorted) return sorted.errors();
  const auto most = static_cast<std::size_t>(request.query.rows.most);
  if (table->rows.rows.size() > most) table->rows.rows.resize(most);
  return table;
}

} // namespace memlane
