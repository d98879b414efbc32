// Records the time chart of a run, or of a window of it.
#pragma once

#include "memlane/engine/observer.hpp"
#include "memlane/machine/spec.hpp"
#include "memlane/support/diagnostic.hpp"
#include "memlane/timeline/timeline.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memlane {

/// What is recorded.
struct TimelineWindow {
  std::int64_t from = 0;
  std::int64_t to = INT64_MAX;
  /// Records only this launch; `from` and `to` count from its beginning.
  std::optional<std::int64_t> launch;
  /// From the first request of this source line on, up to its last one.
  std::optional<std::pair<std::int32_t, std::int32_t>> line; ///< number of the file, line
  /// The window ends before the time unit in which so many requests are recorded.
  std::int64_t most_requests = INT64_MAX;
  bool values = false; ///< records arrays, registers, and what requests read and write
  /// The window is delivered in pieces of so many time units.
  std::int64_t piece = INT64_MAX;
  /// Leaves out long stretches in which no request of the line waits or is in progress.
  bool only_line = false;
};

/// Receives a piece of the window. Pieces come in order, without overlap; of a window without a
/// time unit there is none.
using TakeTimeline = std::function<void(Timeline)>;

class TimelineRecorder;

/// Why a run has no time unit of a window without a line. `launch_option`: chooses a launch.
/// Requires a recorder that has delivered nothing.
Diagnostic nothing_in_window(const TimelineWindow& window, const TimelineRecorder& recorder,
                             std::string_view launch_option);

/// Records while a run goes on. It holds a piece of the window and the state of the resident warps.
/// Behind the window's end it is `over`: the caller may then stop the run.
class TimelineRecorder final : public Observer, public TimeObserver, public ValueObserver {
public:
  /// Refers to all of them. Requires a timed machine.
  TimelineRecorder(const ir::Program& program, const MachineSpec& machine, const Sources& sources,
                   TimelineWindow window, TakeTimeline take);
  /// The sources that lines are in, where they are known only now; they must outlive the recorder.
  void lines_are_of(const Sources& sources) { sources_ = &sources; }

  /// Whether the window has ended, the run not yet.
  bool over() const { return over_; }
  /// Whether a piece was delivered: the window has a time unit of the run.
  bool has_delivered() const { return delivered_; }
  /// Time units that the run has taken so far, and the launches that have begun.
  std::int64_t time() const { return now_; }
  std::int64_t launches() const { return launch_ + 1; }

  /// Call it after the run, with its time if it came to its end: delivers the last piece.
  void finish(std::optional<std::int64_t> time);

  TimeObserver* times() override { return this; }
  ValueObserver* values() override { return window_.values ? this : nullptr; }
  void run_begins() override;
  void launch_begins(std::int64_t launch, const LaunchShape& shape,
                     std::string_view kernel) override;
  void launch_ends(std::int64_t launch, const LaunchTally& tally) override;
  void time_advances(Cycles now) override;
  void block_starts(const BlockStart& start) override;
  void block_ends(std::int64_t launch, std::int64_t block) override;
  void issued(std::int64_t launch, WarpRef warp, const Request& request) override;
  void operator_issued(std::int64_t launch, WarpRef warp) override;
  void dispatched(const Dispatch& dispatch) override;
  void completes(std::int64_t launch, WarpRef warp, std::int64_t number,
                 Cycles completion) override;
  void computed(std::int64_t launch, WarpRef warp, std::int64_t count, OperationClass operation,
                Cycles until) override;
  void enters_device(std::int64_t launch, WarpRef warp, std::int64_t port) override;
  void arrived(std::int64_t launch, WarpRef warp) override;
  void released(std::int64_t launch, std::int64_t block) override;
  void ended(std::int64_t launch, WarpRef warp) override;
  void memory_made(std::span<const ArrayView> arrays) override;
  void block_memory_made(std::int64_t block, std::span<const ArrayView> arrays) override;
  void transferred(WarpRef warp, std::int32_t array, std::span<const LaneValue> lanes) override;
  void before_step(const WarpRegisters& registers) override;
  void host_wrote(std::int32_t array, std::int64_t element, ir::Value value) override;

private:
  enum class Doing : std::uint8_t { other, waiting, at_barrier, done };
  /// A warp of a resident block. Computation and requests in flight are recorded when they begin,
  /// since their ends are known.
  struct Warp {
    Doing doing = Doing::other;
    std::int64_t since = 0;
    std::optional<std::int64_t> unit; ///< while it waits: as in Timeline::Waiting
    Span span;
    // Its latest ones, where the window may begin while they are in progress:
    std::vector<Timeline::Request> requests;
    std::optional<Timeline::Compute> compute;
    std::vector<Timeline::Entry> entries; ///< of that computation, if it is an operation
    /// Keyed by variable: its latest values.
    std::map<std::size_t, std::vector<ir::Value>> registers;
  };
  struct ResidentBlock {
    Timeline::Block place;
    std::vector<Warp> warps;
    std::vector<ArrayView> views; ///< its shared arrays
    /// The timeline's index of each, keyed by its index in Program::arrays.
    std::map<std::int32_t, std::int64_t> arrays;
  };

