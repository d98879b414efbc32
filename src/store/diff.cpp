// Differences of two stores.
#include "matching.hpp"

#include "memlane/store/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace memlane::sweep {
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

/// What was run on both sides. A parameter that one side lacks is part of it: points without a
/// value match. Other columns that one side lacks are those of another version, or of measurements.
Names columns_of_both(const StoreReader& left, const StoreReader& right) {
  Names columns;
  const auto add = [&](const StoreReader& reader, const Names& own, const Names& others) {
    for (const StoreColumn& column : reader.columns())
      if (has(own, column.name) && (column.parameter || has(others, column.name)) &&
          !has(columns, column.name))
        columns.push_back(column.name);
  };
  const Names of_left = subject_columns(left), of_right = subject_columns(right);
  add(left, of_left, of_right);
  add(right, of_right, of_left);
  return columns;
}

/// One side of a difference: the rows that are done.
struct DiffSide {
  Rows rows;
  std::int64_t left_out = 0; ///< rows that are not done
};

Result<DiffSide> rows_of_side(const StoreReader& reader, const Names& columns,
                              const DiffQuery& query, bool left) {
  RowQuery wanted;
  wanted.where = query.where;
  wanted.also = {left ? RowCondition{query.left_where, "--left"}
                      : RowCondition{query.right_where, "--right"}};
  const Result<std::int64_t> left_out = count_left_out(reader, wanted);
  if (!left_out) return left_out.errors();
  const Names subject = subject_columns(reader);
  const auto lacks = [&](const std::string& name) {
    return query.on.empty() && !has(subject, name);
  };
  for (const std::string& name : columns)
    if (!lacks(name)) wanted.columns.push_back(name);
  for (const std::string& name : subject) // messages name what tells points apart
    if (!has(columns, name)) wanted.columns.push_back(name);
  wanted.columns.push_back(query.by);
  wanted.also.push_back({is_done});
  Result<Rows> rows = reader.rows(wanted);
  if (!rows) return rows.errors();
  if (rows->rows.empty()) {
    const char* const side = left ? "left" : "right";
    if (*left_out > 0)
      return error_in("", fmt::format("no point of the {} side came to its end", side),
                      {"the columns status, stopped_by and reason say why"});
    return error_in("", fmt::format("the {} side of the comparison has no points", side),
                    {"its condition excludes all, or the store is empty"});
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!lacks(columns[i])) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    rows->columns.insert(rows->columns.begin() + at, columns[i]);
    for (Cells& row : rows->rows) row.insert(row.begin() + at, Cell());
  }
  return DiffSide{std::move(*rows), *left_out};
}

/// Why no point matches: the columns in which the two sides share no value.
Diagnostic nothing_matches(const MatchedValues& left, const MatchedValues& right,
                           const Names& match, bool may_be_parts) {
  Names apart;
  for (std::size_t i = 0; i < match.size(); ++i) {
    std::set<Cell> a, b;
    for (const Cells& key : left.order) a.insert(key[i]);
    for (const Cells& key : right.order) b.insert(key[i]);
    const bool common = std::any_of(a.begin(), a.end(), [&](const Cell& c) { return b.count(c); });
    if (!common)
      apart.push_back(fmt::format("{} (left: {}, right: {})", match[i], quoted_cell(*a.begin()),
                                  quoted_cell(*b.begin())));
  }
  std::vector<std::string> help;
  if (!apart.empty())
    help.push_back(fmt::format("no value is on both sides of {}", fmt::join(apart, ", ")));
  Names set; // columns that no point has a value for match everywhere
  for (std::size_t i = 0; i < match.size(); ++i)
    if (std::any_of(left.order.begin(), left.order.end(),
                    [&](const Cells& key) { return key[i].index() != 0; }))
      set.push_back(match[i]);
  help.push_back(fmt::format("points match by {}", fmt::join(set, ", ")));
  help.push_back("--on COLUMN,... names the columns that match, such as --on n");
  if (may_be_parts)
    help.push_back("--left CONDITION and --right CONDITION compare parts: a column that tells them "
                   "apart does not have to match");
  return error_in("", "no point of the left side matches one of the right", help);
}

/// Adds a row if it is wanted; counts it.
void add_difference(const Cells& shown, const Cell& left, const Cell& right, bool all,
                    StoreDiff& diff) {
  ++diff.matched;
  const bool equal = left == right;
  ++(equal ? diff.equal : diff.changed);
  const auto a = number_in(left), b = number_in(right);
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
  const Names columns = query.on.empty() ? columns_of_both(left, right) : query.on;
  const bool are_parts = !query.left_where.empty() && !query.right_where.empty();
  ErrorCollector errors;
  for (const StoreReader* const reader : {&left, &right}) {
    if (reader == &right && (&left == &right || !errors.ok())) break;
    errors.check(reader->check_columns(query.on, "--on"));
    errors.check(reader->check_columns({query.by}, "--by"));
  }
  if (!errors.ok()) return errors.errors();
  DiffSide a, b;
  errors.take(rows_of_side(left, columns, query, true), a);
  errors.take(rows_of_side(right, columns, query, false), b);
  if (!errors.ok()) return errors.errors();
  Names match;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (!query.on.empty() || !are_parts || !tells_sides_apart(a.rows, b.rows, i))
      match.push_back(columns[i]);
  const MatchedValues left_values = matched_values(a.rows, match);
  const MatchedValues right_values = matched_values(b.rows, match);
  for (const auto& [side, values] : {std::pair(&a, &left_values), std::pair(&b, &right_values)})
    if (!values->ambiguous.empty()) {
      const auto& [key, row] = *values->ambiguous.begin();
      const std::string option = side == &a ? "--left" : "--right";
      return several_match(
          side->rows, values->rows.at(key), row, match, side == &a ? "left" : "right",
          fmt::format("{} CONDITION or --where chooses one of them; --on COLUMN,... "
                      "names the columns that match",
                      option));
    }

  // What does not differ between the matched points is not shown.
  std::vector<std::set<Cell>> seen(match.size());
  for (const Cells& key : left_values.order)
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
  for (const Cells& key : left_values.order) {
    const auto other = right_values.rows.find(key);
    if (other == right_values.rows.end())
      ++diff.only_left;
    else
      add_difference(cells_at(key, shown), left_values.rows.at(key).back(), other->second.back(),
                     query.all, diff);
  }
  diff.only_right = static_cast<std::int64_t>(right_values.rows.size()) - diff.matched;
  if (diff.matched == 0)
    return nothing_matches(left_values, right_values, match, query.on.empty() && !are_parts);
  diff.left_out = a.left_out + b.left_out;
  return diff;
}

} // namespace memlane::sweep
