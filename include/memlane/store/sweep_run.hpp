// Running a sweep: the points that a store lacks, on several threads, each stored as it ends.
#pragma once

#include "memlane/points/plan.hpp"
#include "memlane/store/store.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace memlane::sweep {

/// A part of a sweep: the points whose keys fall into it, so that parts are about equal and do not
/// depend on the order of points.
struct Shard {
  std::int64_t number = 1; ///< 1 is the first
  std::int64_t of = 1;

  bool holds(std::string_view key) const;
};

/// What each point may take.
struct PointLimits {
  Limits run;         ///< steps, memory and time; its check: whether the whole sweep shall stop
  double seconds = 0; ///< the run's wall-clock time; 0: no limit

  /// The options that are limits, with their values: `--max-seconds 10`.
  std::string text_of(Stop stop) const;
};

/// A point that ended, as it is stored.
struct EndedPoint {
  std::int64_t number = 0; ///< its number in the plan
  StoredPoint stored;
  PointStatus status = PointStatus::done;
  bool check_failed = false;
  std::string limit;   ///< the limit that stopped it
  std::string message; ///< what is wrong with it; empty: nothing
  Stop stop = Stop::none;
};

/// How a result ended; without its stored form.
EndedPoint ended_as(const PointResult& result, const PointLimits& limits);

/// Makes the stored form of a result, all but key, sweep and seconds; called by several threads.
/// `code` and the run's counts are empty where the point could not be bound.
using DescribeResult = std::function<void(const PlannedPoint&, const PointResult&, EndedPoint&)>;

/// How the points of a plan are run.
struct SweepRuns {
  std::string sweep; ///< its name
  PointLimits limits;
  Engine engine = Engine::fast;
  DescribeResult describe;
  /// Reads the inputs of a point that is bound; called by several threads. Empty: there are none.
  std::function<Status(const ir::Program& code, Point&)> add_inputs = {};
  RunCommand run_command = {};         ///< empty: no plan has commands
  std::function<double()> clock;       ///< seconds
  std::function<void()> progress = {}; ///< called often while a point runs, by any thread
};

/// Runs one point. A point that cannot be bound ends as `failed`.
EndedPoint run_planned(const Plan& plan, std::int64_t number, const SweepRuns& runs,
                       const Sources& sources);

/// Why a point is to be run.
enum class PointState : std::uint8_t {
  known,   ///< it is not: the store has its result
  missing, ///< the store does not have it
  limited, ///< it stopped at a limit that is another now
  retried, ///< it stopped or failed, and --retry asks for those
};

/// `known`, `missing`, `limited`, `retried`.
std::string_view name_of(PointState state);

/// A point that is to be run.
struct PendingPoint {
  std::int64_t number = 0;
  float weight = 1;         ///< grows with the work of its program: the product of its sizes
  std::int32_t program = 0; ///< index into Pending::programs
  std::int32_t sweep = 0;   ///< index of its plan, where several sweeps run together
  PointState state = PointState::missing;
};

/// How long a point took.
struct TimedPoint {
  std::int32_t program = 0; ///< index into Pending::programs
  float weight = 1;
  double seconds = 0;
};

/// How points ended.
struct SweepSummary {
  std::int64_t run = 0; ///< the points that ended, those below included
  std::int64_t check_failed = 0, stopped = 0, failed = 0;
  bool interrupted = false; ///< some points were not begun
};

/// What a store has of one or several plans, and what is to be run, the largest weight first.
struct Pending {
  std::vector<std::string> programs; ///< the sweeps' names for them; plans share no entry
  std::vector<PendingPoint> points;
  std::vector<std::int64_t> known_points; ///< the numbers of known points, plan by plan, in order
  std::vector<TimedPoint> timed;          ///< some of the known points
  SweepSummary known;                     ///< how the known points ended
  std::int64_t elsewhere = 0;             ///< points of other shards
  bool interrupted = false; ///< limits.run.check asked to stop: later points are in no list
};

/// Compares plan and store. `store` may be null: nothing is known.
Pending pending_points(const Plan& plan, const Store* store, const Shard& shard, bool retry,
                       const PointLimits& limits);
/// The same for plans that run together; a point that several have is run once.
Pending pending_points(const std::vector<const Plan*>& plans, const Store* store,
                       const Shard& shard, bool retry, const PointLimits& limits);

/// Counts a point that ended.
void add_to(SweepSummary& summary, PointStatus status, bool check_failed);

/// Runs pending points and stores each as it ends.
struct SweepRequest {
  SweepRuns runs;
  std::size_t jobs = 1;
  std::int64_t memory = INT64_MAX; ///< limits the arrays of all concurrent points, in bytes
  /// Called by any thread when a run begins, and by one at a time when its result is stored.
  std::function<void(const PendingPoint&, const std::string& label)> begin = {};
  std::function<void(const PendingPoint&, const EndedPoint&)> end = {};
};

class PointOrder;

/// A sweep that runs together with others.
struct NamedPlan {
  std::string sweep; ///< its name, instead of SweepRuns::sweep
  const Plan* plan = nullptr;
};

/// Runs the points in the order of `order`, which was made from `pending`. When limits.run.check
/// asks to stop, no more points begin; those under way run to their end and are stored. Errors: the
/// store can no longer be written; what it has stays.
Result<SweepSummary> run_sweep(const Plan& plan, const Pending& pending, PointOrder& order,
                               Store& store, const SweepRequest& request, const Sources& sources);
/// The same for the points of several plans on the same cores; `pending` is theirs together.
Result<SweepSummary> run_sweeps(const std::vector<NamedPlan>& plans, const Pending& pending,
                                PointOrder& order, Store& store, const SweepRequest& request,
                                const Sources& sources);

} // namespace memlane::sweep
