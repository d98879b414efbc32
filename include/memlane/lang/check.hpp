// Names, types, uniformity, claims: everything about a program that needs no machine.
#pragma once

#include "memlane/lang/typed.hpp"
#include "memlane/support/result.hpp"

namespace memlane::lang {

/// The counts that claims may name.
struct CountNames {
  std::vector<std::string> of_run;    ///< `time`, `shared_stages`, …
  std::vector<std::string> of_kernel; ///< counts of one kernel's launches: K.time, …
  std::vector<std::string> unclear;   ///< models count them differently: claims get no value
};

/// Checks a whole program and returns all independent errors together (programs/README.md: Names,
/// Types, Arrays, Requests, Parallel code, Host). Does not need parameter values: what depends on
/// them (extents, `where`, constant division by zero) is checked by `lower`.
Result<Checked> check(const Sources& sources, Program program, const CountNames& counts = {});

} // namespace memlane::lang
