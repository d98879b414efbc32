#include "launch_watch.hpp"

#include "block_log.hpp"
#include "warp_pieces.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace memlane::ptx {

/// One block under way, or ended and not taken yet.
class LaunchWatch::Block final : public BlockObserver {
public:
  Block(LaunchWatch& watch, Sums& sums, std::int64_t number)
      : launch_(watch.launch_), sums_(sums),
        log_(launch_, {watch.sectors_, watch.known_, watch.intervals_, watch.groups_},
             sums.requests, number) {
    const auto warps = static_cast<std::size_t>(launch_.warps_of_block);
    OfWarp made;
    if (has_pieces_) made.pieces.emplace(launch_.machine, launch_.waits);
    warps_.assign(warps, made);
  }

  void accesses(std::int64_t warp, const Warp& state, const Step& step,
                const LaneAddresses& all) override {
    const Words& words = step.op->words;
    if (step.op->opcode != Opcode::ldmatrix || words.has(Word::x4))
      return access(warp, state, step, all);
    // Only the first lanes of each matrix have addresses.
    LaneAddresses some = all;
    some.mask &= (std::uint32_t{1} << (words.has(Word::x2) ? 16 : 8)) - 1;
    if (some.mask != 0) access(warp, state, step, some);
  }

  void executes(std::int64_t warp, const Warp& state, const Step& step, const StepCount& count,
                std::span<const std::int64_t> steps) override {
    WarpPieces& pieces = *of(warp).pieces;
    if (pieces.ends_before(step, state.mask)) end_piece(warp);
    pieces.execute(step, count, state.mask, steps);
  }
  AwaitedReads* reads(std::int64_t warp) override {
    if (has_pieces_) return &of(warp).pieces->reads();
    return launch_.waits ? &of(warp).reads : nullptr;
  }
  void needs(std::int64_t warp, const Warp& state, const StepCount& step,
             std::span<const std::int64_t> reads) override {
    compute(warp, state);
    awaited_.clear();
    for (const std::int64_t number : reads)
      awaited_.push_back(static_cast<std::uint32_t>(of(warp).requests - number));
    std::sort(awaited_.begin(), awaited_.end());
    log_.wait(warp, awaited_, instruction_of(step));
  }
  void fences(std::int64_t warp, const Warp& state) override {
    order(warp);
    if (!launch_.waits) return;
    compute(warp, state);
    complete_reads(of(warp));
    log_.wait(warp, {}, -1);
  }
  void allocates(std::int64_t warp, std::uint64_t begin, std::uint64_t bytes) override {
    if (has_pieces_) end_piece(warp);
    if (launch_.races) launch_.races->renew(begin, bytes);
  }
  void operates(std::int64_t warp, const Warp& state) override {
    if (has_pieces_) return;
    operations(warp, state);
    of(warp).operated = 0;
  }
  bool round(std::int64_t warp, RoundEvent event) override {
    before_round_.resize(warps_.size());
    OfWarp& before = before_round_[static_cast<std::size_t>(warp)];
    const bool is_forgotten = log_.round(warp, event) && event == RoundEvent::vain;
    if (is_forgotten) {
      of(warp) = before;
      copied_ = -1;
    } else if (event != RoundEvent::counts) {
      before = of(warp);
    }
    return event != RoundEvent::vain || is_forgotten;
  }
  void arrives(std::int64_t warp, const Warp& state) override { compute(warp, state); }
  void barrier(bool whole) override {
    log_.barrier(whole);
    for (std::size_t warp = 0; whole && has_pieces_ && warp < warps_.size(); ++warp)
      if (!log_.is_over(warp)) warps_[warp].pieces->complete_reads();
  }
  void ends(std::int64_t warp, const Warp& state) override {
    compute(warp, state);
    log_.end(warp);
  }

  /// All its warps have ended, or it is given up.
  BlockLog& finish() {
    for (std::size_t warp = 0; has_pieces_ && warp < warps_.size(); ++warp)
      end_piece(static_cast<std::int64_t>(warp));
    log_.finish();
    return log_;
  }

private:
  /// What is known of a warp under way.
  struct OfWarp {
    std::int64_t computed = 0; ///< counted steps that were told
    /// Of the latest steps of one class, those that were told, where there are units for them.
    std::int64_t operated = 0;
    std::int64_t requests = 0;        ///< how many it has made
    AwaitedReads reads;               ///< where nothing is in `pieces`
    std::optional<WarpPieces> pieces; ///< none: steps are issued in the program's order
  };
  OfWarp& of(std::int64_t warp) { return warps_[static_cast<std::size_t>(warp)]; }

