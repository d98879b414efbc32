// Running text in lines for terminals.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace memlane {

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
