// Numbers over the columns of a table, in the language of claims: `time/n`, `mean(time) / log2(n)`.
#pragma once

#include "memlane/lang/exact/number.hpp"
#include "memlane/lang/typed.hpp"
#include "memlane/support/result.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memlane {

/// An aggregate of a column over several rows; `sd` is the standard deviation of a sample.
enum class Aggregate : std::uint8_t { mean, median, least, greatest, sd, count, sum };

struct ColumnAggregate;

struct ColumnFormula {
  lang::TExpr expr;
  std::vector<std::string> columns;        ///< that it names outside of aggregates
  std::vector<ColumnAggregate> aggregates; ///< each over the rows of a group
};

struct ColumnAggregate {
  Aggregate kind = Aggregate::count;
  std::vector<ColumnFormula> of; ///< one, without aggregates; none: `count()`, of rows
};

/// What a formula may name.
struct ColumnNames {
  std::function<bool(const std::string&)> known; ///< also `shared.latency`
  /// Help for a name that is no column.
  std::function<std::vector<std::string>(const std::string&)> suggestions;
  bool aggregates = true;
};

/// `time/n` and `ratio` of `time/n as ratio`; without `as`, the text is the name.
std::pair<std::string, std::string> formula_and_name(const std::string& text);

/// Without a sign of a formula: a text that is no column is a misspelt one.
bool is_column_word(const std::string& text);

/// `option` is where the text is from. Errors: a name that is no column, a text that is no number.
Result<ColumnFormula> read_column_formula(Sources& sources, const std::string& option,
                                          const std::string& text, const ColumnNames& names);

/// All columns that it names, those of aggregates too.
std::vector<std::string> columns_of(const ColumnFormula& formula);

/// The value where columns and aggregates have these, in their order, or why there is none.
struct ColumnValue {
  std::optional<exact::Number> value;
  std::string reason;
};
ColumnValue value_of(const ColumnFormula& formula, const std::vector<exact::Number>& columns,
                     const std::vector<exact::Number>& aggregates = {});

/// Of the values in a group; nothing where there are too few. Cost: O(n log n).
std::optional<exact::Number> aggregate_of(Aggregate kind, std::vector<exact::Number> values);

} // namespace memlane
