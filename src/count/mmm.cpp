#include "memlane/count/mmm.hpp"

#include "model_counter.hpp"

#include "memlane/count/derive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

namespace memlane {

namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t too_large = INT64_MAX;

std::int64_t sum(std::int64_t a, std::int64_t b) {
  return __builtin_add_overflow(a, b, &a) ? too_large : a;
}
std::int64_t product(std::int64_t a, std::int64_t b) {
  return __builtin_mul_overflow(a, b, &a) ? too_large : a;
}
std::int64_t narrow(Wide value) {
  return value >= too_large ? too_large : static_cast<std::int64_t>(value);
}

/// (N/divisor + Λ)·C; without a divisor Λ·C.
MmmBound bound_of(const MmmCounts& counts, std::optional<std::int64_t> divisor) {
  const Wide serial = static_cast<Wide>(counts.path) * counts.block_cost;
  if (!divisor) return {narrow(serial), 0, 1};
  const Wide shared = static_cast<Wide>(counts.blocks) * counts.block_cost;
  const auto rest = static_cast<std::int64_t>(shared % *divisor);
  const std::int64_t common = std::gcd(rest, *divisor);
  return {narrow(serial + shared / *divisor), rest / common, *divisor / common};
}

} // namespace

std::string MmmBound::text() const {
  return rest == 0 ? fmt::format("{}", whole) : fmt::format("{} {}/{}", whole, rest, of);
}

double MmmBound::value() const {
  return static_cast<double>(whole) + static_cast<double>(rest) / static_cast<double>(of);
}

MmmBound MmmCounts::theorem1() const { return bound_of(*this, processors); }

std::optional<MmmBound> MmmCounts::corollary1() const {
  if (processors && *processors < antichain) return std::nullopt;
  return bound_of(*this, std::max<std::int64_t>(antichain, 1));
}

void GreedySchedule::begin_stage() {
  start_ = end_;
  used_ = 0;
  are_free_.clear();
}

void GreedySchedule::add(std::int64_t time, std::int64_t blocks) {
  if (!processors_) {
    end_ = std::max(end_, sum(start_, time));
    used_ += blocks;
    return;
  }
  if (time == 0) return; // ends when it starts, wherever that is
  for (; blocks > 0; --blocks) add(time);
}

GreedySchedule::Place GreedySchedule::add(std::int64_t time) {
  Place place{start_, used_};
  if (!processors_ || used_ < *processors_) {
    ++used_;
  } else {
    std::pop_heap(are_free_.begin(), are_free_.end(), std::greater<>());
    std::tie(place.start, place.multiprocessor) = are_free_.back();
    are_free_.pop_back();
  }
  const std::int64_t end = sum(place.start, time);
  end_ = std::max(end_, end);
  if (!processors_) return place;
  are_free_.emplace_back(end, place.multiprocessor);
  std::push_heap(are_free_.begin(), are_free_.end(), std::greater<>());
  return place;
}

void MmmLaunch::add(const MmmBlock& block, std::int64_t transfer) {
  const std::int64_t own_overhead = product(sum(block.reads, block.writes), transfer);
  const std::int64_t time = sum(block.span, own_overhead);
  work = sum(work, block.work);
  overhead = sum(overhead, own_overhead);
  span = std::max(span, block.span);
  transfer_time = sum(transfer_time, product(block.transfers, transfer));
  thread_time = sum(thread_time, block.thread_time);
  if (times.empty() || times.back().first != time) times.emplace_back(time, 0);
  times.back().second += 1;
}

MmmSums::MmmSums(std::optional<std::int64_t> processors) : schedule_(processors) {
  sums_.processors = processors;
}

