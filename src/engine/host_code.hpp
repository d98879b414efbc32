// Host code in the form in which the fast engine runs it: one lane, no masks.
//
// The instructions of a function become operations, each with the function that does it, resolved
// arrays and branch targets; frequent neighbours become one. Registers are those of the lane
// (`Lanes`), which does whatever instruction has no operation of its own here, and every
// instruction that fails: so nothing is said here, and messages are the lane's.
//
// Steps of the budget are paid for a segment at a time: instructions that are entered at their
// first one only. Who leaves a segment before its end gets back what is paid too much. A segment
// for which too little is left until the limit, or until the caller is to be asked, is run as
// another translation, of an instruction a segment: it ends at the very instruction.
#pragma once

#include "lanes.hpp"
#include "memory.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace memlane {

/// Elements that host code may touch.
struct HostArray {
  void* data = nullptr;
  std::int64_t elements = 0;
};

struct HostState;
struct HostOp;

/// Does an operation with the registers, and, where calls can be jumps, what follows it. Returns
/// what is to be done next; nullptr where the state says why not.
using HostRun = const HostOp* (*)(const HostOp* at, ir::Value* registers, HostState& state);

struct HostOp {
  HostRun run = nullptr;
  ir::Register d = -1, a = -1, b = -1;
  ir::Register c = -1; ///< of what jumps: to which operation, counted from this one
  union {
    std::int64_t number = 0; ///< steps of a segment; of what jumps, those to get back; else i, v, s
    HostArray* array;
    const ir::Table* table;
  };
};

/// What operations change beside registers and arrays.
struct HostState {
  std::int64_t paid = 0;      ///< steps left that need no asking
  std::int64_t words = 0;     ///< of memory arrays, that were read or written
  bool asserted = false;      ///< an assert was executed
  const HostOp* at = nullptr; ///< where it was left
  std::int32_t behind = 0;    ///< instructions of it that are done
  bool unpaid = false;        ///< left for want of steps, else for the lane
};

class HostCode {
public:
  /// Refers to all of them. `reads_only`: stores are left to the lane.
  HostCode(const ir::Program& program, const ir::Function& function, Memory& memory, Lanes& lanes,
           bool reads_only);

  HostCode(const HostCode&) = delete;
  HostCode& operator=(const HostCode&) = delete;

  /// Runs from instruction `at` on to one that is the lane's, which is paid for, or to `end`;
  /// nothing where the budget stops it. Cost: the steps.
  std::optional<std::int32_t> run(std::int32_t at, Budget& budget);

  /// To be called when the lane has made an array of its own.
  void refresh_arrays();
  /// Words of memory arrays that were read or written since this was last called.
  std::int64_t take_words() { return std::exchange(state_.words, 0); }
  /// Whether an assert was executed.
  bool asserted() const { return state_.asserted; }

private:
  /// A translation of the function.
  struct Code {
    std::vector<HostOp> ops;
    std::vector<std::int32_t> origin; ///< by operation: its first instruction
    std::vector<std::int32_t> start;  ///< by instruction: its operation; -1 within another's
    std::vector<std::int64_t> whole;  ///< by instruction: steps from here to the segment's end
    std::vector<bool> head;           ///< by instruction: its operation pays for them
  };
  class Translator;

  const ir::Function& function_;
  Lanes& lanes_;
  std::vector<HostArray> arrays_, snapshots_; ///< by Program::arrays
  std::vector<HostArray> locals_;             ///< by Function::locals
  HostState state_;
  Code code_;    ///< long segments, neighbours as one
  Code stepped_; ///< an instruction a segment
};

/// The functions that do operations (host_operations.cpp).
namespace host_operations {

HostRun pay();    ///< enters a segment
HostRun jump();   ///< to a segment
HostRun branch(); ///< jumps unless a
HostRun halt();   ///< leaves the instruction to the lane

/// Does what is no control; `halt` where that is the lane's.
HostRun operation(const ir::Instruction& in);

/// Does both; nullptr: there is no such operation. It has the operands of both: of a check of an
/// index and an access, c is the extent that a store is checked against; where the second is a
/// branch, this jumps as it would.
HostRun neighbours(const ir::Instruction& first, const ir::Instruction& second);

} // namespace host_operations

} // namespace memlane