  /// A release is a fence before its access, an acquire one behind it.
  void access(std::int64_t warp, const Warp& state, const Step& step, const LaneAddresses& all) {
    const Words& words = step.op->words;
    if (words.any(Word::release, Word::acq_rel, Word::sc)) order(warp);
    request(warp, state, step, all);
    if (words.any(Word::acquire, Word::acq_rel, Word::sc)) order(warp);
  }
  void order(std::int64_t warp) {
    if (has_pieces_) end_piece(warp);
    log_.fence(warp);
  }
  void request(std::int64_t warp, const Warp& state, const Step& step, const LaneAddresses& all) {
    const std::int32_t instruction = instruction_of(*state.count);
    const SitesOfStep& sites = launch_.kernel.sites[static_cast<std::size_t>(instruction)];
    const std::int32_t number = all.space == Space::shared ? sites.shared : sites.global;
    if (number < 0) return;
    const auto site = static_cast<std::size_t>(number);
    const SiteInfo& info = launch_.kernel.info.sites[site];
    const bool gets = returns(info.kind, info.uses_old);
    if (has_pieces_) return of(warp).pieces->access({site, &step, all}, gets);
    compute(warp, state); // its own operation comes first
    const bool copies = step.op->opcode == Opcode::cp;
    if (copies && all.space == Space::shared && copied_ == warp)
      log_.wait(warp, std::array{1U}, instruction);
    copied_ = copies && all.space == Space::global ? warp : -1;
    log_.request(warp, site, *step.op, all);
    const std::int64_t made = of(warp).requests++;
    if (state.memories->reads && gets) state.memories->reads->read(step, all.mask, made);
  }

  /// Its index in KernelInfo::instructions.
  std::int32_t instruction_of(const StepCount& step) const {
    return static_cast<std::int32_t>(&step - sums_.counts.data());
  }

  /// The warp's reads are complete, as all its requests are.
  static void complete_reads(OfWarp& warp) {
    if (warp.pieces) warp.pieces->complete_reads();
    warp.reads.clear();
  }

  /// The steps of the warp's present piece, as the machine issues them.
  void end_piece(std::int64_t warp) {
    OperationClass operation = OperationClass::other;
    std::int64_t count = 0;
    const auto compute_before = [&] {
      if (count > 0) log_.compute(warp, operation, std::exchange(count, 0));
    };
    of(warp).pieces->end(
        [&](std::span<const std::uint32_t> awaited, const StepCount& step) {
          if (!launch_.waits) return;
          compute_before();
          log_.wait(warp, awaited, instruction_of(step));
        },
        [&](const WarpPieces::Access& access) {
          compute_before();
          log_.request(warp, access.site, *access.step->op, access.lanes);
        },
        [&](std::int8_t of) {
          if (!launch_.machine.operations.empty()) {
            if (of < 0) return; // it has no unit
            if (static_cast<OperationClass>(of) != operation) compute_before();
            operation = static_cast<OperationClass>(of);
          }
          ++count;
        });
    compute_before();
  }

  /// Counted steps up to now, as a computation before what follows.
  void compute(std::int64_t warp, const Warp& state) {
    if (has_pieces_) return end_piece(warp);
    if (!launch_.machine.operations.empty()) return operations(warp, state);
    const std::int64_t count = state.counted - std::exchange(of(warp).computed, state.counted);
    if (count > 0) log_.compute(warp, OperationClass::other, count);
  }
  /// Steps of one class that no step of another one has followed yet.
  void operations(std::int64_t warp, const Warp& state) {
    const std::int64_t count = state.operated - std::exchange(of(warp).operated, state.operated);
    if (count > 0) log_.compute(warp, static_cast<OperationClass>(state.operation), count);
  }

  const WatchedLaunch& launch_;
  Sums& sums_;
  BlockLog log_;
  const bool has_pieces_ = WarpPieces::are_needed(launch_.machine);
  std::vector<OfWarp> warps_, before_round_;
  std::vector<std::uint32_t> awaited_; ///< by the step at hand
  std::int64_t copied_ = -1; ///< the warp whose latest access was the read of a copy; -1: none
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
  const BlockLog& block = blocks_.at(number)->finish();
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
    return none;
  }
  auto block = std::move(found->second);
  blocks_.erase(found);
  bytes_ = std::max<std::int64_t>(0, bytes_ - block->finish().bytes());
  return block;
}

BlockSteps LaunchWatch::take_steps(std::int64_t block, KeptBlock* kept) {
  const std::unique_ptr<Block> taken = take(block);
  BlockLog& log = taken->finish();
  if (kept) *kept = log.take_kept();
  return log.take_steps();
}
KeptBlock LaunchWatch::take_kept(std::int64_t block) { return take(block)->finish().take_kept(); }

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
