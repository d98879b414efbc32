// When everything happens: ports, warps, barriers and blocks of one launch, from what each warp
// asks in turn (configs/README.md sections 3 to 5). The reference machine
// (src/engine/run_launch.cpp) without values and addresses.
#pragma once

#include "accounts.hpp"
#include "block_source.hpp"
#include "flights.hpp"
#include "group_set.hpp"
#include "moved_waits.hpp"
#include "warp_set.hpp"
#include "wheel.hpp"

#include "memlane/engine/run.hpp"
#include "memlane/support/units.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <span>
#include <vector>

namespace memlane::fast {

class Timeline {
public:
  /// Requires a shape that fits the machine. `take` gives blocks that are executed as a whole;
  /// empty: `blocks` executes them.
  Timeline(TimedLaunch& launch, BlockSource& blocks, const TakeBlock& take, Cycles limit);

  /// Whether one block at a time is resident: its intervals are executed when they begin, long ones
  /// in parts. Else blocks are executed as a whole when they start.
  static bool streams(const MachineSpec& machine, const LaunchShape& shape);
  /// As LaunchTime has it.
  Cycles drained() const;

  /// Runs the launch to its end; false if execution has halted, or time would pass the limit.
  /// Sets what time decides: time, barriers, the units' accounts, and which multiprocessors ran the
  /// blocks where the schedule is dynamic.
  bool run(LaunchTally& tally);

private:
  struct Warp {
    std::int32_t slot = 0, mp = 0, tile = 0, place = 0; ///< place: in its tile
    std::uint32_t next = 0;                             ///< entry of its tile's log
    std::int64_t left = -1;                             ///< what is left of a repetition in it
    Ask ask = Ask::global;                              ///< what its request asks: a unit
    bool requested = false;                             ///< has made one in this launch
    bool returns = false;                               ///< its request gets it a value
    bool stalled = false; ///< it goes on when a request on its way is complete
    std::uint32_t stages = 0;
    std::int32_t atomic = -1; ///< which one of its tile's log its request is; -1: none. Likewise of
                              ///< requests at own ports
    std::optional<WaitCause> waiting; ///< what it waits for, of value and fence the former
    Cycles issued{0};                 ///< when its latest request or operation began to wait
    Cycles begin{0}, end{0};          ///< flight of the latest request
    Cycles wakes{0};                  ///< the end of its latest computation or operation
  };
  struct Slot {
    std::int64_t block = -1;
    std::int64_t at_barrier = 0, ended = 0; ///< warps
    Cycles opens{0};                        ///< the latest barrier
    ExecutedBlock executed;                 ///< the present interval first
    GroupSet read;                          ///< address groups, where a block's reads are reused
  };
  /// A unit of operations of a multiprocessor.
  struct OperationState {
    const OperationUnit* spec = nullptr;
    UnitSpec unit; ///< its ports and latency
    OperationAccount* account = nullptr;
    std::int64_t first_warp = 0, served = 0, cursor = 0;
    reference::WarpSet waiting{0};
    reference::Port port;
    bool listed = false; ///< it is in `operating_`
  };
  static constexpr std::size_t least_spans = 1024;
  struct Unit {
    const UnitSpec* spec = nullptr;
    UnitAccount* account = nullptr;
    std::int64_t stages = 0; ///< stages of blocks that have ended
    std::int64_t first_warp = 0, served = 0, resident = 0, cursor = 0;
    reference::WarpSet waiting{0};
    reference::Port port;
    reference::AtomicService atomics;
    reference::Ledger ledger;
    bool listed = false;                 ///< it is in `offered_`
    std::size_t decide_at = least_spans; ///< undecided spans at which those that are closed leave
    Cycles emptied{-1};                  ///< when its last request in flight completed
    Cycles flying{0};                    ///< a request has been in flight at every time since then
    Cycles latency_until{0}; ///< until then a request of a warp that makes another one is in flight
  };
  /// A request on its way, where warps may have several of them.
  struct Flight {
    std::int64_t warp = 0, number = 0, block = 0;
    bool atomic = false, reused = false; ///< of requests at own ports
    std::uint32_t site = 0;              ///< likewise
    Cycles begin{0};
    bool global = false; ///< it uses global memory
  };
  struct Event {
    Cycles time;
    std::int64_t index; ///< a warp that wakes; ~slot: a barrier that opens
    bool operator>(const Event& other) const { return time > other.time; }
  };
  template <class T>
  using Queue = std::priority_queue<T, std::vector<T>, std::greater<>>;
  /// A request completes, or leaves its multiprocessor's own port; an operator of a warp ends.
  enum class Due : std::uint8_t { completion, departure, operator_ };
  static constexpr std::int64_t kinds_due = 4;
  static std::int64_t due_number(Due what, std::int64_t index) {
    return index * kinds_due + static_cast<std::int64_t>(what);
  }

