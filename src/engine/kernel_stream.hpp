// The warps of a launch, executing the instructions of a kernel; their livelocks, and what they
// print.
#pragma once

#include "lane_reads.hpp"
#include "lanes.hpp"
#include "memory.hpp"
#include "program_pieces.hpp"
#include "race_log.hpp"

#include "memlane/engine/observer.hpp"
#include "memlane/engine/run.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace memlane {

// Livelocks: launches whose warps repeat their states for ever.
//
// What a warp does depends on its own state and on the words that it reads. So a warp repeats for
// ever what it did between two moments at which its state was the same, if no word changes. If each
// warp of the blocks under way does so, or waits at a barrier for one that does, and none of them
// has changed a word meanwhile, then no word changes any more, none of these warps ends, and no
// other block starts.

/// The rounds of a warp's loops since a word of memory has changed.
class WarpRepeats {
public:
  enum class Found : std::uint8_t {
    nothing,
    repeats, ///< the state is an earlier one
    alone,   ///< and nothing was read in between: no other warp can end this
  };

  /// At the end of a round of a loop. `changes`: how often memory has changed in the launch.
  /// `budget` bounds the copy of the state.
  Found round_ends(const Lanes& lanes, std::uint64_t changes, Budget& budget);
  /// A request has read words: the instruction, and the first lane's element.
  void reads(std::uint32_t site, std::int64_t element) {
    ++reads_;
    latest_ = {site, element};
  }
  struct Read {
    std::uint32_t site = 0;
    std::int64_t element = 0;
  };
  /// Of a warp that repeats, a word that its loop waits for.
  const Read& latest_read() const { return latest_; }
  void passes_barrier() { ++barriers_; }
  /// Whether the warp repeats its states, since memory changed so often.
  bool repeats(std::uint64_t changes) const { return repeats_ && changes_ == changes; }
  /// … and passes no barrier while it does.
  bool without_barrier() const { return !barrier_; }
  /// Bytes taken from the budget.
  std::int64_t bytes() const { return bytes_; }

private:
  bool keep(const Lanes& lanes, Budget& budget);

  std::uint64_t changes_ = 0;
  std::int64_t rounds_ = 0, next_ = 0; ///< rounds since then; when the next state is kept
  std::int64_t reads_ = 0, barriers_ = 0;
  Read latest_;
  std::optional<Lanes::State> kept_;
  std::int64_t reads_before_ = 0, barriers_before_ = 0; ///< as it was kept
  std::int64_t bytes_ = 0;
  bool repeats_ = false, barrier_ = false;
};

// The lines that `print` statements show.

/// Collects the items of a `print` statement and passes on the finished lines, one for each active
/// lane in lane order. A warp executes the items of a statement without interruption, so each lane
/// has one open line.
class Printer {
public:
  Printer(const ir::Program& program, const PrintLine& show) : program_(program), show_(show) {}

  /// Executes a `print` instruction. `where` names a lane's thread; empty for the host.
  void print(Lanes& lanes, const std::function<std::string(int lane)>& where);

private:
  const ir::Program& program_;
  const PrintLine& show_;
  std::int64_t lines_ = 0;
  std::vector<std::string> open_; ///< the beginning of each lane's line
};

// The warps of a launch, executing the instructions of a kernel.

/// The launch that host code makes.
struct PresentLaunch {
  Span at;                  ///< place in host code
  std::int64_t stage = 0;   ///< LaunchTally::stage
  bool independent = false; ///< not ordered after earlier launches of its stage
  /// In a `concurrent`, by Program::arrays: whether one of its launches may write the array. Null:
  /// the launch is outside.
  const std::vector<bool>* written_together = nullptr;
};

/// The state that all launches of a run share.
struct RunState {
  const ir::Program& program;
  const MachineSpec& machine;
  Budget& budget;
  Memory& memory;
  RaceLog& races;
  Printer& printer;
  const Sources& sources;
  ExecutionObserver* executions = nullptr; ///< may be null
  ValueObserver* values = nullptr;         ///< may be null
  PresentLaunch launch = {};
  const RunOptions* options = nullptr; ///< null: the standard ones
};

