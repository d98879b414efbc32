// Command lines that can be pasted into a shell.
#pragma once

#include <string>
#include <string_view>

namespace memlane {

/// The word as POSIX shells read it back: in single quotes where it holds anything but letters,
/// digits and `_@%+=:,./-`.
std::string shell_word(std::string_view word);

} // namespace memlane
