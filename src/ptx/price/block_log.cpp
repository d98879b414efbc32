#include "block_log.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace memlane::ptx {

namespace {

/// Whether steps are all that is needed of a block, and those of blocks that do the same are equal.
bool follows_intervals(const WatchedLaunch& launch) {
  return launch.times && !launch.keeps && !launch.machine.has_own_ports();
}

} // namespace

BlockLog::BlockLog(const WatchedLaunch& launch, SharedByBlocks shared,
                   std::vector<RequestTally>& requests, std::int64_t number)
    : launch_(launch), shared_(shared), requests_(requests),
      path_(follows_intervals(launch) ? &shared.intervals : nullptr) {
  const auto warps = static_cast<std::size_t>(launch.warps_of_block);
  asked_.resize(warps);
  over_.resize(warps);
  rounds_.resize(warps);
  if (launch.keeps) kept_.warps.resize(warps);
  if (launch.times) steps_.emplace(launch.machine, launch.warps_of_block);
  if (launch.dynamic && launch.times) own_.resize(launch.kernel.info.sites.size());
  if (launch.races) {
    races_ = &launch.races->begin_block(number);
    races_before_ = launch.races->counts().races;
  }
}

/// Puts a step off.
void BlockLog::hold(std::int64_t warp, std::function<void()> step) {
  constexpr std::size_t most_held = 1 << 14;
  Round& round = rounds_[static_cast<std::size_t>(warp)];
  round.steps.push_back(std::move(step));
  if (round.steps.size() <= most_held) return;
  let_go(round);
  round.is_whole = false;
}

/// All that was put off is done.
void BlockLog::let_go(Round& round) {
  const bool open = std::exchange(round.open, false);
  for (const auto& step : std::exchange(round.steps, {})) step();
  round.open = open;
}

bool BlockLog::round(std::int64_t warp, RoundEvent event) {
  Round& round = rounds_[static_cast<std::size_t>(warp)];
  const bool is_forgotten = event == RoundEvent::vain && round.is_whole;
  if (!is_forgotten) let_go(round);
  round.steps.clear();
  round.open = event != RoundEvent::counts;
  round.is_whole = true;
  return event != RoundEvent::vain || is_forgotten;
}

void BlockLog::fence(std::int64_t warp) {
  if (!races_) return;
  if (is_held(warp)) return hold(warp, [=, this] { fence(warp); });
  leave();
  path_.forbid();
  launch_.races->fence(*races_);
}

void BlockLog::wait(std::int64_t warp, std::span<const std::uint32_t> awaited,
                    std::int32_t instruction) {
  if (!launch_.waits) return;
  if (is_held(warp))
    return hold(warp, [=, this, all = std::vector(awaited.begin(), awaited.end())] {
      wait(warp, all, instruction);
    });
  IntervalStep step{StepKind::wait, OperationClass::other, warp, instruction};
  if (path_.follow([&](const IntervalStep& known) {
        return known.kind == step.kind && known.warp == warp && known.count == instruction &&
               std::equal(awaited.begin(), awaited.end(), known.awaited->begin(),
                          known.awaited->end());
      }))
    return;
  leave();
  if (path_.records()) {
    step.awaited = shared_.intervals.keep(awaited);
    path_.record(step);
  }
  await(warp, awaited, instruction);
}

void BlockLog::await(std::int64_t warp, std::span<const std::uint32_t> awaited,
                     std::int32_t instruction) {
  const auto of = static_cast<std::size_t>(warp);
  asked_[of].add(asked_wait | static_cast<std::uint64_t>(instruction + 1) << 32);
  for (const std::uint32_t earlier : awaited) asked_[of].add(asked_wait | earlier);
  if (steps_) steps_->wait(warp, awaited, instruction);
  if (!launch_.keeps) return;
  kept_.warps[of].push_back({StepKind::wait, 1, static_cast<std::int32_t>(awaited.size()),
                             static_cast<std::int64_t>(kept_.awaited.size())});
  kept_.awaited.push_back(static_cast<std::uint32_t>(instruction + 1));
  kept_.awaited.insert(kept_.awaited.end(), awaited.begin(), awaited.end());
}