  /// Atomics of a site on a unit without own ports.
  struct AtomicSite {
    std::int64_t block = 0; ///< mod d
    std::int32_t mp = 0;    ///< that ran the block
    std::uint32_t site = 0;
    auto operator<=>(const AtomicSite&) const = default;
  };
  using Flown = std::map<AtomicSite, std::int64_t>; ///< PortTally::flown
  /// What the units of a scope have in their accounts: numbers, and by unit what their time of
  /// waits for values is charged to.
  struct Accounts {
    std::vector<std::int64_t> counts;
    std::vector<std::vector<ValueWait>> values;
    Flown flown;
  };
  /// Warps, slots and units whose state may repeat: those of one multiprocessor while its blocks
  /// use no global memory, or of the whole machine; and the whole machine again for rounds of
  /// intervals, which contain repetitions, and for blocks, which contain rounds.
  struct Scope {
    Scope(std::int64_t first_mp, std::int64_t mps, std::int64_t slots_of_mp,
          std::int64_t warps_of_slot)
        : first_warp(first_mp * slots_of_mp * warps_of_slot),
          warps(mps * slots_of_mp * warps_of_slot), first_slot(first_mp * slots_of_mp),
          slots(mps * slots_of_mp), mp(static_cast<std::size_t>(first_mp)) {}

    std::int64_t first_warp, warps, first_slot, slots;
    std::size_t mp; ///< the only one, unless it is the whole machine
    bool whole = false;
    bool of_blocks = false;   ///< its periods consist of whole blocks, which all ask the same
    std::int64_t marker = -1; ///< a warp in a repetition; a slot in rounds, or whose blocks end
    bool marked = false;      ///< it has begun one anew in this time unit
    std::int64_t marks = 0, next_kept = 1;
    // The state at an earlier time.
    std::vector<std::int64_t> state, left, left_of_slots;
    std::vector<std::int64_t> dealt; ///< blocks, by multiprocessor
    Accounts accounts;
    Cycles time{0};
    std::int64_t skipped = 0; ///< what was skipped before that
    /// Waits of its warps that have ended since then, beyond the papers' machines.
    MovedWaits::Period waits;
    // The latest periods of a multiprocessor that were skipped.
    Cycles until{0}, period{0};
    Accounts of_period;
  };

  void set_up();
  bool time_unit();
  void complete();
  void complete(std::int64_t request);
  void take_zero_time_steps();
  Cycles next_time();
  void account();
  void account_in_part();
  void add(const BlockLoads& loads, std::int64_t mp, std::int64_t blocks = 1);

  bool change_blocks();
  bool start_blocks();
  bool start_block(std::int64_t block, std::int64_t mp);
  bool leave();
  bool execute(Slot& slot);
  void begin_interval(std::int64_t slot);

  void advance_warp(std::int64_t warp);
  void compute(std::int64_t warp, std::int64_t operators);
  void stall(std::int64_t warp);
  void leave_interval(std::int64_t warp, bool waited);
  bool extend(std::int64_t slot);
  void offer(std::int64_t warp, Ask ask, std::uint32_t stages, std::int32_t atomic = -1);
  void queue(std::int64_t warp);
  void arrive(std::int64_t slot, std::int64_t warps);
  void end(std::int64_t slot, std::int64_t warps);
  void open_if_all_arrived(std::int64_t slot);
  void release(std::int64_t slot);
  void advance(std::int64_t slot);
  void begin_round();
  void dispatch();
  void dispatch(Unit& unit, std::int64_t warp);
  Cycles served(Unit& unit, const reference::Port& before, const Warp& warp);
  void list(Unit& unit);

  // timeline_waits.cpp
  void end_wait(const reference::EndedWait& wait);
  void end_port_wait(std::int64_t warp);
  void end_wait_for_requests(std::int64_t warp);
  void end_wait_before(std::int64_t warp, const Wait& wait);
  void end_wait_for_reads(std::int64_t warp);

