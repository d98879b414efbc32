// Counts the operators and words of BSP from what warps report.
#pragma once

#include "memlane/count/pram.hpp"
#include "memlane/engine/observer.hpp"

#include <cstdint>
#include <unordered_map>

namespace memlane {

/// One launch at a time. Memory: linear in the multiprocessors that have blocks.
class BspCounter {
public:
  /// Refers to the program. Requires at least one multiprocessor.
  BspCounter(const ir::Program& program, std::int64_t multiprocessors)
      : program_(program), multiprocessors_(multiprocessors) {}

  void launch_begins(const ir::Function& kernel);
  void executed(const Execution& execution);
  void accessed(const WarpAccess& access);
  /// The counts of the launch.
  BspCounts launch_ends() const;
  BspCounts none() const { return {multiprocessors_, 0, 0}; }

private:
  struct Sums {
    std::int64_t operators = 0;
    std::int64_t words = 0;
  };

  const ir::Program& program_;
  std::int64_t multiprocessors_;
  const ir::Function* kernel_ = nullptr;
  std::unordered_map<std::int64_t, Sums> of_; ///< by multiprocessor
};

} // namespace memlane
