// The changes of a run that a --try asks for.
#pragma once

#include "memlane/lang/checked_program.hpp"
#include "memlane/machine/spec.hpp"
#include "memlane/support/change.hpp"
#include "memlane/support/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::sweep {

/// The changes of one --try, separated by `;`. The name before `=` decides what is changed: a
/// parameter of the program, a key or letter of the machine, an array's layout, a type. `layout`,
/// `fn`, `type`, `param` and `set` before it say so. Errors: a name that nothing has (with the
/// nearest one) or that several have; the same thing changed twice.
Result<std::vector<Change>> read_changes(const std::string& text, const CheckedProgram& program,
                                         const ir::Program& code, Model model);

/// Those of a run of CUDA kernels: only the machine changes. Errors: as above.
Result<std::vector<Change>> read_machine_changes(const std::string& text, Model model);

/// What is changed, in the words of `Change::text`, with its `;`.
std::string changes_text(const std::vector<Change>& changes);

} // namespace memlane::sweep
