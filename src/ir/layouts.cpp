// Elements by their indices, and the digits of a layout `strides` over an array's extents.
#include "memlane/ir/program.hpp"
#include "memlane/support/result.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::ir {

std::string element_name(const std::string& array, const std::vector<std::int64_t>& extents,
                         std::int64_t element) {
  std::string indices;
  for (std::size_t k = extents.size(); k-- > 0;) {
    const std::int64_t extent = extents[k];
    const std::string index = std::to_string(k == 0 ? element : element % extent);
    indices = indices.empty() ? index : fmt::format("{}, {}", index, indices);
    element /= extent;
  }
  return fmt::format("{}[{}]", array, indices);
}

Result<StrideMap> stride_map(const Array& array, const std::vector<std::int64_t>& extents) {
  StrideMap map;
  std::int64_t elements = 1;
  for (std::size_t k = extents.size(); k-- > 0;) {
    std::int64_t size = 1;
    for (StrideMap::Digit digit : array.strides.dimensions[k]) {
      if (!array.strides.sized) digit.size = extents[k];
      if (__builtin_mul_overflow(size, digit.size, &size)) size = most_elements;
      map.digits.push_back(digit);
    }
    elements *= extents[k];
    if (size != extents[k])
      return error_at(array.span,
                      fmt::format("the shape of layout strides has {} elements in dimension {}, {} "
                                  "has {}",
                                  size, k + 1, array.name, extents[k]),
                      {"the sizes of a dimension, multiplied, are its extent"});
  }
  if (elements == 0) return map;
  if (map.footprint() > farthest_word)
    return error_at(array.span, fmt::format("layout strides puts {} beyond any memory",
                                            element_name(array.name, extents, elements - 1)));
  const std::optional<Overlap> overlap = overlap_of(map);
  if (!overlap) return map;
  if (overlap->undecided)
    return error_at(array.span,
                    fmt::format("whether strides put two elements of {} at the same word would "
                                "take too many steps",
                                array.name),
                    {"take strides that each pass all words of the smaller ones"});
  return error_at(array.span,
                  fmt::format("layout strides puts {} and {} at the same word {}",
                              element_name(array.name, extents, overlap->earlier),
                              element_name(array.name, extents, overlap->later),
                              map.word(overlap->later)),
                  {"each stride passes all words of the smaller ones, as 33 and 1 do for rows of "
                   "up to 33 words"});
}

} // namespace memlane::ir
