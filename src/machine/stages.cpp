#include "memlane/machine/stages.hpp"

#include <algorithm>
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

std::int64_t stages_of_lanes(UnitKind kind, std::int64_t width, std::span<const std::int64_t> lanes,
                             std::int64_t words) {
  const auto piece = kind == UnitKind::unified
                         ? lanes.size()
                         : static_cast<std::size_t>(std::max<std::int64_t>(1, width / words));
  std::vector<Address> addresses;
  std::int64_t sum = 0;
  for (std::size_t first = 0; first < lanes.size(); first += piece) {
    addresses.clear();
    for (const std::int64_t lane : lanes.subspan(first, std::min(piece, lanes.size() - first)))
      for (std::int64_t word = 0; lane >= 0 && word < words; ++word)
        addresses.push_back({lane + word});
    sum += stages(kind, width, addresses);
  }
  return sum;
}

} // namespace memlane
