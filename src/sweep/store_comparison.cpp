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

/// Of points that came to their end; others have no counts.
const char* const is_done = "status = 'done'";
const char* const is_not_done = "status <> 'done'";

/// The points of a query that is_done leaves out.
Result<std::int64_t> count_left_out(const StoreReader& reader, RowQuery query) {
  query.also.push_back({is_not_done});
  return reader.count(query);
}

Cells cells_at(const Cells& row, const std::vector<std::size_t>& places) {
  Cells cells;
  for (const std::size_t place : places) cells.push_back(row[place]);
  return cells;
}

/// Values by what they are matched by.
struct MatchedValues {
  std::map<Cells, Cells> rows;      ///< what was run, and the whole row
  std::map<Cells, Cells> ambiguous; ///< a second row of a match, with another value
  std::vector<Cells> order;         ///< as they were read
};

/// Two rows with one match and different values: names the columns in which they differ.
Diagnostic several(const Rows& rows, const Cells& a, const Cells& b, const Names& match,
                   const std::string& place, const std::string& help) {
  Names differ, where;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (has(match, rows.columns[i]) && where.size() < 4 && a[i].index() != 0)
      where.push_back(fmt::format("{}={}", rows.columns[i], quoted_cell(a[i])));
    if (a[i] != b[i] && !has(match, rows.columns[i])) differ.push_back(rows.columns[i]);
  }
  return error_in(place,
                  fmt::format("several points match each other at {}; they differ in {}",
                              fmt::join(where, ", "), fmt::join(differ, ", ")),
                  {help});
}

/// Values of `by` (the last column of rows) by `match`.
MatchedValues matched_values(const Rows& rows, const Names& match) {
  MatchedValues values;
  std::vector<std::size_t> places;
  for (const std::string& name : match) places.push_back(place_of(rows.columns, name));
  for (const Cells& row : rows.rows) {
    Cells key = cells_at(row, places);
    const auto [known, added] = values.rows.emplace(key, row);
    if (added)
      values.order.push_back(std::move(key));
    else if (known->second.back() != row.back())
      values.ambiguous.emplace(std::move(key), row);
  }
  return values;
}

} // namespace

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

namespace {

/// The rows of a baseline: those that meet a condition are asked where others are ambiguous.
class Baseline {
public:
  static Result<Baseline> read(const StoreReader& reader, const BaselineQuery& query);

  /// What a row and its baseline have in common.
  const Names& match() const { return match_; }
  /// The value of `by`; empty where there is no baseline. Errors: several.
  Result<Cell> value(const Cells& key) const {
    const auto found = all_.rows.find(key);
    if (found == all_.rows.end()) return Cell();
    if (all_.ambiguous.count(key) == 0) return found->second.back();
    const auto chosen = chosen_.rows.find(key);
    if (chosen != chosen_.rows.end() && chosen_.ambiguous.count(key) == 0)
      return chosen->second.back();
    return several(rows_, found->second, all_.ambiguous.at(key), match_, "--baseline",
                   "--where can choose one of them");
  }

private:
  Rows rows_; ///< of the whole store
  Names match_;
  MatchedValues all_, chosen_;
};

Result<Baseline> Baseline::read(const StoreReader& reader, const BaselineQuery& query) {
  const Result<std::string> column = column_of_value(reader, query.baseline);
  if (!column) return column.errors();
  Names subject = subject_columns(reader);
  std::erase_if(subject, [&](const std::string& name) { return belongs_to(name, *column); });
  Baseline baseline;
  RowQuery wanted;
  wanted.columns = subject;
  // For messages: what tells two baselines apart.
  for (const std::string& name : subject_columns(reader))
    if (!has(subject, name)) wanted.columns.push_back(name);
  wanted.columns.push_back(query.by);
  wanted.also = {{fmt::format("\"{}\" || '' = {}", *column, quoted_text(query.baseline))},
                 {fmt::format("\"{}\" IS NOT NULL", query.by)},
                 {is_done}};
  Result<Rows> rows = reader.rows(wanted);
  if (!rows) return rows.errors();
  baseline.rows_ = std::move(*rows);
  // Other programs have parameters that the baseline does not have.
  for (std::size_t i = 0; i < subject.size(); ++i) {
    const auto& all = baseline.rows_.rows;
    const bool is_set =
        std::any_of(all.begin(), all.end(), [&](const Cells& row) { return row[i].index() != 0; });
    if (is_set) baseline.match_.push_back(subject[i]);
  }
  baseline.all_ = matched_values(baseline.rows_, baseline.match_);
  if (baseline.all_.ambiguous.empty() || query.rows.where.empty()) return baseline;
  wanted.where = query.rows.where;
  const Result<Rows> chosen = reader.rows(wanted);
  if (!chosen) return chosen.errors();
  baseline.chosen_ = matched_values(*chosen, baseline.match_);
  return baseline;
}

} // namespace

Result<RowsWithBaseline> rows_with_baseline(const StoreReader& reader, const BaselineQuery& query) {
  if (Status known = reader.check_columns({query.by}, "--by"); !known) return known.errors();
  RowQuery all = query.rows;
  const Result<std::int64_t> left_out = count_left_out(reader, query.rows);
  if (!left_out) return left_out.errors();
  all.also.push_back({is_done});
  if (all.columns.empty()) {
    const Result<Names> shown = reader.shown_columns(all);
    if (!shown) return shown.errors();
    all.columns = *shown;
  }
  const Result<Baseline> baseline = Baseline::read(reader, query);
  if (!baseline) return baseline.errors();
  const std::size_t shown = all.columns.size();
  all.columns.insert(all.columns.end(), baseline->match().begin(), baseline->match().end());
  all.columns.push_back(query.by);
  Result<Rows> rows = reader.rows(all);
  if (!rows) return rows.errors();
  rows->columns.resize(shown);
  rows->columns.insert(rows->columns.end(), {"baseline", "speedup"});
  for (Cells& row : rows->rows) {
    const auto middle = row.begin() + static_cast<std::ptrdiff_t>(shown);
    const Result<Cell> value = baseline->value(Cells(middle, row.end() - 1));
    if (!value) return value.errors();
    const auto own = real_of(row.back());
    row.resize(shown);
    row.push_back(*value);
    const bool is_ratio = own && *own != 0 && real_of(*value);
    row.push_back(is_ratio ? Cell(*real_of(*value) / *own) : Cell());
  }
  return RowsWithBaseline{std::move(*rows), *left_out};
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
  wanted.columns = columns;
  for (const std::string& name : subject_columns(reader)) // for messages: what tells points apart
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
  return DiffSide{std::move(*rows), *left_out};
}

/// Why no point matches: the columns of which the sides have no value in common.
Diagnostic nothing_matches(const MatchedValues& left, const MatchedValues& right,
                           const Names& match) {
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
  return error_in("", "no point of the left side matches one of the right", help);
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
    if (!query.on.empty() || !tells_sides_apart(a.rows, b.rows, i)) match.push_back(columns[i]);
  const MatchedValues left_values = matched_values(a.rows, match);
  const MatchedValues right_values = matched_values(b.rows, match);
  for (const auto& [side, values] : {std::pair(&a, &left_values), std::pair(&b, &right_values)})
    if (!values->ambiguous.empty()) {
      const auto& [key, row] = *values->ambiguous.begin();
      const std::string option = side == &a ? "--left" : "--right";
      return several(side->rows, values->rows.at(key), row, match, side == &a ? "left" : "right",
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
  if (diff.matched == 0) return nothing_matches(left_values, right_values, match);
  diff.left_out = a.left_out + b.left_out;
  return diff;
}

} // namespace memlane::sweep
