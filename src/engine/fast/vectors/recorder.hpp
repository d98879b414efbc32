// Intervals between two barriers that come again and again, as those of a loop over the tiles of a
// matrix do: what does not depend on data is found once.
//
// While an interval is executed, the recorder follows which registers depend on data: those that
// were loaded, and what is computed from them. Where they decide neither which lanes are active nor
// which words are accessed, all else is a function of the registers that the
// interval began with: indices, masks, stages, the step log, and that nothing races. Begun with the
// same ones, the interval is done again as the few steps that compute with data.
//
// Registers that differ from one time to the next, as the number of the tile does, count as data
// after that; if they decide too much, a few intervals are recorded for each place instead.
#pragma once

#include "chains.hpp"
#include "fast/time.hpp"
#include "values.hpp"

#include <map>
#include <vector>

namespace memlane::fast {

struct LaunchRun;

/// An interval as it was recorded.
struct Recorded {
  /// `set`: a register gets a value that is not computed again; `execute`: the instruction, as if
  /// for the first time; `load` and `store`: known to be correct, and counted.
  enum class Kind : std::uint8_t { set, execute, load, store };
  struct Step {
    Kind kind = Kind::execute;
    std::uint32_t pc = 0;
    std::uint32_t mask = 0;
    std::uint32_t value = 0; ///< of `values`: what is set, or the elements
    ir::Register target = -1;
  };
  /// The interval has to begin with this.
  struct Guard {
    ir::Register target = -1;
    Register value;
  };
  struct Bank {
    std::int32_t array = 0;
    std::int64_t bank = 0; ///< of its first word
  };
  std::vector<Guard> guards;
  std::vector<Bank> banks;
  std::vector<Step> steps;
  std::vector<Register> values;
  std::vector<Mask> masks; ///< the first: all lanes
  StepLog log;
  /// What it adds to the block's tally: by place among its numbers.
  std::vector<std::pair<std::size_t, std::int64_t>> tally;
  std::int64_t executed = 0; ///< instructions of warps
  std::int64_t iterations = 0;
  std::int64_t shared_stages = 0, memory_stages = 0, log_bytes = 0;
  Chains longest{};
  std::uint32_t foralls = 0;
  std::size_t end = 0;     ///< the barrier, or the code's end
  std::vector<bool> loops; ///< that it ends in, as TileState has them
  std::int64_t bytes = 0;  ///< of memory, about
};

class Recorder {
public:
  Recorder(LaunchRun& launch, Values& values) : launch_(launch), values_(values) {}

  /// An interval begins: what was recorded of one that began alike. If null, this one may be
  /// recorded from here on.
  const Recorded* begin(std::size_t pc, std::uint32_t foralls);
  bool recording() const { return recording_; }
  /// Before an instruction is executed for the lanes of `mask`.
  void follow(const ir::Instruction& in, std::size_t pc, const Mask& mask);
  void mask_changes() { mask_known_ = false; }
  /// The interval has ended at `pc`.
  void end(std::size_t pc, std::uint32_t foralls, std::vector<bool> loops, const Chains& longest,
           const StepLog& log);
  /// This interval is not like others.
  void give_up();

private:
  static constexpr std::size_t most_recorded = 8;                   ///< of one place
  static constexpr std::int64_t most_bytes = std::int64_t{1} << 23; ///< of all recorded

  /// A register as the recorded interval has it.
  enum class State : std::uint8_t {
    untouched,
    known, ///< the same each time, but not computed again
    ready, ///< the same each time, and set
    data
  };
  /// Where intervals begin.
  struct Place {
    std::vector<Recorded> recorded;
    std::vector<ir::Register> varies; ///< count as data
    bool alternates = false;          ///< no register does
    bool given_up = false;
    std::int64_t times = 0, recordings = 0, done_again = 0;
  };

  bool begins_alike(const Recorded& recorded) const;
  bool holds(const Recorded::Guard& guard) const;
  void learn(Place& place);
  bool worth_it(Place& place);
  void forget(Place& place, std::size_t count);
  std::int64_t bytes_left() const;
  void start(Place& place, std::uint32_t foralls);

  bool is_data(ir::Register r);
  /// The register's value does not come from a step: it is set before the next.
  void make_ready(ir::Register r);
  void compute(const ir::Instruction& in, std::size_t pc, const Mask& mask);
  void access(const ir::Instruction& in, std::size_t pc, const Mask& mask);
  void add(Recorded::Kind kind, std::size_t pc, const Mask& mask, std::uint32_t value = 0);
  std::uint32_t mask_of(const Mask& mask);
  std::uint32_t value_of(const Register& r);

  LaunchRun& launch_;
  Values& values_;
  bool recording_ = false;
  std::map<std::size_t, Place> places_;
  Place* place_ = nullptr; ///< that is being recorded
  Recorded now_;
  std::vector<State> states_; ///< by register
  bool mask_known_ = false;   ///< it is the latest of now_.masks
  std::int64_t bytes_ = 0;    ///< of all places
  std::vector<std::int64_t> tally_before_;
  std::int64_t steps_before_ = 0, iterations_before_ = 0, logged_before_ = 0;
  std::int64_t shared_stages_before_ = 0, memory_stages_before_ = 0;
  std::uint32_t foralls_before_ = 0;
};

} // namespace memlane::fast
