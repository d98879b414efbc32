#include "stage_counts.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace memlane::fast {

namespace {

constexpr std::int64_t most_banks = 64; ///< that are counted one by one

/// A wish. Not by pointers, which may not leave their array.
[[gnu::always_inline]] inline void fetch(const unsigned char* data, std::int64_t offset) {
  const auto at = reinterpret_cast<std::uintptr_t>(data) + static_cast<std::uintptr_t>(offset);
  __builtin_prefetch(reinterpret_cast<const void*>(at));
}

} // namespace

Banks::Banks(UnitKind kind, std::int64_t width)
    : kind_(kind), width_(width), shift_(std::has_single_bit(static_cast<std::uint64_t>(width))
                                             ? std::countr_zero(static_cast<std::uint64_t>(width))
                                             : -1),
      load_(static_cast<std::size_t>(width)) {
  const std::uint64_t places = std::bit_ceil(static_cast<std::uint64_t>(width)) * 4;
  hash_shift_ = 64 - std::countr_zero(places);
  seen_.resize(places);
  if (kind_ == UnitKind::unified || shift_ < 0 || width_ > most_banks) return;
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

bool Banks::all_distinct(std::uint64_t bank, int count) const {
  const std::int64_t* words = banks_.data() + (bank << shift_);
  bool distinct = true;
  for (int x = 1; x < count; ++x)
    for (int y = 0; y < x; ++y) distinct &= words[x] != words[y];
  return distinct;
}

template <class A>
std::int64_t Banks::fullest_bank(A address, int count, const Meanwhile& meanwhile) {
  // What is known to be this function's own stays in the processor's registers.
  const std::uint64_t mask = load_.size() - 1;
  std::array<std::uint8_t, most_banks> fill;
  std::int64_t* const banks = banks_.data();
  const int shift = shift_;
  const auto [data, words, size] = meanwhile;
  int most = 0;
  std::uint64_t fullest = 0;
  std::memset(fill.data(), 0, load_.size());
  for (int i = 0; i < count; ++i) {
    if (data) fetch(data, words[i] * size);
    const std::int64_t word = address(i);
    const std::uint64_t bank = static_cast<std::uint64_t>(word) & mask;
    const std::uint8_t before = fill[bank];
    banks[(bank << shift) + before] = word;
    fill[bank] = static_cast<std::uint8_t>(before + 1);
    fullest = before >= most ? bank : fullest;
    most = before >= most ? before + 1 : most;
  }
  if (all_distinct(fullest, most)) return most;
  for (std::uint64_t bank = 0; bank <= mask; ++bank)
    if (fill[bank] == most && all_distinct(bank, most)) return most;
  return 0;
}

std::int64_t Banks::of_words(std::int64_t base, const std::int32_t* words, int count,
                             const Meanwhile& meanwhile) {
  const auto address = [=](int i) { return base + words[i]; };
  if (kind_ == UnitKind::discrete && !banks_.empty()) {
    if (const std::int64_t stages = fullest_bank(address, count, meanwhile)) return stages;
  } else if (meanwhile.data) {
    for (int i = 0; i < count; ++i) fetch(meanwhile.data, meanwhile.words[i] * meanwhile.size);
  }
  addresses_.resize(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) addresses_[static_cast<std::size_t>(i)] = address(i);
  return of_any(addresses_.data(), count, nullptr);
}

std::int64_t Banks::of_addresses(const std::int64_t* addresses, int count, std::int64_t* repeated) {
  if (kind_ == UnitKind::discrete && !repeated && !banks_.empty()) {
    const auto address = [=](int i) { return addresses[i]; };
    if (const std::int64_t stages = fullest_bank(address, count, {})) return stages;
  }
  return of_any(addresses, count, repeated);
}

std::int64_t Banks::of_any(const std::int64_t* addresses, int count, std::int64_t* repeated) {
  if (round_ > UINT32_MAX - 4) {
    std::fill(seen_.begin(), seen_.end(), Seen{});
    round_ = 0;
  }
  const bool unified = kind_ == UnitKind::unified;
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
