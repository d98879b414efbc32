// The letters of time charts as text.
#pragma once

#include "memlane/timeline/timeline.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memlane {

/// Of a warp's row.
char letter_of(WarpState state);
/// In place of a stretch that is left out.
inline constexpr char gap_letter = '~';

/// The letters of a row with their colors (ECMA-48).
std::string colored(std::string_view letters);
/// The entries with `gap` between them, in lines of at most so many columns.
std::string in_columns(const std::vector<std::string>& entries, std::string_view gap,
                       std::size_t columns);
/// What the letters mean, in lines of at most so many columns.
std::string letters_legend(std::size_t columns);

} // namespace memlane