void BlockLog::compute(std::int64_t warp, OperationClass operation, std::int64_t count) {
  if (is_held(warp)) return hold(warp, [=, this] { compute(warp, operation, count); });
  const MachineSpec& machine = launch_.machine;
  if (machine.operations.empty() && machine.instruction_cost.value == 0 && !launch_.keeps) return;
  const IntervalStep step{StepKind::compute, operation, warp, count};
  if (path_.follow([&](const IntervalStep& known) { return known == step; })) return;
  leave();
  operate(warp, operation, count);
}

void BlockLog::operate(std::int64_t warp, OperationClass operation, std::int64_t count) {
  path_.record({StepKind::compute, operation, warp, count});
  if (!launch_.machine.operations.empty() || launch_.machine.instruction_cost.value != 0)
    asked_[static_cast<std::size_t>(warp)].add(asked_operators |
                                               static_cast<std::uint64_t>(operation) << 56 |
                                               static_cast<std::uint64_t>(count));
  if (steps_) steps_->compute(warp, count, operation);
  if (launch_.keeps)
    kept_.warps[static_cast<std::size_t>(warp)].push_back(
        {StepKind::compute, static_cast<std::int16_t>(operation), -1, count});
}

/// Such a request in the known interval that is followed; null: it is not that.
const IntervalStep* BlockLog::follow(std::int64_t warp, std::size_t site,
                                     const LaneAddresses& lanes) {
  return path_.follow([&](const IntervalStep& step) {
    return step.kind == StepKind::request && step.warp == warp && step.site == site &&
           step.known->is_like(lanes) &&
           (lanes.space != Space::shared ||
            step.first == lanes.address[std::countr_zero(lanes.mask)]);
  });
}

void BlockLog::request(std::int64_t warp, std::size_t site, const Operation& op,
                       const LaneAddresses& all) {
  if (is_held(warp)) return hold(warp, [=, this, &op] { request(warp, site, op, all); });
  if (const IntervalStep* const step = follow(warp, site, all)) {
    const KnownRequest& known = *step->known;
    // What blocks have in common are the distances of lanes in global memory.
    if (races_ && known.may_race && all.space != Space::shared)
      launch_.races->access(*races_, warp, site, RequestLanes(all, known), known.parts);
    return;
  }
  leave();
  const KnownRequest& like = shared_.known.find(site, all);
  if (like.is_like(all)) return ask(warp, site, RequestLanes(all, like), like, true);
  const SiteInfo& info = launch_.kernel.info.sites[site];
  const UnitSpec& unit = unit_of(info);
  const RequestLanes lanes(all);
  KnownRequest& known = shared_.known.renew(site, all);
  known.lanes = all;
  known.words = lanes.words();
  known.units = lanes.units();
  known.counts = counts_on(launch_.machine, info, lanes);
  known.groups = launch_.groups && &unit == &launch_.machine.memory_unit()
                     ? stages_of(UnitKind::unified, lanes)
                     : 0;
  known.period = period_of(launch_.machine.stage_words(unit));
  known.may_race = may_race(op);
  known.parts.clear();
  if (races_ && known.may_race) known.parts = row_parts(lanes, writes(info.kind));
  if (uses_port(info)) known.port = port_of(launch_.machine, lanes);
  ask(warp, site, lanes, known, true);
}

void BlockLog::count(const KnownRequest& known, SectorCounts& sectors) const {
  constexpr auto sector = static_cast<std::int64_t>(sector_bytes);
  const std::int64_t bytes =
      std::int64_t{std::popcount(known.lanes.mask)} * std::int64_t{known.lanes.bytes};
  sectors.requests += 1;
  sectors.sectors += known.counts.sectors;
  sectors.needed += std::min(known.counts.sectors, (bytes + sector - 1) / sector);
}

void BlockLog::count(const KnownRequest& known, RequestTally& tally) const {
  tally.add(known.counts.stages, 1);
  tally.concurrent_writes += known.counts.several;
  tally.groups += known.groups;
  tally.further_needed += known.counts.needed - 1;
  tally.added += known.counts.added;
  tally.port += known.port;
}

