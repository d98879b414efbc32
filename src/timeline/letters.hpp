// The letters of time charts as text, and what all drawn charts say of rows.
#pragma once

#include "memlane/timeline/timeline.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memlane {

/// Of a warp's row.
char letter_of(WarpState state);
/// `waits for the port`.
std::string_view meaning_of(WarpState state);
/// The most ports of a unit that have rows.
inline constexpr std::int64_t most_charted_ports = 4;
/// The label of a port's row: `port`, `shared 3`, `global 1`. `unit`: index into the units.
std::string port_label(const std::vector<Timeline::Unit>& units, std::int64_t unit,
                       std::int64_t port);
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
