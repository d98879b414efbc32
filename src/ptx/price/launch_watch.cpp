#include "launch_watch.hpp"

#include "equal_launches.hpp"
#include "request_shape.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace memlane::ptx {

/// One block under way, or ended and not taken yet.
class LaunchWatch::Block final : public BlockObserver {
public:
  Block(LaunchWatch& watch, Sums& sums, std::int64_t number)
      : watch_(watch), launch_(watch.launch_), sums_(sums) {
    const auto warps = static_cast<std::size_t>(launch_.warps_of_block);
    computed_.resize(warps);
    if (!launch_.machine.operations.empty()) operated_.resize(warps);
    asked_.resize(warps);
    requests_.resize(warps);
    if (launch_.waits) reads_.resize(warps);
    over_.resize(warps);
    if (launch_.keeps) kept_.warps.resize(warps);
    if (launch_.times) steps_.emplace(launch_.machine, launch_.warps_of_block);
    if (launch_.dynamic && launch_.times) own_.resize(launch_.kernel.info.sites.size());
    if (launch_.races) races_ = &launch_.races->begin_block(number);
  }

  void accesses(std::int64_t warp, const Warp& state, const Step& step,
                const LaneAddresses& all) override {
    const auto instruction = static_cast<std::size_t>(instruction_of(*state.count));
    const SitesOfStep& sites = launch_.kernel.sites[instruction];
    const std::int32_t number = all.space == Space::shared ? sites.shared : sites.global;
    if (number < 0) return;
    const auto site = static_cast<std::size_t>(number);
    compute(warp, state); // its own operation comes first
    const bool copies = step.op->opcode == Opcode::cp;
    if (copies && all.space == Space::shared && copied_ == warp) {
      wait(warp, std::array{1U}, instruction_of(*state.count));
    }
    copied_ = copies && all.space == Space::global ? warp : -1;
    if (step.op->opcode == Opcode::ldmatrix) {
      // Only the first lanes of each matrix have addresses.
      const Words& words = step.op->words;
      const int lanes = words.has(Word::x4) ? 32 : words.has(Word::x2) ? 16 : 8;
      LaneAddresses some = all;
      if (lanes < warp_lanes) some.mask &= (std::uint32_t{1} << lanes) - 1;
      if (some.mask == 0) return;
      request(warp, site, *step.op, some);
    } else {
      request(warp, site, *step.op, all);
    }
    const std::int64_t made = requests_[static_cast<std::size_t>(warp)]++;
    const SiteInfo& info = launch_.kernel.info.sites[site];
    if (state.memories->reads && returns(info.kind, info.uses_old))
      state.memories->reads->read(step, all.mask, made);
  }

  AwaitedReads* reads(std::int64_t warp) override {
    return reads_.empty() ? nullptr : &reads_[static_cast<std::size_t>(warp)];
  }
  void needs(std::int64_t warp, const Warp& state, const StepCount& step,
             std::span<const std::int64_t> reads) override {
    compute(warp, state);
    std::vector<std::uint32_t> awaited;
    for (const std::int64_t number : reads)
      awaited.push_back(
          static_cast<std::uint32_t>(requests_[static_cast<std::size_t>(warp)] - number));
    std::sort(awaited.begin(), awaited.end());
    wait(warp, awaited, instruction_of(step));
  }
  void fences(std::int64_t warp, const Warp& state) override {
    if (races_) launch_.races->fence(*races_);
    if (reads_.empty()) return;
    compute(warp, state);
    reads_[static_cast<std::size_t>(warp)].clear();
    wait(warp, {}, -1);
  }
  void operates(std::int64_t warp, const Warp& state) override {
    operations(warp, state);
    operated_[static_cast<std::size_t>(warp)] = 0;
  }
  void arrives(std::int64_t warp, const Warp& state) override { compute(warp, state); }
  void barrier(bool whole) override {
    if (races_) launch_.races->barrier(*races_);
    if (!whole) return;
    if (steps_) steps_->barrier();
    for (std::size_t warp = 0; warp < over_.size(); ++warp) {
      if (over_[warp]) continue;
      asked_[warp].add(asked_barrier);
      if (launch_.keeps) kept_.warps[warp].push_back({StepKind::barrier, 1, -1, 0});
    }
  }
  void ends(std::int64_t warp, const Warp& state) override {
    compute(warp, state);
    over_[static_cast<std::size_t>(warp)] = true;
    if (steps_) steps_->end(warp);
  }

