// The counts that claims can name, and where a run keeps them.
#pragma once

#include "problem.hpp"

#include "memlane/engine/simulate.hpp"
#include "memlane/machine/spec.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace memlane::claims {

using CountValue = std::variant<std::int64_t, Problem>;

/// `time`, `stages`, `shared_stages`, `host_words`, `multiplicity` …
bool is_run_count(std::string_view name);
/// Those that a kernel's launches have of their own: all but `host_words` and `global_words`.
bool is_kernel_count(std::string_view name);
/// A count of the papers that this version does not take.
bool is_later_count(std::string_view name);
/// A count in time units, which a machine's costs change.
bool is_timed(std::string_view name);

std::vector<std::string> run_count_names();
std::vector<std::string> kernel_count_names();

/// The count of the whole run. Requires is_run_count, and not `multiplicity`, which is no integer.
CountValue run_count(std::string_view name, const MachineSpec& machine, const RunResult& run);
/// The count of a kernel's launches; a kernel that was not launched has none.
CountValue kernel_count(std::string_view kernel, std::string_view name, const MachineSpec& machine,
                        const RunResult& run);

} // namespace memlane::claims
