// Executes many warps of one block together, instruction by instruction, from one barrier to the
// next. Between barriers no two warps access the same word if one of them writes it; a possible
// race stops the engine. So the order of the warps does not matter.
#pragma once

#include "loop_extrapolator.hpp"
#include "recorder.hpp"
#include "stage_counts.hpp"
#include "values.hpp"
#include "warp_steps.hpp"

#include "memlane/machine/layout.hpp"

namespace memlane::fast {

struct ArrayView;
class BlockNotes;
struct LaunchRun;
struct WatchedAccess;

/// A store that waits for the drain of a `forall sync`.
struct Deferred {
  std::size_t site = 0;
  std::uint32_t forall = 0;
  Register elements, values, iterations;
  Mask mask;
  TileSteps::Reads reads; ///< that its values need
};

/// A thread's own array in all lanes: element e of lane i is word e * lanes + i.
struct LocalWords {
  std::int64_t elements = 0;
  std::vector<unsigned char> words;
};

/// The state of a tile at a barrier, while other tiles of the block are executed.
struct TileState {
  std::vector<bool> loops; ///< each `if` and loop around, outermost first; none holds lanes
  std::vector<std::pair<ir::Register, Register>> registers;
  std::vector<LocalWords> locals;
  std::vector<Deferred> deferred;
  std::int64_t updates = 0;       ///< atomics so far
  std::optional<TileSteps> steps; ///< where warps are followed

  /// The size of the registers' vectors.
  std::int64_t bytes() const;
};

class Tile {
public:
  enum class Halt : std::uint8_t { barrier, end, pause, halted };

  explicit Tile(LaunchRun& launch)
      : launch_(launch), extrapolator_(launch, values_), recorder_(launch, values_) {}

  /// Warps first_warp … of a block, at the kernel's beginning.
  void start(std::int64_t block, std::int64_t first_warp, int warps);
  /// Blocks first, first + 1, … of one warp each. Where they differ in control, `run` ends at a
  /// barrier that some of them have reached, those with active lanes.
  void start_blocks(std::int64_t first, int blocks);
  /// Executes up to the end, the next barrier, which is passed, or the first `again` at which the
  /// log has `most` entries. Appends what the warps ask to the log.
  Halt run(StepLog& log, std::size_t most);

  /// At a barrier or the end: the longest chains of requests since the last one.
  const Chains& longest_chains() const { return longest_; }

  std::size_t pc() const { return pc_; }
  /// How many lanes of a warp are active.
  std::int32_t active(int warp) const { return values_.sets().counts(mask_)[warp]; }
  /// After a barrier: what the rest of the code needs. `resume` requires a `start` for the same
  /// block and warps.
  void save(TileState& state);
  void resume(TileState& state, std::size_t pc, std::uint32_t foralls);
  std::uint32_t foralls() const { return foralls_; }

private:
  /// An `if` or a loop that has begun: its lanes that are not active.
  struct Frame {
    bool loop = false;
    bool divergent = false;           ///< an `if` with lanes on both paths
    std::vector<std::uint8_t> splits; ///< likewise, in these of several blocks
    Mask done;                        ///< lanes that have done the then-part, or left the loop
    Mask pending;                     ///< the else-part is before them
    // Of a loop: its rounds so far; the round at which the next watch may begin, its length, and
    // the round whose registers are remembered.
    std::int64_t rounds = 0, next_watch = 0, window = 1, remembered = 0;
    std::int64_t before = 0;  ///< rounds of all loops that were executed before
    std::int64_t spins = 0;   ///< rounds, where the loop may not end (Analysis::may_spin)
    bool watched = false;     ///< a watch has begun and not ended
    std::uint32_t serial = 0; ///< tells executions of an `if` apart, and from foralls
  };
  static constexpr int every_block = -1; ///< BlockTally::every
  /// One request of each warp with an active lane.
  struct Requests {
    std::size_t site = 0;
    std::uint32_t forall = 0;
    const Register* elements = nullptr;
    const Register* iterations = nullptr;
    const Mask* mask = nullptr;
  };

