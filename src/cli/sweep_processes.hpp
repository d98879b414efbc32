// A sweep on the processes of `mpirun -n N memlane …`: process 0 owns the store and hands out
// points one by one, so that a slow point delays no other; the others run them.
#pragma once

#include "memlane/store/point_order.hpp"
#include "memlane/support/result.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace memlane::cli {

/// Whether mpirun has started this process with others.
bool under_mpirun();

/// Messages between the processes of one mpirun. Process 0 shares out the work.
class Processes {
public:
  /// Joins the others. Errors: this memlane was built without MPI, or MPI does not start.
  static Result<Processes> join();
  Processes(Processes&&) noexcept;
  Processes& operator=(Processes&&) noexcept;
  /// Waits until all processes are here.
  ~Processes();

  int rank() const;
  int size() const;
  Status send(int to, const std::string& message);
  /// The next message and its sender. Calls `idle` while it waits; none if that returns false.
  Result<std::optional<std::pair<int, std::string>>> receive(const std::function<bool()>& idle);

private:
  struct Module;
  explicit Processes(std::unique_ptr<Module> module);
  std::unique_ptr<Module> module_;
};

/// What process 0 does: stores each point as its result arrives. When limits.run.check asks to
/// stop, no more points are handed out; those under way are waited for. The others end in any case.
/// Errors: the store can no longer be written; messages fail.
Result<sweep::SweepSummary> lead_sweep(Processes& processes, const sweep::Plan& plan,
                                       const sweep::Pending& pending, sweep::PointOrder& order,
                                       sweep::Store& store, const sweep::SweepRequest& request);

/// What the others do until process 0 has no more points for them.
Status work_for_sweep(Processes& processes, const sweep::Plan& plan, const sweep::SweepRuns& runs,
                      const Sources& sources);

/// What process 0 does if there is nothing to do: the others end.
Status dismiss(Processes& processes);

} // namespace memlane::cli
