// Names, types, uniformity: everything about a program that needs no machine.
#pragma once

#include "memlane/lang/typed.hpp"
#include "memlane/support/result.hpp"

namespace memlane::lang {

/// Checks a whole program and returns all independent errors together (programs/README.md: Names,
/// Types, Arrays, Requests, Parallel code, Host). Does not need parameter values: what depends on
/// them (extents, `where`, constant division by zero) is checked by `lower`.
Result<Checked> check(const Sources& sources, Program program);

} // namespace memlane::lang
