// Counts from what warps report, execution by execution: those of a PRAM and of BSP
// (configs/README.md section 9).
#pragma once

#include "memlane/count/counts.hpp"
#include "memlane/engine/observer.hpp"
#include "memlane/machine/spec.hpp"
#include "memlane/support/diagnostic.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace memlane {

// Counts the steps, work and class of a PRAM from what warps report.

/// One launch at a time. All blocks are resident, so that a block's rounds do not depend on the
/// others: between two barriers they are the requests of its warp with the most, and a launch has
/// as many as the block with the most (configs/README.md section 9).
///
/// Memory: 40 to 100 bytes for each word that a warp accesses in a round of the launch; of a run
/// that stops at races, for each word that it reads. Less where an early round needs the class.
/// About 160 bytes for each block, and 16 for each of its warps.
class PramCounter {
public:
  /// Refers to the sources. `races_possible`: the run does not stop at a race. `memory`: most
  /// bytes.
  PramCounter(const MachineSpec& machine, const Sources& sources, bool races_possible,
              std::int64_t memory);

  void launch_begins(std::int64_t number, const KernelInfo& kernel);
  void executed(const Execution& execution);
  void accessed(const WarpAccess& access);
  /// The counts of the launch.
  PramCounts launch_ends();

  /// It needs more memory than it may have: its class is then not known, and the run must stop.
  bool over_memory() const { return over_memory_; }

private:
  /// Threads of one warp that access a word in a round; of several warps when they were joined.
  struct Touch {
    std::int64_t block = -1; ///< -1: of a memory that all blocks access
    std::int64_t address = 0;
    std::int64_t round = 0;
    std::int32_t instruction = 0;
    bool write = false;
  };
  struct Touches {
    std::vector<Touch> all;
    std::size_t joined = 0; ///< length when they were joined last
  };
  /// Between two barriers.
  struct WarpRounds {
    std::int64_t barriers = 0; ///< barriers that the warp has executed
    std::int64_t rounds = 0;   ///< rounds since the last one
  };
  struct BlockRounds {
    std::int64_t barriers = 0; ///< barriers that all warps have executed
    std::int64_t before = 0;   ///< rounds before the last one
    std::int64_t most = 0;     ///< rounds of a warp since then
    std::vector<WarpRounds> warps;
    Touches shared; ///< what was touched since then
  };

  BlockRounds& block_of(WarpRef ref);
  std::int64_t round_of(WarpRef ref);
  void take_memory(std::int64_t bytes);
  void touch(Touches& touches, const Touch& touch);
  bool make_room(Touches& touches);
  void join(Touches& touches);
  void need(PramClass needs, std::int64_t round, std::int32_t instruction);
  bool is_settled(std::int64_t round) const;
  void forget(Touches& touches);
  const SourceLine& line_of(std::int32_t instruction) const {
    return kernel_->instructions[static_cast<std::size_t>(instruction)].line;
  }

  const Sources& sources_;
  bool private_shared_; ///< blocks have shared memories of their own
  bool races_possible_;
  std::int64_t memory_;
  std::int64_t bytes_ = 0; ///< bytes that the launch uses
  bool over_memory_ = false;
  const KernelInfo* kernel_ = nullptr;
  PramCounts counts_;
  std::unordered_map<std::int64_t, BlockRounds> blocks_;
  std::int64_t last_block_ = -1; ///< the latest argument of block_of
  BlockRounds* last_ = nullptr;
  Touches common_;
  std::vector<std::int64_t> addresses_; ///< one request's addresses
};

// Counts the operators and words of BSP from what warps report.

/// One launch at a time. Memory: linear in the multiprocessors that have blocks.
class BspCounter {
public:
  /// Requires at least one multiprocessor.
  explicit BspCounter(std::int64_t multiprocessors) : multiprocessors_(multiprocessors) {}

  void launch_begins(const KernelInfo& kernel);
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

  std::int64_t multiprocessors_;
  const KernelInfo* kernel_ = nullptr;
  std::unordered_map<std::int64_t, Sums> of_; ///< keyed by multiprocessor
};

} // namespace memlane
