// Rows of a result store in every format.
#pragma once

#include "memlane/show/run_report.hpp"
#include "memlane/store/query.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memlane {

/// Rows under a caption, and numbers about all of them: `changed` 3.
struct StoredRows {
  std::string version; ///< memlane's version
  std::string caption;
  sweep::Rows rows;
  std::vector<std::pair<std::string, sweep::Cell>> totals;
  std::string label = {};               ///< LaTeX: what \ref names
  std::vector<std::string> labels = {}; ///< LaTeX: of captions and headings, those of users
  std::vector<std::string> over = {};   ///< a heading over the columns of one quantity, or none
};

/// A cell as CSV writes it: no digit is lost, nothing is nothing.
std::string cell_text(const sweep::Cell& cell);

/// Ends with a line end. A text table that would be wider than 80 columns, with more than ten of
/// its own, becomes a block of lines for each row.
std::string render_rows(const StoredRows& rows, Format format);

/// An object for each row, and the schema of one.
nlohmann::ordered_json json_of_rows(const sweep::Rows& rows);
nlohmann::ordered_json stored_row_schema();
/// Schemas of `--format json` and of a line of `--format jsonl`.
nlohmann::ordered_json stored_rows_schema();
nlohmann::ordered_json stored_row_line_schema();

} // namespace memlane