void MmmSums::add(const MmmLaunch& launch, std::int64_t stage) {
  if (stage != stage_) {
    sums_ = counts();
    schedule_.begin_stage();
    stage_ = stage;
    stage_blocks_ = stage_span_ = stage_time_ = 0;
    sums_.path += 1;
  }
  sums_.work = sum(sums_.work, launch.work);
  sums_.overhead = sum(sums_.overhead, launch.overhead);
  sums_.local_accesses = sum(sums_.local_accesses, launch.local_accesses);
  sums_.blocks += launch.blocks;
  sums_.transfer_time = sum(sums_.transfer_time, launch.transfer_time);
  sums_.thread_time = sum(sums_.thread_time, launch.thread_time);
  stage_blocks_ += launch.blocks;
  stage_span_ = std::max(stage_span_, launch.span);
  most_span_ = std::max(most_span_, launch.span);
  for (const auto& [time, blocks] : launch.times) {
    sums_.block_cost = std::max(sums_.block_cost, time);
    sums_.sequential_time = sum(sums_.sequential_time, product(time, blocks));
    stage_time_ = std::max(stage_time_, time);
    schedule_.add(time, blocks);
  }
}

MmmCounts MmmSums::counts() const {
  MmmCounts counts = sums_;
  counts.antichain = std::max(counts.antichain, stage_blocks_);
  counts.span = sum(counts.span, stage_span_);
  counts.unbounded_time = sum(counts.unbounded_time, stage_time_);
  counts.time = schedule_.makespan();
  return counts;
}

MmmCounts MmmSums::counts_of_kernel() const {
  MmmCounts own = counts();
  own.span = most_span_;
  return own;
}

namespace {

/// Counts a run on an MMM from the executions of its warps. A block's executions must come
/// together, and blocks in increasing order: the machine has one multiprocessor.
class MmmCounter final : public ModelCounter {
public:
  explicit MmmCounter(const MachineSpec& machine)
      : machine_(machine), run_(machine.processors), schedule_(machine.processors) {}

  void launch_begins(std::int64_t launch, const LaunchShape& shape) override;
  void executed(const Execution& execution) override;
  void set_none(ModelCounts& counts) const override {
    counts.mmm = MmmSums(machine_.processors).counts();
  }
  void set_launch(const LaunchTally& tally, ModelCounts& counts) override;
  void finish(RunResult& result) const override;

private:
  /// What an instruction adds to its thread: an atomic is an operation and a write.
  struct Adds {
    bool operation = false, read = false, write = false;
  };

  void take_kernel(const KernelInfo& kernel);
  void end_block();
  void list(std::int64_t block, const MmmBlock& counts);
  void list_rest(const LaunchTally& tally);
  void check_work(const LaunchTally& tally);
  std::optional<Diagnostic> problem() const;

  const MachineSpec& machine_;
  MmmSums run_;
  std::map<std::string, MmmSums, std::less<>> kernels_;
  std::vector<BlockCounts> listed_; ///< the first most_listed_blocks
  GreedySchedule schedule_;         ///< schedule of the listed blocks
  std::int64_t stage_ = -1;         ///< stage of the launch that ended last
  // Of the launch under way:
  MmmLaunch launch_;
  std::int64_t launch_number_ = 0;
  std::size_t first_listed_ = 0; ///< index of its first block in listed_
  const KernelInfo* kernel_ = nullptr;
  std::vector<Adds> adds_;                               ///< indexed by instruction
  std::int64_t block_ = -1;                              ///< the block under way; -1: none
  std::vector<std::int64_t> operators_, reads_, writes_; ///< the block's counts, indexed by thread
  std::string broken_; ///< the first law of a block that does not hold; empty: all do
};

} // namespace

void MmmCounter::launch_begins(std::int64_t launch, const LaunchShape& shape) {
  launch_ = {};
  launch_.blocks = shape.blocks;
  launch_number_ = launch;
  first_listed_ = listed_.size();
  kernel_ = nullptr;
  block_ = -1;
  const auto threads = static_cast<std::size_t>((shape.threads + machine_.width - 1) /
                                                machine_.width * machine_.width);
  for (auto* of_threads : {&operators_, &reads_, &writes_}) of_threads->assign(threads, 0);
}

void MmmCounter::take_kernel(const KernelInfo& kernel) {
  kernel_ = &kernel;
  adds_.assign(kernel.instructions.size(), {});
  for (std::size_t at = 0; at < adds_.size(); ++at)
    adds_[at].operation = kernel.instructions[at].counted;
  for (const SiteInfo& site : kernel.sites)
    if (site.global)
      (writes(site.kind) ? adds_[site.instruction].write : adds_[site.instruction].read) = true;
}

