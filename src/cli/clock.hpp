// The one clock of limits, progress and reports.
#pragma once

#include <chrono>

namespace memlane::cli {

/// Seconds since some moment; they never go back.
inline double seconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

} // namespace memlane::cli
