// Rows of a store by the conditions of users.
#include "memlane/store/query.hpp"

#include "database.hpp"
#include "matching.hpp"
#include "reader.hpp"

#include "memlane/store/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace memlane::sweep {

std::string StoreReader::File::default_order() const {
  std::vector<std::string> order;
  const auto add = [&](auto wanted) {
    for (const FileColumn& column : columns) {
      const std::string name = quoted_name(column.in_view);
      if (wanted(column) && std::find(order.begin(), order.end(), name) == order.end())
        order.push_back(name);
    }
  };
  for (const char* first : {"program", "machine", "machine_name"})
    add([&](const FileColumn& c) { return c.kind == ColumnKind::shared && c.name == first; });
  add([](const FileColumn& c) { return c.kind == ColumnKind::parameter; });
  add([](const FileColumn& c) { return c.name == "seed"; });
  add([](const FileColumn& c) { return c.kind == ColumnKind::shared && c.name != "path"; });
  return fmt::format("{}", fmt::join(order, ", ")) + (order.empty() ? "key" : ", key");
}

Result<std::string> StoreReader::File::in_view(const std::vector<std::string>& names,
                                               const std::string& place) const {
  ErrorCollector errors;
  std::vector<std::string> found(names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    errors.take(column_in_view(names[i], place), found[i]);
  if (!errors.ok()) return errors.errors();
  return fmt::format("{}", fmt::join(found, ", "));
}

/// ` WHERE …`. A comment at the end of a condition ends with the line.
Result<std::string> StoreReader::File::where_clause(const RowQuery& query) const {
  std::vector<RowCondition> all = query.also;
  all.insert(all.begin(), {query.where, "--where"});
  ErrorCollector errors;
  std::string text;
  for (const RowCondition& condition : all) {
    if (condition.text.empty()) continue;
    std::string own;
    if (errors.take(condition_in_view(condition.text, condition.option), own))
      text += fmt::format("{}({}\n)", text.empty() ? " WHERE " : " AND ", own);
  }
  if (!errors.ok()) return errors.errors();
  return text;
}

/// ` WHERE … ORDER BY … LIMIT …`.
Result<std::string> StoreReader::File::clauses(const RowQuery& query) const {
  Result<std::string> where = where_clause(query);
  if (!where) return where;
  std::string text = std::move(*where);
  if (query.order.empty()) {
    text += " ORDER BY " + default_order();
  } else {
    const Result<std::string> order = in_view(query.order, "--order");
    if (!order) return order.errors();
    text += fmt::format(" ORDER BY {}, {}", *order, default_order());
  }
  if (query.most != INT64_MAX)
    text += fmt::format(" LIMIT {}", std::max<std::int64_t>(query.most, 0));
  return text;
}

Result<std::vector<std::string>> StoreReader::shown_columns(const RowQuery& query) const {
  const Result<std::string> where = file_->where_clause(query);
  if (!where) return where.errors();
  return at_store(file_->use, [&]() -> Result<std::vector<std::string>> {
    try {
      return default_columns(file_->database, file_->columns, "results" + *where);
    } catch (const SQLite::Exception& error) { // such as a number that overflows in a condition
      return file_->condition_error(error, "--where");
    }
  });
}

Status StoreReader::check_columns(const std::vector<std::string>& names,
                                  const std::string& option) const {
  const Result<std::string> known = file_->in_view(names, option);
  if (!known) return known.errors();
  return Done{};
}

const std::vector<StoreColumn>& StoreReader::machine_names() const {
  return file_->names->machine_names();
}

std::vector<std::string> StoreReader::suggestions(const std::string& name) const {
  return file_->names->suggestions(name);
}

Result<std::int64_t> StoreReader::count(const RowQuery& query) const {
  const Result<std::string> where = file_->where_clause(query);
  if (!where) return where.errors();
  const Result<Rows> rows = file_->read("SELECT count(*) FROM results" + *where, "--where");
  if (!rows) return rows.errors();
  return std::get<std::int64_t>(rows->rows[0][0]);
}

Result<Rows> StoreReader::rows(const RowQuery& query) const {
  ErrorCollector errors;
  std::vector<std::string> names = query.columns;
  std::string columns, clauses;
  if (names.empty())
    errors.take(shown_columns(query), names);
  else
    errors.check(file_->where_clause(query));
  errors.take(file_->in_view(names, "--columns"), columns);
  if (!errors.ok()) return errors.errors();
  errors.take(file_->clauses(query), clauses);
  if (!errors.ok()) return errors.errors();
  Result<Rows> rows =
      file_->read(fmt::format("SELECT {} FROM results{}", columns, clauses), "--where");
  if (rows) rows->columns = std::move(names);
  return rows;
}

Result<Rows> StoreReader::distinct(const std::string& column) const {
  for (const FileColumn& known : file_->columns) {
    if (known.shown != column || known.kind != ColumnKind::shared || known.number == 0) continue;
    return file_->read(fmt::format("SELECT DISTINCT {} FROM subjects", known.sql_name()), column);
  }
  const Result<std::string> name = file_->column_in_view(column, column);
  if (!name) return name.errors();
  return file_->read(fmt::format("SELECT DISTINCT {} FROM results", *name), column);
}

Result<Rows> StoreReader::select(const std::string& sql) const {
  return file_->read(sql, query_place);
}

Result<Rows> best_rows(const StoreReader& reader, const BestQuery& query) {
  ErrorCollector names;
  names.check(reader.check_columns(query.per, "--per"));
  names.check(reader.check_columns({query.by}, "--by"));
  if (!names.ok()) return names.errors();
  RowQuery wanted;
  wanted.where = query.where;
  wanted.also = {{is_done}, {"check_failed = 0"}};
  const Result<Names> shown = reader.shown_columns(wanted);
  if (!shown) return shown.errors();
  wanted.columns = query.per;
  for (const std::string& name : *shown)
    if (!has(wanted.columns, name) && name != query.by && name != "time" && name != "nanoseconds")
      wanted.columns.push_back(name);
  wanted.columns.push_back(query.by);
  wanted.order = query.per;
  Result<Rows> rows = reader.rows(wanted);
  if (!rows) return rows;
  Rows best{rows->columns, {}};
  best.columns.insert(best.columns.end(), {"ties", "next_best", "rows"});
  struct Group {
    const Cells* row = nullptr;
    double value = 0;
    std::optional<double> next;
    std::int64_t ties = 0; // other rows with the value
    std::int64_t rows = 0;
  };
  std::map<Cells, std::size_t> numbers;
  std::vector<Group> groups; // sorted as the rows are
  for (const Cells& row : rows->rows) {
    const auto value = number_in(row.back());
    if (!value) continue;
    const Cells key(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(query.per.size()));
    const auto [number, added] = numbers.emplace(key, groups.size());
    if (added) groups.emplace_back();
    Group& group = groups[number->second];
    ++group.rows;
    const auto wins = [&](double a, double b) { return query.largest ? a > b : a < b; };
    if (!group.row || wins(*value, group.value)) {
      if (group.row) group.next = group.value;
      group.row = &row;
      group.value = *value;
      group.ties = 0;
    } else {
      if (!group.next || wins(*value, *group.next)) group.next = *value;
      if (*value == group.value) ++group.ties;
    }
  }
  for (const Group& group : groups) {
    Cells row = *group.row;
    const bool is_ratio = group.next && group.value != 0;
    row.push_back(group.ties);
    row.push_back(is_ratio ? Cell(*group.next / group.value) : Cell());
    row.push_back(group.rows);
    best.rows.push_back(std::move(row));
  }
  return best;
}

} // namespace memlane::sweep
