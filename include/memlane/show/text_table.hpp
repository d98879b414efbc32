// Aligned columns of text.
#pragma once

#include "memlane/support/text.hpp"

#include <string>
#include <vector>

namespace memlane {

enum class Align { left, right };

/// A table without lines, its columns two blanks apart. Trailing blanks are not written.
class TextTable {
public:
  explicit TextTable(std::vector<Align> columns) : columns_(std::move(columns)) {}

  /// Adds a row of at most as many cells as there are columns.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  /// Every row indented by `indent` blanks. Where rows are wider than `most` (0: any width), the
  /// cells of the widest left column are cut, yet not below 16 columns.
  std::string text(std::size_t indent = 0, std::size_t most = 0) const;

private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

} // namespace memlane
