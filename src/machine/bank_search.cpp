#include "memlane/machine/bank_search.hpp"

#include "linear_banks.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace memlane {
namespace {

/// A class whose layouts are all tried. Requires at least one.
SearchedClass best_of(const LayoutSearch& search, std::string name,
                      const std::vector<LayoutChoice>& choices) {
  SearchedClass best;
  for (const LayoutChoice& choice : choices) {
    const Placement placement = choice.place(search.elements, search.row_length);
    SearchedClass found;
    found.best = choice;
    found.spare = placement.footprint - search.elements;
    std::vector<std::int64_t> of_requests;
    for (const SoughtRequest& request : search.requests) {
      std::vector<Address> addresses;
      for (const auto& element : request.elements)
        if (element) addresses.push_back({placement.word(*element)});
      of_requests.push_back(stages(search.unit, search.width, addresses));
    }
    found.stages = search.of_accesses(of_requests);
    found.sum = search.sum_of(found.stages);
    if (best.stages.empty() ||
        std::tuple(found.sum, found.spare) < std::tuple(best.sum, best.spare))
      best = std::move(found);
  }
  best.name = std::move(name);
  best.tried = static_cast<std::int64_t>(choices.size());
  return best;
}

/// Those whose bits all are bits of the array's words: others change nothing or add tiles.
std::vector<LayoutChoice> swizzles(std::int64_t bits) {
  std::vector<LayoutChoice> choices;
  for (std::int64_t changed = 1; changed <= bits; ++changed)
    for (std::int64_t base = 0; base + changed <= bits; ++base)
      for (std::int64_t shift = changed; base + shift < bits; ++shift) {
        LayoutChoice choice{LayoutKind::swizzle, 0, {changed, base, shift}};
        if (problem_of(choice.swizzle).empty()) choices.push_back(std::move(choice));
      }
  return choices;
}

} // namespace

std::vector<std::int64_t>
LayoutSearch::of_accesses(const std::vector<std::int64_t>& of_requests) const {
  std::vector<std::int64_t> sums(of_requests.size() / parts);
  for (std::size_t k = 0; k < of_requests.size(); ++k) sums[k / parts] += of_requests[k];
  for (std::int64_t& sum : sums) sum = sum == 0 ? 0 : std::max(sum, least_stages); // 0: no lane
  return sums;
}

std::int64_t LayoutSearch::sum_of(const std::vector<std::int64_t>& of_accesses) const {
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < of_accesses.size(); ++k)
    sum += of_accesses[k] * requests[k * parts].weight;
  return sum;
}

bool SearchResult::whole() const {
  return std::all_of(classes.begin(), classes.end(),
                     [](const SearchedClass& one) { return one.whole; });
}

SearchResult search_layouts(const LayoutSearch& search) {
  SearchResult result;
  std::vector<std::int64_t> of_requests;
  for (const SoughtRequest& request : search.requests) {
    const auto words = static_cast<std::int64_t>(distinct_elements(request.elements).size());
    of_requests.push_back((words + search.width - 1) / search.width);
  }
  result.least = search.of_accesses(of_requests);
  result.least_sum = search.sum_of(result.least);
  const std::int64_t w = search.width, rows = (search.elements - 1) / search.row_length + 1;
  const std::int64_t bits = bits_of(search.elements);
  const auto add = [&](std::string name, const std::vector<LayoutChoice>& choices) {
    if (!choices.empty()) result.classes.push_back(best_of(search, std::move(name), choices));
  };
  // w more spare words leave banks as they are, and no two rows share more address groups.
  std::vector<LayoutChoice> padded, columns;
  for (std::int64_t spare = 0; spare < w; ++spare) {
    padded.push_back({LayoutKind::padded, spare + 1, {}});
    columns.push_back({LayoutKind::strides, 0, {}, rows + spare});
  }
  add("rows", {LayoutChoice{}});
  add("swizzle(B, M, S)", swizzles(bits));
  add("padded(k)", padded);
  add("diagonal", {LayoutChoice{LayoutKind::diagonal, 0, {}}});
  if (search.dimensions == 2 && search.elements % search.row_length == 0)
    add("strides(1, s)", columns);
  if (std::has_single_bit(static_cast<std::uint64_t>(w)) && w > 1 &&
      bits <= std::int64_t{BitMap::most_bits}) {
    const LinearBanks banks = find_linear_banks(search, result.least_sum);
    LayoutChoice choice;
    choice.kind = LayoutKind::bits;
    choice.bits = banks.map;
    add("bits(c, ...)", {choice});
    result.classes.back().tried = banks.steps;
    result.classes.back().whole = banks.whole;
  }
  const auto rank = [](const SearchedClass& one) { return std::tuple(one.sum, one.spare); };
  for (std::size_t k = 1; k < result.classes.size(); ++k)
    if (rank(result.classes[k]) < rank(result.classes[result.best])) result.best = k;
  return result;
}

} // namespace memlane
