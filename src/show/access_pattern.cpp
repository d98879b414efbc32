#include "memlane/machine/stages.hpp"
#include "memlane/show/account.hpp"

#include <algorithm>

namespace memlane {

namespace {

template <class F>
std::int64_t distinct(const std::vector<std::int64_t>& words, F&& part) {
  std::vector<std::int64_t> parts;
  for (const std::int64_t word : words) parts.push_back(part(word));
  std::sort(parts.begin(), parts.end());
  return std::unique(parts.begin(), parts.end()) - parts.begin();
}

} // namespace

AccessPattern pattern_of(const UnitSpec& unit, std::int64_t width,
                         const std::vector<std::int64_t>& addresses, std::int64_t of_lane) {
  AccessPattern pattern{unit.kind, width, 0, of_lane};
  const std::int64_t group = unit.group.value_or(width);
  std::vector<std::int64_t> words;
  std::vector<Address> active;
  bool regular = true;
  std::int64_t last = -1, last_word = 0; ///< of the lane before
  for (std::size_t lane = 0; lane < addresses.size(); ++lane) {
    const std::int64_t word = addresses[lane];
    if (word < 0) continue;
    const auto here = static_cast<std::int64_t>(lane);
    if (pattern.lanes > 0) {
      const std::int64_t step = word - last_word;
      regular = regular && here == last + 1 && (!pattern.stride || *pattern.stride == step);
      pattern.stride = step;
    }
    last = here;
    last_word = word;
    pattern.lanes += 1;
    for (std::int64_t k = 0; k < of_lane; ++k) {
      words.push_back(word + k);
      active.push_back({word + k});
    }
  }
  if (!regular) pattern.stride.reset();
  pattern.words = distinct(words, [](std::int64_t word) { return word; });
  pattern.banks = distinct(words, [&](std::int64_t word) { return word % width; });
  pattern.groups = distinct(words, [&](std::int64_t word) { return word / group; });
  pattern.stages = stages(unit.kind, group, active);
  return pattern;
}

} // namespace memlane
