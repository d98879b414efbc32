// What the axes of a sweep change, once its programs and machines are known.
#pragma once

#include "memlane/lang/checked_program.hpp"
#include "memlane/machine/keys.hpp"
#include "memlane/machine/machine.hpp"
#include "memlane/points/sweep_spec.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace memlane::sweep {

/// What an axis changes: a parameter, a value of the machine, a text of the program, the content
/// of an array, or a text in the words of a command.
enum class AxisRole : std::uint8_t { parameter, machine, replacement, input, word };

/// The number of the value that each group of axes has at a point.
using GroupValues = std::vector<std::int64_t>;

/// An axis and the group it advances with.
struct PlannedAxis {
  const SweepAxis* axis = nullptr;
  std::size_t group = 0, place = 0; ///< its group in the sweep, and its place there
  AxisRole role = AxisRole::parameter;
};

/// The key that a name means on a machine and that may vary: a path, or a letter of the papers.
/// Null: there is none. A path may be a key of other models only.
const MachineKey* key_on(std::string_view name, Model model);

/// Whether a machine of some model has such a key, or the papers such a letter.
bool is_machine_name(std::string_view name);

/// Finds what each axis changes. Errors: an axis that a program does not have, or that nothing has;
/// one that a program or a machine gives a value of its own.
Result<std::vector<PlannedAxis>> planned_axes(const SweepSpec& sweep,
                                              const std::vector<CheckedProgram>& programs,
                                              const std::vector<LoadedMachine>& machines);

/// The replacement of an axis' value, as SweptProgram::replaced.
std::pair<std::string, std::string> replacement(const SweepAxis& axis, std::int64_t value);

/// The value of an axis as a value of the machine. Errors: the machine has no such key; the key
/// does not accept the value.
Result<OtherValue> machine_value(const LoadedMachine& machine, const SweepAxis& axis,
                                 std::int64_t value);

} // namespace memlane::sweep
