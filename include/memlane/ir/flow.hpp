// Control flow of structured code: what follows an instruction, what a condition controls, what the
// statements of a kernel perform.
#pragma once

#include "memlane/ir/program.hpp"

#include <array>
#include <optional>

namespace memlane::ir {

// The flow graph of structured code: the instructions that may follow another one in a lane.

/// Whether the instruction has the operand (opcodes.hpp): a register of this letter is read ('a',
/// 'b', 'c') or written ('d').
bool has_operand(const Instruction& in, char letter);

/// Whether the function has atomics. The values of its launches depend on an order that the run
/// chooses, so they are computed before their time; so are those of hoisted reads.
bool has_atomics(const Function& function);

struct Successors {
  std::array<std::size_t, 2> at{};
  int count = 0;
  const std::size_t* begin() const { return at.data(); }
  const std::size_t* end() const { return at.data() + count; }
};

/// Each lane takes a path of this graph, whatever other lanes of its warp do. Refers to the
/// function.
class FlowGraph {
public:
  explicit FlowGraph(const Function& function);

  /// None behind `end`.
  Successors after(std::size_t at) const;
  /// Where lanes continue for which the condition of an `if` is false.
  std::size_t else_of(std::size_t at) const;
  /// The end of a loop, or of the loop that a break leaves.
  std::size_t endloop_of(std::size_t at) const { return endloop_[at]; }

private:
  const Function& function_;
  std::vector<std::size_t> endloop_;
};

// Structured regions of a function: the code that a condition controls.

/// The instructions first..last.
struct Region {
  std::size_t first = 0, last = 0;
  bool contains(std::size_t at) const { return at >= first && at <= last; }
  bool operator==(const Region&) const = default;
};

/// +1 where an `if` or a loop begins, -1 where it ends, else 0.
int nesting(Opcode op);

/// The code that an `if` or a `while` at `at` controls: the `if` to its `endif`, or the loop from
/// `loop` to `endloop`. With a `break` inside, an `if` controls the rest of its loop, too, and so
/// the whole loop. Cost: O(code).
Region region_of_condition(const Function& function, std::size_t at);

/// The first instruction of the region that changes the time or a count of a run when a lane
/// executes it: a request, a barrier, a counted operator (configs/README.md section 6), a call that
/// is counted, a random number (later ones would differ), a launch. None: only registers and arrays
/// of the thread change.
std::optional<std::size_t> first_visible(const Function& function, const Region& region);

// Facts about the statements of a kernel, from its code.

/// Sets what follows from the instructions of the kernel's statements: their first instructions,
/// what they perform, and the marks of those that perform `sometimes`. O(instructions).
void find_performing(const Program& program, Function& kernel);

} // namespace memlane::ir
