// What this build is.
#pragma once

#include <string_view>

namespace memlane::cli {

inline constexpr std::string_view version = MEMLANE_VERSION;
/// Of the version, not of the build: equal sources give equal texts.
inline constexpr std::string_view version_date = MEMLANE_VERSION_DATE;

} // namespace memlane::cli