void BlockLog::ask(std::int64_t warp, std::size_t site, const RequestLanes& lanes,
                   const KnownRequest& known, bool looks_for_races) {
  const LaneAddresses& all = lanes.lanes();
  const SiteInfo& info = launch_.kernel.info.sites[site];
  const RequestCounts& counts = known.counts;
  if (all.space == Space::global) count(known, shared_.sectors[site]);
  if (races_ && known.may_race && looks_for_races)
    launch_.races->access(*races_, warp, site, lanes, known.parts);
  if (launch_.keeps) keep(warp, site, all);
  if (!steps_) return;
  count(known, requests_[site]);
  if (launch_.dynamic) count(known, own_[site]);
  AskedSteps& asked = asked_[static_cast<std::size_t>(warp)];
  // Each has at most 256 of them.
  asked.add(
      static_cast<std::uint64_t>(site) << 36 | static_cast<std::uint64_t>(known.groups) << 24 |
      static_cast<std::uint64_t>(counts.several) << 12 | static_cast<std::uint64_t>(counts.needed));
  asked.add(static_cast<std::uint64_t>(counts.added) << 32 |
            static_cast<std::uint64_t>(counts.stages));
  const bool port = uses_port(info), gets = returns(info.kind, info.uses_old);
  if (!port && !is_served_by_groups(launch_.machine, info)) {
    known.is_kept = known.is_kept || path_.records();
    path_.record({StepKind::request, OperationClass::other, warp, 0, site, &known,
                  all.space == Space::shared ? lanes.address(0) : 0});
    return steps_->request(warp, info.unit, counts.stages, gets, site);
  }
  path_.forbid(); // other blocks touch other groups
  std::vector<AtomicGroup>& groups_touched = shared_.groups;
  find_groups(all, origin_of(all), launch_.machine.stage_words(unit_of(info)), info.kind,
              groups_touched);
  asked.add(static_cast<std::uint64_t>(known.port.stages));
  for (const AtomicGroup& group : groups_touched) {
    asked.add(static_cast<std::uint64_t>(group.group));
    asked.add(static_cast<std::uint64_t>(group.lanes));
  }
  if (!port) return steps_->atomic(warp, groups_touched, gets, site);
  steps_->at_port(warp, {site, known.port.stages, counts.needed, info.kind, info.is_volatile,
                         info.uses_old, groups_touched});
}

void BlockLog::keep(std::int64_t warp, std::size_t site, const LaneAddresses& lanes) {
  kept_.warps[static_cast<std::size_t>(warp)].push_back(
      {StepKind::request, static_cast<std::int16_t>(words_of_lane(lanes.bytes)),
       static_cast<std::int32_t>(site), static_cast<std::int64_t>(kept_.addresses.size())});
  const std::uint64_t origin = origin_of(lanes);
  for (int lane = 0; lane < warp_lanes; ++lane)
    kept_.addresses.push_back(
        (lanes.mask >> lane & 1) == 0
            ? -1
            : static_cast<std::int64_t>((lanes.address[lane] - origin) / word_bytes));
}

/// What was followed until now is in no known interval as a whole: it counts step by step.
void BlockLog::leave() {
  for (const IntervalStep& step : path_.take_steps()) {
    if (step.kind == StepKind::end) {
      steps_->end(step.warp);
      path_.record(step);
    } else if (step.kind == StepKind::compute) {
      operate(step.warp, step.operation, step.count);
    } else if (step.kind == StepKind::wait) {
      path_.record(step);
      await(step.warp, *step.awaited, static_cast<std::int32_t>(step.count));
    } else {
      // In global memory, races were looked for when it came.
      LaneAddresses lanes = step.known->lanes;
      const bool is_shared = lanes.space == Space::shared;
      if (is_shared)
        for (std::uint64_t& address : lanes.address) address += step.first - step.known->first();
      ask(step.warp, step.site, RequestLanes(lanes, *step.known), *step.known, is_shared);
    }
  }
}

