// What would make a run faster: changes whose effect is simulated, so that it is known and not
// guessed.
#pragma once

#include "memlane/points/change.hpp"
#include "memlane/points/point.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memlane::sweep {

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
  PredictionBasis basis = PredictionBasis::simulated;
  std::int64_t predicted_time = 0;
  std::int64_t predicted_gain = 0; ///< time units less than the run took
  // What it changes, before and after:
  std::int64_t requests[2] = {0, 0};
  std::int64_t extra_stages[2] = {0, 0}; ///< all units' stages beyond the first of each request
  std::int64_t latency[2] = {0, 0};      ///< idle_latency of the unit with the largest bound
  std::string command = {}; ///< the command that makes the change and shows the difference
};

/// What the extra stages of one line cost: the run if its requests took one stage each.
struct ConflictFreeLine {
  SourceLine line{0, 0};
  std::int32_t number = 0; ///< the line's number
  std::int64_t extra_stages = 0;
  std::int64_t predicted_time = 0;
  std::int64_t predicted_gain = 0;
};

struct Advice {
  std::vector<Suggestion> suggestions; ///< 3 or fewer, the greatest gain first
  /// Of the line with the most extra stages, if that saves `least_gain` and the run is short enough
  /// for the reference engine.
  std::optional<ConflictFreeLine> conflict_free;
  std::vector<Change> simulated; ///< changes that were run to their end
  std::int64_t too_long = 0;     ///< changes given up after `most_work` times the run's work
  std::int64_t not_run = 0;      ///< the caller's limits or signal came first
};

/// A changed run, ready to be bound. `program` is what the point refers to.
struct ChangedRun {
  std::shared_ptr<const CheckedProgram> program;
  Point point;
};
/// Makes a changed run of the base; errors if it cannot be made.
using MakeChanged = std::function<Result<ChangedRun>(const std::vector<Change>& changes)>;

/// A changed run is given up once it takes more than this many times the base's time or
/// instructions.
inline constexpr std::int64_t most_work = 4;
/// A change is suggested if it saves at least this share of the time.
inline constexpr double least_gain = 0.05;

/// The changes that may help a run, by what it spends its time on: more threads and resident blocks
/// where warps wait for latency (powers of two up to 8 times, and the advice of the account of
/// latency), other layouts for the three arrays with the most extra stages, and half and twice the
/// integer parameters that leave the sizes of all memory arrays as they are. At most about 30.
std::vector<Change> candidates(const Point& base, const RunResult& run);

/// Simulates the candidates and keeps the best of each kind and name that save `least_gain`. A
/// change of a parameter must leave the final contents of all memory arrays as they are; these are
/// `run.outputs`, and without them parameters are left alone. Runs have no verify, no claims and no
/// data where time does not depend on them.
Advice advise(const Point& base, const RunResult& run, const MakeChanged& make,
              const PointRuns& runs, const Sources& sources);

/// The run without the extra stages of the line that has most of them; none if it has more than
/// `most_steps` instructions, no extra stages, or another reason ends the simulation.
std::optional<ConflictFreeLine> without_conflicts(const Point& base, const RunResult& run,
                                                  const Sources& sources,
                                                  std::int64_t most_steps = std::int64_t{1} << 21);

/// Memory arrays that only one of two programs has, or that have other sizes in them.
struct OtherArrays {
  std::vector<std::string> names;
  /// The first with initial values; empty: none. If it differs, the problem is another one. What
  /// else differs may be scratch, or a result with spare words.
  std::string input;
};
OtherArrays other_memory_arrays(const ir::Program& first, const ir::Program& second);
/// The memory arrays of both have the same names and sizes: else they solve other problems.
bool same_memory_arrays(const ir::Program& first, const ir::Program& second);
/// A sentence about them; empty if there are none.
std::string other_sizes_sentence(const OtherArrays& others);

/// The time of a changed run by simulation without its data; none if its time depends on them.
std::optional<std::int64_t> predicted_time(const Point& changed, const Sources& sources);

} // namespace memlane::sweep