  /// All its warps have ended, or it is given up.
  void finish() {
    if (races_) launch_.races->end_block(*std::exchange(races_, nullptr));
    if (std::exchange(finished_, true) || !steps_) return;
    steps_->finish();
    steps_->requests = std::move(own_);
  }
  std::int64_t bytes() const {
    std::size_t bytes = kept_.addresses.size() * sizeof(std::int64_t) +
                        kept_.awaited.size() * sizeof(std::uint32_t);
    for (const auto& warp : kept_.warps) bytes += warp.size() * sizeof(KeptStep);
    return static_cast<std::int64_t>(bytes) + (steps_ ? steps_->bytes() : 0);
  }
  /// Of all its warps.
  std::uint64_t asked() const {
    AskedSteps all;
    for (const AskedSteps& warp : asked_) all.add(warp.bits());
    return all.bits();
  }
  BlockSteps take_steps() { return std::move(*steps_); }
  KeptBlock take_kept() { return std::move(kept_); }

private:
  /// Steps without a number, as AskedSteps has them; others are below.
  static constexpr std::uint64_t asked_barrier = ~std::uint64_t{0},
                                 asked_operators = std::uint64_t{1} << 63,
                                 asked_wait = std::uint64_t{1} << 62;

  /// Its index in KernelInfo::instructions.
  std::int32_t instruction_of(const StepCount& step) const {
    return static_cast<std::int32_t>(&step - sums_.counts.data());
  }

