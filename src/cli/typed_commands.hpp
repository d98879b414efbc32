// Commands in printed texts, in words that work where memlane was started.
#pragma once

#include <string>
#include <string_view>

namespace memlane::cli {

/// The text with `program` in place of each `memlane` that begins a command, such as `memlane run
/// sum`: at the begin of a line or of the text, in quotes or parentheses, or behind a colon, a
/// comma, a semicolon, `or` or `and`. O(n).
std::string with_typed_commands(std::string_view text, std::string_view program);

} // namespace memlane::cli
