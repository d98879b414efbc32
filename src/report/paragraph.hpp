// Running text in lines for terminals.
#pragma once

#include <cstddef>
#include <string>

namespace memlane {

/// The words in lines of at most `width` columns, each after `indent` blanks; ends with a line end.
std::string paragraph_lines(const std::string& text, std::size_t indent, std::size_t width);

} // namespace memlane
