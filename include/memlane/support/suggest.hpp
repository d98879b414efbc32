// "Did you mean": the nearest of the known names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

/// Edits (insert, delete, replace, swap neighbours) between two words, without regard to case.
int edit_distance(std::string_view a, std::string_view b);

/// The known name nearest to `word`, if it is near enough to be a slip of the hand
/// (at most a third of the letters, at least one edit allowed); the first of equals.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

/// `did you mean 'x'?`, or nothing.
std::vector<std::string> did_you_mean(std::string_view word, const std::vector<std::string>& known);

} // namespace memlane
