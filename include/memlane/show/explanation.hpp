// A run explained: its account, what would help, and for CUDA programs each kernel by itself. Plain
// data, as people and programs read it.
#pragma once

#include "memlane/show/account.hpp"
#include "memlane/show/run_report.hpp"
#include "memlane/support/change.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

/// Where a predicted time comes from.
enum class PredictionBasis : std::uint8_t {
  simulated_without_data, ///< the changed run, without its data: it has the same time
  simulated,              ///< the changed run with its data, since its time depends on them
};
/// `simulated_without_data`, `simulated`.
std::string_view name_of(PredictionBasis basis);

/// A change and what it makes of the run.
struct Suggestion {
  Change change;
  std::string words = {}; ///< of the change, where its text does not say enough
  PredictionBasis basis = PredictionBasis::simulated;
  std::int64_t predicted_time = 0;
  std::int64_t predicted_gain = 0; ///< time units less than the run took
  /// Of the CUDA kernel that it changes; none: it changes the whole run.
  std::optional<std::int64_t> kernel_time = std::nullopt;
  // What it changes, before and after:
  std::int64_t requests[2] = {0, 0};
  std::int64_t extra_stages[2] = {0, 0}; ///< all units' stages beyond the first of each request
  std::int64_t latency[2] = {0, 0};      ///< idle_latency of the unit with the largest bound
  std::string command = {}; ///< the command that makes the change and shows the difference
};

/// What the extra stages of one line cost: the run if its requests took the stages that their words
/// need.
struct ConflictFreeLine {
  SourceLine line{0, 0};
  std::int32_t number = 0; ///< the line's number
  std::int64_t extra_stages = 0;
  std::int64_t predicted_time = 0;
  std::int64_t predicted_gain = 0;
};

/// A change of a parameter that saves time, but may not solve the same problem.
struct OtherResult {
  Change change;
  std::int64_t predicted_time = 0;
  std::string array; ///< that ends with other contents; empty: verify fails
};

struct Advice {
  std::vector<Suggestion> suggestions; ///< 3 or fewer, the greatest gain first
  /// Of the line with the most extra stages, if that saves `least_gain` and the run is short enough
  /// for the reference engine. Of a CUDA program, of the line that saves most.
  std::optional<ConflictFreeLine> conflict_free;
  std::vector<Change> simulated;          ///< changes that were run to their end
  std::vector<OtherResult> other_results; ///< of those simulated; they are no suggestions
  std::int64_t too_long = 0; ///< changes given up after `most_work` times the run's work
  std::int64_t not_run = 0;  ///< the caller's limits or signal came first
};

/// Of each kind and name the first that has about the greatest gain: changes are in the order of
/// how far they go. Then the best 3 of all.
std::vector<Suggestion> best_suggestions(std::vector<Suggestion> all);

/// A changed run is given up once it takes more than this many times the base's time or
/// instructions.
inline constexpr std::int64_t most_work = 4;
/// A change is suggested if it saves at least this share of time_beside_launches.
inline constexpr double least_gain = 0.05;

/// The changes of a machine that may hide latency: more threads, resident blocks and, where warps
/// wait with as many as they may have, requests in flight; powers of two up to 8 times and the
/// advice of the account of latency. None where no warp waits for latency.
std::vector<Change> latency_changes(const MachineSpec& machine, const RunResult& run);

/// What a source line of a kernel costs.
struct ExplainedLine {
  CountedLine line;
  std::int64_t waits = 0; ///< time units that warps wait for its requests, added over all warps
  /// Idle time of the global memory that is charged to waits for values of its reads; none: idle
  /// time is not told by waits.
  std::optional<std::int64_t> idle;
  /// The run's time if its requests took the stages that their words need, wherever these lie.
  /// None: it loses no stages, or that was not simulated.
  std::optional<std::int64_t> conflict_free;
};

/// The launches of one kernel.
struct ExplainedKernel : Account {
  std::string name;
  std::vector<ExplainedLine> lines; ///< those that make requests
};

/// One launch, and where the time of one of its units went: the unit with the largest bound.
struct ExplainedLaunch {
  std::int64_t number = 0; ///< in the run, from 0
  std::string kernel;
  std::int64_t blocks = 0, threads = 0; ///< threads of a block
  std::int64_t time = 0;
  std::optional<ExplainedUnit> unit; ///< none: it made no requests
};

/// What an explanation says of a CUDA program beside what it says of every run.
struct ExplainedCuda {
  std::vector<ExplainedKernel> kernels;  ///< the one with the most time first
  std::vector<ExplainedLaunch> launches; ///< the first ones
  std::string untried; ///< why no changes were tried: a sentence; empty: they were
};

struct Explanation : Account {
  Advice advice;                     ///< none where the run was stopped
  std::optional<ExplainedCuda> cuda; ///< none: another program
};

/// The parts of the explanation: where the time went, the costliest line, the tight bound, what
/// would help.
std::vector<ExplainedPart> explained_parts(const Explanation& explanation);

/// The explanation as a part of a result.
AddedPart explained_part(Explanation explanation);
nlohmann::ordered_json explanation_json(const Explanation& explanation);
nlohmann::ordered_json explanation_schema(std::string description);

} // namespace memlane