  // timeline_flights.cpp
  std::int64_t take_off(std::int64_t warp, Cycles due);
  void land(std::int64_t request);
  void make_another(std::int64_t warp);
  bool waits_for(std::int64_t warp, const Wait& wait);
  bool has_reads(std::int64_t warp);
  /// The warp that a request in a queue or a wheel is of.
  std::int64_t warp_of(std::int64_t request) const {
    return several_ ? flying_[static_cast<std::size_t>(request)].warp : request;
  }

  // timeline_ports.cpp
  void set_up_beyond();
  Unit& own_port(std::int64_t mp) {
    return units_[static_cast<std::size_t>(multiprocessors_ + mp)];
  }
  const StepLog& log_of(const Warp& state);
  const PortAccess& port_access(const Warp& state);
  void add_to_port(std::int64_t block, std::int32_t mp, std::uint32_t site,
                   std::int64_t PortTally::*count, std::int64_t more);
  void dispatch_at_own_port(Unit& port, std::int64_t warp);
  void add_flown(const Warp& state);
  void depart();
  void enter_groups();
  void complete_behind(std::int64_t warp, Cycles end);
  void operate(std::int64_t warp);
  void end_operations();
  void dispatch_operations();
  void settle_latency(Unit& unit, Cycles now);

  Scope& machine() { return scopes_[static_cast<std::size_t>(multiprocessors_)]; }
  Scope& rounds() { return scopes_[static_cast<std::size_t>(multiprocessors_) + 1]; }
  Scope& blocks() { return scopes_[static_cast<std::size_t>(multiprocessors_) + 2]; }
  void mark(std::int64_t warp);
  void mark_rounds(std::int64_t slot);
  void mark(Scope& scope, std::int64_t warp);
  bool is_isolated(std::size_t mp) const;
  bool repeat_periods();
  bool repeat_periods(Scope& scope);
  void keep_state(Scope& scope);
  bool skip_periods(Scope& scope);
  std::int64_t periods_left(const Scope& scope) const;
  std::int64_t periods_of_blocks_left(const Scope& scope) const;
  bool skip_blocks(const Scope& scope, std::int64_t periods);
  bool was_isolated(const Scope& scope) const;
  bool flies(const Unit& unit) const;
  bool skip(Scope& scope, std::int64_t periods, std::int64_t time);
  // timeline_moves.cpp
  void move_on(Scope& scope, std::int64_t time);
  void move_unit(const Scope& scope, Unit& unit, std::int64_t time);
  void move_warps(const Scope& scope, std::int64_t time);
  void move_flights(const Scope& scope, std::int64_t warp, std::int64_t time);
  void take_back(Scope& scope);
  Accounts accounts_of(const Scope& scope);
  Accounts since(const Scope& scope);
  void add_accounts(const Scope& scope, const Accounts& accounts, std::int64_t times);
  bool charge_moved();
  void charge_moved(std::size_t from, Cycles after, Cycles upto);
  class StateReader;
  std::vector<std::int64_t> state_of(const Scope& scope);
  bool has_state(const Scope& scope, const std::vector<std::int64_t>& earlier);
  bool logs_grow(const Scope& scope) const; ///< then no period is looked for
  bool read_state(const Scope& scope, StateReader& state);
  bool read_slot(const Scope& scope, const Slot& of, StateReader& state);
  bool read_port(const reference::Port& port, StateReader& state);
  bool read_unit(Unit& unit, StateReader& state);
  bool read_warp(const Scope& scope, std::int64_t warp, StateReader& state);
  bool read_flights(const Scope& scope, std::int64_t warp, StateReader& state);
  bool read_operations(std::int64_t warp, StateReader& state);
  bool may_decide(const Scope& scope, std::int64_t mp, Cycles end);
  bool waits(std::int64_t warp);
  void decide_closed(Unit& unit);
  bool has_left_flights(const Scope& scope) const;
  bool late() const { return now_.value > limit_.value - skipped_; }

