#include "searched.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane {

Result<BankSearchReport> searched(const BankQuery& query,
                                  const std::vector<BankAccessText>& accesses,
                                  const MachineSpec& machine, std::int64_t row_length,
                                  const std::vector<LaneIndices>& elements) {
  constexpr std::int64_t most_elements = std::int64_t{1} << 24, widest = 1024;
  const std::int64_t width = machine.width;
  if (width > widest)
    return error_in("-m", fmt::format("a layout is searched for a width of up to {}", widest),
                    {"--set width=32"});
  BankSearchReport found;
  LayoutSearch search;
  search.unit = found.unit = machine.model == Model::umm ? UnitKind::unified : UnitKind::discrete;
  search.width = width;
  // An array of one dimension has rows of w words.
  search.dimensions = query.shape.empty() ? 2 : query.shape.size();
  search.row_length = search.dimensions == 1 ? width : row_length;
  for (const std::int64_t extent : query.shape)
    if (search.elements <= most_elements) search.elements *= extent;
  for (std::size_t k = 0; k < accesses.size(); ++k) {
    for (const auto& element : elements[k])
      search.elements = std::max(search.elements, element.value_or(0) + 1);
    found.accesses.push_back({accesses[k].name, accesses[k].expression, accesses[k].weight,
                              bank_access(width, elements[k]).addresses});
    search.requests.push_back({elements[k], accesses[k].weight});
  }
  if (search.elements > most_elements)
    return error_in(
        "EXPR",
        fmt::format("a layout is searched for arrays of up to {} elements, this one has "
                    "more",
                    most_elements),
        {"take a part of the array as --shape, with the same conflicts"});
  if (search.dimensions > 1) // whole rows
    search.elements = ((search.elements - 1) / search.row_length + 1) * search.row_length;
  found.width = width;
  found.elements = search.elements;
  found.row_length = search.row_length;
  found.result = search_layouts(search);
  return found;
}

} // namespace memlane
