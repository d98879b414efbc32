#include "request_shape.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace memlane::ptx {

namespace {

constexpr int bank_count = 32;

/// Distinct numbers of the active lanes. Most warps access memory in rising order: then equal
/// numbers follow each other, and nothing has to be compared twice.
template <class F>
std::int64_t distinct(std::uint32_t mask, F number) {
  std::array<std::uint64_t, warp_lanes> numbers;
  std::size_t count = 0;
  bool rises = true;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const std::uint64_t next = number(std::countr_zero(left));
    if (count > 0 && numbers[count - 1] == next) continue;
    rises = rises && (count == 0 || numbers[count - 1] < next);
    numbers[count++] = next;
  }
  if (rises) return static_cast<std::int64_t>(count);
  const auto end = numbers.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(numbers.begin(), end);
  return std::unique(numbers.begin(), end) - numbers.begin();
}

/// The most distinct words of one bank among those of the lanes.
std::int64_t conflicts(const LaneAddresses& lanes, std::uint32_t mask, std::int64_t words) {
  std::array<std::uint64_t, static_cast<std::size_t>(warp_lanes) * 8> seen;
  std::array<std::int16_t, static_cast<std::size_t>(warp_lanes) * 8> before;
  std::array<std::int16_t, bank_count> last;
  std::array<std::int16_t, bank_count> counts{};
  last.fill(-1);
  std::int16_t count = 0;
  std::int64_t most = 0;
  std::uint64_t before_it = ~std::uint64_t{0};
  for (; mask != 0; mask &= mask - 1) {
    const std::uint64_t first = lanes.address[std::countr_zero(mask)] / word_bytes;
    if (first == std::exchange(before_it, first)) continue; // neighbours often read one word
    for (std::uint64_t word = first; word < first + static_cast<std::uint64_t>(words); ++word) {
      const std::size_t bank = word % bank_count;
      std::int16_t at = last[bank];
      while (at >= 0 && seen[static_cast<std::size_t>(at)] != word)
        at = before[static_cast<std::size_t>(at)];
      if (at >= 0) continue;
      seen[static_cast<std::size_t>(count)] = word;
      before[static_cast<std::size_t>(count)] = last[bank];
      last[bank] = count++;
      most = std::max<std::int64_t>(most, ++counts[bank]);
    }
  }
  return most;
}

} // namespace

std::int64_t stages_of(UnitKind kind, const LaneAddresses& lanes) {
  const std::int64_t words = words_of_lane(lanes.bytes);
  if (kind == UnitKind::unified) {
    // Aligned to its size, what a lane accesses is in one group.
    constexpr std::uint64_t group = word_bytes * static_cast<std::uint64_t>(warp_lanes);
    return distinct(lanes.mask, [&](int lane) { return lanes.address[lane] / group; });
  }
  // Lanes of several words form pieces of a warp.
  const int piece = std::max<int>(1, bank_count / static_cast<int>(words));
  if (piece == warp_lanes) return conflicts(lanes, lanes.mask, words);
  std::int64_t sum = 0;
  for (int first = 0; first < warp_lanes; first += piece) {
    const std::uint32_t part = ((std::uint32_t{1} << piece) - 1) << first & lanes.mask;
    sum += conflicts(lanes, part, words);
  }
  return sum;
}

std::int64_t sectors_of(const LaneAddresses& lanes) {
  const auto bytes = static_cast<std::uint64_t>(lanes.bytes);
  return distinct(lanes.mask, [&](int lane) { return lanes.address[lane] / sector_bytes; }) *
         static_cast<std::int64_t>((bytes + sector_bytes - 1) / sector_bytes);
}

std::int64_t shared_words_of(const LaneAddresses& lanes) {
  std::array<std::uint64_t, static_cast<std::size_t>(warp_lanes) * 8> words;
  std::size_t count = 0;
  bool rises = true;
  const auto of_lane = static_cast<std::uint64_t>(words_of_lane(lanes.bytes));
  for (std::uint32_t left = lanes.mask; left != 0; left &= left - 1) {
    const std::uint64_t first = lanes.address[std::countr_zero(left)] / word_bytes;
    for (std::uint64_t word = first; word < first + of_lane && count < words.size(); ++word) {
      rises = rises && (count == 0 || words[count - 1] < word);
      words[count++] = word;
    }
  }
  if (rises) return 0;
  const auto end = words.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(words.begin(), end);
  std::int64_t several = 0;
  for (std::size_t k = 1; k < count; ++k)
    if (words[k] == words[k - 1] && (k == 1 || words[k - 2] != words[k])) ++several;
  return several;
}

namespace {

/// Whether all lanes are active and each accesses what follows the lane before it.
bool follow_each_other(const LaneAddresses& lanes) {
  if (lanes.mask != all_lanes) return false;
  std::uint64_t wrong = 0;
  for (int lane = 0; lane < warp_lanes; ++lane)
    wrong |=
        lanes.address[lane] ^ (lanes.address[0] + static_cast<std::uint64_t>(lane * lanes.bytes));
  return wrong == 0;
}

/// Whether all lanes are active and access the same.
bool are_one(const LaneAddresses& lanes) {
  if (lanes.mask != all_lanes) return false;
  std::uint64_t wrong = 0;
  for (int lane = 1; lane < warp_lanes; ++lane) wrong |= lanes.address[lane] ^ lanes.address[0];
  return wrong == 0;
}

std::int64_t pieces(std::uint64_t first, std::uint64_t bytes, std::uint64_t piece) {
  return static_cast<std::int64_t>((first + bytes - 1) / piece - first / piece) + 1;
}

} // namespace

RequestCounts counts_of(UnitKind kind, const LaneAddresses& lanes, bool write) {
  const bool words = lanes.bytes >= static_cast<int>(word_bytes);
  if (words && follow_each_other(lanes)) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(lanes.bytes * warp_lanes);
    constexpr std::uint64_t group = word_bytes * static_cast<std::uint64_t>(warp_lanes);
    // Each piece of a warp has 32 words, in all banks.
    return {kind == UnitKind::unified ? pieces(lanes.address[0], bytes, group)
                                      : words_of_lane(lanes.bytes),
            pieces(lanes.address[0], bytes, sector_bytes), 0};
  }
  if (words && are_one(lanes))
    return {kind == UnitKind::unified ? 1 : words_of_lane(lanes.bytes),
            pieces(lanes.address[0], static_cast<std::uint64_t>(lanes.bytes), sector_bytes),
            write ? words_of_lane(lanes.bytes) : 0};
  return {stages_of(kind, lanes), lanes.space == Space::global ? sectors_of(lanes) : 0,
          write ? shared_words_of(lanes) : 0};
}

} // namespace memlane::ptx
