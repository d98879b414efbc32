#include "memlane/count/run_counter.hpp"

namespace memlane {

void RunCounter::forget_run() {
  kernels_.clear();
  listed_.clear();
  in_concurrent_ = false;
  fns_.assign(program_.fns.size(), {});
  if (machine_.model == Model::mmm) mmm_.emplace(machine_);
}

void RunCounter::run_begins() {
  forget_run();
  next_.run_begins();
}

RunCounter::RunCounter(const ir::Program& program, const MachineSpec& machine,
                       const Sources& sources, const RunOptions& options, Observer& next)
    : program_(program), machine_(machine), next_(next) {
  if (options.pram)
    pram_.emplace(machine, sources,
                  options.allow_races || program.allows_some_races() || options.timing_only,
                  options.limits.memory);
  if (options.bsp_multiprocessors > 0) bsp_.emplace(options.bsp_multiprocessors);
  forget_run();
}

void RunCounter::concurrent_begins(std::int64_t stage) {
  in_concurrent_ = true;
  next_.concurrent_begins(stage);
}

void RunCounter::concurrent_ends() {
  in_concurrent_ = false;
  next_.concurrent_ends();
}

void RunCounter::launch_begins(std::int64_t launch, const LaunchShape& shape,
                               std::string_view kernel) {
  blocks_ = shape.blocks;
  if (pram_) pram_->launch_begins(launch, *shape.kernel);
  if (bsp_) bsp_->launch_begins(*shape.kernel);
  if (mmm_) mmm_->launch_begins(launch, shape);
  next_.launch_begins(launch, shape, kernel);
}

void RunCounter::executed(const Execution& execution) {
  if (mmm_) mmm_->executed(execution);
  if (pram_) pram_->executed(execution);
  if (bsp_) bsp_->executed(execution);
  if (ExecutionObserver* const next = next_.executions()) next->executed(execution);
}

void RunCounter::accessed(const WarpAccess& access) {
  if (pram_) pram_->accessed(access);
  if (bsp_) bsp_->accessed(access);
  if (ExecutionObserver* const next = next_.executions()) next->accessed(access);
}

void RunCounter::launch_ends(std::int64_t launch, const LaunchTally& tally) {
  auto kernel = kernels_.find(tally.kernel);
  if (kernel == kernels_.end()) {
    kernel = kernels_.emplace(tally.kernel, LaunchSums(*tally.kernel, machine_)).first;
  }
  Counts warps; // what they report, of this launch
  if (pram_) warps.pram = pram_->launch_ends();
  if (bsp_) warps.bsp = bsp_->launch_ends();
  kernel->second.add(warps);
  const AgpuCounts agpu = kernel->second.add(tally);
  std::optional<MmmCounts> mmm;
  if (mmm_) mmm = mmm_->launch_ends(tally);
  const Cycles time = mmm ? Cycles{mmm->time} : time_on(machine_, tally.time, agpu);
  if (listed_.size() < most_listed_launches)
    listed_.push_back({tally.kernel->name, tally.stage, in_concurrent_, blocks_, tally.threads,
                       time, agpu, warps.pram, warps.bsp, mmm});
  count_calls(tally, kernel->second.kernel(), fns_);
  next_.launch_ends(launch, tally);
}

RunResult RunCounter::result(RunOutcome outcome) const {
  RunResult result{std::move(outcome), {}, listed_, {}, {}, {}, {}};
  if (machine_.shared && !mmm_)
    result.counts.shared.resize(static_cast<std::size_t>(machine_.multiprocessors));
  if (machine_.global && !mmm_) result.counts.global.resize(1);
  if (!is_timed(machine_.model)) forget_time(result.counts);
  if (pram_) result.counts.pram.emplace();
  if (bsp_) result.counts.bsp = bsp_->none();
  for (const std::int32_t kernel : program_.kernels) {
    Counts& counts = result.kernels[program_.functions[static_cast<std::size_t>(kernel)].name];
    counts.pram = result.counts.pram;
    counts.bsp = result.counts.bsp;
  }
  for (const auto& [kernel, launches] : kernels_) {
    const Counts counts = launches.counts();
    result.counts += counts;
    result.kernels[launches.kernel().name] += counts;
    if (!mmm_) launches.add_accesses(program_.arrays, result.accesses);
  }
  result.counts.agpu.global_words = result.global_words;
  for (auto& [name, counts] : result.kernels) counts.agpu.global_words = result.global_words;
  for (LaunchCounts& launch : result.launches) launch.agpu.global_words = result.global_words;
  for (std::size_t fn = 0; fn < program_.fns.size(); ++fn)
    result.fns[program_.fns[fn]] = fn < fns_.size() ? fns_[fn] : FnCounts{};
  if (mmm_) add_mmm(result);
  return result;
}

void RunCounter::add_mmm(RunResult& result) const {
  const auto add = [](Counts& counts, const MmmCounts& mmm) {
    counts.mmm = mmm;
    counts.time = {mmm.time};
    counts.agpu.time.reset();
    counts.agpu.io.reset();
  };
  result.blocks = mmm_->listed();
  add(result.counts, mmm_->of_run());
  for (auto& [name, counts] : result.kernels) add(counts, mmm_->of_kernel(name));
  if (result.stop != Stop::none) return; // a part of a run
  if (auto problem = mmm_->problem()) {
    result.stop = Stop::error;
    result.errors.push_back(std::move(*problem));
  }
}

} // namespace memlane
