// What others execute, as a source of blocks for a timeline.
#include "memlane/engine/timed_launch.hpp"

#include "fast/time.hpp"

#include <algorithm>
#include <utility>

namespace memlane {

namespace {

/// Steps of a warp between two barriers after which repetitions are looked for.
constexpr std::size_t entries_of_part = std::size_t{1} << 14;

} // namespace

class BlockSteps::Interval {
public:
  std::shared_ptr<fast::Interval> asked;
  std::array<reference::ByDoubling, 2> chains; ///< the longest ones, indexed by UnitId
  std::array<std::int64_t, 2> stages{};        ///< likewise
  std::int64_t kept = 0;                       ///< bytes
};

/// Each warp is a tile of its own.
struct BlockSteps::State {
  State(const MachineSpec& on, std::int64_t of_block) : machine(&on), warps(of_block) {
    for (reference::RequestChains& unit : chains)
      unit = reference::RequestChains(warps, reference::useful_doublings(on));
    over.resize(static_cast<std::size_t>(warps));
    fold_at.resize(static_cast<std::size_t>(warps));
    if (on.requests_in_flight > 1) sites.resize(static_cast<std::size_t>(warps));
  }

  /// The present interval, which begins with its first step.
  fast::Interval& interval() {
    if (!open) begin();
    return *open;
  }
  void begin() {
    open = &executed.open();
    kept_before = kept;
    open->tiles.resize(static_cast<std::size_t>(warps));
    // It may be the one before, which has continued rounds.
    for (fast::StepLog& log : open->tiles) log.clear();
    // Intervals are often as long as the one before.
    for (std::size_t warp = 0; warp < asked.size(); ++warp)
      open->tiles[warp].entries.reserve(asked[warp]);
    open->over.clear();
    if (any_over) open->over = over;
    std::fill(fold_at.begin(), fold_at.end(), entries_of_part);
  }

  void ask(std::int64_t warp, UnitId unit, std::int64_t time, std::int64_t of_stages,
           bool returns) {
    const auto at = static_cast<std::size_t>(unit);
    if (machine->requests_in_flight == 1 || returns) chains[at].add(warp, time);
    stages[at] += of_stages;
  }

  fast::StepLog& log(std::int64_t warp) { return interval().tiles[static_cast<std::size_t>(warp)]; }

  /// The amount of an entry for a request at an own port.
  std::uint32_t access(std::int64_t warp, const AtPort& request, bool atomic, bool reuses) {
    fast::StepLog& own = log(warp);
    const std::size_t ports = own.ports.size(), groups = own.groups.size();
    own.ports.push_back(
        {static_cast<std::uint32_t>(request.site), static_cast<std::uint32_t>(request.stages),
         static_cast<std::uint32_t>(groups), static_cast<std::uint32_t>(request.groups.size()),
         static_cast<std::uint32_t>(request.needed), atomic, reuses});
    own.groups.insert(own.groups.end(), request.groups.begin(), request.groups.end());
    const std::uint32_t amount = own.keep_ports(ports);
    kept += static_cast<std::int64_t>((own.ports.size() - ports) * sizeof(fast::PortAccess) +
                                      (own.groups.size() - groups) * sizeof(AtomicGroup));
    return amount;
  }
  /// The amount of an entry for an atomic or a wait, of so many bytes.
  template <class T>
  std::uint32_t index_of(std::int64_t warp, const T& one, std::size_t bytes) {
    fast::StepLog& own = log(warp);
    const std::size_t known = own.atomics.size() + own.waits.size();
    const std::uint32_t index = own.index_of(one);
    if (own.atomics.size() + own.waits.size() > known)
      kept += static_cast<std::int64_t>(sizeof(T) + bytes);
    return index;
  }
  /// The warp has made a request, which a later step may await.
  void made(std::int64_t warp, std::size_t site) {
    if (!sites.empty()) sites[static_cast<std::size_t>(warp)].add(static_cast<std::int32_t>(site));
  }

  void add(std::int64_t warp, fast::Entry entry) {
    const auto of = static_cast<std::size_t>(warp);
    fast::StepLog& log = interval().tiles[of];
    log.entries.push_back(entry);
    if (log.entries.size() < fold_at[of]) return;
    log.fold();
    fold_at[of] = std::max(entries_of_part, 2 * log.entries.size());
    kept += static_cast<std::int64_t>(log.entries.size() * sizeof(fast::Entry));
  }

  UnitId served_by(UnitId unit) const {
    if (!machine->global) return UnitId::shared;
    return machine->shared ? unit : UnitId::global;
  }
  const UnitSpec& spec(UnitId unit) const {
    return unit == UnitId::shared ? *machine->shared : *machine->global;
  }

