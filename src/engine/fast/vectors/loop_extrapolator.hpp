// Skips rounds of a loop that are proven to repeat the last one. What they compute with data is
// still executed.
//
// One round is watched while it is executed: for each register, `LoopExtrapolator` follows by how
// much its value grows from round to round (its shift). It finds the greatest m for which every
// condition has the same result, and every request the same stages, in m more rounds. If the round
// changes each register by exactly its shift, then by induction these m rounds repeat it.
//
// What is loaded grows by nothing known, nor does what is computed from it. If it decides neither
// which lanes are active nor which words are accessed, the m rounds execute only the steps that
// make it; without data (--timing-only) there are none.
//
// An index over the rows of a matrix, or addresses that move by part of a group, repeat only after
// several rounds: then that many, a window, are watched as one.
#pragma once

#include "chains.hpp"
#include "step_recorder.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace memlane::fast {

/// By how much a register grows from one round to the next, in all active lanes; nothing: unknown.
using Shift = std::optional<std::int64_t>;

/// Sums that each round adds to.
struct Totals {
  std::vector<std::int64_t> tally; ///< the block's numbers
  BlockSums sums;
  TileChains chains;
};

class LoopExtrapolator : StepRecorder {
public:
  LoopExtrapolator(LaunchRun& launch, Values& values);

  bool watching() const { return watching_; }
  /// The round at which the first watch may begin: the first ones are often different, and with
  /// data a watch costs as much as some rounds.
  std::int64_t first_watch() const { return with_data_ ? 12 : 3; }
  /// Whether to watch the loop with this `again`.
  bool worth_it(std::size_t pc);
  /// At the `again` of a loop: copies the registers, by depth of the loop.
  void remember(std::size_t depth);
  struct Watched {
    std::size_t pc = 0, depth = 0; ///< the loop's
    std::int64_t window = 1;       ///< rounds that are watched as one; since `remember`, too
    std::size_t first_log = 0;     ///< entries of the log so far
    std::int64_t rounds = 0;       ///< that were executed so far,
    std::int64_t inner = 0;        ///< and those of inner loops
  };
  /// Begins to watch, if all live registers grew by a constant since `remember`, or may be data.
  void watch(const Watched& loop, const Mask& mask);
  bool watches(std::size_t pc, std::size_t depth) const {
    return watching_ && pc == loop_.pc && depth == loop_.depth;
  }
  /// The window that the latest watch would have needed; not more than its own: no longer one.
  std::int64_t wanted() const { return wanted_; }
  void forget() {
    watching_ = false;
    end_steps();
  }
  using StepRecorder::mask_changes;
  /// The group of an access that may race is an `if` at this depth: a repetition would know only
  /// those around the loop.
  void diverges(std::size_t depth) {
    if (watching_ && depth >= loop_.depth) forget();
  }
  /// The loop of this depth ends: others may be watched.
  void loop_ends(std::size_t depth) {
    if (watching_ && depth == loop_.depth) forget();
  }
  /// At the `again` of an inner loop: after too many rounds the watch ends, so that the inner loop
  /// can be extrapolated. As many as so far may at most double what the loop costs.
  void inner_round() {
    if (++inner_rounds_ >= std::max(64 * loop_.window, with_data_ ? 0 : loop_.inner)) forget();
  }
  /// Before an instruction is executed for the lanes of `mask`.
  void follow(const ir::Instruction& in, const Mask& mask);
  /// After it: the shifted result must fit its type.
  void fits(const ir::Instruction& in, const Mask& mask);

  struct Rounds {
    std::int64_t times = 0;    ///< windows after the watched one that repeat it; 0: none
    std::size_t first_log = 0; ///< where its entries begin in the log
    bool learned = false;      ///< another register is data: the next watch may succeed
  };
  /// The watched window has ended. Moves totals to the end of the last repetition, and without data
  /// the registers.
  Rounds extrapolate(const Mask& mask);
  bool has_steps() const { return !window_.steps.empty(); }
  /// With data: moves what the steps set to the next repetition, and returns the steps.
  const DataSteps& next_repetition();
  /// All are executed: moves the registers.
  void end_repetitions();

private:
  /// Shifted integers stay below this, far from the end of their type.
  static constexpr std::int64_t most_long = std::int64_t{1} << 61;
  /// Steps of a window are recorded.
  std::int64_t longest_window() const { return with_data_ ? 8 : std::int64_t{1} << 16; }

