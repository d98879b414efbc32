#include "difference.hpp"

#include "memlane/count/simulate.hpp"

#include <algorithm>

namespace memlane::test {

namespace {

/// run(options, observer) is a run of an engine.
template <class Run>
std::optional<TalliedRun> tallied(const ir::Program& program, const MachineSpec& machine,
                                  RunOptions options, const Sources& sources, Run run) {
  TallyKeeper keeper;
  RunCounter counter(program, machine, sources, options, keeper);
  std::optional<RunOutcome> outcome = run(options, counter);
  if (!outcome) return std::nullopt;
  return TalliedRun{counter.result(std::move(*outcome)), std::move(keeper.launches),
                    std::move(keeper.kernels)};
}

} // namespace

TalliedRun tallied_reference(const ir::Program& program, const MachineSpec& machine,
                             RunOptions options, const Sources& sources) {
  return *tallied(program, machine, std::move(options), sources,
                  [&](const RunOptions& o, Observer& observer) -> std::optional<RunOutcome> {
                    return run_reference(program, machine, o, sources, observer);
                  });
}

std::optional<TalliedRun> tallied_fast(const ir::Program& program, const MachineSpec& machine,
                                       RunOptions options, const Sources& sources, int tile_lanes) {
  return tallied(program, machine, std::move(options), sources,
                 [&](const RunOptions& o, Observer& observer) {
                   return run_fast(program, machine, o, sources, observer, tile_lanes);
                 });
}

TalliedRun tallied_timing(const ir::Program& program, const MachineSpec& machine,
                          RunOptions options, const Sources& sources, int tile_lanes) {
  return *tallied(program, machine, std::move(options), sources,
                  [&](const RunOptions& o, Observer& observer) -> std::optional<RunOutcome> {
                    return run_timing(program, machine, o, sources, observer, tile_lanes);
                  });
}

void Difference::compare(const std::string& where, const UnitCounts& f, const UnitCounts& r) {
  const auto one = [&](const char* what, std::int64_t x, std::int64_t y) {
    compare(where + "." + what, x, y);
  };
  one("requests", f.requests, r.requests);
  one("stages", f.stages, r.stages);
  one("reads", f.reads, r.reads);
  one("writes", f.writes, r.writes);
  one("concurrent_writes", f.concurrent_writes, r.concurrent_writes);
  one("busy", f.busy, r.busy);
  one("idle_latency", f.idle_latency, r.idle_latency);
  one("idle_barrier", f.idle_barrier, r.idle_barrier);
  one("idle_drain", f.idle_drain, r.idle_drain);
  one("idle_empty", f.idle_empty, r.idle_empty);
  one("resident_warps", f.resident_warps, r.resident_warps);
  one("latency_bound", f.latency_bound, r.latency_bound);
  one("service_bound", f.service_bound, r.service_bound);
  one("flown", f.flown, r.flown);
  one("exposed", f.exposed, r.exposed);
  one("conflicts", f.conflicts(), r.conflicts());
  for (std::size_t k = 0; k < latency_doublings; ++k) {
    one("exposed_with_threads", f.exposed_with_threads[k], r.exposed_with_threads[k]);
    one("exposed_with_blocks", f.exposed_with_blocks[k], r.exposed_with_blocks[k]);
  }
  if (f.waits != r.waits) text_ += where + ".waits differ\n";
  if (f.waits_of_lines != r.waits_of_lines) text_ += where + ".waits_of_lines differ\n";
  if (f.congestion != r.congestion) text_ += where + ".congestion differs\n";
}

void Difference::compare(const std::string& where, const Counts& f, const Counts& r) {
  const auto one = [&](const char* what, std::int64_t x, std::int64_t y) {
    compare(where + "." + what, x, y);
  };
  one("time", f.time.value, r.time.value);
  one("launches", f.launches, r.launches);
  one("barriers", f.barriers, r.barriers);
  one("instructions", f.instructions, r.instructions);
  one("shared_words", f.shared_words, r.shared_words);
  one("shared units", static_cast<std::int64_t>(f.shared.size()),
      static_cast<std::int64_t>(r.shared.size()));
  for (std::size_t k = 0; k < std::min(f.shared.size(), r.shared.size()); ++k)
    compare(where + ".shared", f.shared[k], r.shared[k]);
  for (std::size_t k = 0; k < std::min(f.global.size(), r.global.size()); ++k)
    compare(where + ".global", f.global[k], r.global[k]);
  one("ports", static_cast<std::int64_t>(f.ports.size()),
      static_cast<std::int64_t>(r.ports.size()));
  for (std::size_t k = 0; k < std::min(f.ports.size(), r.ports.size()); ++k) {
    compare(where + ".port", static_cast<const UnitCounts&>(f.ports[k]),
            static_cast<const UnitCounts&>(r.ports[k]));
    one("lines of a port", f.ports[k].lines, r.ports[k].lines);
    one("groups of a port", f.ports[k].groups, r.ports[k].groups);
    one("reused groups", f.ports[k].groups_reused, r.ports[k].groups_reused);
    one("extra ones", f.ports[k].groups_reused_extra, r.ports[k].groups_reused_extra);
    one("lost stages of a port", f.ports[k].conflicts(), r.ports[k].conflicts());
  }
  if (f.operations != r.operations) text_ += where + ".operations differ\n";
  one("lines", static_cast<std::int64_t>(f.lines.size()),
      static_cast<std::int64_t>(r.lines.size()));
  for (const auto& [place, line] : r.lines) {
    const auto found = f.lines.find(place);
    const LineCounts mine = found == f.lines.end() ? LineCounts{} : found->second;
    one("requests of a line", mine.requests, line.requests);
    one("stages of a line", mine.stages, line.stages);
    one("worst of a line", mine.worst, line.worst);
    if (mine.operations != line.operations) text_ += where + ": operations of a line differ\n";
  }
}

void Difference::compare_counts(const RunResult& f, const RunResult& r) {
  compare("steps", f.steps, r.steps);
  compare("run", f.counts, r.counts);
  compare("kernels", f.kernels.size(), r.kernels.size());
  for (const auto& [kernel, counts] : r.kernels) {
    const auto found = f.kernels.find(kernel);
    compare("kernel " + kernel, found == f.kernels.end() ? Counts{} : found->second, counts);
  }
  compare("fns", f.fns.size(), r.fns.size());
  for (const auto& [fn, counts] : r.fns) {
    const auto found = f.fns.find(fn);
    const auto mine =
        found == f.fns.end() ? std::remove_cvref_t<decltype(counts)>{} : found->second;
    compare("calls of a fn", mine.calls, counts.calls);
    compare("steps of a fn", mine.steps, counts.steps);
  }
}

void Difference::compare(const std::string& where, const std::vector<RequestTally>& f,
                         const std::vector<RequestTally>& r) {
  for (std::size_t k = 0; k < std::max(f.size(), r.size()); ++k) {
    const RequestTally mine = k < f.size() ? f[k] : RequestTally{};
    const RequestTally theirs = k < r.size() ? r[k] : RequestTally{};
    const std::string site = where + ", requests of site " + std::to_string(k);
    compare(site, mine.requests(), theirs.requests());
    compare(site + ", concurrent writes", mine.concurrent_writes, theirs.concurrent_writes);
    compare(site + ", groups", mine.groups, theirs.groups);
    if (mine != theirs) text_ += site + " differ\n";
  }
}

void Difference::compare(const std::string& where, const LaunchTally& f, const LaunchTally& r) {
  compare(where + ", stage", f.stage, r.stage);
  compare(where + ", multiprocessors", f.multiprocessors.size(), r.multiprocessors.size());
  for (std::size_t mp = 0; mp < std::min(f.multiprocessors.size(), r.multiprocessors.size());
       ++mp) {
    const Tally &mine = f.multiprocessors[mp], &theirs = r.multiprocessors[mp];
    compare(where, mine.requests, theirs.requests);
    compare(where + ", instructions", mine.executed.size(), theirs.executed.size());
    for (std::size_t at = 0; at < std::min(mine.executed.size(), theirs.executed.size()); ++at) {
      const std::string instruction = where + ", instruction " + std::to_string(at);
      compare(instruction + " by warps", mine.executed[at].warps, theirs.executed[at].warps);
      compare(instruction + " by threads", mine.executed[at].threads, theirs.executed[at].threads);
    }
    if (mine.silent != theirs.silent) text_ += where + ": silent executions differ\n";
  }
  compare(where + ", dynamic", f.dynamic.size(), r.dynamic.size());
  for (std::size_t mp = 0; mp < std::min(f.dynamic.size(), r.dynamic.size()); ++mp)
    compare(where + ", dynamic", f.dynamic[mp], r.dynamic[mp]);
}

void Difference::compare_runs(const TalliedRun& f, const TalliedRun& r) {
  compare_counts(f.result, r.result);
  compare("launches", f.launches.size(), r.launches.size());
  for (std::size_t k = 0; k < std::min(f.launches.size(), r.launches.size()); ++k)
    compare("launch " + std::to_string(k), f.launches[k], r.launches[k]);
}

} // namespace memlane::test
