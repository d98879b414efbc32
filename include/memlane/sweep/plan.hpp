// A sweep's points, before they run: programs x machines x axes x seeds, without those that a
// condition excludes.
#pragma once

#include "memlane/config/machine.hpp"
#include "memlane/sweep/point.hpp"
#include "memlane/sweep/sweep_spec.hpp"

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
  /// The content of a file for an array of the bound code, and the SHA-256 of its bytes.
  std::function<Result<std::pair<std::shared_ptr<const std::vector<ir::Value>>, std::string>>(
      const std::string& path, const ir::Array& array)>
      input;
};

/// One point of a plan, ready for bind_point.
struct PlannedPoint {
  Point point; ///< refers to the plan's programs
  const LoadedMachine* machine = nullptr;
  std::string program;                                     ///< as the sweep names it
  std::vector<std::pair<std::string, std::string>> values; ///< of all axes: `n`, `1024`
  std::string key;                                         ///< StoredPoint::key
  std::vector<std::pair<std::string, std::string>> key_parts;
  std::string label;   ///< `sum on hmm-titan, n=1024, seed 1`
  std::string command; ///< `memlane run sum -m hmm-titan -D n=1024`
};

/// More points than this are refused.
constexpr std::int64_t most_sweep_points = 10'000'000;

/// All points of a sweep, in a fixed order: as the file lists programs, machines and axes, the last
/// axis fastest, then seeds.
class Plan {
public:
  /// Errors: those of programs, machines and values; an axis that a program does not have; an axis
  /// that nothing uses; a condition that excludes everything; too many points, with their count.
  static Result<Plan> make(const SweepSpec& sweep, const SweepFiles& files, Sources& sources);
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan&&) noexcept;
  ~Plan();

  std::int64_t size() const;     ///< points, those excluded not among them
  std::int64_t excluded() const; ///< by the condition
  /// The point of a number from 0. Cost: the values of its parameters; nothing is lowered. Any
  /// thread may call it.
  PlannedPoint point(std::int64_t number) const;

private:
  struct State;
  explicit Plan(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace memlane::sweep