void MmmCounter::executed(const Execution& execution) {
  if (execution.kernel != kernel_) take_kernel(*execution.kernel);
  const Adds adds = adds_[execution.instruction];
  if (!adds.operation && !adds.read && !adds.write) return;
  if (execution.warp.block != block_) {
    end_block();
    if (execution.warp.block < block_ && broken_.empty())
      broken_ = fmt::format("block {} executes after block {}", execution.warp.block, block_);
    block_ = execution.warp.block;
  }
  const auto add = [&](std::vector<std::int64_t>& of_threads) {
    const std::size_t lanes = execution.active.size();
    std::int64_t* const first =
        of_threads.data() + static_cast<std::size_t>(execution.warp.warp) * lanes;
    for (std::size_t lane = 0; lane < lanes; ++lane) first[lane] += execution.active[lane];
  };
  if (adds.operation) add(operators_);
  if (adds.read) add(reads_);
  if (adds.write) add(writes_);
}

/// Inequalities (1) and (2) hold for each block, and the span is at most the work.
void MmmCounter::end_block() {
  if (block_ < 0) return;
  MmmBlock block;
  for (std::size_t thread = 0; thread < operators_.size(); ++thread) {
    const std::int64_t moved = reads_[thread] + writes_[thread];
    block.work += operators_[thread];
    block.span = std::max(block.span, operators_[thread]);
    block.reads = std::max(block.reads, reads_[thread]);
    block.writes = std::max(block.writes, writes_[thread]);
    block.transfers = std::max(block.transfers, moved);
    block.thread_time =
        std::max(block.thread_time, sum(operators_[thread], product(moved, machine_.transfer)));
  }
  const std::int64_t overhead = product(sum(block.reads, block.writes), machine_.transfer);
  if (product(block.transfers, machine_.transfer) > overhead && broken_.empty())
    broken_ = fmt::format("inequality (1) does not hold for block {}", block_);
  if (block.thread_time > sum(block.span, overhead) && broken_.empty())
    broken_ = fmt::format("inequality (2) does not hold for block {}", block_);
  launch_.add(block, machine_.transfer);
  list(block_, block);
  for (auto* of_threads : {&operators_, &reads_, &writes_})
    std::fill(of_threads->begin(), of_threads->end(), 0);
}

/// Blocks before it in the launch that are not listed have executed nothing.
void MmmCounter::list(std::int64_t block, const MmmBlock& counts) {
  while (listed_.size() < most_listed_blocks) {
    const auto next = static_cast<std::int64_t>(listed_.size() - first_listed_);
    if (next > block) return;
    BlockCounts& own = listed_.emplace_back();
    own.launch = launch_number_;
    own.block = next;
    if (next < block) continue;
    own.work = counts.work;
    own.span = counts.span;
    own.reads = counts.reads;
    own.writes = counts.writes;
    own.overhead = product(sum(counts.reads, counts.writes), machine_.transfer);
  }
}

/// Lists the launch's last blocks, if they executed nothing, and gives all of them their places.
void MmmCounter::list_rest(const LaunchTally& tally) {
  if (launch_.blocks > 0) list(launch_.blocks - 1, {});
  if (tally.stage != stage_) schedule_.begin_stage();
  stage_ = tally.stage;
  for (std::size_t k = first_listed_; k < listed_.size(); ++k) {
    BlockCounts& own = listed_[k];
    own.kernel = tally.kernel->name;
    const std::int64_t time = sum(own.span, own.overhead);
    const GreedySchedule::Place place = schedule_.add(time);
    own.start = place.start;
    own.multiprocessor = place.multiprocessor;
    own.end = sum(own.start, time);
  }
}

/// The tally has counted the work by itself.
void MmmCounter::check_work(const LaunchTally& tally) {
  std::int64_t work = 0;
  for (const Tally& of_mp : tally.multiprocessors)
    for (std::size_t at = 0; at < of_mp.executed.size(); ++at)
      if (tally.kernel->instructions[at].counted) work += of_mp.executed[at].threads;
  if (work != launch_.work && broken_.empty())
    broken_ = fmt::format("its blocks have work {}, the launch has {}", launch_.work, work);
}

