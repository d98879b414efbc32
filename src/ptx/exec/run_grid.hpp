// The blocks of a launch, one after the other; blocks that wait for each other take turns. Whoever
// times or counts them pulls block by block.
#pragma once

#include "run_warp.hpp"

#include "memlane/support/limits.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memlane::ptx {

using Dim3 = std::array<std::int64_t, 3>;

struct GridShape {
  Dim3 blocks{1, 1, 1}, threads{1, 1, 1};
  std::int64_t dynamic_shared = 0; ///< bytes
  /// What limits resident blocks: bytes of a block, below 0 those of the PTX; registers of a
  /// thread, which machine code tells, 0 unknown.
  std::int64_t static_shared = -1, registers = 0;
  LaunchState* state = nullptr; ///< null: no fault is allowed, nothing is printed
  std::optional<std::int64_t> number = std::nullopt; ///< Launch::number
};
constexpr std::int64_t count_of(const Dim3& extents) {
  return extents[0] * extents[1] * extents[2];
}

/// A fault with the thread that made it.
struct GridFault {
  Fault fault;
  Dim3 block{}, thread{};
};

struct GridResult {
  std::int64_t warp_steps = 0; ///< executed by warps, of blocks that have ended
  std::vector<GridFault> faults;
  Stop stop = Stop::none;
  bool waits_for_ever = false; ///< all blocks under way wait for something that none does
  GridFault wait;              ///< where one of their threads does
};

/// Told what the warps of one block do. What one warp does comes in its order.
class BlockObserver {
public:
  virtual ~BlockObserver() = default;
  /// Before the access happens; an operation that accesses two spaces does so once for each.
  virtual void accesses(std::int64_t warp, const Warp& state, const Step& step,
                        const LaneAddresses& lanes) = 0;
  virtual void fences(std::int64_t /*warp*/, const Warp& /*state*/) {}
  /// A lane has new memory of the heap.
  virtual void allocates(std::int64_t /*warp*/, std::uint64_t /*begin*/, std::uint64_t /*bytes*/) {}
  /// The warp's latest operations are followed by some of another class.
  virtual void operates(std::int64_t /*warp*/, const Warp& /*state*/) {}
  /// Where the warp's reads are noted and what needs them is found; null: nowhere.
  virtual AwaitedReads* reads(std::int64_t /*warp*/) { return nullptr; }
  /// The warp's next step, which is counted here, needs these reads.
  virtual void needs(std::int64_t /*warp*/, const Warp& /*state*/, const StepCount& /*step*/,
                     std::span<const std::int64_t> /*reads*/) {}
  /// Where `reads` follows all steps: the warp executes this one next, which needs these.
  virtual void executes(std::int64_t /*warp*/, const Warp& /*state*/, const Step& /*step*/,
                        const StepCount& /*count*/, std::span<const std::int64_t> /*steps*/) {}
  /// As AccessObserver::round. Between its beginning and its end, the warp is the only one that
  /// does anything.
  virtual bool round(std::int64_t /*warp*/, RoundEvent) { return true; }
  /// The warp has reached a barrier.
  virtual void arrives(std::int64_t /*warp*/, const Warp& /*state*/) {}
  /// A barrier has opened. `whole`: all warps that have not ended have passed it; else some have.
  virtual void barrier(bool /*whole*/) {}
  /// The warp has executed its last step.
  virtual void ends(std::int64_t /*warp*/, const Warp& /*state*/) {}
};

/// What a block's warps are watched with; nulls: not at all.
struct Watched {
  BlockObserver* observer = nullptr;  ///< valid until the block has ended
  StepCount* const* counts = nullptr; ///< WarpRun::start
};

class GridObserver {
public:
  virtual ~GridObserver() = default;
  /// Blocks begin in rising order.
  virtual Watched begins(std::int64_t block) = 0;
  virtual void ends(std::int64_t block) = 0;
};

/// A launch under way. Blocks begin in rising order, and each runs to its end before the next one
/// begins, unless it waits for others. In a block, each warp runs to a barrier or its end before
/// the next one does, unless it waits. So values depend on nothing else.
class GridRun {
public:
  /// Refers to all of them. `params`: the kernel's parameters, as its variables lay them out.
  /// `accesses`: told of all accesses of all blocks; may be null, as may `observer`.
  GridRun(const Image& image, const Code& kernel, const GridShape& shape,
          const std::vector<std::uint8_t>& params, const DeviceMemory& device, const Limits& limits,
          GridObserver* observer, AccessObserver* accesses = nullptr);
  ~GridRun();

  /// Executes until the block has ended, with those before it and others as far as it waits for
  /// them. False: the launch is over before that (`result`).
  bool run_to(std::int64_t block);
  const GridResult& result() const { return result_; }

private:
  class Block;

  Dim3 place_of(std::int64_t block) const;
  void begin_block();
  bool has_ended(std::int64_t block) const;
  bool turn(std::size_t place, std::int64_t steps);
  bool turn_all();
  bool waits(Block& block);
  bool go_on();

  const Image& image_;
  const Code& kernel_;
  GridShape shape_;
  const std::vector<std::uint8_t>& params_;
  const DeviceMemory& device_;
  const Limits& limits_;
  GridObserver* observer_;
  AccessObserver* accesses_;
  std::int64_t count_, next_ = 0;
  std::vector<std::unique_ptr<Block>> under_way_; ///< the newest last
  std::vector<std::unique_ptr<Block>> ended_;     ///< their places are used again
  std::int64_t idle_rounds_ = 0; ///< since all have begun: rounds in which all only waited
  bool over_ = false;
  GridResult result_;
};

/// Runs a kernel to its end.
GridResult run_grid(const Image& image, const Code& kernel, const GridShape& shape,
                    const std::vector<std::uint8_t>& params, const DeviceMemory& device,
                    const Limits& limits, AccessObserver* observer = nullptr);

} // namespace memlane::ptx
