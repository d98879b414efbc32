#include "price_launch.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace memlane::ptx {

LaunchShape shape_of(const PricedKernel& kernel, const Code& code, const GridShape& grid) {
  LaunchShape shape;
  shape.blocks = count_of(grid.blocks);
  shape.threads = count_of(grid.threads);
  const std::int64_t bytes =
      (grid.static_shared < 0 ? code.static_shared : grid.static_shared) + grid.dynamic_shared;
  constexpr auto word = std::int64_t{4};
  shape.shared_words = (bytes + word - 1) / word;
  shape.kernel = &kernel.info;
  shape.registers = grid.registers;
  return shape;
}

namespace {

/// As reference machines do (RequestTally::groups): where a stage is no group of w words, in blocks
/// of one full warp.
bool counts_groups(const MachineSpec& machine, const LaunchShape& shape) {
  const bool differ = !machine.global || machine.stage_words(*machine.global) != machine.width;
  return differ && shape.threads == machine.width;
}

/// Watches the first blocks alone.
class WatchOfFirst final : public GridObserver {
public:
  WatchOfFirst(LaunchWatch& watch, std::int64_t blocks) : watch_(watch), blocks_(blocks) {}
  Watched begins(std::int64_t block) override {
    return block < blocks_ ? watch_.begins(block) : Watched{};
  }
  void ends(std::int64_t block) override {
    if (block < blocks_) watch_.ends(block);
  }

private:
  LaunchWatch& watch_;
  std::int64_t blocks_;
};

/// The blocks of a launch, executed when a machine asks for them. Those beyond the shape's are not
/// watched.
class ExecutedGrid {
public:
  ExecutedGrid(const GridLaunch& launch, const LaunchShape& shape, const LaunchPricing& pricing,
               bool reference)
      : pricing_(pricing), limits_(pricing.limits),
        watch_({launch.kernel, pricing.machine, (shape.threads + warp_lanes - 1) / warp_lanes,
                reference || pricing.kept, waits(pricing), !reference,
                !empty_tally(pricing.machine, shape).dynamic.empty(),
                counts_groups(pricing.machine, shape), launch.device.origin(), pricing.races}),
        first_(watch_, shape.blocks), run_(launch.image, launch.code, launch.grid, launch.params,
                                           launch.device, limits_, &first_) {
    limits_.check = [this] { return check(); };
    if (pricing.races) races_before_ = pricing.races->counts().races;
  }

  /// Executes the block, and others as far as it needs them. Stop::none: it has ended.
  Stop execute(std::int64_t block) {
    // A short launch may end before its limits are asked.
    if (run_.run_to(block)) return is_at_race() ? Stop::error : Stop::none;
    const GridResult& result = run_.result();
    return result.stop == Stop::none ? Stop::error : result.stop;
  }
  /// Executes all blocks, without a machine. False: the launch ends early, or its steps take too
  /// much memory; a machine may go on from there.
  bool execute_all(const LaunchShape& shape) {
    const std::int64_t warps = (shape.threads + warp_lanes - 1) / warp_lanes;
    const std::int64_t most = std::min(most_ahead, limits_.memory / 2);
    for (std::int64_t block = 0; block < shape.blocks; ++block)
      if (execute(block) != Stop::none ||
          watch_.bytes() + (block + 1) * (bytes_of_block + warps * bytes_of_warp) > most)
        return false;
    return true;
  }
  LaunchWatch& watch() { return watch_; }
  const GridResult& result() const { return run_.result(); }

private:
  /// Whether it matters which steps need which reads: the run may be timed again with other keys.
  static bool waits(const LaunchPricing& pricing) {
    return pricing.machine.requests_in_flight > 1 || pricing.kept ||
           (pricing.times && pricing.times->wants_waits());
  }

  /// Of steps that are executed before it is known whether they must be timed; and what a block and
  /// a warp have of them beside their steps.
  static constexpr std::int64_t most_ahead = std::int64_t{1} << 28, bytes_of_block = 4096,
                                bytes_of_warp = 512;

  bool is_at_race() const {
    return pricing_.stops_at_race && pricing_.races &&
           pricing_.races->counts().races > races_before_;
  }
  Stop check() {
    if (is_at_race()) return Stop::error;
    if (watch_.bytes() > pricing_.limits.memory) return Stop::memory;
    return pricing_.limits.check ? pricing_.limits.check() : Stop::none;
  }

  const LaunchPricing& pricing_;
  Limits limits_;
  std::int64_t races_before_ = 0;
  LaunchWatch watch_;
  WatchOfFirst first_;
  GridRun run_;
};

/// The steps of warps that were executed ahead, for the reference machine.
class KeptStream final : public WarpStream {
public:
  KeptStream(ExecutedGrid& grid, const PricedKernel& kernel, KeptRun* kept)
      : grid_(grid), kernel_(kernel), kept_(kept) {}