/// The block has done what it does in a known interval.
void BlockLog::repeat(const KnownInterval& interval) {
  for (const KnownInterval::OfSite& of : interval.sites) {
    SectorCounts& sectors = shared_.sectors[of.site];
    sectors.requests += of.sectors.requests;
    sectors.sectors += of.sectors.sectors;
    sectors.needed += of.sectors.needed;
    requests_[of.site] += of.requests;
    if (launch_.dynamic) own_[of.site] += of.requests;
  }
  steps_->again(*interval.asked);
  asked_in_all_.add(interval.bits);
}

/// The present interval, which has ended, can be followed from now on.
void BlockLog::keep_interval(bool last, std::uint64_t bits,
                             std::shared_ptr<const BlockSteps::Interval> asked) {
  const bool has_races = launch_.races && launch_.races->counts().races != races_before_;
  if (!asked || has_races) return path_.skip();
  KnownInterval made;
  made.steps = std::move(path_.recorded());
  made.last = last;
  made.asked = std::move(asked);
  made.bits = bits;
  std::map<std::size_t, KnownInterval::OfSite> sites;
  for (const IntervalStep& step : made.steps) {
    if (step.kind != StepKind::request) continue;
    KnownInterval::OfSite& of = sites[step.site];
    of.site = step.site;
    if (step.known->lanes.space == Space::global) count(*step.known, of.sectors);
    count(*step.known, of.requests);
  }
  for (auto& [site, of] : sites) made.sites.push_back(std::move(of));
  path_.add(std::move(made));
}

/// What all warps have asked in the interval that ends.
std::uint64_t BlockLog::take_asked() {
  AskedSteps all;
  for (AskedSteps& warp : asked_) all.add(std::exchange(warp, {}).bits());
  asked_in_all_.add(all.bits());
  return all.bits();
}

void BlockLog::barrier(bool whole) {
  for (Round& round : rounds_) let_go(round);
  const KnownInterval* const known = whole ? path_.end(false) : nullptr;
  if (!known) leave();
  if (!whole) path_.forbid();
  if (races_) launch_.races->barrier(*races_);
  if (known) return repeat(*known);
  if (!whole) return;
  for (std::size_t warp = 0; warp < over_.size(); ++warp) {
    if (over_[warp]) continue;
    asked_[warp].add(asked_barrier);
    if (launch_.keeps) kept_.warps[warp].push_back({StepKind::barrier, 1, -1, 0});
  }
  const std::uint64_t bits = take_asked();
  if (steps_) keep_interval(false, bits, steps_->barrier(path_.records()));
  if (std::find(over_.begin(), over_.end(), true) != over_.end()) path_ = IntervalPath(nullptr);
  if (launch_.races) races_before_ = launch_.races->counts().races;
}

void BlockLog::end(std::int64_t warp) {
  let_go(rounds_[static_cast<std::size_t>(warp)]);
  over_[static_cast<std::size_t>(warp)] = true;
  const IntervalStep step{StepKind::end, OperationClass::other, warp};
  if (path_.follow([&](const IntervalStep& known) { return known == step; })) return;
  leave();
  path_.record(step);
  if (steps_) steps_->end(warp);
}

void BlockLog::finish() {
  if (std::exchange(finished_, true)) return;
  const KnownInterval* const known = path_.end(true);
  if (!known) leave();
  if (races_) launch_.races->end_block(*std::exchange(races_, nullptr));
  const std::uint64_t bits = known ? 0 : take_asked();
  if (!steps_) return;
  if (known)
    repeat(*known);
  else
    keep_interval(true, bits, steps_->finish(path_.records()));
  steps_->requests = std::move(own_);
}

std::int64_t BlockLog::bytes() const {
  std::size_t bytes =
      kept_.addresses.size() * sizeof(std::int64_t) + kept_.awaited.size() * sizeof(std::uint32_t);
  for (const auto& warp : kept_.warps) bytes += warp.size() * sizeof(KeptStep);
  return static_cast<std::int64_t>(bytes) + (steps_ ? steps_->bytes() : 0);
}

} // namespace memlane::ptx
