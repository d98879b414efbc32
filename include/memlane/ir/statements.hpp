// Facts about the statements of a kernel, from its code.
#pragma once

#include "memlane/ir/program.hpp"

namespace memlane::ir {

/// Sets what follows from the instructions of the kernel's statements: their first instructions,
/// what they perform, and the marks of those that perform `sometimes`. O(instructions).
void find_performing(const Program& program, Function& kernel);

} // namespace memlane::ir
