// The state of the reference machine during a launch. Times count from the launch's start.
#pragma once

#include "accounts.hpp"
#include "flights.hpp"
#include "machine_rules.hpp"
#include "warp_set.hpp"

#include "memlane/engine/run.hpp"

#include <optional>
#include <queue>
#include <unordered_set>
#include <vector>

namespace memlane::reference {

/// A warp of a resident block. Warps are numbered in the cyclic order of configs/README.md section
/// 3: by (multiprocessor, slot, warp).
struct WarpState {
  Step step;            ///< the latest
  Cycles issued{0};     ///< when its latest request or operation began to wait
  WarpFlights flights;  ///< its requests that are on their way
  bool stalled = false; ///< it goes on when some of them are complete
  bool waits = false;   ///< stalled before `step`; else behind it
  bool at_barrier = false;
  std::optional<WaitCause> waiting; ///< what it waits for, of value and fence the former
  std::uint32_t forall = 0;         ///< the forall of its latest request since the last barrier
  std::int64_t round = 0;
};

static_assert(sizeof(WarpState) <= bytes_of_warp);

/// A request that is on its way.
struct Flight {
  WarpRef ref;
  std::int64_t warp = 0;   ///< its number in Launch::warps, where its block is still resident
  std::int64_t number = 0; ///< of the warp's requests
  AccessKind kind = AccessKind::read;
  std::size_t site = 0;
  Cycles begin{0};
  bool reused = false;                  ///< it needs none of its groups behind an own port
  std::vector<AtomicGroup> groups = {}; ///< that it needs there
};

/// A place for a block on a multiprocessor.
struct SlotState {
  std::int64_t block = -1;               ///< the resident block; none: -1
  std::int64_t at_barrier = 0;           ///< its warps that have arrived
  std::int64_t ended = 0;                ///< its warps whose instructions are over
  std::array<std::int64_t, 2> stages{};  ///< stages since the last barrier, indexed by UnitId
  std::array<BlockLoad, 2> loads{};      ///< indexed by UnitId
  std::unordered_set<std::int64_t> read; ///< address groups, where a block's reads are reused
};

/// A memory unit: it serves the warps numbered from `first_warp` on.
struct UnitState {
  UnitState(const UnitSpec& unit_spec, UnitAccount& unit_account, std::int64_t first,
            std::int64_t warps)
      : spec(&unit_spec), account(&unit_account), first_warp(first), served(warps), waiting(warps) {
  }

  const UnitSpec* spec;
  UnitAccount* account;
  std::int64_t stages = 0; ///< stages that have entered it
  std::int64_t first_warp;
  std::int64_t served;
  std::int64_t resident = 0; ///< warps of its resident blocks
  std::int64_t cursor = 0;   ///< the cyclic search starts here, behind the last dispatched warp
  WarpSet waiting;           ///< warps whose request waits for the port, less first_warp
  Port port;
  AtomicService atomics; ///< of a unified unit
  Ledger ledger;
};

/// A unit of operations of a multiprocessor: it serves the warps numbered from `first_warp` on.
struct OperationState {
  const OperationUnit* spec;
  UnitSpec unit; ///< its ports and its latency
  OperationAccount* account;
  std::int64_t first_warp, served;
  std::int64_t cursor = 0;
  WarpSet waiting;
  Port port;
};

/// The operators of one class that a warp executes one after the other.
struct Operators {
  OperationClass operation = OperationClass::other;
  std::int64_t left = 0;
};

enum class EventKind : std::uint8_t {
  completion, ///< a request is complete
  departure,  ///< it leaves its multiprocessor's own port
  operated,   ///< a warp's operation is complete
  wake,       ///< a warp's computation is over, or it may go on behind its request
  release,    ///< a block's barrier opens
};

struct Event {
  Cycles time;
  EventKind kind = EventKind::wake;
  std::int64_t index = 0; ///< the request's flight, the warp, for a release the slot
  bool operator>(const Event& other) const { return time > other.time; }
};

/// A launch and its progress.
struct Launch {
  Launch(const MachineSpec& machine_spec, const LaunchShape& launch_shape, WarpStream& warp_stream,
         std::int64_t launch_number, Cycles start_time, const Limits& run_limits,
         TimeObserver* run_observer);

  const MachineSpec& machine;
  const LaunchShape& shape;
  WarpStream& stream;
  TimeObserver no_observer; ///< the observer of a launch that has none
  TimeObserver& observer;
  const Limits& limits;
  const std::int64_t number;
  const Cycles start; ///< when the launch began, since the start of the run

  const bool tells_waits; ///< idle time is charged to waits
  const Residency residency;
  const std::int64_t warps_of_block, slots_of_mp; ///< those of `residency`

