// What is executed where instructions repeat: those that compute with data.
#pragma once

#include "values.hpp"

#include <vector>

namespace memlane::fast {

struct LaunchRun;

/// The steps of a repetition.
struct DataSteps {
  /// `set`: a register gets a recorded value; `execute`: the instruction is executed; `load` and
  /// `store`: words are moved, and the counts are known; `parallel`: a forall begins, ends or comes
  /// to its next iterations.
  enum class Kind : std::uint8_t { set, execute, load, store, parallel };
  struct Step {
    Kind kind = Kind::execute;
    std::uint32_t pc = 0;
    std::uint32_t mask = 0;
    std::uint32_t value = 0; ///< index into `values`: what is set, the elements, the iterations
    ir::Register target = -1;
  };
  std::vector<Step> steps;
  std::vector<Register> values;
  std::vector<std::int64_t> shifts; ///< by how much each value grows from one time to the next
  std::vector<Mask> masks;          ///< the first: all lanes
  std::int64_t bytes = 0;           ///< memory used, about
};

/// Follows which registers depend on data, while instructions are executed, and collects steps.
class StepRecorder {
public:
  StepRecorder(LaunchRun& launch, Values& values) : launch_(launch), values_(values) {}
  virtual ~StepRecorder() = default;

  bool recording() const { return steps_ != nullptr; }
  void mask_changes() { mask_known_ = false; }
  /// What is executed now cannot be repeated.
  virtual void give_up() = 0;

protected:
  /// A register as the repetition has it: `known` and `ready` ones have the same value each time,
  /// or grow by their shift.
  enum class State : std::uint8_t {
    untouched,
    known, ///< set by no step
    ready, ///< set when a step needs it
    data
  };

  /// Empties the steps, to which those that follow are added.
  void start_steps(DataSteps& steps);
  void end_steps() { steps_ = nullptr; }

  /// What a register is that is used before an instruction has written it.
  virtual State touched(ir::Register r) = 0;
  /// A step writes a register.
  virtual void writes(ir::Register) {}
  virtual std::int64_t shift_of(ir::Register) { return 0; }
  /// Bytes that may still be taken.
  virtual std::int64_t bytes_left() const = 0;

  State& state(ir::Register r) { return states_[static_cast<std::size_t>(r)]; }
  bool is_data(ir::Register r);
  /// Adds a step that sets the register, unless a step does already.
  void make_ready(ir::Register r);
  /// Of an instruction that makes no request: it is a step if its result is not `known`.
  void add_computation(const ir::Instruction& in, std::size_t pc, const Mask& mask, bool known);
  /// Of a load or store of elements that are known.
  void add_access(const ir::Instruction& in, std::size_t pc, const Mask& mask);
  void add_parallel(const ir::Instruction& in, std::size_t pc, const Mask& mask);

  LaunchRun& launch_;
  Values& values_;

private:
  void add(DataSteps::Kind kind, std::size_t pc, const Mask& mask, std::uint32_t value = 0);
  std::uint32_t mask_of(const Mask& mask);
  std::uint32_t value_of(ir::Register r);

  DataSteps* steps_ = nullptr;
  std::vector<State> states_; ///< indexed by register
  bool mask_known_ = false;   ///< it is the latest of the steps' masks
};

/// Whether two registers are known to hold the same, without a look at vectors.
bool same_closed_form(const Register& a, const Register& b);

} // namespace memlane::fast
