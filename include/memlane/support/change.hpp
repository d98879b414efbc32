// One change of a run, as --try takes it: `threads=2048`, `n=4096`, `layout t=padded(1)`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace memlane {

enum class ChangeKind : std::uint8_t { machine, parameter, layout, fn, type };
/// `machine`, `parameter`, `layout`, `fn`, `type`.
std::string_view name_of(ChangeKind kind);
/// What --try calls a kind before a name that several have: `set`, `param`, `layout`, `fn`, `type`.
std::string_view prefix_of(ChangeKind kind);
inline constexpr std::size_t change_kinds = 5;

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

} // namespace memlane
