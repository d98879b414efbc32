// Array layouts: the word of each element in its array (programs/README.md, "Layouts").
#pragma once

#include "memlane/support/layouts.hpp"

#include <cstdint>
#include <vector>

namespace memlane {

/// Where element number i (row-major) of an array is stored, in words from the array's start.
/// Row r is row number r of the last dimension (of a one-dimensional array: rows of w words; its
/// last row may be partial, but rotates within a whole one).
struct Placement {
  LayoutKind kind = LayoutKind::rows;
  std::int64_t row_length = 1;        ///< elements of a row
  std::int64_t pitch = 1;             ///< words between rows: row_length + padding
  std::vector<std::int64_t> rotation; ///< of row r: rotation[r % size], in elements
  std::vector<std::int64_t> words;    ///< `function`: word of each element
  Swizzle swizzle;                    ///< of LayoutKind::swizzle
  BitMap bits;                        ///< of LayoutKind::bits
  StrideMap strides;                  ///< of LayoutKind::strides
  /// Words that the array occupies. The largest 64-bit number if it overflows; the array then
  /// exceeds any memory limit, and `word` must not be called.
  std::int64_t footprint = 0;

  /// Word of element i. O(1).
  std::int64_t word(std::int64_t element) const;
  /// Whether rows stay rows, as they are or rotated: between two columns of a row, words step as
  /// elements do or wrap around once.
  bool keeps_rows() const {
    return kind != LayoutKind::function && kind != LayoutKind::swizzle &&
           kind != LayoutKind::bits && kind != LayoutKind::strides;
  }
};

// All of these require elements >= 0 and row_length >= 1. Rotated layouts occupy whole rows.

/// Row by row without gaps: footprint = elements.
Placement place_rows(std::int64_t elements, std::int64_t row_length);
/// `spare` (at least 0) unused words after every whole row, none after a partial last one:
/// footprint = elements + spare floor(elements / row_length), like the padded arrays of GPU Gems.
Placement place_padded(std::int64_t elements, std::int64_t row_length, std::int64_t spare);
/// Row r rotated by r: element c of row r at column (c + r) mod row_length.
Placement place_diagonal(std::int64_t elements, std::int64_t row_length);
/// Row r rotated by a random number of 0..row_length-1 (RAS), number r of (seed, stream).
Placement place_random_shift(std::int64_t elements, std::int64_t row_length, std::uint64_t seed,
                             std::uint64_t stream);
/// Row r rotated by sigma(r mod w), sigma a random permutation of 0..w-1 (RAP). O(w).
Placement place_random_permute(std::int64_t elements, std::int64_t row_length, std::int64_t width,
                               std::uint64_t seed, std::uint64_t stream);
/// Word i swizzled, in whole tiles: footprint = elements, rounded up to a multiple of 2^(M + B).
/// Requires a swizzle without a problem.
Placement place_swizzled(std::int64_t elements, std::int64_t row_length, const Swizzle& swizzle);
/// Word i mapped, in whole tiles as of a swizzle. Requires a map without a problem.
Placement place_mapped(std::int64_t elements, std::int64_t row_length, BitMap map);
/// Each digit with its stride, up to the last word that an element has. Requires digits that count
/// `elements`, no overlap and a footprint that has not overflowed.
Placement place_strided(std::int64_t elements, std::int64_t row_length, StrideMap map);
/// A user-defined layout, from a table of distinct and non-negative words.
Placement place_table(std::vector<std::int64_t> words);

} // namespace memlane
