#include "stage_counts.hpp"

#include "fullest_bank.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace memlane::fast {

namespace {

constexpr std::int64_t most_banks = 64; ///< banks that are counted one by one

/// A prefetch, by integers: a pointer may not leave its array.
[[gnu::always_inline]] inline void fetch(const unsigned char* data, std::int64_t offset) {
  const auto at = reinterpret_cast<std::uintptr_t>(data) + static_cast<std::uintptr_t>(offset);
  __builtin_prefetch(reinterpret_cast<const void*>(at));
}

} // namespace

Parts::Parts(std::int64_t words)
    : size(words), shift(std::has_single_bit(static_cast<std::uint64_t>(words))
                             ? std::countr_zero(static_cast<std::uint64_t>(words))
                             : -1) {}

Banks::Banks(UnitKind kind, std::int64_t width)
    : kind_(kind), rows_(width), load_(static_cast<std::size_t>(width)) {
  const std::uint64_t places = std::bit_ceil(static_cast<std::uint64_t>(width)) * 4;
  hash_shift_ = 64 - std::countr_zero(places);
  seen_.resize(places);
  if (kind_ == UnitKind::unified || rows_.shift < 0 || rows_.size > most_banks) return;
  banks_.resize(load_.size() * load_.size());
}

Banks::Seen& Banks::look_up(std::int64_t key) {
  std::uint64_t at = (static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15u) >> hash_shift_;
  for (;; at = (at + 1) & (seen_.size() - 1)) {
    Seen& place = seen_[at];
    if (place.round != round_) {
      place = {key, round_, 0, 0, 0};
      return place;
    }
    if (place.key == key) return place;
  }
}

void Banks::begin_round() {
  if (++round_ != 0) return;
  std::fill(seen_.begin(), seen_.end(), Seen{});
  round_ = 1;
}

std::int64_t Banks::distinct_groups(const std::int64_t* addresses, int count,
                                    std::int64_t* repeated) {
  begin_round();
  std::int64_t distinct = 0;
  Seen* place = nullptr;
  for (int i = 0; i < count; ++i) {
    const std::int64_t of = group(addresses[i]);
    if (!place || place->key != of) { // often neighbours have one
      place = &look_up(of);
      distinct += place->times == 0 ? 1 : 0;
      place->times = 1;
    }
    if (!repeated) continue;
    const std::uint64_t word = std::uint64_t{1} << bank(addresses[i]);
    *repeated += (place->once & word) != 0 && (place->twice & word) == 0 ? 1 : 0;
    place->twice |= place->once & word;
    place->once |= word;
  }
  return distinct;
}

namespace {

/// The digits of a pattern that move, the least step first, and none of them down.
struct Moving {
  std::array<Digit, most_folds + 1> digits;
  int count = 0;
  std::int64_t least = 0; ///< where the lowest lane is
  bool nested = true;     ///< each step is beyond all that smaller ones add up to

  Moving(const Pattern& pattern, std::int64_t width) {
    for (int d = 0; d <= pattern.folds; ++d) {
      Digit digit = pattern.digit_of(d, static_cast<int>(width));
      if (digit.step == 0) continue;
      if (digit.step < 0) {
        least += digit.step * (digit.count - 1);
        digit.step = -digit.step;
      }
      int at = count++;
      for (; at > 0 && digits[place(at - 1)].step > digit.step; --at)
        digits[place(at)] = digits[place(at - 1)];
      digits[place(at)] = digit;
    }
    std::int64_t span = 0;
    for (int d = 0; d < count; ++d) {
      const Digit& digit = digits[place(d)];
      nested = nested && digit.step > span;
      span += digit.step * (digit.count - 1);
    }
  }
  static std::size_t place(int d) { return static_cast<std::size_t>(d); }
};

} // namespace

std::int64_t Banks::of_folded(std::int64_t first, const Pattern& pattern) {
  const Moving moving(pattern, rows_.size);
  const auto& digits = moving.digits;
  first += moving.least;
  if (moving.count == 1) return of_steps(first, digits[0].step, digits[0].count);
  if (kind_ == UnitKind::discrete) return look_at(pattern).stages;
  if (!moving.nested) {
    addresses_.resize(static_cast<std::size_t>(rows_.size));
    for (int j = 0; j < rows_.size; ++j)
      addresses_[static_cast<std::size_t>(j)] = first - moving.least + pattern.offset(j);
    return of_any(addresses_.data(), static_cast<int>(rows_.size), nullptr);
  }
  // Run by run of the first digit, upwards: a run begins in the group where the last one ended, or
  // after it.
  const auto [step, count, lanes] = digits[0];
  std::array<std::int64_t, most_folds + 1> at{};
  for (std::int64_t groups = 0, last = -1;;) {
    const std::int64_t low = group(first), high = group(first + step * (count - 1));
    groups += (step >= rows_.size ? count : high - low + 1) - (low == last ? 1 : 0);
    last = high;
    std::size_t d = 1;
    for (; d < Moving::place(moving.count) && ++at[d] == digits[d].count; ++d) {
      first -= digits[d].step * (digits[d].count - 1);
      at[d] = 0;
    }
    if (d == Moving::place(moving.count)) return groups;
    first += digits[d].step;
  }
}

