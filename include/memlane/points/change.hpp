// One change of a run, as --try takes it: `threads=2048`, `n=4096`, `layout t=padded(1)`.
#pragma once

#include "memlane/lang/checked_program.hpp"
#include "memlane/machine/spec.hpp"
#include "memlane/support/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::sweep {

enum class ChangeKind : std::uint8_t { machine, parameter, layout, fn, type };
/// `machine`, `parameter`, `layout`, `fn`, `type`.
std::string_view name_of(ChangeKind kind);

/// What is changed, and into what.
struct Change {
  ChangeKind kind = ChangeKind::machine;
  std::string name;  ///< key, parameter, array, fn or type
  std::string value; ///< what the option takes; a fn's whole definition: `f(x) = x + 1`

  /// As the options take it: `threads=2048`, `t=padded(1)`, `f(x) = x + 1`.
  std::string option_text() const;
  /// As --try takes it: of a layout, fn or type behind its kind.
  std::string text() const;
};

/// The changes of one --try, separated by `;`. The name before `=` decides what is changed: a
/// parameter of the program, a key or letter of the machine, an array's layout, a type. `layout`,
/// `fn`, `type`, `param` and `set` before it say so. Errors: a name that nothing has (with the
/// nearest one) or that several have; the same thing changed twice.
Result<std::vector<Change>> read_changes(const std::string& text, const CheckedProgram& program,
                                         const ir::Program& code, Model model);

/// What is changed, in the words of `Change::text`, with its `;`.
std::string changes_text(const std::vector<Change>& changes);

} // namespace memlane::sweep
