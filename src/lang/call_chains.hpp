// The call graph: cycles, and chains of calls that are too long for the stack of passes that inline
// them.
#pragma once

#include "memlane/support/source.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace memlane::lang {

/// Maximum depth of calls; no algorithm needs as many.
constexpr int deepest_calls = 500;

struct CallSite {
  std::size_t callee = 0;
  Span span;
};

/// Called for each fault of a call graph.
struct CallFaults {
  /// The members of a cycle, in order, and the call that closes it.
  std::function<void(const std::vector<std::size_t>&, const CallSite&)> cycle;
  /// A caller with a chain of more than `deepest_calls` calls below it, and the first call of the
  /// chain.
  std::function<void(std::size_t, const CallSite&)> too_deep;
};

/// `calls[i]` are those of the function with number i.
void find_call_faults(const std::vector<std::vector<CallSite>>& calls, const CallFaults& faults);

} // namespace memlane::lang