  std::shared_ptr<const Interval> close(bool last, bool keeps) {
    interval().last = last;
    asked.clear();
    for (fast::StepLog& log : open->tiles) {
      asked.push_back(log.entries.size());
      log.fold();
      kept += static_cast<std::int64_t>(log.entries.size() * sizeof(fast::Entry));
    }
    std::array<reference::ByDoubling, 2> longest{};
    for (const UnitId unit : {UnitId::shared, UnitId::global}) {
      if (!has(unit)) continue;
      const auto at = static_cast<std::size_t>(unit);
      chains[at].end_serial(0, warps);
      longest[at] = reference::overlapped(chains[at].take(0, warps), machine->requests_in_flight);
    }
    std::shared_ptr<Interval> made;
    if (keeps) {
      made = std::make_shared<Interval>();
      *made = {nullptr, longest, stages, kept - kept_before};
    }
    add(longest, stages);
    stages = {};
    open = nullptr;
    const std::shared_ptr<fast::Interval> closed = executed.close();
    if (made) made->asked = closed;
    return made;
  }

  bool has(UnitId unit) const {
    return unit == UnitId::shared ? machine->shared.has_value() : machine->global.has_value();
  }
  /// Adds what an interval asks of the units.
  void add(const std::array<reference::ByDoubling, 2>& longest,
           const std::array<std::int64_t, 2>& of_stages) {
    for (const UnitId unit : {UnitId::shared, UnitId::global}) {
      if (!has(unit)) continue;
      const auto at = static_cast<std::size_t>(unit);
      executed.loads.of[at].add_interval(spec(unit), longest[at], of_stages[at]);
      executed.loads.stages[at] += of_stages[at];
    }
  }

  void again(const Interval& same) {
    executed.again(same.asked);
    kept += same.kept;
    add(same.chains, same.stages);
  }

