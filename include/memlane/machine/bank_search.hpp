// The layout with the fewest stages for several requests, and how it is known that there is no
// better one.
#pragma once

#include "memlane/machine/bank_access.hpp"
#include "memlane/machine/stages.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memlane {

/// A request that the layout shall serve: its elements count `weight` times.
struct SoughtRequest {
  LaneIndices elements;
  std::int64_t weight = 1;
};

/// Each `parts` requests, one after the other, are the parts of one access of equal weight: their
/// stages are added.
struct LayoutSearch {
  UnitKind unit = UnitKind::discrete; ///< whose stages are counted: of banks or of address groups
  std::int64_t width = 1, elements = 1, row_length = 1;
  std::size_t dimensions = 2; ///< of the array
  std::vector<SoughtRequest> requests;
  std::size_t parts = 1;
  std::int64_t least_stages = 1; ///< that an access takes at least
  /// Choices of banks or address groups for bits after which the search among linear maps ends.
  std::int64_t most_steps = std::int64_t{1} << 20;

  /// The stages of each access, from those of the requests.
  std::vector<std::int64_t> of_accesses(const std::vector<std::int64_t>& of_requests) const;
  /// Their sum, times weight.
  std::int64_t sum_of(const std::vector<std::int64_t>& of_accesses) const;
};

/// The best layout of a class: the fewest stages, then the fewest spare words, then the first.
struct SearchedClass {
  std::string name; ///< as parameters of the layout: `padded(k)`
  LayoutChoice best;
  std::vector<std::int64_t> stages; ///< of each access
  std::int64_t sum = 0;             ///< of stages times weight
  std::int64_t spare = 0;           ///< words of the array without an element
  std::int64_t tried = 0;           ///< layouts; of `bits` choices of a bank or group for a bit
  bool whole = true;                ///< no other layout of the class has a smaller sum
};

struct SearchResult {
  std::vector<std::int64_t> least; ///< stages of each access in any layout: its words / w, or more
  std::int64_t least_sum = 0;
  std::vector<SearchedClass> classes;
  std::size_t best = 0; ///< of the classes

  /// No layout at all has a smaller sum.
  bool meets_least() const { return classes[best].sum == least_sum; }
  bool whole() const; ///< every class has been searched whole
};

/// Rows, the swizzles inside the array's words, 1 to w spare words in a row, the diagonal,
/// of two dimensions columns as rows with up to w - 1 spare words, and, if w is a power of two, all
/// linear maps of the bits of a tile as large as the array. Of these only the banks matter, or the
/// address groups: the search chooses one for each element 2^j, and leaves out choices that cannot
/// become better than the best found. Requires elements inside the array, and at least one access.
SearchResult search_layouts(const LayoutSearch& search);

} // namespace memlane