  /// An instruction needs these earlier requests; all of them if there are none.
  void wait(std::int64_t warp, std::span<const std::uint32_t> awaited, std::int32_t instruction) {
    if (reads_.empty()) return;
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

  /// Counted steps up to now, as a computation before what follows.
  void compute(std::int64_t warp, const Warp& state) {
    if (!operated_.empty()) return operations(warp, state);
    const auto of = static_cast<std::size_t>(warp);
    const std::int64_t count = state.counted - std::exchange(computed_[of], state.counted);
    if (count == 0) return;
    if (launch_.machine.instruction_cost.value != 0)
      asked_[of].add(asked_operators | static_cast<std::uint64_t>(count));
    if (steps_) steps_->compute(warp, count);
    if (launch_.keeps) keep(of, OperationClass::other, count);
  }
  void keep(std::size_t warp, OperationClass operation, std::int64_t count) {
    kept_.warps[warp].push_back(
        {StepKind::compute, static_cast<std::int16_t>(operation), -1, count});
  }

  /// Steps of one class that no step of another one has followed yet.
  void operations(std::int64_t warp, const Warp& state) {
    const auto of = static_cast<std::size_t>(warp);
    const std::int64_t count = state.operated - std::exchange(operated_[of], state.operated);
    if (count == 0) return;
    const auto operation = static_cast<OperationClass>(state.operation);
    asked_[of].add(asked_operators | static_cast<std::uint64_t>(operation) << 56 |
                   static_cast<std::uint64_t>(count));
    if (steps_) steps_->compute(warp, count, operation);
    if (launch_.keeps) keep(of, operation, count);
  }

  const UnitSpec& unit_of(const SiteInfo& site) const {
    return site.unit == UnitId::shared ? *launch_.machine.shared : *launch_.machine.global;
  }

  void request(std::int64_t warp, std::size_t site, const Operation& op, const LaneAddresses& all) {
    const SiteInfo& info = launch_.kernel.info.sites[site];
    const UnitSpec& unit = unit_of(info);
    const std::int64_t of_stage = launch_.machine.stage_words(unit);
    KnownRequest& known = watch_.known_[site];
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
    if (uses_port(info)) known.port = port_of(launch_.machine, lanes);
    request(warp, site, lanes, known);
  }

  void request(std::int64_t warp, std::size_t site, const RequestLanes& lanes,
               const KnownRequest& known) {
    const LaneAddresses& all = lanes.lanes();
    const SiteInfo& info = launch_.kernel.info.sites[site];
    const RequestCounts& counts = known.counts;
    if (all.space == Space::global) {
      SectorCounts& sectors = watch_.sectors_[site];
      const std::int64_t bytes = lanes.count() * std::int64_t{all.bytes};
      constexpr auto sector = static_cast<std::int64_t>(sector_bytes);
      sectors.requests += 1;
      sectors.sectors += counts.sectors;
      sectors.needed += std::min(counts.sectors, (bytes + sector - 1) / sector);
    }
    if (races_ && known.may_race) launch_.races->access(*races_, warp, site, lanes);
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
    add(sums_.requests[site]);
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
    std::vector<AtomicGroup>& groups_touched = watch_.groups_;
    find_groups(all, origin_of(all), launch_.machine.stage_words(unit_of(info)), info.kind,
                groups_touched);
    asked.add(static_cast<std::uint64_t>(known.port.stages));
    for (const AtomicGroup& group : groups_touched) {
      asked.add(static_cast<std::uint64_t>(group.group));
      asked.add(static_cast<std::uint64_t>(group.lanes));
    }
    if (!port) return steps_->atomic(warp, groups_touched, gets, site);
    steps_->at_port(warp, {site, known.port.stages, info.kind, info.is_volatile, info.uses_old,
                           groups_touched});
  }

  /// Whether its requests pass a multiprocessor's own port.
  bool uses_port(const SiteInfo& site) const {
    return site.unit == UnitId::global && launch_.machine.has_own_ports();
  }

  /// The address of word 0 of the memory that they access.
  std::uint64_t origin_of(const LaneAddresses& lanes) const {
    return lanes.space == Space::shared ? 0 : launch_.origin;
  }

  void keep(std::int64_t warp, std::size_t site, const LaneAddresses& lanes) {
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

  LaunchWatch& watch_;
  const WatchedLaunch& launch_;
  Sums& sums_;
  GridRaces::Block* races_ = nullptr;
  std::vector<std::int64_t> computed_; ///< by warp: counted steps that were told
  /// By warp: of the latest steps of one class, those that were told; empty where there are no
  /// units for them.
  std::vector<std::int64_t> operated_;
  std::vector<bool> over_;             ///< by warp
  std::vector<AskedSteps> asked_;      ///< by warp
  std::vector<std::int64_t> requests_; ///< by warp: how many it has made
  std::vector<AwaitedReads> reads_;    ///< by warp; empty: nobody asks for waits
  std::int64_t copied_ = -1; ///< the warp whose latest access was the read of a copy; -1: none
  std::optional<BlockSteps> steps_; ///< for time_launch; else:
  KeptBlock kept_;
  std::vector<RequestTally> own_; ///< by site, where the schedule is dynamic
  bool finished_ = false;
};

LaunchWatch::LaunchWatch(const WatchedLaunch& launch)
    : launch_(launch), sums_(static_cast<std::size_t>(launch.machine.multiprocessors)),
      sectors_(launch.kernel.info.sites.size()), known_(launch.kernel.info.sites.size()) {}

LaunchWatch::~LaunchWatch() = default;

LaunchWatch::Sums& LaunchWatch::sums_of(std::int64_t block) {
  Sums& sums = sums_[static_cast<std::size_t>(block % launch_.machine.multiprocessors)];
  if (!sums.counts.empty()) return sums;
  const PricedKernel& kernel = launch_.kernel;
  for (const InstructionInfo& instruction : kernel.info.instructions)
    sums.counts.push_back({0, 0, instruction.counted,
                           static_cast<std::int8_t>(
                               instruction.counted && launch_.machine.unit_of(instruction.operation)
                                   ? static_cast<int>(instruction.operation)
                                   : -1)});
  for (const std::int64_t first : kernel.first)
    sums.by_function.push_back(first < 0 ? nullptr : sums.counts.data() + first);
  sums.requests.resize(kernel.info.sites.size());
  return sums;
}

Watched LaunchWatch::begins(std::int64_t number) {
  Sums& sums = sums_of(number);
  auto& block = blocks_[number] = std::make_unique<Block>(*this, sums, number);
  return {block.get(), sums.by_function.data()};
}

void LaunchWatch::ends(std::int64_t number) {
  Block& block = *blocks_.at(number);
  block.finish();
  bytes_ += block.bytes();
  AskedSteps asked;
  asked.add(static_cast<std::uint64_t>(number));
  asked.add(block.asked());
  asked_ += asked.bits();
}

std::unique_ptr<LaunchWatch::Block> LaunchWatch::take(std::int64_t number) {
  const auto found = blocks_.find(number);
  // The launch is over before this block has begun.
  if (found == blocks_.end()) {
    auto none = std::make_unique<Block>(*this, sums_of(number), number);
    none->finish();
    return none;
  }
  auto block = std::move(found->second);
  blocks_.erase(found);
  block->finish();
  bytes_ = std::max<std::int64_t>(0, bytes_ - block->bytes());
  return block;
}

BlockSteps LaunchWatch::take_steps(std::int64_t block, KeptBlock* kept) {
  const std::unique_ptr<Block> taken = take(block);
  if (kept) *kept = taken->take_kept();
  return taken->take_steps();
}
KeptBlock LaunchWatch::take_kept(std::int64_t block) { return take(block)->take_kept(); }

void LaunchWatch::add_to(LaunchTally& tally, bool requests) const {
  for (std::size_t mp = 0; mp < sums_.size(); ++mp) {
    const Sums& sums = sums_[mp];
    if (sums.counts.empty()) continue;
    Tally& of_mp = tally.multiprocessors[mp];
    of_mp.executed.resize(sums.counts.size());
    for (std::size_t k = 0; k < sums.counts.size(); ++k) {
      of_mp.executed[k].warps += sums.counts[k].warps;
      of_mp.executed[k].threads += sums.counts[k].threads;
    }
    of_mp.requests.resize(std::max(of_mp.requests.size(), sums.requests.size()));
    if (requests) add_requests(of_mp.requests, sums.requests);
  }
}

} // namespace memlane::ptx
