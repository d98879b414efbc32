// Rows as multiples of a baseline.
#include "matching.hpp"

#include "memlane/store/comparison.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace memlane::sweep {
namespace {

bool is_of_machine(const std::string& name) { return name.rfind("machine", 0) == 0; }
bool names_machine(const std::string& name) {
  return name == "machine" || name == "machine_name" || name == "machine_model";
}

/// The columns of machines whose values differ between rows with one value of the column: of a
/// machine's name, the keys that sweeps vary.
Result<Names> varied_columns(const StoreReader& reader, const std::string& column,
                             const Names& subject) {
  Names names = {column};
  for (const std::string& name : subject)
    if (is_of_machine(name) && name != column) names.push_back(name);
  const Result<Rows> rows =
      reader.select(fmt::format("SELECT DISTINCT \"{}\" FROM results WHERE \"{}\" IS NOT NULL",
                                fmt::join(names, "\", \""), column));
  if (!rows) return rows.errors();
  Names varied;
  for (std::size_t i = 1; i < names.size(); ++i) {
    std::map<Cell, Cell> known;
    const bool is_decided =
        std::all_of(rows->rows.begin(), rows->rows.end(), [&](const Cells& row) {
          return known.emplace(row[0], row[i]).first->second == row[i];
        });
    if (!is_decided) varied.push_back(names[i]);
  }
  return varied;
}

/// What a row and its baseline have in common: what was run without the column and what belongs to
/// it, of a program what replaces its parts, of a machine the keys that its name decides.
Result<Names> common_columns(const StoreReader& reader, const std::string& column) {
  Names subject = subject_columns(reader);
  if (!is_of_machine(column)) {
    const Names program = {"program", "layouts", "fns", "types"};
    std::erase_if(subject, [&](const std::string& name) {
      return name == column || (column == "program" && has(program, name));
    });
    return subject;
  }
  const Result<Names> varied = varied_columns(reader, column, subject);
  if (!varied) return varied;
  std::erase_if(subject, [&](const std::string& name) {
    return is_of_machine(name) &&
           (!has(*varied, name) || (names_machine(column) && names_machine(name)));
  });
  return subject;
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

/// The rows of a baseline. Where several could serve, the rows that meet a condition decide.
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
    return several_match(rows_, found->second, all_.ambiguous.at(key), match_, "--baseline",
                         "--where can choose one of them");
  }

private:
  Rows rows_; ///< all rows of the store
  Names match_;
  MatchedValues all_, chosen_;
};

Result<Baseline> Baseline::read(const StoreReader& reader, const BaselineQuery& query) {
  const Result<std::string> column = column_of_value(reader, query.baseline);
  if (!column) return column.errors();
  const Result<Names> common = common_columns(reader, *column);
  if (!common) return common.errors();
  const Names& subject = *common;
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

Result<Names> shown_columns(const StoreReader& reader, const BaselineQuery& query) {
  RowQuery rows = query.rows;
  rows.also.push_back({is_done});
  const Result<Names> shown = reader.shown_columns(rows);
  if (!shown) return shown;
  Names columns;
  for (const std::string& name : *shown)
    if (name == query.by || (name != "time" && name != "nanoseconds")) columns.push_back(name);
  if (!has(columns, query.by)) columns.push_back(query.by);
  return columns;
}

Result<RowsWithBaseline> rows_with_baseline(const StoreReader& reader, const BaselineQuery& query) {
  if (Status known = reader.check_columns({query.by}, "--by"); !known) return known.errors();
  RowQuery all = query.rows;
  const Result<std::int64_t> left_out = count_left_out(reader, query.rows);
  if (!left_out) return left_out.errors();
  all.also.push_back({is_done});
  if (all.columns.empty()) {
    const Result<Names> shown = shown_columns(reader, query);
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
    const auto own = number_in(row.back());
    row.resize(shown);
    row.push_back(*value);
    const bool is_ratio = own && *own != 0 && number_in(*value);
    row.push_back(is_ratio ? Cell(*number_in(*value) / *own) : Cell());
  }
  return RowsWithBaseline{std::move(*rows), *left_out};
}

} // namespace memlane::sweep
