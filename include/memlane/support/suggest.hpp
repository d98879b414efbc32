// Suggests the nearest known name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

/// Edits (insert, delete, replace, swap neighbours) between two words, ignoring case.
int edit_distance(std::string_view a, std::string_view b);

/// The known name nearest to `word`, the first of equals, if it is a likely typing mistake: at most
/// one edit for each three letters, or one edit.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

/// `did you mean 'x'?`, or nothing.
std::vector<std::string> did_you_mean(std::string_view word, const std::vector<std::string>& known);

} // namespace memlane
