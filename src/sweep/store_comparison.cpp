#include "memlane/sweep/store_comparison.hpp"

#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

namespace memlane::sweep {
namespace {

using Cells = std::vector<Cell>;
using Names = std::vector<std::string>;

std::optional<double> real_of(const Cell& cell) {
  if (const auto* number = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*number);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return std::nullopt;
}

bool has(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::size_t place_of(const Names& names, std::string_view name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

/// Shows what a cell is in a message.
std::string quoted_cell(const Cell& cell) {
  if (const auto* number = std::get_if<std::int64_t>(&cell)) return std::to_string(*number);
  if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{}", *real);
  if (const auto* text = std::get_if<std::string>(&cell)) return fmt::format("'{}'", *text);
  return "nothing";
}

/// The columns that say what was run, for people: no hash, no version.
Names subject_columns(const StoreReader& reader) {
  Names names;
  for (const StoreColumn& column : reader.columns()) {
    const bool is_text = column.name == "path" || column.name == "sha256" ||
                         column.name == "semantics" || column.name == "version" ||
                         column.name == "sweep";
    if ((column.shared || column.parameter || column.name == "seed") && !is_text)
      names.push_back(column.name);
  }
  return names;
}

std::string both(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a + b;
  return fmt::format("({}) AND ({})", a, b);
}

Cells cells_at(const Cells& row, const std::vector<std::size_t>& places) {
  Cells cells;
  for (const std::size_t place : places) cells.push_back(row[place]);
  return cells;
}

/// Values by what they are matched by.
struct MatchedValues {
  Names names;                 ///< of the columns that match
  std::map<Cells, Cells> rows; ///< what was run, and the whole row
  std::vector<Cells> order;    ///< as they were read
};

/// Two rows with one match and different values: names the columns in which they differ.
Diagnostic several(const Rows& rows, const Cells& a, const Cells& b, const Names& match,
                   const std::string& place) {
  Names differ, where;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (has(match, rows.columns[i]) && where.size() < 4 && a[i].index() != 0)
      where.push_back(fmt::format("{}={}", rows.columns[i], quoted_cell(a[i])));
    if (a[i] != b[i] && !has(match, rows.columns[i])) differ.push_back(rows.columns[i]);
  }
  return error_in(place,
                  fmt::format("several points match each other at {}; they differ in {}",
                              fmt::join(where, ", "), fmt::join(differ, ", ")),
                  {"a condition chooses one of them: --where, or --left and --right of diff",
                   "diff --on COLUMN,... names the columns that match"});
}

/// Values of `by` (the last column of rows) by `match`.
Result<MatchedValues> matched_values(const Rows& rows, const Names& match,
                                     const std::string& place) {
  MatchedValues values{match, {}, {}};
  std::vector<std::size_t> places;
  for (const std::string& name : match) places.push_back(place_of(rows.columns, name));
  for (const Cells& row : rows.rows) {
    Cells key = cells_at(row, places);
    const auto [known, added] = values.rows.emplace(key, row);
    if (added)
      values.order.push_back(std::move(key));
    else if (known->second.back() != row.back())
      return several(rows, known->second, row, match, place);
  }
  return values;
}

} // namespace

Result<Rows> best_rows(const StoreReader& reader, const BestQuery& query) {
  const std::string ended = fmt::format("status = 'done' AND check_failed = 0");
  RowQuery wanted;
  wanted.where = both(query.where, ended);
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
  best.columns.insert(best.columns.end(), {"next_best", "rows"});
  struct Group {
    const Cells* row = nullptr;
    double value = 0;
    std::optional<double> next;
    std::int64_t rows = 0;
  };
  std::map<Cells, std::size_t> numbers;
  std::vector<Group> groups; // in the order of rows
  for (const Cells& row : rows->rows) {
    const auto value = real_of(row.back());
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
    } else if (!group.next || wins(*value, *group.next)) {
      group.next = *value;
    }
  }
  for (const Group& group : groups) {
    Cells row = *group.row;
    const bool is_ratio = group.next && group.value != 0;
    row.push_back(is_ratio ? Cell(*group.next / group.value) : Cell());
    row.push_back(group.rows);
    best.rows.push_back(std::move(row));
  }
  return best;
}

namespace {

/// Columns whose values belong to that of another: a machine's name and its keys, a program and
/// what replaces parts of it.
bool belongs_to(const std::string& name, const std::string& column) {
  const Names program = {"program", "layouts", "fns", "types"};
  if (column == "program") return has(program, name);
  if (column.rfind("machine", 0) == 0) return name.rfind("machine", 0) == 0;
  return name == column;
}

/// The column of what was run that has the value; empty where none has.
Result<std::string> column_of_value(const StoreReader& reader, const std::string& value) {
  Names values;
  for (const StoreColumn& column : reader.columns()) {
    const bool is_hash = column.name == "sha256" || column.name == "sweep";
    if (!column.shared || is_hash) continue;
    const Result<Rows> found = reader.distinct(column.name);
    if (!found) return found.errors();
    for (const Cells& row : found->rows) {
      if (row[0].index() == 0) continue;
      const auto* text = std::get_if<std::string>(&row[0]);
      if ((text ? *text : quoted_cell(row[0])) == value) return column.name;
      if (text) values.push_back(*text);
    }
  }
  return error_in("--baseline",
                  fmt::format("no program, layout or machine of the store is '{}'", value),
                  did_you_mean(value, values));
}

std::string quoted_text(const std::string& text) {
  std::string quoted = "'";
  for (char c : text) {
    if (c == '\'') quoted += '\'';
    quoted += c;
  }
  return quoted + "'";
}

} // namespace

Result<Rows> rows_with_baseline(const StoreReader& reader, const BaselineQuery& query) {
  const Result<std::string> column = column_of_value(reader, query.baseline);
  if (!column) return column.errors();
  // The baseline's rows are looked for in the whole store.
  Names subject = subject_columns(reader);
  subject.erase(std::remove_if(subject.begin(), subject.end(),
                               [&](const std::string& name) { return belongs_to(name, *column); }),
                subject.end());
  RowQuery wanted;
  wanted.columns = subject;
  wanted.columns.push_back(query.by);
  wanted.where = fmt::format("\"{}\" || '' = {} AND \"{}\" IS NOT NULL", *column,
                             quoted_text(query.baseline), query.by);
  const Result<Rows> base = reader.rows(wanted);
  if (!base) return base.errors();
  // Other programs have parameters that the baseline does not have.
  Names match;
  for (std::size_t i = 0; i < subject.size(); ++i) {
    const bool is_set = std::any_of(base->rows.begin(), base->rows.end(),
                                    [&](const Cells& row) { return row[i].index() != 0; });
    if (is_set) match.push_back(subject[i]);
  }
  const Result<MatchedValues> values = matched_values(*base, match, "--baseline");
  if (!values) return values.errors();

  RowQuery all = query.rows;
  if (all.columns.empty()) {
    const Result<Names> shown = reader.shown_columns(query.rows);
    if (!shown) return shown.errors();
    all.columns = *shown;
  }
  const std::size_t shown = all.columns.size();
  all.columns.insert(all.columns.end(), match.begin(), match.end());
  all.columns.push_back(query.by);
  Result<Rows> rows = reader.rows(all);
  if (!rows) return rows;
  rows->columns.resize(shown);
  rows->columns.insert(rows->columns.end(), {"baseline", "speedup"});
  for (Cells& row : rows->rows) {
    const auto middle = row.begin() + static_cast<std::ptrdiff_t>(shown);
    const auto found = values->rows.find(Cells(middle, row.end() - 1));
    const auto own = real_of(row.back());
    const Cell value = found == values->rows.end() ? Cell() : found->second.back();
    row.resize(shown);
    row.push_back(value);
    const bool is_ratio = own && *own != 0 && real_of(value);
    row.push_back(is_ratio ? Cell(*real_of(value) / *own) : Cell());
  }
  return rows;
}

namespace {

/// Whether a column has one value on each side, and not the same one.
bool tells_sides_apart(const Rows& left, const Rows& right, std::size_t column) {
  const auto constant = [&](const Rows& rows) {
    return std::all_of(rows.rows.begin(), rows.rows.end(),
                       [&](const Cells& row) { return row[column] == rows.rows.front()[column]; });
  };
  return constant(left) && constant(right) &&
         left.rows.front()[column] != right.rows.front()[column];
}

Result<Rows> rows_of_side(const StoreReader& reader, const Names& columns, const std::string& where,
                          const std::string& by, std::string_view side) {
  RowQuery wanted;
  wanted.columns = columns;
  wanted.columns.push_back(by);
  wanted.where = where;
  Result<Rows> rows = reader.rows(wanted);
  if (rows && rows->rows.empty())
    return error_in("", fmt::format("the {} side of the comparison has no points", side),
                    {"its condition excludes all, or the store is empty"});
  return rows;
}

/// Adds a row if it is wanted; counts it.
void add_difference(const Cells& shown, const Cell& left, const Cell& right, bool all,
                    StoreDiff& diff) {
  ++diff.matched;
  const bool equal = left == right;
  ++(equal ? diff.equal : diff.changed);
  const auto a = real_of(left), b = real_of(right);
  const bool is_ratio = a && b && *a != 0;
  if (!equal)
    diff.largest_change =
        std::max(diff.largest_change,
                 is_ratio ? std::abs(*b / *a - 1) : std::numeric_limits<double>::infinity());
  if (equal && !all) return;
  Cells row = shown;
  row.push_back(left);
  row.push_back(right);
  row.push_back(is_ratio ? Cell(*b / *a) : Cell());
  diff.rows.rows.push_back(std::move(row));
}

} // namespace

Result<StoreDiff> diff_rows(const StoreReader& left, const StoreReader& right,
                            const DiffQuery& query) {
  Names columns = query.on;
  if (columns.empty()) {
    const Names others = subject_columns(right);
    for (const std::string& name : subject_columns(left))
      if (has(others, name)) columns.push_back(name);
  }
  ErrorCollector errors;
  Rows a, b;
  errors.take(rows_of_side(left, columns, query.left_where, query.by, "left"), a);
  errors.take(rows_of_side(right, columns, query.right_where, query.by, "right"), b);
  if (!errors.ok()) return errors.errors();
  Names match;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (!query.on.empty() || !tells_sides_apart(a, b, i)) match.push_back(columns[i]);
  const auto left_values = matched_values(a, match, "left");
  if (!left_values) return left_values.errors();
  const auto right_values = matched_values(b, match, "right");
  if (!right_values) return right_values.errors();

  // What does not differ between the matched points is not shown.
  std::vector<std::set<Cell>> seen(match.size());
  for (const Cells& key : left_values->order)
    for (std::size_t i = 0; i < key.size(); ++i)
      if (seen[i].size() < 2) seen[i].insert(key[i]);
  std::vector<std::size_t> shown;
  StoreDiff diff;
  for (std::size_t i = 0; i < match.size(); ++i) {
    if (seen[i].size() < 2) continue;
    shown.push_back(i);
    diff.rows.columns.push_back(match[i]);
  }
  diff.rows.columns.insert(diff.rows.columns.end(), {"left", "right", "ratio"});
  for (const Cells& key : left_values->order) {
    const auto other = right_values->rows.find(key);
    if (other == right_values->rows.end())
      ++diff.only_left;
    else
      add_difference(cells_at(key, shown), left_values->rows.at(key).back(), other->second.back(),
                     query.all, diff);
  }
  diff.only_right = static_cast<std::int64_t>(right_values->rows.size()) - diff.matched;
  if (diff.matched == 0)
    return error_in("", "no point of the left side matches one of the right",
                    {fmt::format("points match by {}", fmt::join(match, ", ")),
                     "--on COLUMN,... names the columns that match"});
  return diff;
}

} // namespace memlane::sweep
