#include "request_shape.hpp"

#include "exec/vectors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

namespace memlane::ptx {

RequestLanes::RequestLanes(const LaneAddresses& lanes) : lanes_(lanes) {
  find_active();
  const FindNeighbours find = best_handlers().find_neighbours;
  words_ = find(addresses_, 2, static_cast<std::uint64_t>(words_of_lane(lanes.bytes)));
  if (lanes.bytes < static_cast<int>(word_bytes))
    units_ = find(addresses_, 0, static_cast<std::uint64_t>(lanes.bytes));
}

RequestLanes::RequestLanes(const LaneAddresses& lanes, const KnownRequest& known)
    : lanes_(lanes), words_(known.words), units_(known.units) {
  find_active();
}

bool KnownRequest::is_like(const LaneAddresses& other) const {
  static const AreMoved are_moved = best_handlers().are_moved;
  return lanes.mask == other.mask && lanes.bytes == other.bytes && lanes.space == other.space &&
         are_moved(other.address, lanes.address, period);
}

void RequestLanes::find_active() {
  const LaneAddresses& lanes = lanes_;
  const std::uint32_t mask = lanes.mask;
  first_ = std::countr_zero(mask);
  if (mask == all_lanes) {
    count_ = warp_lanes;
    addresses_ = lanes.address;
  } else {
    std::fill(std::begin(kept_), std::end(kept_), lanes.address[first_]);
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      numbers_[count_] = static_cast<std::uint8_t>(lane);
      kept_[count_++] = lanes.address[lane];
    }
    is_dense_ = lane(0) + count_ == numbers_[count_ - 1] + 1;
    addresses_ = kept_;
  }
  valid_ = static_cast<std::uint32_t>((std::uint64_t{1} << count_) - 1) & ~std::uint32_t{1};
}

