// Array layouts: at which word of an array's storage an element lies (language.md, "Arrays").
#pragma once

#include <cstdint>
#include <vector>

namespace memlane {

enum class LayoutKind { rows, padded, diagonal, random_shift, random_permute, table };

/// Where element number i (row-major) of an array is stored, in words from the array's start.
/// Row r is row number r of the last dimension (of a one-dimensional array: rows of w words).
struct Placement {
  LayoutKind kind = LayoutKind::rows;
  std::int64_t row_length = 1;        ///< elements of a row
  std::int64_t pitch = 1;             ///< words from one row to the next: row_length + padding
  std::vector<std::int64_t> rotation; ///< of row r: rotation[r % size], in elements
  std::vector<std::int64_t> words;    ///< `table`: word of each element
  std::int64_t footprint = 0;         ///< words the array occupies

  /// Word of element i. O(1).
  std::int64_t word(std::int64_t element) const;
};

/// Row by row without gaps.
Placement place_rows(std::int64_t elements, std::int64_t row_length);
/// `spare` unused words behind every row.
Placement place_padded(std::int64_t elements, std::int64_t row_length, std::int64_t spare);
/// Row r rotated by r: element c of row r at column (c + r) mod row_length.
Placement place_diagonal(std::int64_t elements, std::int64_t row_length);
/// Row r rotated by a random number (RAS), drawn under (seed, stream).
Placement place_random_shift(std::int64_t elements, std::int64_t row_length, std::uint64_t seed,
                             std::uint64_t stream);
/// Row r rotated by sigma(r mod w), sigma a random permutation of 0..w-1 (RAP).
Placement place_random_permute(std::int64_t elements, std::int64_t row_length, std::int64_t width,
                               std::uint64_t seed, std::uint64_t stream);
/// A layout of one's own, from a table of words; requires them to be distinct and not negative.
Placement place_table(std::vector<std::int64_t> words);

} // namespace memlane