  const ir::Instruction& at(std::size_t site) const;
  bool refuse();
  void begin(const Specials& specials, int warps, std::int64_t threads);

  [[gnu::cold]] void tell_executed(); // rarely asked for: not inlined
  [[gnu::cold]] void tell_accessed(const Requests& requests, const ArrayView& array);
  bool count_step(const ir::Instruction& in);
  void count_executed();
  /// The block of a warp in the launch's tally.
  int block_of(int warp) const { return together_ == 1 ? every_block : warp; }
  void count_warps(const Mask& mask, std::int64_t once, std::int64_t* number) const;
  void follow_statement(const ir::Instruction& in);
  void start_chains(std::int64_t warps);
  void end_chains();
  void log_computation();
  TileInstruction followed(const ir::Instruction& in, std::size_t site, const Mask& mask) const;
  bool follow_warps(const ir::Instruction& in);
  bool end_steps();
  std::int32_t number_of_site(std::size_t site) const;
  bool begin_request(const Requests& requests);
  bool returns(std::size_t site) const;
  bool execute(const ir::Instruction& in);
  bool change_forall(const ir::Instruction& in);
  bool check(const ir::Instruction& in);
  bool in_order(const Register& a, const Register& b, bool strictly);

  void control(const ir::Instruction& in);
  Frame& push(bool loop);
  void leave_loop(const Register* stay, std::int64_t further = 0);
  bool next_round();
  bool may_go_on();
  bool repeats(const Frame& frame);
  void watch(Frame& frame);
  std::int64_t executed_rounds() const;
  void remember(Frame& frame, std::int64_t window);
  bool extrapolate(Frame& frame);

  bool may_record() const;
  std::vector<bool> loops_around() const;
  bool count_replay(const Recorded& recorded);
  bool replay_access(const DataSteps::Step& step, const Register& elements);
  bool replay_steps(const DataSteps& steps, std::uint32_t& mask);
  Halt replay(const Recorded& recorded);
  bool repeat_rounds(std::int64_t times);

  bool local(const ir::Instruction& in);
  bool new_local(const ir::Instruction& in);
  bool lookup(const ir::Instruction& in);

  bool of_warp(const ir::Instruction& in);
  template <class T>
  bool shuffle(const ir::Instruction& in);
  template <ir::Opcode op, class T>
  void combine(const ir::Instruction& in);
  template <class T>
  bool of_values(const ir::Instruction& in);

