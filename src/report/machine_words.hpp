// A machine in one line.
#pragma once

#include "memlane/machine/spec.hpp"

#include <string>

namespace memlane {

/// The model, and every setting that is not at its default or has none: `MMM, local_words 64,
/// transfer 10`.
std::string machine_settings(const MachineSpec& machine);
/// The same with the papers' letters: `MMM, P unbounded (multiprocessors), Z = 64 (local_words), U
/// = 10 (transfer)`. Settings that have a letter are always there.
std::string machine_with_letters(const MachineSpec& machine);

} // namespace memlane