  /// A block of the launch that has ended, where requests of it are under way.
  struct EndedBlock {
    Timeline::Block place;
    std::vector<Timeline::Request> requests; ///< those that are not in the piece
  };

  bool is_recording() const { return begun_ && !over_; }
  bool is_of_line(Span span) const;
  /// Shorter stretches without a request of the line are not left out.
  static constexpr std::int64_t shortest_left_out = 16;
  /// Words of arrays whose initial contents a window may have, and its changes of variables, a
  /// value a thread: a page is opened with less than 3 MB.
  static constexpr std::int64_t most_contents = std::int64_t{1} << 16;
  static constexpr std::int64_t most_register_values = std::int64_t{1} << 17;

  std::int64_t unit_of(UnitId unit, std::int64_t multiprocessor) const;
  std::vector<Timeline::Entry> entries_of(std::int64_t launch, WarpRef warp,
                                          OperationClass operation);
  Warp& warp_of(WarpRef warp);
  std::vector<Timeline::Request>* requests_of(WarpRef warp);
  void forget_completed(std::int64_t before);
  void begin_if_due();
  void begin(std::int64_t from);
  void list_arrays(ResidentBlock& block, bool fresh);
  std::int64_t list_array(const ArrayView& view, const ResidentBlock* block, bool fresh);
  std::optional<std::int64_t> placement_of(const ArrayView& view, const std::string& name);
  void fill_contents(const ArrayView& view, Timeline::Array& array);
  std::int64_t enter(std::int64_t unit, const Dispatch& dispatch);
  void record(Timeline::Request request);
  void close_piece(std::int64_t to);
  void pause();
  void end_window(std::int64_t to);
  void deliver();
  void note(const std::string& sentence);
  std::int64_t name_of(const KernelInfo& kernel, std::size_t variable);

  const ir::Program& program_;
  const MachineSpec& machine_;
  const Sources* sources_;
  TimelineWindow window_;
  std::int64_t from_ = 0, to_ = 0; ///< of the window, from the start of the run
  TakeTimeline take_;

  Timeline piece_; ///< the piece being recorded
  bool begun_ = false, over_ = false, delivered_ = false;
  std::int64_t now_ = 0;     ///< time units from the start of the run
  std::int64_t launch_ = -1; ///< the latest that has begun
  Timeline::Launch current_; ///< the launch `launch_`
  bool in_launch_ = false;
  std::set<std::int32_t> ahead_; ///< arrays that the kernel writes before their time
  std::map<std::int64_t, ResidentBlock> blocks_; ///< resident blocks, keyed by number
  std::map<std::int64_t, EndedBlock> ended_;     ///< likewise
  std::size_t most_ended_ = 0; ///< ended_ is looked through when it has more than these
  std::vector<ArrayView> memory_;
  /// The timeline's index of each memory array, keyed by its index in Program::arrays.
  std::map<std::int32_t, std::int64_t> memory_numbers_;
  std::vector<ir::Value> values_; ///< one for each lane of the request that is dispatched next
  std::int32_t array_ = -1;       ///< the array it accesses; -1: unknown
  /// By unit: where the latest request's last stage has entered.
  struct PortState {
    std::int64_t time = -1;   ///< the time unit
    std::int64_t entered = 0; ///< the number of stages that entered in it
  };
  std::vector<PortState> ports_;
  std::int64_t recorded_ = 0;      ///< the number of requests recorded
  std::int64_t others_ = 0;        ///< the number of barriers, computations and blocks recorded
  std::int64_t contents_left_ = 0; ///< words of initial contents that may still be recorded
  std::int64_t registers_left_ = 0;
  std::int64_t line_until_ = -1;  ///< the latest completion of a request of the line
  std::int64_t line_waiting_ = 0; ///< requests of the line that wait for their port
  std::map<std::pair<const KernelInfo*, std::size_t>, std::int64_t> names_;
  /// Each array's latest placement, keyed by its index in Program::arrays.
  std::map<std::int32_t, std::int64_t> placements_;
};

} // namespace memlane