/// Words of a block's shared arrays, without the gaps between them.
std::int64_t shared_words(const ir::Function& kernel, const Memory& memory);

class KernelStream final : public WarpStream {
public:
  /// `formals`: values of the kernel's formals, in order. `launch`: its number in the run.
  KernelStream(const RunState& run, const ir::Function& kernel, const LaunchShape& shape,
               std::vector<ir::Value> formals, std::int64_t launch);

  Status start(std::int64_t block, Tally& tally) override;
  Result<Step> next(WarpRef warp) override;
  Status perform(WarpRef warp) override;
  void released(std::int64_t block) override;
  void finish(std::int64_t block) override;

  /// Each warp is executed up to a barrier or its end before the next: none ends another's loop.
  void execute_in_order() { in_order_ = true; }

  // Where the machine hoists reads: `next` gives steps in the order of the program, and the caller
  // issues them in another one (ordered_stream.hpp).
  /// The number of the warp's latest step that is a request or a computation.
  std::int64_t number_of_step(WarpRef warp) const { return warp_of(warp).pieces->latest(); }
  /// A step, and the instruction that it is.
  struct IssuedStep {
    IssueOrder::Issued step;
    std::int32_t instruction = -1;
  };
  /// The steps of the pieces that have ended since the last call.
  std::vector<IssuedStep> take_issued(WarpRef warp) {
    return std::exchange(warp_of(warp).issued, {});
  }

private:
  /// An array as a block sees it.
  struct View {
    Words* words = nullptr;
    std::vector<std::uint8_t>* written = nullptr; ///< which shared words have been written
    Shadow* shadow = nullptr;
    std::int64_t base = 0;
    UnitId unit = UnitId::global;
  };
  struct LaneAccess {
    int lane = 0;
    std::int64_t element = 0;
    ir::Value value; ///< what will be written
    std::int64_t iteration = 0;
  };
  /// A request's accesses, which are performed when it is dispatched.
  struct Pending {
    std::uint32_t site = 0; ///< number of its instruction
    std::uint32_t forall = 0;
    bool deferred = false;
    std::vector<LaneAccess> lanes;
  };
  /// A deferred store, which waits for the warp's drain: deferred_lanes first … last - 1.
  struct Deferred {
    std::uint32_t site = 0;
    std::uint32_t forall = 0;
    std::size_t first = 0, last = 0;
    std::vector<std::int64_t> reads = {}; ///< that its values need
  };
  struct Warp {
    explicit Warp(Lanes own) : lanes(std::move(own)) {}