void MmmCounter::set_launch(const LaunchTally& tally, ModelCounts& counts) {
  end_block();
  block_ = -1;
  for (const Tally& of_mp : tally.multiprocessors)
    for (const SiteInfo& site : tally.kernel->sites)
      if (!of_mp.executed.empty() && !site.global)
        launch_.local_accesses += of_mp.executed[site.instruction].threads;
  check_work(tally);
  list_rest(tally);
  run_.add(launch_, tally.stage);
  const auto kernel = kernels_.try_emplace(tally.kernel->name, machine_.processors).first;
  kernel->second.add(launch_, tally.stage);
  MmmSums alone(machine_.processors);
  alone.add(launch_, 0);
  counts.mmm = alone.counts();
}

namespace {

/// The first law that the counts of a run break; empty: none.
std::string broken_law(const MmmCounts& c) {
  const MmmBound bound = c.theorem1();
  const auto corollary = c.corollary1();
  // Times are whole numbers.
  if (c.time > bound.whole)
    return fmt::format("the time {} exceeds the bound {} of Theorem 1", c.time, bound.text());
  if (corollary && c.time > corollary->whole)
    return fmt::format("the time {} exceeds the bound {} of Corollary 1", c.time,
                       corollary->text());
  if (c.span > c.time) return fmt::format("the span {} exceeds the time {}", c.span, c.time);
  if (c.unbounded_time > c.time || c.time > c.sequential_time)
    return fmt::format("the time {} is not between {}, without bound of multiprocessors, and {}, "
                       "with one",
                       c.time, c.unbounded_time, c.sequential_time);
  if (c.processors && product(*c.processors, c.time) < c.sequential_time)
    return fmt::format("{} multiprocessors cannot run {} time units of blocks in {}", *c.processors,
                       c.sequential_time, c.time);
  return {};
}

/// Which of them is too large; empty: none.
std::string_view overflow_of(const MmmCounts& c) {
  const auto corollary = c.corollary1();
  return c.overhead == too_large                      ? "the overhead"
         : c.sequential_time == too_large             ? "the time with one multiprocessor"
         : c.theorem1().whole == too_large            ? "the bound of Theorem 1"
         : corollary && corollary->whole == too_large ? "the bound of Corollary 1"
                                                      : "";
}

} // namespace

/// A count that does not fit 64 bits, or one that breaks a theorem, as an error.
std::optional<Diagnostic> MmmCounter::problem() const {
  const MmmCounts counts = run_.counts();
  if (const std::string_view what = overflow_of(counts); !what.empty())
    return error_in("", fmt::format("{} of this run is 2^63 or more, too much to count", what),
                    {fmt::format("take a smaller problem, or a machine with a smaller transfer "
                                 "than {}",
                                 machine_.transfer)});
  const std::string law = broken_.empty() ? broken_law(counts) : broken_;
  if (law.empty()) return std::nullopt;
  return error_in("", "internal error: " + law, {"memlane has counted wrongly: please report it"});
}

void MmmCounter::finish(RunResult& result) const {
  const auto set = [](Counts& counts, const MmmCounts& mmm) {
    counts.mmm = mmm;
    counts.time = {mmm.time};
    counts.agpu.time.reset();
    counts.agpu.io.reset();
  };
  result.blocks = listed_;
  set(result.counts, run_.counts());
  for (auto& [name, counts] : result.kernels) {
    const auto kernel = kernels_.find(name);
    set(counts, kernel == kernels_.end() ? *counts.mmm : kernel->second.counts_of_kernel());
  }
  if (result.stop != Stop::none) return; // a part of a run
  if (auto problem_found = problem()) {
    result.stop = Stop::error;
    result.errors.push_back(std::move(*problem_found));
  }
}

std::unique_ptr<ModelCounter> mmm_counter(const MachineSpec& machine) {
  return std::make_unique<MmmCounter>(machine);
}

} // namespace memlane
