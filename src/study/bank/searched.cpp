#include "searched.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace memlane {
namespace {

/// The requests that a GPU makes of one for elements of several words, as split_stages has them:
/// each of w / `words` lanes.
std::vector<SoughtRequest> split_requests(const LaneIndices& elements, std::int64_t weight,
                                          std::int64_t words) {
  std::vector<SoughtRequest> parts;
  const std::size_t lanes = elements.size() / static_cast<std::size_t>(words);
  for (std::size_t first = 0; first < elements.size(); first += lanes) {
    const auto begin = elements.begin() + static_cast<std::ptrdiff_t>(first);
    parts.push_back({LaneIndices(begin, begin + static_cast<std::ptrdiff_t>(lanes)), weight});
  }
  return parts;
}

} // namespace

Result<BankSearchReport> searched(const BankQuery& query,
                                  const std::vector<BankAccessText>& accesses,
                                  const MachineSpec& machine, std::int64_t row_length,
                                  const std::vector<LaneIndices>& elements) {
  constexpr std::int64_t most_elements = std::int64_t{1} << 24, widest = 1024;
  const std::int64_t width = machine.width;
  if (width > widest)
    return error_in("-m", fmt::format("a layout is searched for a width of up to {}", widest),
                    {"--set width=32"});
  // An element of several words is one of w / words banks that are as wide, and an address group
  // has w / words elements.
  const std::int64_t words = machine.word_bytes ? machine.words_of(query.bytes) : query.bytes / 4;
  if (width % words != 0)
    return error_in("--bytes",
                    fmt::format("a GPU splits the request of a warp, and a width of {} has no {} "
                                "equal parts",
                                width, words),
                    {"--set width=32"});
  BankSearchReport found;
  LayoutSearch search;
  search.unit = found.unit = machine.model == Model::umm ? UnitKind::unified : UnitKind::discrete;
  search.width = width / words;
  search.parts = static_cast<std::size_t>(words);
  search.least_stages = found.least_stages = machine.shared ? least_stages(*machine.shared) : 1;
  // An array of one dimension has rows as long as an address group.
  search.dimensions = query.shape.empty() ? 2 : query.shape.size();
  search.row_length = search.dimensions == 1 ? search.width : row_length;
  for (const std::int64_t extent : query.shape)
    if (search.elements <= most_elements) search.elements *= extent;
  for (std::size_t k = 0; k < accesses.size(); ++k) {
    for (const auto& element : elements[k])
      search.elements = std::max(search.elements, element.value_or(0) + 1);
    found.accesses.push_back({accesses[k].name, accesses[k].expression, accesses[k].weight,
                              bank_access(width, elements[k]).addresses * words});
    for (SoughtRequest& part : split_requests(elements[k], accesses[k].weight, words))
      search.requests.push_back(std::move(part));
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
  found.words = words;
  found.elements = search.elements;
  found.row_length = search.row_length;
  found.result = search_layouts(search);
  for (SearchedClass& one : found.result.classes) one.spare *= words;
  return found;
}

} // namespace memlane
