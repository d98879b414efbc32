// A sweep's points, before they run: programs x machines x axes x seeds, without those that a
// condition excludes.
#pragma once

#include "memlane/machine/machine.hpp"
#include "memlane/points/kernel_command.hpp"
#include "memlane/points/recipe.hpp"
#include "memlane/points/sweep_spec.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace memlane::sweep {

/// How a plan reads what a sweep names; the caller supplies it.
struct SweepFiles {
  /// A program with its replacements (option without dashes and text: `layout`, `t=rows`).
  std::function<Result<CheckedProgram>(
      const std::string& name, const std::vector<std::pair<std::string, std::string>>& replaced)>
      program;
  /// A machine with overrides, each `key=value`.
  std::function<Result<LoadedMachine>(const std::string& name,
                                      const std::vector<std::string>& overrides)>
      machine;
  /// A hash of what decides the content that --input takes from a source.
  std::function<Result<std::string>(const std::string& source)> input_hash;
  /// The words of a command; checks them, and reads the file that it runs.
  std::function<Result<KernelCommand>(const SweptProgram& swept)> command = {};
  /// Whether a command can be run with these words, which have a point's values.
  std::function<Status(const std::vector<std::string>& words)> check_words = {};
  /// Whether kernels can be priced on a machine.
  std::function<Status(const MachineSpec& machine)> fits_kernels = {};
};

/// One point of a plan, ready for bind_point.
struct PlannedPoint {
  Recipe recipe; ///< what the point is made of
  Point point;   ///< refers to the plan's programs; without the contents of inputs
  std::shared_ptr<const LoadedMachine> machine;
  std::string program;                                     ///< its name in the sweep
  std::vector<std::pair<std::string, std::string>> values; ///< each axis and its value: `n`, `1024`
  std::string key;                                         ///< StoredPoint::key
  std::vector<std::pair<std::string, std::string>> key_parts;
  std::string label;   ///< `sum on hmm-titan, n=1024`; with several seeds `…, seed 1`
  std::string command; ///< `memlane run sum -m hmm-titan -D n=1024`
};

struct PlanState;

/// What a plan does with points that cannot be bound: values that break a program's `where`, or do
/// not fit together.
enum class WrongPoints : std::uint8_t {
  refuse,    ///< they are errors
  leave_out, ///< they are no points of the plan, which lists them
};

/// A combination that is no point of the plan.
struct WrongPoint {
  std::vector<std::int64_t> numbers;                       ///< the combination, see Plan::numbers
  std::vector<std::pair<std::string, std::string>> values; ///< each axis and its value as written
  std::string message;                                     ///< what is wrong, on one line
};

/// All points of a sweep, in a fixed order: as the file lists programs, machines and axes, the last
/// axis fastest, then seeds.
class Plan {
public:
  /// `sources` must outlive the plan and hold the texts of the sweep. Errors: those of programs,
  /// machines and values; an axis that a program does not have; an axis that nothing uses; a
  /// condition that excludes everything; points that break a program's own `where`, unless the
  /// condition excludes them or `wrong` says to leave them out, but not all; too many points, with
  /// their count. Cost: of each point its parameters
  /// and the condition.
  static Result<Plan> make(const SweepSpec& sweep, const SweepFiles& files, Sources& sources,
                           WrongPoints wrong = WrongPoints::refuse);
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan&&) noexcept;
  ~Plan();

  std::int64_t size() const;     ///< points, those excluded not among them
  std::int64_t excluded() const; ///< points that the condition excludes
  /// Combinations that were left out since they are wrong, in order; those of all seeds as one.
  const std::vector<WrongPoint>& wrong() const;
  /// The point of a number from 0. Cost: the values of its parameters; nothing is lowered. Any
  /// thread may call it.
  PlannedPoint point(std::int64_t number) const;
  /// Which value each group of axes has at a point: its number, from 0.
  std::vector<std::int64_t> numbers(std::int64_t number) const;

private:
  explicit Plan(std::unique_ptr<const PlanState> state);
  std::int64_t combination(std::int64_t number) const;
  std::unique_ptr<const PlanState> state_;
};

} // namespace memlane::sweep
