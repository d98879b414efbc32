// Text in lines: tables and paragraphs.
#pragma once

#include "memlane/support/text.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

/// Of what has to be cut, `name` is left and cut as name_in_width does; `prose` is left and the
/// last column, and goes on in further lines.
enum class Align { left, right, name, prose };

/// A table without lines, its columns two blanks apart. Trailing blanks are not written.
class TextTable {
public:
  explicit TextTable(std::vector<Align> columns) : columns_(std::move(columns)) {}

  /// Adds a row of at most as many cells as there are columns.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  /// Every row indented by `indent` blanks. Where rows are wider than `most` (0: any width), cells
  /// of left columns are cut, from the last one on: that to 16 characters, others and names to 24.
  /// Columns that do not fit even so follow below, beside the first ones again.
  std::string text(std::size_t indent = 0, std::size_t most = 0) const;

private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// The words in lines of at most `width` columns, each after `indent` blanks; ends with a line end.
std::string paragraph_lines(const std::string& text, std::size_t indent, std::size_t width);
/// The same in 80 columns, without the first line's indent.
std::string hanging_lines(const std::string& text, std::size_t indent);
/// The same in 80 columns; the label stands in the first line's indent.
std::string labelled_lines(std::string_view label, const std::string& text, std::size_t indent);
/// Lines of at most 80 columns, each indented, ending with a line end. A word that is longer than a
/// line has a line of its own.
std::string paragraph_text(const std::string& text, std::size_t indent);

} // namespace memlane
