#include "memlane/machine/bank_access.hpp"

#include "memlane/machine/stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdlib>
#include <map>

namespace memlane {
namespace {

/// `elements`: their places in an array that begins at address 0.
RequestStages stages_of(const BankShape& shape, const LaneIndices& elements) {
  std::vector<std::int64_t> lanes;
  for (const auto& element : elements) lanes.push_back(element ? *element * shape.words : -1);
  const std::int64_t banks = stages_of_lanes(UnitKind::discrete, shape.width, lanes, shape.words);
  return {banks == 0 ? 0 : std::max(banks, shape.least),
          stages_of_lanes(UnitKind::unified, shape.group, lanes, shape.words)};
}

std::int64_t lost_stages(const BankShape& shape, std::int64_t banks, std::int64_t elements) {
  if (elements == 0) return 0;
  return banks - std::max(shape.least, needed_stages(elements * shape.words, shape.width));
}

} // namespace

BankShape::BankShape(const MachineSpec& machine, std::int64_t bytes)
    : width(machine.width), group(machine.global ? machine.stage_words(*machine.global) : width),
      words(machine.words_of(bytes)), least(machine.shared ? least_stages(*machine.shared) : 1) {}

BankAccess bank_access(const BankShape& shape, const LaneIndices& elements) {
  BankAccess access;
  access.shape = shape;
  std::map<std::int64_t, std::int64_t> first_lanes;      // by element
  std::map<std::int64_t, std::int64_t> distinct_in_bank; // those that have any
  for (const auto& element : elements) {
    LaneAccess lane;
    lane.lane = static_cast<std::int64_t>(access.lanes.size());
    if (element) {
      assert(*element >= 0);
      lane.address = *element * shape.words;
      lane.bank = bank({*lane.address}, shape.width).value;
      lane.group = address_group({*lane.address}, shape.group).value;
      const auto [first, is_new] = first_lanes.emplace(*element, lane.lane);
      for (std::int64_t word = 0; is_new && word < shape.words; ++word)
        ++distinct_in_bank[bank({*lane.address + word}, shape.width).value];
      if (!is_new) lane.merged_with = first->second;
    }
    access.lanes.push_back(lane);
  }
  access.addresses = static_cast<std::int64_t>(first_lanes.size());
  access.banks = static_cast<std::int64_t>(distinct_in_bank.size());
  access.stages = stages_of(shape, elements);
  access.lost = lost_stages(shape, access.stages.banks, access.addresses);
  for (const auto& [bank, distinct] : distinct_in_bank)
    access.conflict = std::max(access.conflict, distinct);
  for (const auto& [bank, distinct] : distinct_in_bank)
    if (distinct == access.conflict) access.fullest.push_back(bank);
  return access;
}

std::string LayoutChoice::text() const {
  if (kind == LayoutKind::padded) return fmt::format("padded({})", spare);
  if (kind == LayoutKind::swizzle)
    return fmt::format("swizzle({}, {}, {})", swizzle.bits, swizzle.base, swizzle.shift);
  if (kind == LayoutKind::strides) return fmt::format("strides(1, {})", pitch);
  if (kind == LayoutKind::bits) return fmt::format("bits({})", fmt::join(bits.columns, ", "));
  return std::string(name_of(kind));
}

namespace {

std::string shifted_text(const ShiftedBits& term) {
  if (term.shift == 0) return fmt::format("(i & {})", term.mask);
  return fmt::format("((i {} {}) & {})", term.shift > 0 ? ">>" : "<<", std::abs(term.shift),
                     term.mask);
}

std::string mapped_text(const BitMap& map) {
  std::string kept = fmt::format("(i >> {0} << {0})", map.columns.size()), text;
  for (const ShiftedBits& term : shifted_bits(map)) {
    if (term.shift == 0 && term.mask == map.tile() - 1)
      kept = "i";
    else
      text += " ^ " + shifted_text(term);
  }
  return kept + text;
}

} // namespace

std::string LayoutChoice::cuda_text(std::int64_t row_length) const {
  switch (kind) {
  case LayoutKind::padded: return fmt::format("i + i / {} * {}", row_length, spare);
  case LayoutKind::diagonal: return fmt::format("i / {0} * {0} + (i + i / {0}) % {0}", row_length);
  case LayoutKind::swizzle:
    return fmt::format("i ^ ((i >> {}) & {})", swizzle.shift, swizzle.mask());
  case LayoutKind::strides:
    return fmt::format("i % {} * {} + i / {}", row_length, pitch, row_length);
  case LayoutKind::bits: return mapped_text(bits);
  default: return "i";
  }
}

Placement LayoutChoice::place(std::int64_t elements, std::int64_t row_length) const {
  switch (kind) {
  case LayoutKind::padded: return place_padded(elements, row_length, spare);
  case LayoutKind::diagonal: return place_diagonal(elements, row_length);
  case LayoutKind::swizzle: return place_swizzled(elements, row_length, swizzle);
  case LayoutKind::bits: return place_mapped(elements, row_length, bits);
  case LayoutKind::strides:
    return place_strided(elements, row_length, {{{row_length, pitch}, {elements / row_length, 1}}});
  default: assert(kind == LayoutKind::rows); return place_rows(elements, row_length);
  }
}

std::vector<LayoutChoice> layout_choices(std::int64_t width, std::int64_t row_length) {
  std::vector<LayoutChoice> choices = {{}};
  for (std::int64_t spare = 1; spare <= 4; ++spare)
    choices.push_back({LayoutKind::padded, spare, {}});
  choices.push_back({LayoutKind::diagonal, 0, {}});
  const auto w = static_cast<std::uint64_t>(width), row = static_cast<std::uint64_t>(row_length);
  if (!std::has_single_bit(w) || !std::has_single_bit(row)) return choices;
  const auto [fewer, more] =
      std::minmax<std::int64_t>({std::countr_zero(w), std::countr_zero(row)});
  for (std::int64_t bits = 1; bits <= fewer; ++bits) {
    const Swizzle swizzle{bits, 0, more};
    if (problem_of(swizzle).empty()) choices.push_back({LayoutKind::swizzle, 0, swizzle});
  }
  return choices;
}

std::vector<LayoutStages> layout_stages(const BankShape& shape, const LaneIndices& elements,
                                        std::int64_t row_length) {
  std::int64_t count = 0;
  for (const auto& element : elements) count = std::max(count, element.value_or(-1) + 1);
  const std::int64_t different = bank_access(shape, elements).addresses;
  std::vector<LayoutStages> rows;
  for (const LayoutChoice& choice : layout_choices(shape.width, row_length)) {
    const Placement placement = choice.place(count, row_length);
    LaneIndices placed = elements;
    for (auto& element : placed)
      if (element) element = placement.word(*element);
    const RequestStages stages = stages_of(shape, placed);
    rows.push_back({choice.text(), stages, lost_stages(shape, stages.banks, different)});
  }
  return rows;
}

std::vector<RequestStages> split_stages(std::int64_t width, const LaneIndices& elements,
                                        std::int64_t words) {
  assert(words >= 1 && width % words == 0);
  std::vector<RequestStages> parts;
  const auto lanes = static_cast<std::size_t>(width / words);
  for (std::size_t first = 0; first + lanes <= elements.size(); first += lanes) {
    BankShape shape = width;
    shape.words = words;
    const auto begin = elements.begin() + static_cast<std::ptrdiff_t>(first);
    parts.push_back(stages_of(shape, {begin, begin + static_cast<std::ptrdiff_t>(lanes)}));
  }
  return parts;
}

} // namespace memlane
