// How points of stores are matched with each other.
#pragma once

#include "memlane/store/query.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::sweep {

using Cells = std::vector<Cell>;
using Names = std::vector<std::string>;

bool has(const Names& names, std::string_view name);
/// Shows what a cell is in a message.
std::string quoted_cell(const Cell& cell);

/// The columns that say what was run, for people: no hash, no version.
Names subject_columns(const StoreReader& reader);

/// Of points that came to their end; others have no counts.
inline constexpr const char* is_done = "status = 'done'";
/// The points of a query that is_done leaves out.
Result<std::int64_t> count_left_out(const StoreReader& reader, RowQuery query);

Cells cells_at(const Cells& row, const std::vector<std::size_t>& places);

/// Values by what they are matched by.
struct MatchedValues {
  std::map<Cells, Cells> rows;      ///< what was run, and the whole row
  std::map<Cells, Cells> ambiguous; ///< a second row of a match, with another value
  std::vector<Cells> order;         ///< the keys of `rows`, in the order of reading
};

/// Values of `by` (the last column of rows) by `match`.
MatchedValues matched_values(const Rows& rows, const Names& match);
/// Two rows with one match and different values: names the columns in which they differ.
Diagnostic several_match(const Rows& rows, const Cells& a, const Cells& b, const Names& match,
                         const std::string& place, const std::string& help);

} // namespace memlane::sweep
