// Maps of layouts: linear ones over the bits of a number, and strides of its digits.
#include "memlane/support/layouts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace memlane {
namespace {

constexpr std::int64_t overflow = std::numeric_limits<std::int64_t>::max();

std::int64_t highest_bit(std::int64_t x) {
  std::int64_t bit = 1;
  while (x > 1) x >>= 1, bit <<= 1;
  return bit;
}

} // namespace

std::string problem_of(const BitMap& map) {
  if (map.columns.empty() || map.columns.size() > BitMap::most_bits)
    return fmt::format("it has {} words: give 1 to {}, of the elements 1, 2, 4, …",
                       map.columns.size(), BitMap::most_bits);
  for (std::size_t j = 0; j < map.columns.size(); ++j)
    if (map.columns[j] < 0 || map.columns[j] >= map.tile())
      return fmt::format(
          "element {} lies at word {}: {} given, so that a tile has the words 0 to {}",
          std::int64_t{1} << j, map.columns[j],
          map.columns.size() == 1 ? "1 word is" : fmt::format("{} words are", map.columns.size()),
          map.tile() - 1);
  // Gauss: of each sum of columns, which elements' sum it is.
  std::vector<std::pair<std::int64_t, std::int64_t>> reduced;
  for (std::size_t j = 0; j < map.columns.size(); ++j) {
    std::int64_t word = map.columns[j], elements = std::int64_t{1} << j;
    for (const auto& [other, of] : reduced)
      if ((word & highest_bit(other)) != 0) word ^= other, elements ^= of;
    if (word == 0) {
      const std::int64_t own = std::int64_t{1} << j, others = elements ^ own;
      return fmt::format("elements {} and {} lie at the same word {}", others, own, map.columns[j]);
    }
    reduced.emplace_back(word, elements);
  }
  return "";
}

std::vector<ShiftedBits> shifted_bits(const BitMap& map) {
  std::vector<ShiftedBits> terms;
  const auto count = static_cast<std::int64_t>(map.columns.size());
  for (std::int64_t shift = 1 - count; shift < count; ++shift) {
    std::int64_t mask = 0;
    for (std::int64_t to = std::max<std::int64_t>(0, -shift); to < std::min(count, count - shift);
         ++to)
      mask |= map.columns[static_cast<std::size_t>(to + shift)] & std::int64_t{1} << to;
    if (mask != 0) terms.push_back({shift, mask});
  }
  return terms;
}

std::int64_t StrideMap::period() const {
  std::int64_t elements = 1;
  for (std::size_t k = 0; k + 1 < digits.size(); ++k)
    if (__builtin_mul_overflow(elements, digits[k].size, &elements)) return overflow;
  return elements;
}

std::int64_t StrideMap::footprint() const {
  std::int64_t words = 1;
  for (const Digit& digit : digits) {
    std::int64_t reach = 0;
    if (digit.size == 0) return 0;
    if (__builtin_mul_overflow(digit.size - 1, digit.stride, &reach) ||
        __builtin_add_overflow(words, reach, &words))
      return overflow;
  }
  return words;
}

namespace {

/// Looks for digits' differences, not all zero, whose strides add up to nothing: from the largest
/// stride down, where the smaller ones can still make up for the sum.
class OverlapSearch {
public:
  explicit OverlapSearch(const StrideMap& map) {
    std::int64_t weight = 1;
    for (const StrideMap::Digit& digit : map.digits) {
      if (digit.size > 1) digits_.push_back({digit.size, digit.stride, weight});
      if (__builtin_mul_overflow(weight, digit.size, &weight)) weight = overflow;
    }
    std::sort(digits_.begin(), digits_.end(),
              [](const Digit& a, const Digit& b) { return a.stride > b.stride; });
    reach_.assign(digits_.size() + 1, 0);
    for (std::size_t k = digits_.size(); k-- > 0;)
      reach_[k] = reach_[k + 1] + (digits_[k].size - 1) * digits_[k].stride;
  }

  std::optional<Overlap> found() {
    if (!look(0, 0, true)) return std::nullopt;
    if (steps_ > most_steps) return Overlap{0, 0, true};
    return Overlap{std::max(first_, second_), std::min(first_, second_), false};
  }

private:
  struct Digit {
    std::int64_t size, stride, weight;
  };

  /// Whether differences from digit k on make `rest` nothing, or the steps have ended. While all
  /// before are zero, the first other one is positive.
  bool look(std::size_t k, std::int64_t rest, bool zero) {
    if (++steps_ > most_steps) return true;
    if (k == digits_.size()) return rest == 0 && !zero;
    const auto [size, stride, weight] = digits_[k];
    std::int64_t low = zero ? 0 : 1 - size, high = size - 1;
    if (stride > 0) { // -reach <= rest + d * stride <= reach
      const std::int64_t reach = reach_[k + 1];
      low = std::max(low, -floor_of(rest + reach, stride));
      high = std::min(high, floor_of(reach - rest, stride));
    }
    for (std::int64_t d = low; d <= high; ++d) {
      if (!look(k + 1, rest + d * stride, zero && d == 0)) continue;
      (d > 0 ? first_ : second_) += (d > 0 ? d : -d) * weight;
      return true;
    }
    return false;
  }
  static std::int64_t floor_of(std::int64_t a, std::int64_t b) {
    return a / b - (a % b < 0 ? 1 : 0);
  }

  static constexpr std::int64_t most_steps = std::int64_t{1} << 20;
  std::vector<Digit> digits_;
  std::vector<std::int64_t> reach_; ///< of the digits from k on, in words
  std::int64_t steps_ = 0, first_ = 0, second_ = 0;
};

} // namespace

std::optional<Overlap> overlap_of(const StrideMap& map) { return OverlapSearch(map).found(); }

} // namespace memlane
