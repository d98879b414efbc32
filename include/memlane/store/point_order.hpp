// Which pending point begins next, and how long the others take.
#pragma once

#include "memlane/store/sweep_run.hpp"

#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memlane::sweep {

/// Gives the point that is expected to take longest, so that none is left to run alone at the end.
/// Where several programs are pending, one without a timed run begins with its lightest point,
/// which tells how long its others take. Any thread may call.
class PointOrder {
public:
  /// `pending` must outlive it, and its points are in descending order of weight.
  explicit PointOrder(const Pending& pending);
  ~PointOrder();
  PointOrder(const PointOrder&) = delete;
  PointOrder& operator=(const PointOrder&) = delete;

  /// A place in Pending::points, each once; there must be one left. Cost: the number of programs.
  std::size_t next();
  /// After a run that took so long; later choices use it.
  void ended(const PendingPoint& point, double seconds);
  /// Of all points that have not ended, one after another, as far as it can be estimated; running
  /// ones count half. None: a program has no timed run.
  std::optional<double> seconds_left() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

struct WorkEstimate {
  std::optional<double> seconds; ///< the sum over all points; none: no run is known
  std::int64_t from_runs = 0;
  std::int64_t bytes = 0; ///< the most that one point's arrays take, among those looked at
  std::string largest;    ///< the label of that point
};

/// Binds the heaviest points for their memory, and runs light ones of each program for at most
/// about `trial` seconds in all, whose results are discarded, unless enough runs are known. The
/// seconds of a program grow with a power of the points' weight that is fitted to its runs.
/// Only the seconds differ from call to call. Requires pending points.
WorkEstimate estimate_work(const Plan& plan, const Pending& pending, const SweepRuns& runs,
                           double trial, const Sources& sources);

/// The seconds of a program's runs as factor * weight^power.
struct PowerLaw {
  double factor = 0, power = 1;

  double at(double weight) const { return factor * std::pow(weight, power); }
};

/// Requires a run. Cost: O(runs * log runs), and pairs of at most 200 of them.
PowerLaw fitted_law(std::vector<TimedPoint> runs);

} // namespace memlane::sweep
