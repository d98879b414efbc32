// The warps of a launch as the machine sees them: executed from a program's code or replayed from a
// trace.
#pragma once

#include "memlane/engine/tally.hpp"
#include "memlane/support/result.hpp"
#include "memlane/support/units.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace memlane {

/// One memory instruction of one warp (configs/README.md section 2).
struct Request {
  UnitId unit = UnitId::global;
  AccessKind kind = AccessKind::read;
  /// One a lane: the first word that it accesses; -1: an inactive or missing thread.
  std::vector<std::int64_t> addresses;
  std::int64_t words_of_lane = 1; ///< words that follow each other from there on
  bool is_volatile = false;       ///< a read that asks memory each time
  bool uses_old = false;          ///< an atomic whose old value is used
  /// Its multiprocessor's own port takes it in the fewest lines that hold its words, wherever they
  /// lie.
  bool in_fewest_lines = false;
  Span span;            ///< the array element that makes it
  std::size_t site = 0; ///< number of its instruction (Tally::requests)
  /// The number of the enclosing forall's execution (0: none), and which of the warp's rounds of it
  /// this is, from 0.
  std::uint32_t forall = 0;
  std::int64_t round = 0;
};

/// Whether its warp gets a value: a read in configs/README.md section 10.
constexpr bool returns(AccessKind kind, bool uses_old) {
  return kind == AccessKind::read || uses_old;
}

enum class StepKind : std::uint8_t {
  request, ///< waits for its unit
  barrier, ///< waits for all warps of the block
  compute, ///< `count` counted operators of one class, each an `operation` on machines with units
           ///< for them, else instruction_cost time units
  wait,    ///< waits until earlier requests of the warp are complete, `awaited`
  end,     ///< the warp's instructions are over
  stop,    ///< the stream has reached its limit of steps: the launch stops with Stop::steps
};

struct Step {
  StepKind kind = StepKind::end;
  const Request* request = nullptr; ///< valid until the warp's next `next`
  std::int64_t count = 0;
  OperationClass operation = OperationClass::other;
  /// Of a wait: the instruction that needs what is awaited (KernelInfo::instructions); -1: unknown.
  std::int32_t instruction = -1;
  /// 1: the warp's latest request with an active thread, 2: the one before it, …; empty: all of
  /// them, as at a fence. Valid until the warp's next `next`.
  std::span<const std::uint32_t> awaited = {};
};

struct WarpRef {
  std::int64_t block = 0;
  std::int64_t warp = 0;
};

/// Shape of a launch: G blocks of T threads, and the shared words a block holds.
struct LaunchShape {
  std::int64_t blocks = 1;
  std::int64_t threads = 1;
  std::int64_t shared_words = 0;
  /// T is the machine's number of threads, and only the assignment of foralls' iterations to
  /// threads depends on it.
  bool threads_follow_machine = false;
  const KernelInfo* kernel = nullptr; ///< null: a trace
  std::int64_t registers = 0;         ///< of a thread; 0: they bound nothing
};

/// The warps of one launch. The machine calls `next` when a warp may go on, and `perform` when it
/// dispatches the warp's request. Only then does it call `next` again. `perform` reads and writes
/// memory, so dispatch order decides.
class WarpStream {
public:
  virtual ~WarpStream() = default;
  /// A block starts on its multiprocessor. The stream counts in `tally` what the block executes;
  /// the machine counts its requests.
  virtual Status start(std::int64_t block, Tally& tally) = 0;
  /// Runs the warp's zero-time work up to its next step.
  virtual Result<Step> next(WarpRef warp) = 0;
  virtual Status perform(WarpRef warp) = 0;
  /// Every warp of the block has arrived at its barrier and is released.
  virtual void released(std::int64_t block) = 0;
  /// The block's warps have all completed.
  virtual void finish(std::int64_t block) = 0;
};

} // namespace memlane
