// The counts that claims can name, and their values in a run.
#pragma once

#include "memlane/count/counts.hpp"
#include "memlane/lang/evaluate.hpp"
#include "memlane/machine/spec.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace memlane::claims {

using CountValue = std::variant<std::int64_t, MmmBound, lang::NoValue>;

/// Why a claim has no value in a run: it does not apply to the run, or cannot be evaluated.
lang::NoValue not_applicable(std::string reason);
lang::NoValue not_evaluated(std::string reason);

/// What to write in place of a name that models use for different counts: `mmm_work or pram_work`
/// for `work`; empty for other names.
std::string_view clear_names(std::string_view name);
/// Whether the count is in time units, so that a machine's costs change it.
bool is_timed(std::string_view name);

/// The count of the whole run. Not `multiplicity`, which is no integer.
CountValue run_count(std::string_view name, const MachineSpec& machine, const RunResult& run);
/// The count of a kernel's launches; a kernel that was not launched has none.
CountValue kernel_count(std::string_view kernel, std::string_view name, const MachineSpec& machine,
                        const RunResult& run);

} // namespace memlane::claims
