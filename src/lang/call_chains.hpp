// Who calls whom: circles, and chains so long that those who walk them inlined would need more
// stack than there is.
#pragma once

#include "memlane/support/source.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace memlane::lang {

/// So many calls may stand inside each other: no algorithm needs as many.
constexpr int deepest_calls = 500;

struct CallSite {
  std::size_t callee = 0;
  Span span;
};

/// What is to be told of the calls.
struct CallFaults {
  /// Those of a circle, in order, and the call that closes it.
  std::function<void(const std::vector<std::size_t>&, const CallSite&)> circle;
  /// A caller from which more than `deepest_calls` calls go down, and the first of them.
  std::function<void(std::size_t, const CallSite&)> too_deep;
};

/// `calls[i]` are those of the function with number i.
void find_call_faults(const std::vector<std::vector<CallSite>>& calls, const CallFaults& faults);

} // namespace memlane::lang
