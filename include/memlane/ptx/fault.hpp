// What goes wrong in a kernel, and how it is said: with the kernel, the source line, the block and
// the thread.
#pragma once

#include "memlane/ptx/module.hpp"
#include "memlane/support/diagnostic.hpp"

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memlane::ptx {

// X(kind, name, may be allowed)
#define MEMLANE_PTX_FAULTS(X)                                                                      \
  X(none, "none", false)                                                                           \
  X(outside, "out-of-bounds", true)                                                                \
  X(freed, "freed", true)                                                                          \
  X(misaligned, "misaligned", true)                                                                \
  X(uninitialised, "uninitialised-shared", true)                                                   \
  X(inactive, "inactive-lane", true)                                                               \
  X(absent, "absent-lanes", true)                                                                  \
  X(parted_barrier, "parted-barrier", true)                                                        \
  X(stuck_barrier, "stuck-barrier", false)                                                         \
  X(wrong_mbarrier, "mbarrier", false)                                                             \
  X(no_object, "texture-object", true)                                                             \
  X(asserted, "assert", true)                                                                      \
  X(trapped, "trap", false)                                                                        \
  X(no_function, "no-function", false)                                                             \
  X(too_deep, "call-depth", false)                                                                 \
  X(waits_for_ever, "endless-wait", false)

enum class FaultKind : std::uint8_t {
// outside: no variable or allocation has the address.
// uninitialised: nothing has written the word of shared memory that is read, and the value is used:
// as an address, in a branch, by other lanes, or in a store to another memory.
// inactive: a shuffle reads a lane that does not execute it.
// absent: a mask names lanes that never execute the operation, or omits the lane itself.
// parted_barrier: some lanes of a warp reach `bar.sync` without the others.
// stuck_barrier: all threads of a block wait at barriers, and none of these can open.
// wrong_mbarrier: it is not initialised, or more threads arrive than it counts.
// no_object: a texture or surface object was never made, or has been destroyed.
// too_deep: calls are nested too deeply, or local memory is used up.
#define MEMLANE_PTX_FAULT(kind, name, allowed) kind,
  MEMLANE_PTX_FAULTS(MEMLANE_PTX_FAULT)
#undef MEMLANE_PTX_FAULT
      count,
};
/// As options and results spell it.
std::string_view name_of(FaultKind kind);
std::optional<FaultKind> fault_named(std::string_view name);
/// Whether a launch can go on after a fault of this kind, if that is asked for.
bool may_be_allowed(FaultKind kind);

using FaultKinds = std::bitset<static_cast<std::size_t>(FaultKind::count)>;
/// Launches always go on after these, as GPUs do: CUDA leaves the value undefined, and correct
/// programs do not use it.
inline const FaultKinds harmless_faults =
    FaultKinds().set(static_cast<std::size_t>(FaultKind::inactive));

/// A fault and where it happened.
struct ThreadFault {
  FaultKind kind = FaultKind::none;
  Space space = Space::generic; ///< that was accessed
  std::uint64_t address = 0;    ///< in the space
  int bytes = 0;                ///< that were accessed
  std::string kernel;
  std::array<std::int64_t, 3> block{}, thread{};
  const Operation* operation = nullptr; ///< null: unknown
  /// Which allocation is near, an assertion's text, the function that is called: a part of the
  /// message. May be empty.
  std::string detail;
  std::int64_t times = 1; ///< how often; more than 1 only of kinds that are allowed
};

/// An error (a warning if the kind is allowed) whose place is the line of the CUDA source, if
/// `.loc` gives it; notes have the lines that inlined it, and the PTX instruction. Help says how to
/// go on. The spans are those of the module's text in Sources.
Diagnostic diagnostic_of(const Module& module, const ThreadFault& fault, bool allowed = false);

/// The source line of an operation, `a.cu:12`; empty: unknown.
std::string source_line(const Module& module, const Operation& operation);

} // namespace memlane::ptx
