#include "memlane/machine/stages.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <vector>

namespace memlane {
namespace {

/// Sorts and removes duplicates, because equal addresses of a request are merged.
void keep_distinct(std::vector<std::int64_t>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

/// The length of the longest run of equal numbers in a sorted list.
std::int64_t longest_run(const std::vector<std::int64_t>& sorted) {
  std::int64_t longest = 0;
  std::int64_t run = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    run = i > 0 && sorted[i] == sorted[i - 1] ? run + 1 : 1;
    longest = std::max(longest, run);
  }
  return longest;
}

} // namespace

std::int64_t stages(UnitKind kind, std::int64_t width, std::span<const Address> addresses) {
  assert(width >= 1);
  std::vector<std::int64_t> numbers;
  numbers.reserve(addresses.size());

  if (kind == UnitKind::unified) {
    for (Address address : addresses) numbers.push_back(address_group(address, width).value);
    keep_distinct(numbers);
    return static_cast<std::int64_t>(numbers.size());
  }

  for (Address address : addresses) numbers.push_back(address.value);
  keep_distinct(numbers);
  for (std::int64_t& number : numbers) number = bank({number}, width).value;
  std::sort(numbers.begin(), numbers.end());
  return longest_run(numbers);
}

namespace {

/// Lanes of a discrete unit whose words are accessed together.
std::size_t piece_of(std::int64_t width, std::int64_t words) {
  return static_cast<std::size_t>(std::max<std::int64_t>(1, width / words));
}

/// Calls f with the words of each `piece` lanes.
template <class F>
void for_pieces(std::span<const std::int64_t> lanes, std::size_t piece, std::int64_t words, F f) {
  std::vector<Address> addresses;
  for (std::size_t first = 0; first < lanes.size(); first += piece) {
    addresses.clear();
    for (const std::int64_t lane : lanes.subspan(first, std::min(piece, lanes.size() - first)))
      for (std::int64_t word = 0; lane >= 0 && word < words; ++word)
        addresses.push_back({lane + word});
    f(addresses);
  }
}

} // namespace

std::int64_t stages_of_lanes(UnitKind kind, std::int64_t width, std::span<const std::int64_t> lanes,
                             std::int64_t words) {
  const std::size_t piece = kind == UnitKind::unified ? lanes.size() : piece_of(width, words);
  std::int64_t sum = 0;
  for_pieces(lanes, piece, words,
             [&](const auto& addresses) { sum += stages(kind, width, addresses); });
  return sum;
}

std::int64_t unmerged_stages(std::int64_t width, std::span<const std::int64_t> lanes,
                             std::int64_t words) {
  std::int64_t sum = 0;
  for_pieces(lanes, piece_of(width, words), words, [&](const auto& addresses) {
    std::vector<std::int64_t> of_bank(static_cast<std::size_t>(width));
    std::int64_t most = 0;
    for (const Address address : addresses)
      most = std::max(most, ++of_bank[static_cast<std::size_t>(bank(address, width).value)]);
    sum += most;
  });
  return sum;
}

std::vector<AtomicGroup> atomic_groups(std::int64_t group_words,
                                       std::span<const std::int64_t> lanes, std::int64_t words) {
  std::vector<std::int64_t> elements; // their first words
  for (const std::int64_t lane : lanes)
    if (lane >= 0) elements.push_back(lane);
  std::sort(elements.begin(), elements.end());
  std::vector<AtomicGroup> groups;
  std::int64_t count = 0; // lanes of the present element so far
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const std::int64_t element = elements[k];
    count = k > 0 && elements[k - 1] == element ? count + 1 : 1;
    if (k + 1 < elements.size() && elements[k + 1] == element) continue;
    for (std::int64_t group = element / group_words; group <= (element + words - 1) / group_words;
         ++group) {
      if (groups.empty() || groups.back().group < group) groups.push_back({group, 0});
      groups.back().lanes = std::max(groups.back().lanes, count);
    }
  }
  return groups;
}

} // namespace memlane
