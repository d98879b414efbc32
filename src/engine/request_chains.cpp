#include "request_chains.hpp"

#include "saturate.hpp"

#include <algorithm>

namespace memlane::reference {

int useful_doublings(const MachineSpec& machine) {
  int doublings = 0;
  const auto consider = [&](const std::optional<UnitSpec>& unit, std::int64_t multiprocessors) {
    if (!unit) return;
    const std::int64_t needed = saturating_multiply(
        2 * machine.width, saturating_multiply(unit->latency.value, unit->ports));
    std::int64_t threads = saturating_multiply(machine.threads, multiprocessors);
    for (std::size_t k = 0; k < latency_doublings; ++k, threads = saturating_multiply(threads, 2))
      if (threads < needed) doublings = std::max(doublings, static_cast<int>(k) + 1);
  };
  consider(machine.shared, 1);
  consider(machine.global, machine.multiprocessors);
  return doublings;
}

RequestChains::RequestChains(std::int64_t warps, int doublings)
    : doublings_(static_cast<std::size_t>(doublings)), now_(place(warps)), most_(place(warps)),
      rounds_(place(warps)), all_(place(warps)), less_(doublings_, Numbers(place(warps))) {}

void RequestChains::spread() {
  if (every_ == 0) return;
  for (std::int64_t& requests : now_) requests += every_;
  every_ = 0;
}

void RequestChains::end_serial(std::int64_t first, std::int64_t last) {
  spread();
  for (auto w = place(first); w < place(last); ++w) {
    if (now_[w] == 0) continue;
    all_[w] += now_[w];
    for (Numbers& less : less_) less[w] += now_[w];
    now_[w] = 0;
  }
}

void RequestChains::end_round(std::int64_t first, std::int64_t last, std::int64_t round) {
  spread();
  for (auto w = place(first); w < place(last); ++w) {
    if (now_[w] == 0) continue;
    all_[w] += now_[w];
    most_[w] = std::max(most_[w], now_[w]);
    rounds_[w] = round + 1;
    now_[w] = 0;
  }
}

void RequestChains::end_forall(std::int64_t first, std::int64_t last) {
  for (auto w = place(first); w < place(last); ++w) {
    if (most_[w] == 0) continue;
    for (std::size_t k = 0; k < doublings_; ++k) {
      const std::int64_t rounds = ((rounds_[w] - 1) >> (k + 1)) + 1; // rounded up
      less_[k][w] = saturating_add(less_[k][w], saturating_multiply(most_[w], rounds));
    }
    most_[w] = rounds_[w] = 0;
  }
}

ByDoubling RequestChains::take(std::int64_t first, std::int64_t last) {
  ByDoubling longest{};
  for (auto w = place(first); w < place(last); ++w) {
    longest[0] = std::max(longest[0], all_[w]);
    for (std::size_t k = 0; k < doublings_; ++k) {
      longest[k + 1] = std::max(longest[k + 1], std::min(all_[w], less_[k][w]));
      less_[k][w] = 0;
    }
    all_[w] = 0;
  }
  for (std::size_t k = doublings_ + 1; k < longest.size(); ++k) longest[k] = longest[doublings_];
  return longest;
}

bool RequestChains::repeat(const RequestChains& before, std::int64_t rounds, std::int64_t times) {
  constexpr std::int64_t most = std::int64_t{1} << 61;
  bool fits = true;
  const auto add = [&](std::int64_t& to, std::int64_t once) {
    const std::int64_t more = saturating_multiply(once, times);
    fits = fits && more <= most && to <= most;
    if (fits) to += more;
  };
  const auto grow = [&](const Numbers& from, Numbers& to) {
    for (std::size_t w = 0; w < to.size(); ++w) add(to[w], to[w] - from[w]);
  };
  grow(before.now_, now_);
  add(every_, every_ - before.every_);
  grow(before.all_, all_);
  for (std::size_t k = 0; k < doublings_; ++k) grow(before.less_[k], less_[k]);
  for (std::size_t w = 0; w < rounds_.size(); ++w)
    if (rounds_[w] != before.rounds_[w]) add(rounds_[w], rounds);
  return fits;
}

} // namespace memlane::reference
