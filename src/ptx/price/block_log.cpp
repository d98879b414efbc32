#include "block_log.hpp"

#include <algorithm>

namespace memlane::ptx {

BlockLog::BlockLog(const WatchedLaunch& launch, SharedByBlocks shared,
                   std::vector<RequestTally>& requests, std::int64_t number)
    : launch_(launch), shared_(shared), requests_(requests) {
  const auto warps = static_cast<std::size_t>(launch.warps_of_block);
  asked_.resize(warps);
  over_.resize(warps);
  rounds_.resize(warps);
  if (launch.keeps) kept_.warps.resize(warps);
  if (launch.times) steps_.emplace(launch.machine, launch.warps_of_block);
  if (launch.dynamic && launch.times) own_.resize(launch.kernel.info.sites.size());
  if (launch.races) races_ = &launch.races->begin_block(number);
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
  launch_.races->fence(*races_);
}

void BlockLog::wait(std::int64_t warp, std::span<const std::uint32_t> awaited,
                    std::int32_t instruction) {
  if (!launch_.waits) return;
  if (is_held(warp))
    return hold(warp, [=, this, all = std::vector(awaited.begin(), awaited.end())] {
      wait(warp, all, instruction);
    });
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
  if (!launch_.machine.operations.empty() || launch_.machine.instruction_cost.value != 0)
    asked_[static_cast<std::size_t>(warp)].add(asked_operators |
                                               static_cast<std::uint64_t>(operation) << 56 |
                                               static_cast<std::uint64_t>(count));
  if (steps_) steps_->compute(warp, count, operation);
  if (launch_.keeps)
    kept_.warps[static_cast<std::size_t>(warp)].push_back(
        {StepKind::compute, static_cast<std::int16_t>(operation), -1, count});
}

void BlockLog::request(std::int64_t warp, std::size_t site, const Operation& op,
                       const LaneAddresses& all) {
  if (is_held(warp)) return hold(warp, [=, this, &op] { request(warp, site, op, all); });
  const SiteInfo& info = launch_.kernel.info.sites[site];
  const UnitSpec& unit = unit_of(info);
  const std::int64_t of_stage = launch_.machine.stage_words(unit);
  KnownRequest& known = shared_.known.find(site, all);
  if (known.is_like(all, period_of(of_stage)))
    return request(warp, site, RequestLanes(all, known), known);
  const RequestLanes lanes(all);
  known.lanes = all;
  known.words = lanes.words();
  known.units = lanes.units();
  known.counts = counts_on(launch_.machine, info, lanes);
  known.groups = launch_.groups && &unit == &launch_.machine.memory_unit()
                     ? stages_of(UnitKind::unified, lanes)
                     : 0;
  known.may_race = may_race(op);
  if (races_ && known.may_race) known.parts = row_parts(lanes, writes(info.kind));
  if (uses_port(info)) known.port = port_of(launch_.machine, lanes);
  request(warp, site, lanes, known);
}

void BlockLog::request(std::int64_t warp, std::size_t site, const RequestLanes& lanes,
                       const KnownRequest& known) {
  const LaneAddresses& all = lanes.lanes();
  const SiteInfo& info = launch_.kernel.info.sites[site];
  const RequestCounts& counts = known.counts;
  if (all.space == Space::global) {
    SectorCounts& sectors = shared_.sectors[site];
    const std::int64_t bytes = lanes.count() * std::int64_t{all.bytes};
    constexpr auto sector = static_cast<std::int64_t>(sector_bytes);
    sectors.requests += 1;
    sectors.sectors += counts.sectors;
    sectors.needed += std::min(counts.sectors, (bytes + sector - 1) / sector);
  }
  if (races_ && known.may_race) launch_.races->access(*races_, warp, site, lanes, known.parts);
  if (launch_.keeps) keep(warp, site, all);
  if (!steps_) return;
  const std::int64_t groups = known.groups;
  const auto add = [&](RequestTally& tally) {
    tally.add(counts.stages, 1);
    tally.concurrent_writes += counts.several;
    tally.groups += groups;
    tally.further_needed += counts.needed - 1;
    tally.port += known.port;
  };
  add(requests_[site]);
  if (launch_.dynamic) add(own_[site]);
  AskedSteps& asked = asked_[static_cast<std::size_t>(warp)];
  // Each has at most 256 of them.
  asked.add(static_cast<std::uint64_t>(site) << 36 | static_cast<std::uint64_t>(groups) << 24 |
            static_cast<std::uint64_t>(counts.several) << 12 |
            static_cast<std::uint64_t>(counts.needed));
  asked.add(static_cast<std::uint64_t>(counts.stages));
  const bool port = uses_port(info), gets = returns(info.kind, info.uses_old);
  if (!port && !is_served_by_groups(launch_.machine, info))
    return steps_->request(warp, info.unit, counts.stages, gets, site);
  std::vector<AtomicGroup>& groups_touched = shared_.groups;
  find_groups(all, origin_of(all), launch_.machine.stage_words(unit_of(info)), info.kind,
              groups_touched);
  asked.add(static_cast<std::uint64_t>(known.port.stages));
  for (const AtomicGroup& group : groups_touched) {
    asked.add(static_cast<std::uint64_t>(group.group));
    asked.add(static_cast<std::uint64_t>(group.lanes));
  }
  if (!port) return steps_->atomic(warp, groups_touched, gets, site);
  steps_->at_port(
      warp, {site, known.port.stages, info.kind, info.is_volatile, info.uses_old, groups_touched});
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

void BlockLog::barrier(bool whole) {
  for (Round& round : rounds_) let_go(round);
  if (races_) launch_.races->barrier(*races_);
  if (!whole) return;
  if (steps_) steps_->barrier();
  for (std::size_t warp = 0; warp < over_.size(); ++warp) {
    if (over_[warp]) continue;
    asked_[warp].add(asked_barrier);
    if (launch_.keeps) kept_.warps[warp].push_back({StepKind::barrier, 1, -1, 0});
  }
}

void BlockLog::end(std::int64_t warp) {
  let_go(rounds_[static_cast<std::size_t>(warp)]);
  over_[static_cast<std::size_t>(warp)] = true;
  if (steps_) steps_->end(warp);
}

void BlockLog::finish() {
  if (races_) launch_.races->end_block(*std::exchange(races_, nullptr));
  if (std::exchange(finished_, true) || !steps_) return;
  steps_->finish();
  steps_->requests = std::move(own_);
}

std::int64_t BlockLog::bytes() const {
  std::size_t bytes =
      kept_.addresses.size() * sizeof(std::int64_t) + kept_.awaited.size() * sizeof(std::uint32_t);
  for (const auto& warp : kept_.warps) bytes += warp.size() * sizeof(KeptStep);
  return static_cast<std::int64_t>(bytes) + (steps_ ? steps_->bytes() : 0);
}
std::uint64_t BlockLog::asked() const {
  AskedSteps all;
  for (const AskedSteps& warp : asked_) all.add(warp.bits());
  return all.bits();
}

} // namespace memlane::ptx
