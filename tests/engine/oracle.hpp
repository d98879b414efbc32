// A second reading of configs/README.md sections 2 to 5, 10 and 11: it goes from one time unit to
// the next and does what they say, with nothing of the engines but the types of their input. It is
// slow.
#pragma once

#include "script.hpp"

namespace memlane::test {

/// What the time units of a unit are (section 5).
struct OracleAccount {
  std::int64_t busy = 0, latency = 0, barrier = 0, drain = 0, empty = 0;
  std::array<std::int64_t, wait_causes> waits{};
  /// Of values, by the instruction that waits and the site of the read.
  std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> value_waits;
  bool operator==(const OracleAccount&) const = default;
};

struct OracleRun {
  std::int64_t time = 0;
  std::vector<Recorder::Entry> entries; ///< dispatches in the order of time and of units
  std::vector<OracleAccount> shared;    ///< by multiprocessor
  std::vector<OracleAccount> ports;     ///< own ports of multiprocessors
  std::optional<OracleAccount> global;
  std::vector<std::int64_t> operations; ///< busy time units, by multiprocessor, then unit
  std::int64_t groups_reused = 0;
  std::int64_t flown = 0; ///< time units of requests behind own ports, to their completion
};

/// Every limit of a launch but slots (registers, capacities, `max_threads`) is left out: scripts
/// have none of what they bound.
OracleRun run_by_the_text(const MachineSpec& machine, const LaunchShape& shape,
                          const Script& script);

} // namespace memlane::test
