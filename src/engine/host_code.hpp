// Host code, translated for the fast engine: one lane, no masks.
//
// Each instruction of a function becomes an operation: a function pointer with resolved arrays and
// branch targets. Frequent pairs of instructions become one operation. The registers are those of
// the lane (`Lanes`). The lane interprets rare instructions and repeats each instruction that
// fails, so all error messages come from the lane.
//
// Steps are taken from the budget by segment, a sequence of instructions that is only entered at
// its first one. A jump out of a segment returns the steps that were not used. If fewer steps than
// a segment's are left before the limit or the caller's next check, the function runs in a second
// translation with one instruction in each segment, and so stops at the exact instruction.
#pragma once

#include "lanes.hpp"
#include "memory.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace memlane {

/// The elements of an array that host code may access.
struct HostArray {
  void* data = nullptr;
  std::int64_t elements = 0;
};

struct HostState;
struct HostOp;

/// Executes an operation, and the following ones if the compiler makes jumps of tail calls. Returns
/// the next operation; null: `state` says why execution has stopped.
using HostRun = const HostOp* (*)(const HostOp* at, ir::Value* registers, HostState& state);

struct HostOp {
  HostRun run = nullptr;
  ir::Register d = -1, a = -1, b = -1;
  ir::Register c = -1; ///< a jump's target operation, relative to this one
  union {
    std::int64_t number = 0; ///< steps of a segment; of a jump, steps to return; else i, v, s
    HostArray* array;
    const ir::Table* table;
  };
};

/// What operations change besides registers and arrays.
struct HostState {
  std::int64_t paid = 0;      ///< steps left that are taken from the budget already
  std::int64_t words = 0;     ///< words of memory arrays that were read or written
  bool asserted = false;      ///< an assert was executed
  const HostOp* at = nullptr; ///< the operation at which execution stopped
  std::int32_t behind = 0;    ///< its instructions that were executed
  bool unpaid = false;        ///< stopped for lack of steps; else for the lane
};

class HostCode {
public:
  /// Keeps references to its arguments. `reads_only`: the lane executes stores (and reports them).
  HostCode(const ir::Program& program, const ir::Function& function, Memory& memory, Lanes& lanes,
           bool reads_only);

  HostCode(const HostCode&) = delete;
  HostCode& operator=(const HostCode&) = delete;

  /// Runs from instruction `at` to one that the lane must execute, whose step is taken, or to
  /// `end`. Returns nothing if the budget stops it. Cost: the steps.
  std::optional<std::int32_t> run(std::int32_t at, Budget& budget);

  /// Call this after the lane has created a local array.
  void refresh_arrays();
  /// Words of memory arrays that were read or written since this was last called.
  std::int64_t take_words() { return std::exchange(state_.words, 0); }
  /// Whether an assert was executed.
  bool asserted() const { return state_.asserted; }

private:
  /// A translation of the function.
  struct Code {
    std::vector<HostOp> ops;
    std::vector<std::int32_t> origin; ///< each operation's first instruction
    std::vector<std::int32_t> start;  ///< each instruction's operation; -1: the second of a pair
    std::vector<std::int64_t> whole;  ///< each instruction's steps to the segment's end
    std::vector<bool> head;           ///< whether the instruction's operation takes these steps
  };
  class Translator;

  const ir::Function& function_;
  Lanes& lanes_;
  std::vector<HostArray> arrays_, snapshots_; ///< indexed as Program::arrays
  std::vector<HostArray> locals_;             ///< indexed as Function::locals
  HostState state_;
  Code code_;    ///< long segments, pairs as one operation
  Code stepped_; ///< one instruction in each segment
};

/// The functions of operations (host_operations.cpp).
namespace host_operations {

HostRun pay();    ///< enters a segment: takes its steps
HostRun jump();   ///< goes to a segment
HostRun branch(); ///< jumps unless a
HostRun halt();   ///< leaves the instruction to the lane

/// The operation of an instruction that is not control flow; `halt` if the lane must execute it.
HostRun operation(const ir::Instruction& in);

/// The operation of a pair of instructions; null: there is no such operation. It has the operands
/// of both. For an index check and a store, c is the extent; if the second is a branch, the pair
/// jumps.
HostRun neighbours(const ir::Instruction& first, const ir::Instruction& second);

} // namespace host_operations

} // namespace memlane