  Status start(std::int64_t block, Tally&) override {
    stop = grid_.execute(block);
    Block& started = blocks_[block];
    started.kept = grid_.watch().take_kept(block);
    if (kept_) kept_->add(block, started.kept);
    started.warps.resize(started.kept.warps.size());
    return Done{};
  }
  Result<memlane::Step> next(WarpRef ref) override {
    if (stop != Stop::none) return memlane::Step{StepKind::stop, nullptr, 0};
    Block& block = blocks_.at(ref.block);
    Warp& warp = block.warps[static_cast<std::size_t>(ref.warp)];
    const auto& steps = block.kept.warps[static_cast<std::size_t>(ref.warp)];
    if (warp.at == steps.size()) return memlane::Step{};
    const KeptStep& step = steps[warp.at++];
    if (step.kind == StepKind::wait)
      return memlane::Step{step.kind,
                           nullptr,
                           0,
                           OperationClass::other,
                           block.kept.instruction_of(step),
                           block.kept.awaited_by(step)};
    if (step.kind != StepKind::request)
      return memlane::Step{step.kind, nullptr, step.value,
                           step.kind == StepKind::compute ? static_cast<OperationClass>(step.words)
                                                          : OperationClass::other};
    const auto site = static_cast<std::size_t>(step.site);
    const SiteInfo& info = kernel_.info.sites[site];
    const auto first = block.kept.addresses.begin() + static_cast<std::ptrdiff_t>(step.value);
    warp.request.unit = info.unit;
    warp.request.kind = info.kind;
    warp.request.addresses.assign(first, first + warp_lanes);
    warp.request.words_of_lane = step.words;
    warp.request.is_volatile = info.is_volatile;
    warp.request.uses_old = info.uses_old;
    warp.request.span = kernel_.spans[site];
    warp.request.site = site;
    return memlane::Step{StepKind::request, &warp.request, 0};
  }
  Status perform(WarpRef) override { return Done{}; }
  void released(std::int64_t) override {}
  void finish(std::int64_t block) override { blocks_.erase(block); }

  Stop stop = Stop::none;

private:
  struct Warp {
    std::size_t at = 0;
    Request request;
  };
  struct Block {
    KeptBlock kept;
    std::vector<Warp> warps;
  };

  ExecutedGrid& grid_;
  const PricedKernel& kernel_;
  KeptRun* kept_;
  std::map<std::int64_t, Block> blocks_; ///< resident
};

} // namespace

namespace {

/// By the timeline of the fast engine, unless an equal launch is known.
void price_fast(const GridLaunch& launch, const LaunchShape& shape, const LaunchPricing& pricing,
                ExecutedGrid& grid, PricedLaunch& priced) {
  const LaunchKey key(launch.kernel, shape);
  // A limit of time says how many blocks are executed.
  if (pricing.equal && pricing.limits.time == INT64_MAX && pricing.equal->has(key) &&
      grid.execute_all(shape)) {
    const LaunchOutcome* const known = pricing.equal->find(key, grid.watch().asked());
    if (known && (!pricing.kept || pricing.kept->repeat(grid.watch().asked()))) {
      priced.outcome = *known;
      priced.equal = true;
      return;
    }
  }
  EngineWork work;
  priced.outcome = time_launch(
      pricing.machine, shape, pricing.start, pricing.limits,
      [&](std::int64_t block, const LaunchTime& time, BlockSteps& steps) {
        if (pricing.sample) pricing.sample->starts(block, time, grid.result().warp_steps);
        const Stop stop = grid.execute(block);
        KeptBlock kept;
        steps = grid.watch().take_steps(block, pricing.kept ? &kept : nullptr);
        if (pricing.kept) pricing.kept->add(block, kept);
        return stop;
      },
      pricing.work ? *pricing.work : work);
  if (pricing.executes_all && priced.outcome.stop == Stop::none) {
    const std::int64_t of_sample = grid.result().warp_steps;
    priced.outcome.stop = grid.execute(ptx::count_of(launch.grid.blocks) - 1);
    if (pricing.sample) pricing.sample->left_out(grid.result().warp_steps - of_sample);
  }
  if (pricing.equal && priced.outcome.stop == Stop::none)
    pricing.equal->add(key, grid.watch().asked(), priced.outcome);
}

} // namespace

PricedLaunch price_launch(const GridLaunch& launch, const LaunchShape& shape,
                          const LaunchPricing& pricing) {
  PricedLaunch priced;
  const bool reference = pricing.reference || pricing.times;
  ExecutedGrid grid(launch, shape, pricing, reference);
  if (pricing.kept)
    pricing.kept->begin(
        launch.kernel, shape,
        shared_arrays_of(launch.module, launch.image, launch.kernel, launch.grid.dynamic_shared));
  if (reference) {
    KeptStream stream(grid, launch.kernel, pricing.kept);
    priced.outcome = run_launch(pricing.machine, shape, stream, pricing.number, pricing.start,
                                pricing.limits, pricing.times);
    if (stream.stop != Stop::none) priced.outcome.stop = stream.stop;
  } else {
    price_fast(launch, shape, pricing, grid, priced);
  }
  if (pricing.kept && !priced.equal) pricing.kept->end(grid.watch().asked());
  grid.watch().add_to(priced.outcome.tally, !reference);
  priced.result = grid.result();
  // The machine may end what the grid has executed to its end: a limit of time, a race.
  if (priced.result.faults.empty() && !priced.result.waits_for_ever &&
      priced.result.stop == Stop::none)
    priced.result.stop = priced.outcome.stop;
  priced.sectors = grid.watch().sectors();
  return priced;
}

} // namespace memlane::ptx
