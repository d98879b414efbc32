// Array layouts: the word of each element in its array (programs/README.md, "Layouts").
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace memlane {

enum class LayoutKind { rows, padded, diagonal, random_shift, random_permute, table };

/// The word a program writes after `layout` (`table`: a fn's name stands there instead).
std::string_view name_of(LayoutKind kind);

/// Where element number i (row-major) of an array is stored, in words from the array's start.
/// Row r is row number r of the last dimension (of a one-dimensional array: rows of w words; its
/// last row may be partial, but rotates within a whole one).
struct Placement {
  LayoutKind kind = LayoutKind::rows;
  std::int64_t row_length = 1;        ///< elements of a row
  std::int64_t pitch = 1;             ///< words from one row to the next: row_length + padding
  std::vector<std::int64_t> rotation; ///< of row r: rotation[r % size], in elements
  std::vector<std::int64_t> words;    ///< `table`: word of each element
  /// Words the array occupies, the greatest 64-bit number if they do not fit one: then the array
  /// is beyond any memory limit, and `word` must not be asked.
  std::int64_t footprint = 0;

  /// Word of element i. O(1).
  std::int64_t word(std::int64_t element) const;
};

// All of these require elements >= 0 and row_length >= 1. Rotated layouts occupy whole rows.

/// Row by row without gaps: footprint = elements.
Placement place_rows(std::int64_t elements, std::int64_t row_length);
/// `spare` (at least 0) unused words behind every whole row, none behind a partial last one:
/// footprint = elements + spare floor(elements / row_length), as GPU Gems' padded arrays have it.
Placement place_padded(std::int64_t elements, std::int64_t row_length, std::int64_t spare);
/// Row r rotated by r: element c of row r at column (c + r) mod row_length.
Placement place_diagonal(std::int64_t elements, std::int64_t row_length);
/// Row r rotated by a random number of 0..row_length-1 (RAS), number r of (seed, stream).
Placement place_random_shift(std::int64_t elements, std::int64_t row_length, std::uint64_t seed,
                             std::uint64_t stream);
/// Row r rotated by sigma(r mod w), sigma a random permutation of 0..w-1 (RAP). O(w).
Placement place_random_permute(std::int64_t elements, std::int64_t row_length, std::int64_t width,
                               std::uint64_t seed, std::uint64_t stream);
/// A layout of one's own, from a table of words; requires them to be distinct and not negative.
Placement place_table(std::vector<std::int64_t> words);

} // namespace memlane
