// Which pending point begins next.
#pragma once

#include "memlane/store/sweep_run.hpp"

#include <cstddef>
#include <memory>
#include <optional>

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

} // namespace memlane::sweep