const Banks::Known& Banks::look_at(const Pattern& pattern) {
  constexpr int places = 64; // patterns of one kernel are few
  known_.resize(places);
  auto key = static_cast<std::uint64_t>(pattern.lane_step);
  for (int f = 0; f < pattern.folds; ++f) {
    const Fold& fold = pattern.fold[static_cast<std::size_t>(f)];
    key = key * 31 + static_cast<std::uint64_t>(fold.step) * 7 +
          static_cast<std::uint64_t>(fold.lanes);
  }
  Known& known = known_[(key * 0x9E3779B97F4A7C15u) >> 58];
  if (known.stages > 0 && known.pattern.same(pattern)) return known;
  const std::int64_t least = across(pattern, static_cast<int>(rows_.size)).least;
  addresses_.resize(static_cast<std::size_t>(rows_.size));
  for (int j = 0; j < rows_.size; ++j)
    addresses_[static_cast<std::size_t>(j)] = pattern.offset(j) - least;
  known.pattern.set(pattern);
  known.repeated = 0;
  known.stages = of_any(addresses_.data(), static_cast<int>(rows_.size), &known.repeated);
  return known;
}

bool Banks::all_distinct(std::uint64_t bank, int count) const {
  const std::int64_t* words = banks_.data() + (bank << rows_.shift);
  bool distinct = true;
  for (int x = 1; x < count; ++x)
    for (int y = 0; y < x; ++y) distinct &= words[x] != words[y];
  return distinct;
}

/// Of the banks' lanes: the most different words, and how many words several lanes name.
std::int64_t Banks::look_into(const std::uint8_t* fill, std::int64_t& repeated) const {
  std::int64_t most = 0;
  for (std::size_t bank = 0; bank < load_.size(); ++bank) {
    const int lanes = fill[bank];
    const std::int64_t* const words = banks_.data() + (bank << rows_.shift);
    std::int64_t distinct = lanes > 0 ? 1 : 0;
    if (std::all_of(words, words + lanes, [&](std::int64_t word) { return word == words[0]; })) {
      repeated += lanes > 1 ? 1 : 0;
    } else {
      for (int x = 1; x < lanes; ++x) {
        const auto before = std::count(words, words + x, words[x]);
        distinct += before == 0 ? 1 : 0;
        repeated += before == 1 ? 1 : 0;
      }
    }
    most = std::max(most, distinct);
  }
  return most;
}

template <class A>
std::int64_t Banks::fullest_bank(A address, int count, const Prefetch& prefetch,
                                 std::int64_t* repeated) {
  // Local copies stay in the processor's registers.
  const std::uint64_t mask = load_.size() - 1;
  std::array<std::uint8_t, most_banks> fill;
  std::int64_t* const banks = banks_.data();
  const int shift = rows_.shift;
  const auto [data, words, size] = prefetch;
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
  // Lanes of the fullest bank nearly always have different words; then no other bank matters.
  if (most == 1 || (!repeated && all_distinct(fullest, most))) return most;
  std::int64_t unused = 0;
  return look_into(fill.data(), repeated ? *repeated : unused);
}

/// Of a full warp of 32 lanes, where no two lanes of the bank with the most have the same word;
/// else 0.
std::int64_t Banks::of_32(std::int64_t base, const std::int32_t* words, int count,
                          const Prefetch& prefetch) {
  static const std::vector<FullestOf32> all = all_fullest_of_32();
  if (count != 32 || rows_.size != 32 || all.empty()) return 0;
  if (prefetch.data)
    for (int i = 0; i < count; ++i) fetch(prefetch.data, prefetch.words[i] * prefetch.size);
  const FullestBank fullest = all[0](static_cast<std::uint32_t>(base), words);
  std::array<std::int32_t, 32> own;
  std::size_t found = 0;
  for (std::uint32_t lanes = fullest.which; lanes != 0; lanes &= lanes - 1) {
    own[found] = words[std::countr_zero(lanes)];
    for (std::size_t k = 0; k < found; ++k)
      if (own[k] == own[found]) return 0;
    ++found;
  }
  return fullest.lanes;
}

std::int64_t Banks::of_words(std::int64_t base, const std::int32_t* words, int count,
                             const Prefetch& prefetch) {
  const auto address = [=](int i) { return base + words[i]; };
  if (kind_ == UnitKind::discrete && !banks_.empty()) {
    if (const std::int64_t stages = of_32(base, words, count, prefetch)) return stages;
    return fullest_bank(address, count, prefetch, nullptr);
  } else if (prefetch.data) {
    for (int i = 0; i < count; ++i) fetch(prefetch.data, prefetch.words[i] * prefetch.size);
  }
  addresses_.resize(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) addresses_[static_cast<std::size_t>(i)] = address(i);
  return of_any(addresses_.data(), count, nullptr);
}

std::int64_t Banks::of_addresses(const std::int64_t* addresses, int count, std::int64_t* repeated) {
  if (kind_ == UnitKind::discrete && !banks_.empty())
    return fullest_bank([=](int i) { return addresses[i]; }, count, {}, repeated);
  return of_any(addresses, count, repeated);
}

std::int64_t Banks::of_any(const std::int64_t* addresses, int count, std::int64_t* repeated) {
  const bool unified = kind_ == UnitKind::unified;
  if (unified && (!repeated || rows_.size <= 64))
    return distinct_groups(addresses, count, repeated);
  begin_round();
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
  return unified ? distinct_groups(addresses, count, nullptr) : most;
}

} // namespace memlane::fast