namespace {

constexpr int bank_count = 32;

/// Distinct numbers of the lanes.
template <class F>
std::int64_t distinct(const RequestLanes& lanes, F number) {
  std::array<std::uint64_t, warp_lanes> numbers;
  for (int k = 0; k < lanes.count(); ++k)
    numbers[static_cast<std::size_t>(k)] = number(lanes.address(k));
  const auto end = numbers.begin() + lanes.count();
  std::sort(numbers.begin(), end);
  return std::unique(numbers.begin(), end) - numbers.begin();
}

/// Distinct pieces of `bytes` bytes in which lanes access something; `changes`: the bits of lanes
/// that are in another one than the lane before.
std::int64_t pieces(const RequestLanes& lanes, std::uint32_t changes, std::uint64_t bytes) {
  if (lanes.all(lanes.words().rising)) return std::popcount(changes & lanes.valid()) + 1;
  return distinct(lanes, [bytes](std::uint64_t address) { return address / bytes; });
}

/// The most distinct words of one bank among those of the lanes from `first` to `last`.
std::int64_t conflicts(const RequestLanes& lanes, int first, int last, std::int64_t words) {
  std::array<std::uint64_t, static_cast<std::size_t>(warp_lanes) * 8> seen;
  std::array<std::int16_t, static_cast<std::size_t>(warp_lanes) * 8> before;
  std::array<std::int16_t, bank_count> last_of;
  std::array<std::int16_t, bank_count> counts{};
  last_of.fill(-1);
  std::int16_t count = 0;
  std::int64_t most = 0;
  for (int k = first; k < last; ++k) {
    if (k > first && (lanes.words().same >> k & 1) != 0) continue;
    const std::uint64_t begin = lanes.address(k) / word_bytes;
    for (std::uint64_t word = begin; word < begin + static_cast<std::uint64_t>(words); ++word) {
      const std::size_t bank = word % bank_count;
      std::int16_t at = last_of[bank];
      while (at >= 0 && seen[static_cast<std::size_t>(at)] != word)
        at = before[static_cast<std::size_t>(at)];
      if (at >= 0) continue;
      seen[static_cast<std::size_t>(count)] = word;
      before[static_cast<std::size_t>(count)] = last_of[bank];
      last_of[bank] = count++;
      most = std::max<std::int64_t>(most, ++counts[bank]);
    }
  }
  return most;
}

/// Of two ranges of words, each in order and of at most 32 together.
std::int64_t conflicts_of_two(std::uint64_t a, std::uint64_t a_end, std::uint64_t b,
                              std::uint64_t b_end) {
  if (a <= b_end && b <= a_end) return 1; // they are one range
  const std::uint64_t behind = (b - a) % bank_count;
  return behind >= a_end - a && behind + (b_end - b) <= bank_count ? 1 : 2;
}

/// Of lanes with one word each.
std::int64_t conflicts_of_words(const RequestLanes& lanes) {
  const Neighbours& words = lanes.words();
  const auto word = [&](int k) { return lanes.address(k) / word_bytes; };
  const std::uint32_t breaks = ~(words.same | words.next) & lanes.valid();
  if (breaks == 0) return 1;
  const int count = lanes.count();
  if (lanes.all(words.even, 2)) {
    // At equal distances, as many lanes as the distance's multiples have banks meet none.
    const std::uint64_t banks = bank_count / std::gcd<std::uint64_t>(word(1) - word(0), bank_count);
    return (count + static_cast<std::int64_t>(banks) - 1) / static_cast<std::int64_t>(banks);
  }
  if ((breaks & (breaks - 1)) == 0) {
    const int second = std::countr_zero(breaks);
    return conflicts_of_two(word(0), word(second - 1) + 1, word(second), word(count - 1) + 1);
  }
  return conflicts(lanes, 0, count, 1);
}

/// Stages of a discrete unit.
std::int64_t discrete_stages(const RequestLanes& lanes, std::int64_t words) {
  // Lanes of several words form pieces of a warp.
  const int piece = std::max<int>(1, bank_count / static_cast<int>(words));
  if (piece == warp_lanes) return conflicts_of_words(lanes);
  const std::uint32_t breaks = ~(lanes.words().same | lanes.words().next) & lanes.valid();
  std::int64_t sum = 0;
  for (int first = 0; first < lanes.count();) {
    const int end = lanes.lane(first) / piece * piece + piece;
    int last = lanes.is_dense() ? std::min(lanes.count(), end - lanes.lane(0)) : first + 1;
    while (last < lanes.count() && lanes.lane(last) < end) ++last;
    const std::uint64_t inner =
        ((std::uint64_t{1} << last) - 1) & ~((std::uint64_t{2} << first) - 1);
    sum += (breaks & inner) == 0 ? 1 : conflicts(lanes, first, last, words);
    first = last;
  }
  return sum;
}

/// Calls f with the lanes of each piece of a warp: lanes of several words form pieces.
template <class F>
void for_pieces(const LaneAddresses& lanes, F f) {
  const int piece = std::max<int>(1, bank_count / static_cast<int>(words_of_lane(lanes.bytes)));
  if (piece == warp_lanes) return f(lanes.mask);
  for (int first = 0; first < warp_lanes; first += piece)
    f(((std::uint32_t{1} << piece) - 1) << first & lanes.mask);
}

std::int64_t sectors_of(const RequestLanes& lanes) {
  const auto bytes = static_cast<std::uint64_t>(lanes.lanes().bytes);
  return pieces(lanes, lanes.words().sector, sector_bytes) *
         static_cast<std::int64_t>((bytes + sector_bytes - 1) / sector_bytes);
}

/// Words that lanes access: distinct ones, and those that two lanes or more access.
struct WordCounts {
  std::int64_t distinct = 0, several = 0;
};
WordCounts words_of(const RequestLanes& lanes) {
  const Neighbours& neighbours = lanes.words();
  const std::int64_t of_lane = words_of_lane(lanes.lanes().bytes);
  const std::uint32_t same = neighbours.same & lanes.valid();
  if (lanes.all(neighbours.same | neighbours.apart))
    return {(lanes.count() - std::popcount(same)) * of_lane,
            std::popcount(same & ~(same << 1)) * of_lane};
  std::array<std::uint64_t, static_cast<std::size_t>(warp_lanes) * 8> words;
  std::size_t count = 0;
  for (int k = 0; k < lanes.count(); ++k)
    for (std::uint64_t word = 0; word < static_cast<std::uint64_t>(of_lane) && count < words.size();
         ++word)
      words[count++] = lanes.address(k) / word_bytes + word;
  std::sort(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
  WordCounts counts;
  for (std::size_t k = 0; k < count; ++k) {
    const bool first = k == 0 || words[k] != words[k - 1];
    const bool repeated = k + 1 < count && words[k + 1] == words[k];
    counts.distinct += first ? 1 : 0;
    counts.several += first && repeated ? 1 : 0;
  }
  return counts;
}

} // namespace

std::int64_t stages_of(UnitKind kind, const RequestLanes& lanes, std::int64_t group) {
  const std::int64_t words = words_of_lane(lanes.lanes().bytes);
  if (kind == UnitKind::discrete) return discrete_stages(lanes, words);
  // Aligned to its size, what a lane accesses is in one group, or in as many as fit into it.
  const auto bytes = static_cast<std::uint64_t>(std::max(group, words)) * word_bytes;
  if (group == words_of_stage) return pieces(lanes, lanes.words().group, bytes);
  return std::max<std::int64_t>(1, words / group) *
         distinct(lanes, [bytes](std::uint64_t address) { return address / bytes; });
}

RequestCounts counts_of(UnitKind kind, const RequestLanes& lanes, bool write, std::int64_t group) {
  const std::int64_t of_stage = kind == UnitKind::unified ? group : words_of_stage;
  // What fits into one stage needs no more, whichever words it is.
  const bool may_need_more = lanes.count() * words_of_lane(lanes.lanes().bytes) > of_stage;
  const WordCounts words = write || may_need_more ? words_of(lanes) : WordCounts{};
  return {stages_of(kind, lanes, group),
          lanes.lanes().space == Space::global ? sectors_of(lanes) : 0, write ? words.several : 0,
          may_need_more ? needed_stages(words.distinct, of_stage) : 1};
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

void find_groups(const LaneAddresses& lanes, std::uint64_t origin, std::int64_t group,
                 AccessKind kind, std::vector<AtomicGroup>& groups) {
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
    const std::int64_t on_it = kind == AccessKind::atomic ? static_cast<std::int64_t>(next - k) : 1;
    for (std::int64_t at = elements[k] / group; at <= (elements[k] + words - 1) / group; ++at) {
      if (groups.empty() || groups.back().group < at) groups.push_back({at, 0});
      groups.back().lanes = std::max(groups.back().lanes, on_it);
    }
  }
}

namespace {

const UnitSpec& unit_of(const MachineSpec& machine, const SiteInfo& site) {
  return site.unit == UnitId::shared ? *machine.shared : *machine.global;
}

} // namespace

bool is_served_by_groups(const MachineSpec& machine, const SiteInfo& site) {
  return site.kind == AccessKind::atomic && unit_of(machine, site).kind == UnitKind::unified;
}

PortTally port_of(const MachineSpec& machine, const RequestLanes& lanes) {
  const std::int64_t line = machine.line_words();
  PortTally port;
  port.lines = stages_of(UnitKind::unified, lanes, line);
  port.stages = std::max(machine.global->least_stages, port.lines);
  const bool one = lanes.count() * words_of_lane(lanes.lanes().bytes) <= line;
  port.needed = std::max(machine.global->least_stages,
                         one ? 1 : needed_stages(words_of(lanes).distinct, line));
  return port;
}

RequestCounts counts_on(const MachineSpec& machine, const SiteInfo& site,
                        const RequestLanes& lanes) {
  const UnitSpec& unit = unit_of(machine, site);
  RequestCounts counts = counts_of(unit.kind, lanes, writes(site.kind), machine.stage_words(unit));
  std::int64_t plain = counts.stages;
  if (site.kind == AccessKind::atomic && unit.kind == UnitKind::discrete) {
    plain = unmerged_stages_of(lanes.lanes());
    counts.stages = times_rounded_up(plain, unit.atomic_stages);
  }
  counts.stages = std::max(counts.stages, least_stages(unit));
  counts.added = counts.stages - plain;
  counts.needed = std::max(counts.needed, least_stages(unit));
  return counts;
}

} // namespace memlane::ptx