  /// A loop whose rounds have data.
  struct Loop {
    std::vector<bool> written; ///< by register: whether its code writes it
    std::vector<ir::Register> data;
    std::int64_t watches = 0, rounds = 0; ///< how many rounds they have made cheaper
  };

  /// f(lane) for the active lanes.
  template <class F>
  void each_active(const Mask& mask, F f) const {
    const std::uint8_t* active = values_.sets().lanes(mask);
    for (int i = 0; i < values_.sets().part(mask).lanes(); ++i)
      if (active[i]) f(i);
  }
  State touched(ir::Register r) override;
  void writes(ir::Register r) override;
  std::int64_t shift_of(ir::Register r) override { return *shift(r); }
  std::int64_t bytes_left() const override;
  void give_up() override { forget(); }
  void follow_access(const ir::Instruction& in, std::size_t pc, const Mask& mask);
  bool all_known(const ir::Instruction& in);
  void keep(ir::Register r, Register& copy) const;
  bool written_in(const Loop& loop, ir::Register r) const;
  Shift& shift(ir::Register r) { return shifts_[static_cast<std::size_t>(r + 1)]; }
  bool still(ir::Register r) { return shift(r) == Shift{0}; }
  bool keeps_holding(const ir::Instruction& in, const Mask& mask);
  Shift result(const ir::Instruction& in, const Mask& mask);
  Shift product(const ir::Instruction& in);
  Shift quotient(const ir::Instruction& in, const Mask& mask);
  Shift turned(const ir::Instruction& in, const Mask& mask);
  Shift limited(ir::Register r, std::int64_t by, const Mask& mask);
  bool stays_between(std::int64_t of, ir::Register r, const Mask& mask);
  Shift chosen(const ir::Instruction& in, const Mask& mask);
  bool same_stages(const ir::Instruction& in);
  /// `a < b` (or <=, or ==) stays as it is in every active lane.
  bool stays(ir::ComparisonOpcode comparison, ir::Register a, ir::Register b, const Mask& mask);
  bool keeps_in_order(ir::Register a, ir::Register b, bool strictly, const Mask& mask);
  std::optional<Extent> range_of_rows(ir::Register a, ir::Register b, const Mask& mask);
  Extent range(ir::Register r, const Mask& mask);
  template <class F>
  void each_difference(ir::Register a, ir::Register b, const Mask& mask, F f);
  Shift difference(const Register& from, const Register& to, const Mask& mask);
  void limit(std::int64_t rounds) { most_ = std::min(most_, rounds); }
  void limit_to_side(std::int64_t d, std::int64_t by);
  bool grows_by_multiples(std::int64_t by, std::int64_t of);
  Totals totals() const;
  bool multiply_totals(std::int64_t times);
  void move(Register& r, std::int64_t by, const Mask& mask);

  const bool with_data_;
  bool watching_ = false;
  Watched loop_;
  std::map<std::size_t, Loop> loops_; ///< by `again`, with data
  DataSteps window_;                  ///< steps of the watched one
  std::vector<bool> held_;            ///< by register: the steps use what it has before them
  std::int64_t wanted_ = 1, active_ = 0, inner_rounds_ = 0;
  std::int64_t most_ = 0;     ///< the greatest m that the instructions so far allow
  std::vector<Shift> shifts_; ///< indexed by register, `none` excepted
  std::vector<Shift> head_shifts_;
  std::vector<Register> head_;                ///< registers when the watch began
  std::vector<std::vector<Register>> before_; ///< registers of a window earlier, indexed by depth
  std::array<Rows, 2> uniform_rows_;          ///< scratch space of as_rows; Rows are slow to make
  Rows difference_;                           ///< scratch space of range_of_rows
  Totals before_totals_;
};

} // namespace memlane::fast