  template <class F>
  void for_units_of(const Scope& scope, F f) {
    if (scope.whole) {
      for (Unit& unit : units_) f(unit);
    } else {
      f(units_[scope.mp]);
      if (has_own_ports_) f(own_port(static_cast<std::int64_t>(scope.mp)));
    }
  }
  /// Units of operations of one multiprocessor.
  std::span<OperationState> operations_of(std::size_t mp) {
    const std::size_t count = machine_.operations.size();
    return std::span(operations_).subspan(mp * count, count);
  }
  template <class F>
  void for_units_of(std::int64_t mp, F f) {
    if (machine_.shared) f(units_[static_cast<std::size_t>(mp)]);
    if (has_own_ports_) f(own_port(mp));
    if (machine_.global) f(units_.back());
  }
  /// A busy port leaves nothing to account for; time that was skipped is accounted for already.
  void settle(Unit& unit) { settle(unit, now_); }
  void settle(Unit& unit, Cycles now) {
    if (unit.ledger.until >= now) return;
    if (unit.latency_until > unit.ledger.until) settle_latency(unit, now);
    if (unit.port.last.value + 1 >= now.value) {
      unit.ledger.until = now;
    } else {
      reference::settle(unit.ledger, unit.port, *unit.account, now);
    }
  }
  Slot& slot(std::int64_t index) { return slots_[static_cast<std::size_t>(index)]; }
  Warp& warp(std::int64_t index) { return warps_[static_cast<std::size_t>(index)]; }
  std::int64_t mp_of_slot(std::int64_t slot) const { return slot / slots_of_mp_; }

  TimedLaunch& launch_;
  BlockSource& blocks_;
  const TakeBlock& take_;
  const MachineSpec& machine_;
  Cycles limit_;
  LaunchTally* tally_ = nullptr;
  reference::Residency residency_;
  std::int64_t multiprocessors_, slots_of_mp_, tile_warps_; ///< the first two of `residency_`

  bool streams_;
  reference::LaunchLoads loads_;

  Cycles now_{0};            ///< excludes what was skipped
  std::int64_t skipped_ = 0; ///< time units of periods that were skipped
  /// One for each multiprocessor; then the whole machine: for repetitions, rounds, blocks.
  std::vector<Scope> scopes_;
  /// By multiprocessor: its warps whose requests wait or are in flight in the global unit; since
  /// when it has had none.
  std::vector<std::int64_t> global_in_flight_;
  std::vector<Cycles> isolated_since_;
  std::vector<Scope*> marked_;
  std::vector<MovedWaits> moved_; ///< of multiprocessors that were moved ahead, in rising order
  Cycles moved_until_{0};         ///< they have been charged up to then
  std::vector<Warp> warps_;
  std::vector<Slot> slots_;
  /// The shared ones by multiprocessor, then the own ports likewise, then the global one.
  std::vector<Unit> units_;
  std::vector<std::int64_t> ready_, held_, ended_slots_;
  std::vector<std::int64_t> opening_; ///< slots whose barrier opens now
  std::vector<Unit*> offered_;        ///< units with a request that waits
  Queue<Event> events_;               ///< wakes and releases
  Wheel due_;                         ///< what is due at later times (due_number)
  std::int64_t queued_ = 0, in_flight_ = 0, timed_ = 0;
  reference::BlockAssignment assignment_;
  std::int64_t barriers_ = 0;
  Flown flown_;
  bool halted_ = false;

  // Own ports and units of operations; without them these are empty.
  bool has_own_ports_, beyond_papers_; ///< of the machine
  UnitSpec own_port_;
  /// The groups that a request at an own port needs; of an atomic, which ones they are.
  struct Needed {
    std::int64_t count = 0;
    std::vector<AtomicGroup> of_atomic;
  };
  std::vector<Needed> needed_;         ///< by request
  std::vector<std::int64_t> leaving_;  ///< requests that leave own ports now
  std::vector<std::int64_t> operated_; ///< warps whose operator is complete now
  reference::GroupQueue groups_;
  std::vector<OperationState> operations_; ///< by multiprocessor, then as in the machine
  std::vector<Operators> operators_;       ///< by warp
  std::vector<OperationState*> operating_; ///< units with an operator that waits

  // Several requests of a warp on their way; else a request has the number of its warp, and these
  // are empty.
  bool several_;                                   ///< of the machine
  std::vector<reference::WarpFlights> flights_of_; ///< by warp
  std::vector<Flight> flying_;                     ///< by request
  std::vector<std::int64_t> free_;                 ///< numbers of requests that are complete
  std::vector<std::int64_t> going_on_;             ///< warps that go on in the next time unit
};

} // namespace memlane::fast
