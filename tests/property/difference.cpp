#include "difference.hpp"

#include <algorithm>

namespace memlane::test {

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
  one("exposed", f.exposed, r.exposed);
  for (std::size_t k = 0; k < latency_doublings; ++k) {
    one("exposed_with_threads", f.exposed_with_threads[k], r.exposed_with_threads[k]);
    one("exposed_with_blocks", f.exposed_with_blocks[k], r.exposed_with_blocks[k]);
  }
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
  one("lines", static_cast<std::int64_t>(f.lines.size()),
      static_cast<std::int64_t>(r.lines.size()));
  for (const auto& [place, line] : r.lines) {
    const auto found = f.lines.find(place);
    const LineCounts mine = found == f.lines.end() ? LineCounts{} : found->second;
    one("requests of a line", mine.requests, line.requests);
    one("stages of a line", mine.stages, line.stages);
    one("worst of a line", mine.worst, line.worst);
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

} // namespace memlane::test