  Cycles now{0};
  std::vector<WarpState> warps;
  std::vector<SlotState> slots;
  /// The shared ones by multiprocessor, then the own ports likewise, then the global one.
  std::vector<UnitState> units;
  UnitSpec own_port;
  std::vector<OperationState> operations; ///< by multiprocessor, then as in the machine
  std::vector<Operators> operators;       ///< by warp, where there are units for them
  GroupQueue groups;                      ///< those that wait for the global unit behind own ports
  std::vector<Flight> flights;
  std::vector<std::int64_t> free_flights; ///< places in `flights`
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  WarpSet ready;                  ///< warps that may go on at `now`
  std::vector<std::int64_t> held; ///< lockstep: warps whose request waits for the next round

  std::int64_t queued = 0;    ///< requests that wait for their unit
  std::int64_t in_flight = 0; ///< requests dispatched and not completed
  std::int64_t timed = 0;     ///< warps that compute and barriers that are opening

  BlockAssignment blocks;
  std::vector<std::int64_t> ended_slots; ///< slots with a block that has ended and not left yet

  std::array<RequestChains, 2> chains; ///< chains of all warps, indexed by UnitId
  LaunchLoads loads;

  LaunchOutcome outcome;
  std::vector<Address> addresses; ///< addresses of the request at hand, active lanes only
  std::int64_t polled = 0;

  bool stopped() const { return outcome.stop != Stop::none; }
  void fail(const Diagnostics& errors) {
    outcome.stop = Stop::error;
    outcome.errors = errors;
  }
  std::int64_t slot_of(std::int64_t warp) const { return warp / warps_of_block; }
  std::int64_t mp_of(std::int64_t warp) const { return slot_of(warp) / slots_of_mp; }
  WarpRef ref(std::int64_t warp) const {
    return {slots[static_cast<std::size_t>(slot_of(warp))].block, warp % warps_of_block};
  }
  WarpState& state(std::int64_t warp) { return warps[static_cast<std::size_t>(warp)]; }
  Flight& flight(std::int64_t place) { return flights[static_cast<std::size_t>(place)]; }
  SlotState& slot(std::int64_t index) { return slots[static_cast<std::size_t>(index)]; }

  /// The tally of the multiprocessor to which the static schedule assigns the block.
  Tally& tally_of_block(std::int64_t block) {
    return outcome.tally.multiprocessors[static_cast<std::size_t>(block % machine.multiprocessors)];
  }

  /// The unit that serves requests to `id`: the only unit serves all.
  UnitId served_by(UnitId id) const {
    if (!machine.global) return UnitId::shared;
    return machine.shared ? id : UnitId::global;
  }
  UnitState& unit(UnitId id, std::int64_t mp) {
    if (id == UnitId::global) return units.back();
    return units[static_cast<std::size_t>(mp)];
  }
  /// Calls `f` for each unit that serves the warps of a multiprocessor.
  template <class F>
  void for_units_of(std::int64_t mp, F&& f) {
    if (machine.shared) f(unit(UnitId::shared, mp));
    if (machine.has_own_ports()) f(own_port_unit(mp));
    if (machine.global) f(unit(UnitId::global, mp));
  }
  UnitState& own_port_unit(std::int64_t mp) {
    return units[static_cast<std::size_t>(residency.multiprocessors + mp)];
  }
  /// The unit at which a request to `id` waits.
  UnitState& entrance(UnitId id, std::int64_t mp) {
    return id == UnitId::global && machine.has_own_ports() ? own_port_unit(mp) : unit(id, mp);
  }
};

// warps.cpp — chains of requests, for the account of latency

/// Adds a request of the warp.
void note_request(Launch& launch, std::int64_t warp, const Request& request, std::int64_t time);
/// Called when a barrier opens or the block has ended: new chains begin.
void end_interval(Launch& launch, std::int64_t slot);

// blocks.cpp — configs/README.md section 4

/// Removes ended blocks and starts new ones. Returns whether anything changed.
bool change_blocks(Launch& launch);

// warps.cpp — the zero-time steps of section 3

/// Ready warps take their zero-time steps and barriers open, until nothing more happens at `now`.
void take_zero_time_steps(Launch& launch);
/// A warp wakes, or a barrier opens, at this time.
void wait_until(Launch& launch, Cycles time, EventKind kind, std::int64_t index);
/// A wait is over: idle time of the units that serve its warp is charged to it.
void end_wait(Launch& launch, const EndedWait& wait);
/// The warp's next operator starts to wait for its unit.
void operate(Launch& launch, std::int64_t warp);
/// Opens the barrier of a slot's block.
void release(Launch& launch, std::int64_t slot);
/// Lockstep: held requests begin a round if nothing else is in progress.
void begin_round(Launch& launch);

// dispatch.cpp — ports and requests

/// Each unit dispatches waiting requests while its port has room at `now`.
void dispatch(Launch& launch);
/// A request is complete.
void land(Launch& launch, std::int64_t flight);
/// Requests leave their multiprocessors' own ports; those of lower multiprocessors first.
void depart(Launch& launch, std::vector<std::int64_t> flights);
/// Counts an event and calls the caller's check at intervals.
void poll(Launch& launch);

} // namespace memlane::reference
