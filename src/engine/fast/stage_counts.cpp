#include "stage_counts.hpp"

#include <algorithm>

namespace memlane::fast {

Banks::Banks(UnitKind kind, std::int64_t width)
    : kind_(kind), width_(width), shift_(std::has_single_bit(static_cast<std::uint64_t>(width))
                                             ? std::countr_zero(static_cast<std::uint64_t>(width))
                                             : -1),
      load_(static_cast<std::size_t>(width)) {
  const std::uint64_t places = std::bit_ceil(static_cast<std::uint64_t>(width)) * 4;
  hash_shift_ = 64 - std::countr_zero(places);
  seen_.resize(places);
  if (kind_ == UnitKind::unified || shift_ < 0 || width_ > 64) return;
  fill_.resize(load_.size());
  banks_.resize(load_.size() * load_.size());
}

Banks::Seen& Banks::look_up(std::int64_t key) {
  std::uint64_t at = (static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15u) >> hash_shift_;
  for (;; at = (at + 1) & (seen_.size() - 1)) {
    Seen& place = seen_[at];
    if (place.round != round_) {
      place = {key, round_, 0};
      return place;
    }
    if (place.key == key) return place;
  }
}

std::int64_t Banks::distinct_groups(const std::int64_t* addresses, int count) {
  ++round_;
  std::int64_t distinct = 0;
  for (int i = 0; i < count; ++i) {
    Seen& place = look_up(group(addresses[i]));
    distinct += place.times == 0 ? 1 : 0;
    place.times = 1;
  }
  return distinct;
}

// Addresses of a full bank are nearly always different from each other; then no other bank matters.
std::int64_t Banks::fullest_bank(const std::int64_t* addresses, int count) {
  std::fill(fill_.begin(), fill_.end(), std::uint8_t{0});
  const auto mask = static_cast<std::uint64_t>(width_ - 1);
  for (int i = 0; i < count; ++i) {
    const std::uint64_t at = static_cast<std::uint64_t>(addresses[i]) & mask;
    banks_[(at << shift_) + fill_[at]++] = addresses[i];
  }
  std::uint8_t most = 0;
  for (const std::uint8_t number : fill_) most = std::max(most, number);
  if (most == 1) return 1;
  for (std::size_t at = 0; at < fill_.size(); ++at) {
    if (fill_[at] != most) continue;
    const std::int64_t* bank = banks_.data() + (at << shift_);
    bool distinct = true;
    for (int x = 1; x < most; ++x)
      for (int y = 0; y < x; ++y) distinct &= bank[x] != bank[y];
    if (distinct) return most;
  }
  return 0;
}

std::int64_t Banks::of_addresses(const std::int64_t* addresses, int count, std::int64_t* repeated) {
  if (round_ > UINT32_MAX - 4) {
    std::fill(seen_.begin(), seen_.end(), Seen{});
    round_ = 0;
  }
  const bool unified = kind_ == UnitKind::unified;
  if (!unified && !repeated && !banks_.empty())
    if (const std::int64_t stages = fullest_bank(addresses, count)) return stages;
  if (unified && !repeated) return distinct_groups(addresses, count);
  ++round_;
  if (!unified) std::fill(load_.begin(), load_.end(), 0);
  std::uint32_t most = 0;
  for (int i = 0; i < count; ++i) {
    Seen& place = look_up(addresses[i]);
    if (place.times == 1 && repeated) ++*repeated;
    if (place.times == 0 && !unified) {
      std::uint32_t& load = load_[static_cast<std::size_t>(bank(addresses[i]))];
      most = std::max(most, ++load);
    }
    ++place.times;
  }
  return unified ? distinct_groups(addresses, count) : most;
}

} // namespace memlane::fast
