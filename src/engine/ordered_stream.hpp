// Launches whose values do not depend on time: those with atomics (configs/README.md section 11),
// and all on machines that hoist reads (section 10).
#pragma once

#include "kernel_stream.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace memlane {

/// Executes the blocks of a launch one after the other in the order of the run, each when the
/// machine starts it or one behind it: interval by interval, one warp after the other. The machine
/// then gets the steps that were recorded, so it decides when they happen and no value. Where it
/// hoists reads, it gets the steps of each piece in the order of IssueOrder.
class OrderedStream final : public WarpStream {
public:
  OrderedStream(const RunState& run, const ir::Function& kernel, const LaunchShape& shape,
                std::vector<ir::Value> formals, std::int64_t launch);

  Status start(std::int64_t block, Tally& tally) override;
  Result<Step> next(WarpRef warp) override;
  Status perform(WarpRef warp) override;
  void released(std::int64_t block) override;
  void finish(std::int64_t block) override;

private:
  /// What a request transferred, and a warp's registers before a step; for an observer of values.
  struct Observed {
    std::int32_t array = -1;
    std::vector<LaneValue> values;
    WarpRegisters registers;
    std::vector<ir::Value> rows;
  };
  using Contents = std::vector<std::optional<ir::Value>>; ///< by element
  using Word = std::pair<std::int32_t, std::int64_t>;     ///< array and element
  struct Recorded {
    Step step;
    Request request;                       ///< without addresses
    std::size_t observed = 0, address = 0; ///< in Warp::observed; the first in Warp::addresses
    std::vector<std::uint32_t> awaited = {};
    std::int64_t number = -1; ///< KernelStream::number_of_step
  };
  struct Warp {
    std::vector<Recorded> steps;
    std::vector<Recorded> piece; ///< steps that are not issued yet, in the order of the program
    std::vector<std::int64_t> addresses; ///< of the requests, one after the other
    std::vector<Observed> observed;
    std::size_t next = 0; ///< what the machine asks for next
    Request request;      ///< the latest that it has asked for
    bool over = false;
  };
  struct Block {
    Tally tally;
    std::vector<Warp> warps;
    std::int64_t bytes = 0;
    // Of its shared arrays, for an observer of values: they are as at the machine's time.
    std::vector<ArrayView> views;
    std::map<std::int32_t, Contents> contents;
    std::set<Word> written; ///< since the latest barrier of the execution
    /// By barrier, what the words have then that were written before it: warps take turns in other
    /// ways on the machine.
    std::vector<std::map<Word, std::optional<ir::Value>>> at_barrier;
    std::size_t barriers = 0; ///< of the machine
  };
  /// Keeps what is told about values until the machine reaches the step.
  class Values final : public ValueObserver {
  public:
    void block_memory_made(std::int64_t, std::span<const ArrayView> arrays) override;
    void transferred(WarpRef, std::int32_t array, std::span<const LaneValue> values) override;
    void before_step(const WarpRegisters& registers) override;
    std::vector<ArrayView> views;
    Observed latest;
  };

  RunState with_values(const RunState& run);
  Status execute(std::int64_t block);
  Status execute_interval(Block& block, std::int64_t id, std::int64_t interval);
  Status execute_warp(Block& block, WarpRef ref);
  bool record(Block& block, WarpRef ref, const Step& step);
  void note_contents(Block& block);
  void issue(Warp& warp, std::vector<KernelStream::IssuedStep> issued);

  RunState run_;  ///< with the observer of the run
  Values values_; ///< before `inner_`, which refers to it
  KernelStream inner_;
  LaunchShape shape_;
  std::int64_t launch_;
  std::vector<std::int64_t> order_; ///< of the blocks
  std::size_t executed_ = 0;        ///< blocks, in this order
  std::map<std::int64_t, Block> blocks_;
};

/// The warps of a launch, whose values depend on time only if the kernel has no atomics and the
/// machine hoists no reads.
std::unique_ptr<WarpStream> kernel_stream(const RunState& run, const ir::Function& kernel,
                                          const LaunchShape& shape, std::vector<ir::Value> formals,
                                          std::int64_t launch);

} // namespace memlane
