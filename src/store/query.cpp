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

OrderColumn order_column(const std::string& text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  const std::string column = text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
  const std::size_t blank = column.rfind(' ');
  if (blank == column.npos) return {column};
  std::string word = column.substr(blank + 1);
  for (char& c : word)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (word != "asc" && word != "desc") return {column};
  return {column.substr(0, column.find_last_not_of(' ', blank) + 1), word == "desc"};
}

std::vector<std::string> order_help(const std::string& name) {
  const std::size_t begin = name.find_first_not_of("-+"), blank = name.find(' ');
  const bool has_sign = begin == 1 && blank == name.npos;
  const bool has_word = begin == 0 && blank != name.npos && blank + 1 < name.size() &&
                        std::all_of(name.begin() + static_cast<std::ptrdiff_t>(blank) + 1,
                                    name.end(), [](char c) { return c >= 'A' && c <= 'z'; });
  if (!has_sign && !has_word) return {};
  const std::string column = name.substr(begin, blank == name.npos ? blank : blank - begin);
  return {fmt::format("write '{0}' or '{0} desc'", column)};
}

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

bool StoreReader::File::leaves_trials_out(const RowQuery& query) const {
  if (!hides_trials) return false;
  std::vector<std::string> texts = query.columns;
  texts.push_back(query.where);
  for (const RowCondition& condition : query.also) texts.push_back(condition.text);
  for (const OrderColumn& column : query.order) texts.push_back(column.name);
  // The last names the search in the column `sweep`; inputs may have `worst` in their names, too.
  constexpr const char* names[] = {worst_of_column, worst_value_column, worst_refutes_column,
                                   "'worst'"};
  return std::none_of(texts.begin(), texts.end(), [&](const std::string& text) {
    return std::any_of(std::begin(names), std::end(names),
                       [&](const char* name) { return text.find(name) != text.npos; });
  });
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
  if (leaves_trials_out(query))
    text += fmt::format("{}{} IS NULL", text.empty() ? " WHERE " : " AND ",
                        names->sql_of(worst_of_column));
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
    text += " ORDER BY ";
    for (const OrderColumn& column : query.order) {
      const Result<std::string> sql = column_in_view(column.name, "--order");
      if (!sql) {
        std::vector<std::string> help = order_help(column.name);
        if (help.empty()) return sql.errors();
        return error_in("--order", fmt::format("the store has no column '{}'", column.name), help);
      }
      text += fmt::format("{}{}, ", *sql, column.descending ? " DESC" : "");
    }
    text += default_order();
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

const std::vector<StoreColumn>& StoreReader::other_names() const {
  return file_->names->other_names();
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

Result<std::int64_t> StoreReader::trials_left_out(const RowQuery& query) const {
  if (!file_->leaves_trials_out(query)) return std::int64_t{0};
  RowQuery trials = query;
  trials.also.push_back({fmt::format("{} IS NOT NULL", worst_of_column)});
  return count(trials);
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
  for (const std::string& name : query.per) wanted.order.push_back({name});
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
