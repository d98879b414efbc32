#include "memlane/machine/bank_access.hpp"

#include "memlane/machine/stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <map>

namespace memlane {
namespace {

RequestStages stages_of(std::int64_t width, const std::vector<Address>& addresses) {
  return {stages(UnitKind::discrete, width, addresses),
          stages(UnitKind::unified, width, addresses)};
}

RequestStages placed_stages(std::int64_t width, const LaneIndices& elements,
                            const Placement& placement) {
  std::vector<Address> addresses;
  for (const auto& element : elements)
    if (element) addresses.push_back({placement.word(*element)});
  return stages_of(width, addresses);
}

} // namespace

BankAccess bank_access(std::int64_t width, const LaneIndices& addresses) {
  BankAccess access;
  access.width = width;
  std::map<std::int64_t, std::int64_t> first_lanes;      // by address
  std::map<std::int64_t, std::int64_t> distinct_in_bank; // those that have any
  std::vector<Address> active;
  for (const auto& address : addresses) {
    LaneAccess lane;
    lane.lane = static_cast<std::int64_t>(access.lanes.size());
    if (address) {
      assert(*address >= 0);
      active.push_back({*address});
      lane.address = *address;
      lane.bank = bank({*address}, width).value;
      lane.group = address_group({*address}, width).value;
      const auto [first, is_new] = first_lanes.emplace(*address, lane.lane);
      if (is_new) ++distinct_in_bank[*lane.bank];
      if (!is_new) lane.merged_with = first->second;
    }
    access.lanes.push_back(lane);
  }
  access.addresses = static_cast<std::int64_t>(first_lanes.size());
  access.banks = static_cast<std::int64_t>(distinct_in_bank.size());
  access.stages = stages_of(width, active);
  for (const auto& [bank, distinct] : distinct_in_bank)
    if (distinct == access.stages.banks) access.fullest.push_back(bank);
  return access;
}

std::vector<LayoutStages> layout_stages(std::int64_t width, const LaneIndices& elements,
                                        std::int64_t row_length) {
  std::int64_t count = 0;
  for (const auto& element : elements) count = std::max(count, element.value_or(-1) + 1);
  std::vector<LayoutStages> rows;
  const auto add = [&](std::string layout, const Placement& placement) {
    rows.push_back({std::move(layout), placed_stages(width, elements, placement)});
  };
  add("rows", place_rows(count, row_length));
  for (std::int64_t spare = 1; spare <= 4; ++spare)
    add(fmt::format("padded({})", spare), place_padded(count, row_length, spare));
  add("diagonal", place_diagonal(count, row_length));
  if (!std::has_single_bit(static_cast<std::uint64_t>(row_length))) return rows;
  // Bit 0 of the row's number is bit log2(row_length) of the word's: it changes bit 0, the lowest
  // of the bank's number. More bits than the bank's number has change nothing else.
  const auto bits_of = [](std::int64_t number) {
    return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(number))) - 1;
  };
  const std::int64_t shift = bits_of(row_length);
  for (std::int64_t bits = 1; bits <= std::min(bits_of(width), shift); ++bits) {
    const Swizzle swizzle{bits, 0, shift};
    if (problem_of(swizzle).empty())
      add(fmt::format("swizzle({}, 0, {})", bits, shift),
          place_swizzled(count, row_length, swizzle));
  }
  return rows;
}

std::vector<RequestStages> split_stages(std::int64_t width, const LaneIndices& elements,
                                        std::int64_t words) {
  assert(words >= 1 && width % words == 0);
  std::vector<RequestStages> parts;
  const auto lanes = static_cast<std::size_t>(width / words);
  for (std::size_t first = 0; first + lanes <= elements.size(); first += lanes) {
    std::vector<Address> addresses;
    for (std::size_t lane = first; lane < first + lanes; ++lane)
      for (std::int64_t word = 0; elements[lane] && word < words; ++word)
        addresses.push_back({*elements[lane] * words + word});
    parts.push_back(stages_of(width, addresses));
  }
  return parts;
}

} // namespace memlane