  const MachineSpec* machine;
  std::int64_t warps;
  fast::ExecutedBlock executed;
  fast::Interval* open = nullptr;                 ///< the present interval, if it has begun
  std::array<reference::RequestChains, 2> chains; ///< indexed by UnitId
  std::array<std::int64_t, 2> stages{};           ///< of the present interval, likewise
  std::vector<fast::WarpEnd> over;                ///< by warp
  bool any_over = false;
  std::vector<std::size_t> asked;   ///< entries of each warp's log in the interval before
  std::vector<std::size_t> fold_at; ///< entries of each warp's log when it is folded next
  fast::Wait asked_wait;            ///< the latest one
  /// By warp; empty where none is awaited. Those before the latest barrier may be others: the warp
  /// has waited for its reads there, so that no later wait for one takes time.
  std::vector<fast::LatestSites> sites;
  std::int64_t kept = 0;        ///< bytes
  std::int64_t kept_before = 0; ///< the present interval
};

BlockSteps::BlockSteps(const MachineSpec& machine, std::int64_t warps)
    : state_(std::make_unique<State>(machine, warps)) {}
BlockSteps::~BlockSteps() = default;
BlockSteps::BlockSteps(BlockSteps&&) noexcept = default;
BlockSteps& BlockSteps::operator=(BlockSteps&&) noexcept = default;

void BlockSteps::request(std::int64_t warp, UnitId unit, std::int64_t stages, bool returns,
                         std::size_t site) {
  state_->made(warp, site);
  const UnitId server = state_->served_by(unit);
  state_->ask(warp, server, reference::least_time(state_->spec(server), stages), stages, returns);
  state_->add(warp, {server == UnitId::shared ? fast::Ask::shared : fast::Ask::global, false,
                     returns, static_cast<std::uint32_t>(stages)});
}

void BlockSteps::atomic(std::int64_t warp, std::span<const AtomicGroup> groups, bool returns,
                        std::size_t site) {
  state_->made(warp, site);
  state_->ask(warp, UnitId::global, reference::least_time(*state_->machine->global, groups),
              static_cast<std::int64_t>(groups.size()), returns);
  state_->add(warp, {fast::Ask::atomic, false, returns,
                     state_->index_of(warp,
                                      fast::AtomicAccess{static_cast<std::uint32_t>(site),
                                                         {groups.begin(), groups.end()}},
                                      groups.size_bytes())});
}

void BlockSteps::at_port(std::int64_t warp, const AtPort& request) {
  const UnitSpec& global = *state_->machine->global;
  state_->made(warp, request.site);
  const bool atomic = request.kind == AccessKind::atomic;
  const bool reuses = reference::reuses(global, request.kind, request.is_volatile);
  const bool gets = returns(request.kind, request.uses_old);
  state_->ask(warp, UnitId::global,
              reference::least_time_behind(global, request.stages, request.groups, atomic, reuses),
              static_cast<std::int64_t>(request.groups.size()), gets);
  state_->add(warp, {fast::Ask::port, false, gets, state_->access(warp, request, atomic, reuses)});
}

void BlockSteps::wait(std::int64_t warp, std::span<const std::uint32_t> awaited,
                      std::int32_t instruction) {
  if (state_->machine->requests_in_flight == 1) return;
  fast::Wait& wait = state_->asked_wait;
  wait.instruction = instruction;
  wait.earlier.assign(awaited.begin(), awaited.end());
  wait.sites.clear();
  for (const std::uint32_t earlier : awaited)
    wait.sites.push_back(state_->sites[static_cast<std::size_t>(warp)].of(earlier));
  state_->add(warp, {fast::Ask::wait, false, false,
                     state_->index_of(warp, wait, 2 * awaited.size_bytes())});
}

void BlockSteps::compute(std::int64_t warp, std::int64_t count, OperationClass operation) {
  if (state_->machine->unit_of(operation)) {
    for (; count > 0; count -= fast::Operators::most)
      state_->add(warp,
                  {fast::Ask::operate, false, false,
                   fast::Operators{operation, std::min(count, fast::Operators::most)}.amount()});
    return;
  }
  if (state_->machine->instruction_cost.value == 0) return;
  for (; count > 0; count -= INT32_MAX)
    state_->add(warp, {fast::Ask::compute, false, false,
                       static_cast<std::uint32_t>(std::min<std::int64_t>(count, INT32_MAX))});
}

void BlockSteps::end(std::int64_t warp) {
  state_->any_over = true;
  state_->over[static_cast<std::size_t>(warp)] = fast::WarpEnd::now;
}

std::shared_ptr<const BlockSteps::Interval> BlockSteps::barrier(bool keeps) {
  State& state = *state_;
  if (state.any_over) state.interval().over = state.over;
  auto made = state.close(false, keeps && !state.any_over);
  for (fast::WarpEnd& end : state.over)
    if (end == fast::WarpEnd::now) end = fast::WarpEnd::before;
  return made;
}

std::shared_ptr<const BlockSteps::Interval> BlockSteps::finish(bool keeps) {
  State& state = *state_;
  // Warps that end in the last interval do so with their block.
  for (fast::WarpEnd& end : state.over) {
    if (end == fast::WarpEnd::now) end = fast::WarpEnd::no;
    keeps = keeps && end == fast::WarpEnd::no;
  }
  if (state.any_over) state.interval().over = state.over;
  return state.close(true, keeps);
}

void BlockSteps::again(const Interval& interval) { state_->again(interval); }

std::int64_t BlockSteps::bytes() const { return state_->kept; }

/// The blocks that a caller gives, for a timeline.
class GivenSteps {
public:
  static bool give(fast::TimedLaunch& launch, const TakeSteps& take, std::int64_t block,
                   fast::ExecutedBlock& executed) {
    BlockSteps steps(launch.machine, launch.warps_of_block);
    const Stop stop = take(block, {launch.now, launch.drained}, steps);
    executed = std::move(steps.state_->executed);
    executed.loads.requests = std::move(steps.requests);
    if (stop == Stop::none) return true;
    launch.timed.stop = stop;
    return launch.timed.halt(fast::Halted::asked);
  }
};

namespace {

class GivenLaunch final : public fast::TimedLaunch {
public:
  GivenLaunch(fast::TimedRun& run, const MachineSpec& machine, const LaunchShape& shape,
              const Limits& limits)
      : TimedLaunch(run, machine, shape, {}, 1), limits_(limits) {
    warps_end_apart = true;
  }

private:
  bool ask() override {
    if (RunProgress* const progress = limits_.progress) {
      progress->worked();
      progress->update_launch(now.value, blocks_done);
    }
    const Stop asked = limits_.check ? limits_.check() : Stop::none;
    if (asked == Stop::none) return true;
    timed.stop = asked;
    return timed.halt(fast::Halted::asked);
  }

  const Limits& limits_;
};

} // namespace

std::int64_t blocks_of_wave(const MachineSpec& machine, const LaunchShape& shape) {
  const reference::Residency residency(machine, shape);
  return reference::saturating_multiply(residency.multiprocessors, residency.slots);
}

LaunchOutcome time_launch(const MachineSpec& machine, const LaunchShape& shape, Cycles start,
                          const Limits& limits, const TakeSteps& take, EngineWork& work) {
  LaunchOutcome outcome;
  outcome.tally = empty_tally(machine, shape);
  if (!reference::Residency(machine, shape).fits(limits)) {
    outcome.stop = Stop::memory;
    return outcome;
  }
  fast::TimedRun run;
  GivenLaunch launch(run, machine, shape, limits);
  const fast::TakeBlock give = [&](std::int64_t block, fast::ExecutedBlock& executed) {
    return GivenSteps::give(launch, take, block, executed);
  };
  const Cycles limit = reference::last_time(limits, start);
  if (!fast::run_timeline(launch, give, limit, outcome.tally)) {
    outcome.stop = run.halted == fast::Halted::asked ? run.stop : Stop::time;
    if (outcome.stop == Stop::time) outcome.tally.time = std::max(Cycles{0}, limit);
  }
  work += run.work;
  return outcome;
}

} // namespace memlane
