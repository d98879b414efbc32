#include "launch_schedules.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

namespace memlane::sweep {
namespace {

/// When the last multiprocessor ends. O(blocks * log(multiprocessors)).
std::int64_t greedy_time(const std::vector<std::int64_t>& blocks, std::int64_t multiprocessors) {
  const auto count = std::min(static_cast<std::size_t>(multiprocessors), blocks.size());
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> free(
      {}, std::vector<std::int64_t>(count, 0));
  std::int64_t end = 0;
  for (const std::int64_t block : blocks) {
    const std::int64_t ended = free.top() + block;
    free.pop();
    free.push(ended);
    end = std::max(end, ended);
  }
  return end;
}

std::int64_t merged_time(const std::vector<std::int64_t>& blocks, std::int64_t multiprocessors) {
  std::vector<std::int64_t> times(static_cast<std::size_t>(multiprocessors), 0);
  for (std::size_t j = 0; j < blocks.size(); ++j) times[j % times.size()] += blocks[j];
  return *std::max_element(times.begin(), times.end());
}

} // namespace

void LaunchSchedules::run_begins() {
  sums_ = {};
  for (const std::int64_t count : merged_) sums_.merged[count] = 0;
}

void LaunchSchedules::launch_begins(std::int64_t, const LaunchShape& shape, std::string_view) {
  sums_.most_blocks = std::max(sums_.most_blocks, shape.blocks);
}

void LaunchSchedules::launch_ends(std::int64_t, const LaunchTally& tally) {
  std::vector<std::int64_t> blocks;
  for (const Tally& of_mp : tally.multiprocessors) {
    if (of_mp.executed.empty()) continue;
    count_statements(of_mp, *tally.kernel, statements_);
    blocks.resize(static_cast<std::size_t>(&of_mp - tally.multiprocessors.data()));
    blocks.push_back(sum_of_costs(statements_));
  }
  if (blocks.empty()) return;
  sums_.most_code = std::max(sums_.most_code, static_cast<std::int64_t>(tally.kernel->instructions.size()));
  sums_.work += std::accumulate(blocks.begin(), blocks.end(), std::int64_t{0});
  sums_.depth += *std::max_element(blocks.begin(), blocks.end());
  sums_.greedy += greedy_time(blocks, multiprocessors_);
  for (auto& [count, time] : sums_.merged) time += merged_time(blocks, count);
}

} // namespace memlane::sweep
