#include "memlane/machine/layout.hpp"

#include "memlane/support/random.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <utility>

namespace memlane {
namespace {

constexpr std::int64_t overflow = std::numeric_limits<std::int64_t>::max();

/// a + b and a * b of non-negative numbers, saturating at `overflow`.
std::int64_t sum(std::int64_t a, std::int64_t b) { return a > overflow - b ? overflow : a + b; }
std::int64_t product(std::int64_t a, std::int64_t b) {
  return b != 0 && a > overflow / b ? overflow : a * b;
}

std::int64_t rows_of(std::int64_t elements, std::int64_t row_length) {
  return elements / row_length + (elements % row_length != 0 ? 1 : 0);
}

/// Whole rows without rotation, which the caller adds.
Placement whole_rows(LayoutKind kind, std::int64_t elements, std::int64_t row_length) {
  assert(elements >= 0 && row_length >= 1);
  Placement placement;
  placement.kind = kind;
  placement.row_length = row_length;
  placement.pitch = row_length;
  placement.footprint = product(rows_of(elements, row_length), row_length);
  return placement;
}

} // namespace

std::int64_t Placement::word(std::int64_t element) const {
  assert(element >= 0);
  if (kind == LayoutKind::rows) return element;
  if (kind == LayoutKind::swizzle) return swizzle.word(element);
  if (kind == LayoutKind::bits) return bits.word(element);
  if (kind == LayoutKind::strides) return strides.word(element);
  if (kind == LayoutKind::function) return words[static_cast<std::size_t>(element)];

  // Numbers of 32 bits are divided in a third of the time.
  const bool few = element <= UINT32_MAX && row_length <= UINT32_MAX;
  const std::int64_t row =
      few ? static_cast<std::uint32_t>(element) / static_cast<std::uint32_t>(row_length)
          : element / row_length;
  std::int64_t column = element - row * row_length;
  if (!rotation.empty()) {
    const auto turn = static_cast<std::size_t>(row) % rotation.size();
    column = (column + rotation[turn]) % row_length;
  }
  return row * pitch + column;
}

Placement place_rows(std::int64_t elements, std::int64_t row_length) {
  Placement placement = whole_rows(LayoutKind::rows, elements, row_length);
  placement.footprint = elements;
  return placement;
}

Placement place_padded(std::int64_t elements, std::int64_t row_length, std::int64_t spare) {
  assert(spare >= 0);
  Placement placement = whole_rows(LayoutKind::padded, elements, row_length);
  placement.pitch = sum(row_length, spare);
  placement.footprint = sum(product(elements / row_length, placement.pitch), elements % row_length);
  return placement;
}

Placement place_diagonal(std::int64_t elements, std::int64_t row_length) {
  Placement placement = whole_rows(LayoutKind::diagonal, elements, row_length);
  const std::int64_t turns = std::min(rows_of(elements, row_length), row_length);
  placement.rotation.resize(static_cast<std::size_t>(turns));
  std::iota(placement.rotation.begin(), placement.rotation.end(), 0);
  return placement;
}

Placement place_random_shift(std::int64_t elements, std::int64_t row_length, std::uint64_t seed,
                             std::uint64_t stream) {
  Placement placement = whole_rows(LayoutKind::random_shift, elements, row_length);
  const std::int64_t rows = rows_of(elements, row_length);
  placement.rotation.reserve(static_cast<std::size_t>(rows));
  for (std::int64_t row = 0; row < rows; ++row) {
    placement.rotation.push_back(
        random_integer(seed, stream, static_cast<std::uint64_t>(row), 0, row_length - 1));
  }
  return placement;
}

Placement place_random_permute(std::int64_t elements, std::int64_t row_length, std::int64_t width,
                               std::uint64_t seed, std::uint64_t stream) {
  assert(width >= 1);
  Placement placement = whole_rows(LayoutKind::random_permute, elements, row_length);
  std::vector<std::int64_t>& sigma = placement.rotation;
  sigma.resize(static_cast<std::size_t>(width));
  std::iota(sigma.begin(), sigma.end(), 0);
  // Fisher-Yates shuffle: all permutations are equally likely.
  for (std::size_t last = sigma.size() - 1; last > 0; --last) {
    const std::int64_t other =
        random_integer(seed, stream, last, 0, static_cast<std::int64_t>(last));
    std::swap(sigma[last], sigma[static_cast<std::size_t>(other)]);
  }
  return placement;
}

Placement place_swizzled(std::int64_t elements, std::int64_t row_length, const Swizzle& swizzle) {
  assert(problem_of(swizzle).empty());
  Placement placement = whole_rows(LayoutKind::swizzle, elements, row_length);
  placement.swizzle = swizzle;
  placement.footprint = product(rows_of(elements, swizzle.tile()), swizzle.tile());
  return placement;
}

Placement place_mapped(std::int64_t elements, std::int64_t row_length, BitMap map) {
  assert(problem_of(map).empty());
  Placement placement = whole_rows(LayoutKind::bits, elements, row_length);
  placement.footprint = product(rows_of(elements, map.tile()), map.tile());
  placement.bits = std::move(map);
  return placement;
}

Placement place_strided(std::int64_t elements, std::int64_t row_length, StrideMap map) {
  Placement placement = whole_rows(LayoutKind::strides, elements, row_length);
  placement.footprint = elements == 0 ? 0 : map.footprint();
  placement.strides = std::move(map);
  return placement;
}

Placement place_table(std::vector<std::int64_t> words) {
  Placement placement;
  placement.kind = LayoutKind::function;
  placement.row_length = std::max<std::int64_t>(1, static_cast<std::int64_t>(words.size()));
  placement.pitch = placement.row_length;
  for (std::int64_t word : words) {
    assert(word >= 0);
    placement.footprint = std::max(placement.footprint, sum(word, 1));
  }
  placement.words = std::move(words);
  return placement;
}

} // namespace memlane
