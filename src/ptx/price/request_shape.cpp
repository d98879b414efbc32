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

/// Calls f with the lanes of each piece of a warp: lanes of several words form pieces.
template <class F>
void for_pieces(const LaneAddresses& lanes, F f) {
  const int piece = std::max<int>(1, bank_count / static_cast<int>(words_of_lane(lanes.bytes)));
  if (piece == warp_lanes) return f(lanes.mask);
  for (int first = 0; first < warp_lanes; first += piece)
    f(((std::uint32_t{1} << piece) - 1) << first & lanes.mask);
}

} // namespace

std::int64_t stages_of(UnitKind kind, const LaneAddresses& lanes, std::int64_t group) {
  const std::int64_t words = words_of_lane(lanes.bytes);
  if (kind == UnitKind::unified) {
    // Aligned to its size, what a lane accesses is in one group, or in as many as fit into it.
    const auto bytes = static_cast<std::uint64_t>(std::max(group, words)) * word_bytes;
    return std::max<std::int64_t>(1, words / group) *
           distinct(lanes.mask, [&](int lane) { return lanes.address[lane] / bytes; });
  }
  std::int64_t sum = 0;
  for_pieces(lanes, [&](std::uint32_t part) { sum += conflicts(lanes, part, words); });
  return sum;
}

std::int64_t sectors_of(const LaneAddresses& lanes) {
  const auto bytes = static_cast<std::uint64_t>(lanes.bytes);
  return distinct(lanes.mask, [&](int lane) { return lanes.address[lane] / sector_bytes; }) *
         static_cast<std::int64_t>((bytes + sector_bytes - 1) / sector_bytes);
}

namespace {

/// The words of the lanes, those of a lane after those of the lane before.
struct WordsOfLanes {
  std::array<std::uint64_t, static_cast<std::size_t>(warp_lanes) * 8> words;
  std::size_t count = 0;
  bool rises = true; ///< they do, without equal ones

  explicit WordsOfLanes(const LaneAddresses& lanes) {
    const auto of_lane = static_cast<std::uint64_t>(words_of_lane(lanes.bytes));
    for (std::uint32_t left = lanes.mask; left != 0; left &= left - 1) {
      const std::uint64_t first = lanes.address[std::countr_zero(left)] / word_bytes;
      for (std::uint64_t word = first; word < first + of_lane && count < words.size(); ++word) {
        rises = rises && (count == 0 || words[count - 1] < word);
        words[count++] = word;
      }
    }
    if (!rises) std::sort(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
  }

  std::int64_t distinct() const {
    std::int64_t distinct = 0;
    for (std::size_t k = 0; k < count; ++k) distinct += k == 0 || words[k] != words[k - 1] ? 1 : 0;
    return distinct;
  }
};

} // namespace

std::int64_t shared_words_of(const LaneAddresses& lanes) {
  const WordsOfLanes of(lanes);
  std::int64_t several = 0;
  if (of.rises) return several;
  for (std::size_t k = 1; k < of.count; ++k)
    if (of.words[k] == of.words[k - 1] && (k == 1 || of.words[k - 2] != of.words[k])) ++several;
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

RequestCounts counts_of(UnitKind kind, const LaneAddresses& lanes, bool write, std::int64_t group) {
  const bool unified = kind == UnitKind::unified;
  const std::int64_t of_stage = unified ? group : words_of_stage;
  const std::int64_t of_lane = words_of_lane(lanes.bytes);
  const bool words = lanes.bytes >= static_cast<int>(word_bytes);
  const auto group_bytes = static_cast<std::uint64_t>(group) * word_bytes;
  if (words && follow_each_other(lanes)) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(lanes.bytes * warp_lanes);
    // Each piece of a warp has 32 words, in all banks.
    return {unified ? pieces(lanes.address[0], bytes, group_bytes) : of_lane,
            pieces(lanes.address[0], bytes, sector_bytes), 0,
            needed_stages(of_lane * warp_lanes, of_stage)};
  }
  if (words && are_one(lanes)) {
    const auto bytes = static_cast<std::uint64_t>(lanes.bytes);
    return {unified ? pieces(lanes.address[0], bytes, group_bytes) : of_lane,
            pieces(lanes.address[0], bytes, sector_bytes), write ? of_lane : 0,
            needed_stages(of_lane, of_stage)};
  }
  const bool several_stages = std::popcount(lanes.mask) * of_lane > of_stage;
  return {stages_of(kind, lanes, group), lanes.space == Space::global ? sectors_of(lanes) : 0,
          write ? shared_words_of(lanes) : 0,
          several_stages ? needed_stages(WordsOfLanes(lanes).distinct(), of_stage) : 1};
}

std::int64_t unmerged_stages_of(const LaneAddresses& lanes) {
  const auto words = static_cast<std::uint64_t>(words_of_lane(lanes.bytes));
  std::int64_t sum = 0;
  for_pieces(lanes, [&](std::uint32_t part) {
    std::array<std::int64_t, bank_count> counts{};
    std::int64_t most = 0;
    for (; part != 0; part &= part - 1) {
      const std::uint64_t first = lanes.address[std::countr_zero(part)] / word_bytes;
      for (std::uint64_t word = first; word < first + words; ++word)
        most = std::max(most, ++counts[word % bank_count]);
    }
    sum += most;
  });
  return sum;
}

void find_atomic_groups(const LaneAddresses& lanes, std::uint64_t origin, std::int64_t group,
                        std::vector<AtomicGroup>& groups) {
  groups.clear();
  std::array<std::int64_t, warp_lanes> elements; // by their first words
  std::size_t count = 0;
  for (std::uint32_t left = lanes.mask; left != 0; left &= left - 1)
    elements[count++] =
        static_cast<std::int64_t>((lanes.address[std::countr_zero(left)] - origin) / word_bytes);
  const auto end = elements.begin() + static_cast<std::ptrdiff_t>(count);
  if (!std::is_sorted(elements.begin(), end)) std::sort(elements.begin(), end);
  const std::int64_t words = words_of_lane(lanes.bytes);
  for (std::size_t k = 0, next = 0; k < count; k = next) {
    while (next < count && elements[next] == elements[k]) ++next;
    const auto on_it = static_cast<std::int64_t>(next - k);
    for (std::int64_t at = elements[k] / group; at <= (elements[k] + words - 1) / group; ++at) {
      if (groups.empty() || groups.back().group < at) groups.push_back({at, 0});
      groups.back().lanes = std::max(groups.back().lanes, on_it);
    }
  }
}

} // namespace memlane::ptx
