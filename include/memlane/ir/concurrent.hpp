// Blocks `concurrent { … }` of host code: what their launches may access.
#pragma once

#include "memlane/ir/program.hpp"
#include "memlane/support/result.hpp"

#include <cstddef>
#include <vector>

namespace memlane::ir {

/// By Program::arrays: whether a launch between the `concurrent` at `begin` of the host function
/// and its end may write the array. Cost: O(code of the block and of its kernels).
std::vector<bool> written_together(const Program& program, const Function& host, std::size_t begin);

/// Errors for host code inside a `concurrent`: it reads an array that an earlier launch of the
/// same block may write, or writes an array that one may access (programs/README.md, "Main and
/// verify"). An access of any element counts as one of the whole array. Earlier is also what an
/// earlier round of a loop launches. Cost: O(code · depth of loops).
Diagnostics check_concurrent(const Program& program, const Function& host);

} // namespace memlane::ir
