// Every time unit of a memory unit by its cause: the account of its time (engine/account.hpp), with
// busy time split into first and extra stages and the cost of launches apart.
#pragma once

#include "memlane/count/counts.hpp"
#include "memlane/machine/spec.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace memlane {

enum class Cause : std::uint8_t {
  first_stages, ///< busy with the first stages of requests
  extra_stages, ///< busy with the stages beyond the first
  latency,
  barrier,
  drain,
  launch, ///< launch_cost
  empty,
};
/// `first_stages`, `extra_stages`, …
std::string_view name_of(Cause cause);
inline constexpr std::size_t cause_count = 7;

/// Time units by cause; they add up to the run's time.
using TimeByCause = std::array<std::int64_t, cause_count>;

/// The causes of one unit's time. A unit with several ports accepts several stages in a busy time
/// unit: busy time is then split in the proportion of the stages.
TimeByCause causes_of(const UnitCounts& unit, std::int64_t launches, Cycles launch_cost);

/// A memory unit of a run: which one, and where its time went.
struct ExplainedUnit {
  UnitId unit = UnitId::global;
  std::int64_t multiprocessor = 0; ///< of a shared unit: the one with the greatest bound
  std::int64_t requests = 0;
  std::int64_t stages = 0;
  TimeByCause time{};
};

/// The global unit, and the shared unit with the greatest bound; the unit whose bound is the run's
/// largest comes first. Of a stopped run the bounds are those of the ended launches. Units without
/// requests are left out. Empty where time is not counted in units (AGPU).
std::vector<ExplainedUnit> explained_units(const MachineSpec& machine, const Counts& counts);

} // namespace memlane