    Lanes lanes;
    std::int64_t number = 0;
    std::int64_t first_thread = 0;
    Request request;
    Pending pending;
    Step held; ///< the step that follows a `compute` or a `wait` step
    bool holding = false;
    std::vector<std::int64_t> iterations;  ///< the lanes' iterations in the present forall
    std::uint32_t forall = 0, foralls = 0; ///< the present one, 0: none; how many there were
    std::int64_t rounds = 0;               ///< rounds of the present one
    std::vector<Deferred> queue;
    std::vector<LaneAccess> deferred_lanes;
    std::size_t drained = 0; ///< entries of `queue` that have been requests
    bool draining = false;
    std::vector<PathLog> paths; ///< indexed by depth of the control stack
    WarpRepeats repeats;
    bool at_barrier = false, ended = false;
    std::uint64_t updates = 0;           ///< its atomics so far
    LaneReads reads;                     ///< where it may have several requests on their way
    std::int64_t requests = 0;           ///< that it has made
    std::vector<LaneReads::Wait> waits;  ///< before `held`, the next one last
    std::vector<std::uint32_t> awaited;  ///< by its latest `wait` step
    std::optional<ProgramPieces> pieces; ///< where the machine hoists reads
    std::vector<IssuedStep> issued;      ///< steps of pieces that have ended
  };
  struct Block {
    std::int64_t id = 0;
    /// None where the schedule does not determine it, or the blocks have memory of their own.
    std::optional<std::int64_t> multiprocessor;
    std::int64_t bytes = 0;
    std::uint32_t phase = 0;
    std::vector<Warp> warps;
    std::vector<View> views; ///< indexed as Program::arrays
    std::vector<Words> shared;
    std::vector<std::vector<std::uint8_t>> written;
    std::vector<Shadow> shadows;
  };
  /// Whether a warp may have several requests on their way.
  bool several() const { return run_.machine.requests_in_flight > 1; }
  bool hoists() const { return run_.machine.schedule == Schedule::hoisted; }
  /// Whether counted operators are steps by themselves.
  bool tells_operators() const { return several() || hoists() || !run_.machine.operations.empty(); }
  Warp& warp_of(WarpRef ref) {
    return blocks_.at(ref.block).warps[static_cast<std::size_t>(ref.warp)];
  }
  const Warp& warp_of(WarpRef ref) const {
    return blocks_.at(ref.block).warps[static_cast<std::size_t>(ref.warp)];
  }
  WarpInstruction present(Warp& warp);
  void end_piece(Warp& warp);
  void make_warps(Block& block, Tally& tally);
  void before_each(const Block& block, Warp& warp);
  bool make_shared(Block& block);
  bool make_array(Block& block, std::size_t number);
  KeptWords* kept_words(const Block& block, std::int32_t array, std::int64_t elements);
  void note_left(const Block& block);
  Fault unwritten(const Block& block, std::int32_t array, const LaneAccess& lane) const;
  Step operation(std::size_t at) const;
  Result<Step> advance(Block& block, Warp& warp);
  /// Handles an event. True: it is a step of the machine.
  bool event(Block& block, Warp& warp, Step& step);
  bool parallel(Warp& warp, Step& step);
  bool access(Block& block, Warp& warp, Step& step);
  bool collect(Warp& warp, std::vector<LaneAccess>& into);
  void defer(Warp& warp);
  void drain_one(Block& block, Warp& warp, Step& step);
  void make_request(const Block& block, Warp& warp, Step& step);
  Step after_waits(Warp& warp, const Step& step);
  Step next_wait(Warp& warp);
  void set_iterations(Warp& warp);
  std::optional<Diagnostic> find_double_write(const Block& block, const Warp& warp) const;
  std::optional<Diagnostic> find_races(Block& block, Warp& warp);
  Status transfer(Block& block, Warp& warp);
  Status update(Block& block, Warp& warp);
  bool store(const View& view, const LaneAccess& lane);
  bool round_ends(Warp& warp);
  std::vector<std::string> why_none_goes_on(const Warp& found) const;
  std::vector<std::string> waited_words(const Warp& found) const;
  bool all_repeat() const;
  bool never_ends(const Block& block) const;
  void report_arrays(Block& block);
  void report_registers(const Block& block, Warp& warp);
  void report_values(const Block& block, Warp& warp);
  Access access_of(const Block& block, const Warp& warp, const LaneAccess& lane) const;
  Diagnostic diagnostic(const Block& block, const Warp& warp, const Fault& fault) const;
  const ir::Instruction& at(std::uint32_t site) const { return kernel_->code[site]; }

  RunState run_;
  const ir::Function* kernel_;
  LaunchShape shape_;
  std::int64_t launch_;
  std::vector<ir::Value> formals_;
  std::vector<std::size_t> sites_; ///< each instruction's number among those that make requests
  SharedPlaces places_;
  std::map<std::int64_t, Block> blocks_;
  std::uint64_t changes_ = 1; ///< changes of words, and of the blocks under way
  std::int64_t started_ = 0;  ///< blocks
  bool in_order_ = false;
};

} // namespace memlane
