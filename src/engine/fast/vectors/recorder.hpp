// Records intervals between two barriers that repeat, as in a loop over the tiles of a matrix.
//
// While an interval is executed, the recorder follows which registers depend on data: loaded ones,
// and what is computed from them. If they decide neither which lanes are active nor which words are
// accessed, then indices, masks, stages, the step log and the absence of races are a function of
// the registers at the beginning of the interval. When these are equal again, only the instructions
// that compute with data are executed.
//
// Registers that differ the next time, such as the number of the tile, count as data from then on.
// If they decide masks or addresses, up to eight recordings are kept for the place instead.
#pragma once

#include "chains.hpp"
#include "fast/time.hpp"
#include "step_recorder.hpp"

#include <map>
#include <vector>

namespace memlane::fast {

struct LaunchRun;

/// A recorded interval.
struct Recorded : DataSteps {
  /// A register that must have this value when the interval begins.
  struct Guard {
    ir::Register target = -1;
    Register value;
  };
  struct Bank {
    std::int32_t array = 0;
    std::int64_t bank = 0; ///< the first word's
  };
  struct Counted {
    std::uint32_t kind = 0; ///< BlockTally::Kind
    int block = 0;
    std::int64_t more = 0;
  };
  std::vector<Guard> guards;
  std::vector<Bank> banks;
  StepLog log;
  std::vector<Counted> tally; ///< what it adds to the tally
  BlockSums sums;             ///< sums that it adds
  Chains longest{};
  TileChains chains; ///< of blocks that are executed together, which are not taken yet
  std::uint32_t foralls = 0;
  std::size_t end = 0;     ///< the barrier, or the code's end
  std::vector<bool> loops; ///< the loops it ends in, as TileState has them
};

class Recorder : StepRecorder {
public:
  Recorder(LaunchRun& launch, Values& values) : StepRecorder(launch, values) {}

  /// Tiles of this shape follow: recordings of another one are of no use.
  void hold(const Shape& shape);
  /// An interval begins. Returns the recording that begins with the same registers; else null, and
  /// this interval may be recorded.
  const Recorded* begin(std::size_t pc, std::uint32_t foralls);
  using StepRecorder::mask_changes;
  using StepRecorder::recording;
  /// Before an instruction is executed for the lanes of `mask`.
  void follow(const ir::Instruction& in, std::size_t pc, const Mask& mask);
  /// The interval has ended at `pc`.
  void end(std::size_t pc, std::uint32_t foralls, std::vector<bool> loops, const Chains& longest,
           const StepLog& log);
  /// This interval cannot be recorded.
  void give_up() override;

private:
  static constexpr int most_in_vain = 4;                            ///< launches
  static constexpr std::size_t most_recorded = 8;                   ///< intervals of one place
  static constexpr std::int64_t most_bytes = std::int64_t{1} << 23; ///< size of all intervals

  /// Where intervals begin.
  struct Place {
    std::vector<Recorded> recorded;
    std::vector<ir::Register> varies; ///< count as data
    bool alternates = false;          ///< no register does
    bool given_up = false;
    std::int64_t times = 0, recordings = 0, replays = 0;
  };

  bool begins_alike(const Recorded& recorded) const;
  bool holds(const Recorded::Guard& guard) const;
  void learn(Place& place);
  bool worth_it(Place& place, std::size_t pc);
  void forget(Place& place, std::size_t count);
  std::int64_t bytes_left() const override;
  void start(Place& place, std::uint32_t foralls);

  State touched(ir::Register r) override;
  void compute(const ir::Instruction& in, std::size_t pc, const Mask& mask);
  void access(const ir::Instruction& in, std::size_t pc, const Mask& mask);

  int warps_ = 0;
  std::map<std::size_t, Place> places_;
  Place* place_ = nullptr; ///< the place that is being recorded
  Recorded now_;
  std::int64_t bytes_ = 0; ///< size of all places
  std::vector<std::int64_t> tally_before_;
  BlockSums sums_before_;
  std::uint32_t foralls_before_ = 0;
};

} // namespace memlane::fast
