// Which words one request of an access asks for: an example of what its stages come from.
#pragma once

#include "memlane/sweep/point.hpp"

#include <cstdint>
#include <optional>

namespace memlane::sweep {

/// The addresses of one request, in numbers.
struct AccessPattern {
  UnitKind kind = UnitKind::discrete;
  std::int64_t width = 1;
  std::int64_t lanes = 0;                  ///< active ones
  std::int64_t words = 0;                  ///< distinct ones
  std::int64_t banks = 0;                  ///< that they lie in
  std::int64_t groups = 0;                 ///< address groups that they lie in
  std::int64_t stages = 0;                 ///< of the request
  std::optional<std::int64_t> stride = {}; ///< words from each lane to the next, if always the same
};

/// The pattern of addresses by lane; -1: not active. Requires an active lane. O(w log w).
AccessPattern pattern_of(const UnitSpec& unit, std::int64_t width,
                         const std::vector<std::int64_t>& addresses);

/// The first request of the access that takes its most stages, found by running the point again on
/// the reference engine up to that request. None if it does not come within the first
/// `most_steps` instructions, or the run stops before it.
std::optional<AccessPattern> find_pattern(const Point& point, const AccessCounts& access,
                                          const Sources& sources,
                                          std::int64_t most_steps = std::int64_t{1} << 20);

} // namespace memlane::sweep
