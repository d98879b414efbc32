// Rows of a store by the conditions of users.
#include "memlane/store/query.hpp"

#include "database.hpp"
#include "default_columns.hpp"
#include "reader.hpp"

#include <fmt/format.h>

#include <algorithm>

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

} // namespace memlane::sweep
