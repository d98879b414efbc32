// The processes of `mpirun -n N memlane …`.
#pragma once

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

} // namespace memlane::cli
