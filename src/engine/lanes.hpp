// Lanes that execute one function together: registers, a mask of active lanes, a control stack.
//
// A warp of a kernel is as many lanes as the machine is wide, host code is one lane, an array's
// initial values are computed by many. What touches anything beside registers (memory, barriers,
// launches, …) is handed to the caller as an event.
#pragma once

#include "budget.hpp"

#include "memlane/engine/tally.hpp"
#include "memlane/ir/arithmetic.hpp"
#include "memlane/ir/program.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace memlane {

// Finds the integer overflow (wrap) that put an index outside its array.

/// Looks for a wrap in the computation of register `index` before instruction `at`. `value` gives
/// the values of the lane's registers there.
///
/// Nothing is recorded while a program runs. The operations before `at` are repeated on the present
/// registers, and a wrap counts only if they give the index's value. If a register was overwritten
/// in between, or assigned on another path, nothing is found. Returns the innermost wrap; of
/// several the first. Cost: for each operation of the computation, the instructions of the
/// function. `meant`: also a wrap in an operation that needs only some
/// bits (ir::takes_some_bits).
std::optional<ir::Wrap> find_wrap(const ir::Function& function, std::size_t at, ir::Register index,
                                  const std::function<ir::Value(ir::Register)>& value,
                                  bool meant = true);

/// What lane 0 sees in the special registers; `thread` and `index` grow by one a lane.
struct Specials {
  std::int64_t thread = 0, threads = 1;
  std::int64_t block = 0, blocks = 1;
  std::int64_t warp = 0, warps = 1;
  std::int64_t index = 0;
};

/// An error at run time, of one lane.
struct Fault {
  Span span;
  int lane = 0;
  std::string message;
  std::vector<std::string> help;
  bool assertion = false;            ///< a false `assert`
  std::string detail;                ///< what was asserted
  std::optional<ir::Wrap> wrap = {}; ///< what made an index one outside its array

  /// The message, with `where` the lane is (" in thread 3 of block 0").
  std::string text(const std::string& where = "") const {
    return message + where + (detail.empty() ? "" : ": " + detail);
  }
  /// The error that it is. A wrap is told in the words of the source.
  Diagnostic diagnostic(const Sources& sources, const std::string& where = "") const;
};

/// Remedies for an index outside an array of `extent` elements.
std::vector<std::string> remedies_for_index(std::int64_t extent);

class Lanes {
public:
  enum class Halt {
    event, ///< `instruction` is the caller's to do; then `resume`
    fault,
    operated, ///< `operated` is executed, where `stop_at_operators` asked for this
    stop,     ///< the budget says why
  };

  /// An `if` or a loop that has begun and not ended.
  struct Frame {
    bool loop = false;
    bool divergent = false; ///< an `if` with lanes on both paths
    bool in_else = false;
    std::uint64_t serial = 0; ///< tells executions of an `if` apart
  };

  Lanes(const ir::Program& program, const ir::Function& function, int lanes);

  /// Back to the function's start with `active` lanes (the first ones), registers and arrays kept.
  void restart(const Specials& specials, int active);
  /// Executes up to the next event with an active lane.
  Halt run(Budget& budget);
  /// The event is done: on to the next instruction.
  void resume() { ++pc_; }
  /// Executes one instruction that is no control and whose step is taken; nothing where that went
  /// well. All lanes that `restart` made active are active. Then goes on behind it.
  std::optional<Halt> run_one(std::int32_t pc, Budget& budget);

  const ir::Instruction& instruction() const { return function_->code[pc_]; }
  std::int32_t pc() const { return static_cast<std::int32_t>(pc_); }
  const Fault& fault() const { return fault_; }
  /// Whether an assert was executed.
  bool asserted() const { return asserted_; }
  void note_assert() { asserted_ = true; }
  void fail(int lane, std::string message, std::vector<std::string> help = {});

  int lanes() const { return lanes_; }
  int active() const { return active_; }
  std::span<const std::uint8_t> mask() const { return mask_; }
  bool is_active(int lane) const { return mask_[static_cast<std::size_t>(lane)] != 0; }
  /// A register in all lanes; of register -1 (none) zeros.
  ir::Value* row(ir::Register r) {
    return registers_.data() + static_cast<std::ptrdiff_t>(r + 1) * lanes_;
  }
  /// Enclosing frames, outermost first; `divergent_frames` of them are divergent.
  const std::vector<Frame>& frames() const { return frames_; }
  int divergent_frames() const { return divergent_frames_; }

