#include "memlane/count/run_counter.hpp"

namespace memlane {

Counts counts_of(const LaunchTally& tally, std::int64_t launches, const CodeFacts& facts) {
  Counts counts;
  counts.time = tally.time;
  counts.launches = launches;
  counts.barriers = tally.barriers;
  counts.instructions = count_operators(tally, facts);
  counts.shared_words = tally.shared_words;
  count_units(tally, facts, counts);
  count_lines(tally, facts, counts);
  return counts;
}

void RunCounter::run_begins() {
  kernels_.clear();
  fns_.assign(program_.fns.size(), {});
  next_.run_begins();
}

void RunCounter::launch_ends(std::int64_t launch, const LaunchTally& tally) {
  const auto [kernel, first] = kernels_.try_emplace(tally.kernel);
  Launches& launches = kernel->second;
  if (first) launches.facts = facts_of(program_, *tally.kernel, machine_, sources_);
  launches.count += 1;
  launches.sum += tally;
  count_calls(tally, launches.facts, fns_);
  next_.launch_ends(launch, tally);
}

RunResult RunCounter::result(RunOutcome outcome) const {
  RunResult result{std::move(outcome), {}, {}, {}};
  if (machine_.shared)
    result.counts.shared.resize(static_cast<std::size_t>(machine_.multiprocessors));
  if (machine_.global) result.counts.global.resize(1);
  for (const std::int32_t kernel : program_.kernels)
    result.kernels[program_.functions[static_cast<std::size_t>(kernel)].name];
  for (const auto& [kernel, launches] : kernels_) {
    const Counts counts = counts_of(launches.sum, launches.count, launches.facts);
    result.counts += counts;
    result.kernels[kernel->name] += counts;
  }
  for (std::size_t fn = 0; fn < program_.fns.size(); ++fn)
    result.fns[program_.fns[fn]] = fn < fns_.size() ? fns_[fn] : FnCounts{};
  return result;
}

} // namespace memlane
