// Aligned columns of text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

/// Columns a text takes in a terminal, each UTF-8 character being one wide.
std::size_t display_width(std::string_view text);
/// `1 request`, `2 requests`.
std::string counted(std::int64_t n, std::string_view one, std::string_view many);
/// The text on one line: line ends and tabs become blanks, other control characters and bytes that
/// are not UTF-8 become escapes (support/escape.hpp). What is longer than `most` columns ends in
/// `…`.
std::string on_one_line(std::string_view text, std::size_t most);

enum class Align { left, right };

/// A table without lines, its columns two blanks apart. Trailing blanks are not written.
class TextTable {
public:
  explicit TextTable(std::vector<Align> columns) : columns_(std::move(columns)) {}

  /// Adds a row of at most as many cells as there are columns.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  /// Every row indented by `indent` blanks.
  std::string text(std::size_t indent = 0) const;

private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

} // namespace memlane
