// Pieces of a user's text, as messages quote them.
#pragma once

#include <string>
#include <string_view>

namespace memlane {

/// The first 400 bytes or so of a text, up to a whole character, and a sign that there was more.
std::string shortened(const std::string& text);
/// A piece of source on one line, shortened.
std::string source_on_one_line(std::string_view text);

} // namespace memlane