  /// Counts executed instructions, and what statements perform, in it; null: nowhere.
  void count_in(Tally* tally) { tally_ = tally; }
  /// Is called before each instruction that is counted, which it finds at `pc`.
  void before_each(std::function<void()> executed) { executed_ = std::move(executed); }
  /// Is called at the end of each round of a loop. If it returns true, `run` halts with the fault
  /// that it has set.
  void after_each_round(std::function<bool()> round_ends) { round_ends_ = std::move(round_ends); }
  /// `run` halts behind each counted operator.
  void stop_at_operators() { stops_at_operators_ = true; }
  /// The number of this operator.
  std::size_t operated() const { return operated_; }
  /// Counted operators executed since this was last called.
  std::int64_t take_counted() { return std::exchange(counted_, 0); }

  /// A local array, where there is one lane: its words, and how many.
  std::pair<ir::Value*, std::int64_t> own_array(std::size_t local) {
    Local& array = locals_[local];
    return {array.values.data(), array.sizes.empty() ? 0 : array.sizes[0]};
  }

  /// Bytes taken from the budget for arrays.
  std::int64_t bytes() const { return bytes_; }

  struct State;
  /// All that decides what the lanes do next, apart from what they read.
  State state() const;
  /// Whether the lanes are in this state.
  bool is_in(const State& state) const;
  std::int64_t bytes_of_state() const;

  /// Takes over registers and arrays, as far as they go: verify goes on where main ended.
  void inherit(const Lanes& other);

private:
  /// An array of each lane; element e of a lane is at e * lanes + lane.
  struct Local {
    std::vector<ir::Value> values;
    std::vector<std::int64_t> sizes;

    bool operator==(const Local&) const = default;
  };

  Halt halt_behind(const ir::Instruction& in) {
    operated_ = static_cast<std::size_t>(&in - function_->code.data());
    return Halt::operated;
  }
  void count(const ir::Instruction& in);
  void end_statement(const ir::Instruction& in);
  void control(const ir::Instruction& in);
  bool local(const ir::Instruction& in, Budget& budget);
  bool execute(const ir::Instruction& in, Budget& budget);
  bool compute(const ir::Instruction& in);
  bool check(const ir::Instruction& in);
  bool special(const ir::Instruction& in);
  bool new_local(const ir::Instruction& in, Budget& budget);
  bool of_warp(const ir::Instruction& in);
  void shuffle_fault(const ir::Instruction& in, int lane);
  bool lookup(const ir::Instruction& in);
  void enter_if(const ir::Instruction& in);
  void enter_else();
  void leave_if();
  void leave_loop(const ir::Value* stay, std::int64_t further = 0);
  void push(bool loop);
  void pop();
  void recount();
  void bound_fault(const ir::Instruction& in, int lane);
  void find_wraps(const ir::Instruction& in, int lane);
  void assert_fault(const ir::Instruction& in, int lane);
  std::vector<std::string> compared_values(ir::Register condition, int lane);
  std::string named_values(std::int64_t message, int lane);

  /// Lanes done with a frame: through the then-path, or out of the loop.
  std::uint8_t* done(std::size_t depth) { return waiting_.data() + 2 * depth * mask_.size(); }
  /// Lanes that have the else-path before them.
  std::uint8_t* pending(std::size_t depth) { return done(depth) + mask_.size(); }

  template <class F>
  void each_active(F f) {
    for (int lane = 0; lane < lanes_; ++lane)
      if (mask_[static_cast<std::size_t>(lane)]) f(lane);
  }

  const ir::Program* program_;
  const ir::Function* function_;
  int lanes_;
  int active_ = 0;
  int divergent_frames_ = 0;
  std::size_t pc_ = 0;
  std::uint64_t serials_ = 0;
  std::int64_t counted_ = 0;
  bool stops_at_operators_ = false;
  std::size_t operated_ = 0; ///< the latest counted operator
  Tally* tally_ = nullptr;
  std::function<void()> executed_;   ///< may be empty
  std::function<bool()> round_ends_; ///< likewise
  std::vector<bool> performed_;      ///< the warp has, in this execution, by Statement::depth
  std::int64_t bytes_ = 0;
  Specials specials_;
  std::vector<ir::Value> registers_; ///< register r of lane i at (r + 1) * lanes + i
  std::vector<std::uint8_t> mask_;
  std::vector<Frame> frames_;
  std::vector<std::uint8_t> waiting_; ///< two rows of lanes a frame
  std::vector<Local> locals_;
  Fault fault_;
  bool asserted_ = false;
};

/// An `if` or loop is told apart by its place in the code: at one place, frames have the same
/// kinds.
struct Lanes::State {
  std::size_t pc = 0;
  std::vector<ir::Value> registers;
  std::vector<std::uint8_t> mask, waiting;
  std::vector<Local> locals;
};

} // namespace memlane
