// Which launches of a CUDA program are priced and reported: `--kernel` and `--launches`. All are
// executed.
#pragma once

#include "memlane/support/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

/// Numbers of launches from `first` to `last`; the first launch of a program has number 0, as in
/// time charts.
struct LaunchRange {
  std::int64_t first = 0, last = INT64_MAX;

  bool operator==(const LaunchRange&) const = default;
};

struct LaunchChoice {
  std::vector<std::string> kernels; ///< names that names_kernel compares; empty: all kernels
  std::vector<LaunchRange> ranges;  ///< empty: all launches

  bool all() const { return kernels.empty() && ranges.empty(); }
  /// Whether a launch is priced and reported: its kernel and its number are among the chosen ones.
  /// `symbol`: the kernel's name in PTX.
  bool has(std::int64_t number, std::string_view symbol) const;
  bool has_number(std::int64_t number) const;
};

/// Whether a user's name for a kernel means this one. Of a symbol all these do: itself,
/// `own::add<float>`, `own::add`, `add`.
bool names_kernel(std::string_view name, std::string_view symbol);

/// `1,5-7,10-`: numbers and ranges, from 0. Errors: what is no such list, with the part that is
/// wrong.
Result<std::vector<LaunchRange>> read_launch_ranges(const std::string& text);

} // namespace memlane
