// Which words one request of an access asks for: an example of what its stages come from.
#pragma once

#include "memlane/points/point.hpp"
#include "memlane/show/account.hpp"

#include <cstdint>
#include <optional>

namespace memlane::sweep {

/// The first request of the access that takes its most stages, found by running the point again on
/// the reference engine up to that request. None if it does not come within the first
/// `most_steps` instructions, or the run stops before it.
std::optional<AccessPattern> find_pattern(const Point& point, const AccessCounts& access,
                                          const Sources& sources,
                                          std::int64_t most_steps = std::int64_t{1} << 20);

} // namespace memlane::sweep