  bool load(const ir::Instruction& in);
  bool store(const ir::Instruction& in);
  bool defer(const ir::Instruction& in);
  bool drain();
  bool atomic(const ir::Instruction& in);
  bool update(const Requests& requests, ArrayView& array);
  bool make_requests(const Requests& requests);
  bool within(const Register& r, std::int64_t least, std::int64_t most, const Mask& mask);
  bool note_words(const Requests& requests, BlockNotes& blocks, AccessKind kind);
  bool look_for_races(const Requests& requests, ArrayView& array, std::int32_t index,
                      AccessKind kind);
  bool count_stages(const Requests& requests, ArrayView& array, bool write);
  // tile_blocks.cpp
  bool meets() const;
  bool diverges(const Mask& other, Frame& frame) const;
  std::uint32_t group_of(std::uint32_t forall, int block) const;
  bool look_in_blocks(const WatchedAccess& access, const Mask& mask, ArrayView& array,
                      std::int32_t index);
  const Register& located(const Register& elements, const ArrayView& array, const Mask& mask);
  // tile_keys.cpp
  bool count_keyed(const Requests& requests, const ArrayView& array, bool write);
  bool count_atomic(const Requests& requests, const ArrayView& array);
  void address_lanes(const Requests& requests, const ArrayView& array, int warp);
  void name_addresses(const ArrayView& array);
  void name_words(const Requests& requests, const ArrayView& array, int warp);
  PortAccess port_access(std::size_t site, bool atomic, bool reuses) const;
  std::int64_t touch_groups(std::size_t site, int warp, PortAccess access, bool returns,
                            const std::vector<AtomicGroup>* atomic = nullptr);
  std::int64_t stages_of_wide(const Requests& requests, const ArrayView& array, int warp);
  const Rows* words_of(const Register& elements, const Placement& placement, const Mask& mask);
  bool same_stages(const Register& elements, const Rows* words, const ArrayView& array,
                   const Mask& mask, std::int64_t& stages);
  std::int64_t stages_of_warp(const Requests& requests, const Rows* words, const ArrayView& array,
                              int warp, Banks& banks, std::int64_t* repeated);
  int address_words(const Register& elements, const ArrayView& array, int warp,
                    const std::uint8_t* active);
  std::int64_t stages_of_gather(const std::int32_t* words, const ArrayView& array, int warp,
                                Banks& banks);
  void count_groups(const Requests& requests, const Rows* words, const ArrayView& array);
  bool log_stages(UnitId unit, std::int64_t common, std::size_t site, const Mask& mask);
  bool read_words(const Requests& requests, ArrayView& array);
  bool write_words(const Requests& requests, ArrayView& array, const Register& values);
  bool written(const Requests& requests, ArrayView& array);
  void mark_written(const Requests& requests, ArrayView& array);

  LaunchRun& launch_;
  StepLog* log_ = nullptr;
  std::int64_t block_ = 0;
  std::int64_t first_warp_ = 0;
  int together_ = 1; ///< blocks, of one warp each if there are several
  Values values_;
  LoopExtrapolator extrapolator_;
  Recorder recorder_;
  bool repeats_ = false;             ///< rounds of a loop are repeated
  Chains longest_{};                 ///< longest of the interval that has ended
  std::size_t sealed_ = 0;           ///< entries of the log that are not to be changed
  std::uint32_t foralls_before_ = 0; ///< the watched round
  Mask mask_;
  std::size_t pc_ = 0;
  std::vector<Frame> frames_; ///< the first depth_ are in use
  std::size_t depth_ = 0;
  Mask other_;
  std::uint32_t serials_ = 0;
  /// What the next round of a loop reads, as some round has left it.
  struct Looked {
    std::uint32_t loop = 0; ///< Frame::serial
    std::int64_t active = 0;
    std::vector<Register> registers;
  };
  Looked looked_;
  Register threads_;    ///< their numbers: what takes the place of iterations outside foralls
  Register iterations_; ///< iterations of the present forall
  std::uint32_t forall_ = 0, foralls_ = 0;
  std::vector<LocalWords> locals_;
  std::vector<Deferred> deferred_;
  std::optional<TileSteps> steps_;                    ///< where warps are followed
  std::int64_t updates_ = 0;                          ///< atomics of the warp so far
  std::array<std::vector<ir::Value>, 2> lane_values_; ///< of an operation of a warp
  Register scratch_;                                  ///< scratch space of calculations with rows
  Register located_;                                  ///< elements among the words of all blocks
  LaneSets of_block_;                                 ///< one block's lanes, and its part of
  Mask mask_of_block_;                                ///< a mask
  std::array<Register, 2> part_;                      ///< and of elements and iterations
  Rows words_;                                        ///< where the elements of a request lie
  std::vector<std::uint16_t> stages_;                 ///< stages of each warp's request
  std::vector<std::int64_t> addresses_;
  NamedWords named_;       ///< of a warp's request
  std::vector<int> order_; ///< active lanes
  /// By Statement::depth and warp: whether the present execution has performed anything.
  std::vector<std::vector<std::uint8_t>> performed_;
};

} // namespace memlane::fast
