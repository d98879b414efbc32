// Tables for papers and web pages: LaTeX and Markdown.
#pragma once

#include "memlane/show/run_report.hpp"
#include "memlane/show/text_table.hpp"

#include <string>
#include <vector>

namespace memlane {

struct PaperColumn {
  std::string name;
  Align align = Align::left;
  bool code = false;     ///< set in a typewriter face: source lines, formulas
  std::string over = {}; ///< LaTeX: the heading of this and its neighbours with the same one
  bool formulas = false; ///< LaTeX: the headings are labels, which may have formulas
};

/// A table with a caption. Cells are plain text: what Markdown or LaTeX would take for markup is
/// escaped, control characters and bytes that are not UTF-8 are replaced.
class PaperTable {
public:
  PaperTable(std::string caption, std::vector<PaperColumn> columns, std::string label = {})
      : caption_(std::move(caption)), label_(std::move(label)), columns_(std::move(columns)) {}

  /// The caption is a label, which may have formulas (latex_label).
  void allow_formulas() { formulas_ = true; }
  /// Adds a row of at most as many cells as there are columns.
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  /// Requires `markdown` or `latex`. Markdown: a pipe table under its caption in bold. LaTeX: a
  /// `table` with a `tabular` and the lines of the package booktabs. Columns are aligned in the
  /// source too.
  std::string text(Format format) const;

private:
  std::string caption_, label_;
  bool formulas_ = false;
  std::vector<PaperColumn> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Plain text as Markdown and LaTeX have to write it. LaTeX sets powers as formulas: `2^10` is
/// `$2^{10}$`.
std::string markdown_text(std::string_view text);
std::string latex_text(std::string_view text);
/// A label that a user writes. What is between two dollars is a formula of LaTeX, which it takes as
/// it is; `\$` is a dollar. Dollars without a partner, and formulas whose braces do not match, are
/// text.
std::string latex_label(std::string_view label);
/// The same for pictures, which have no formulas: without their dollars.
std::string plain_label(std::string_view label);

/// All tables that are not empty, a blank line between them.
std::string paper_text(const std::vector<PaperTable>& tables, Format format);

} // namespace memlane
