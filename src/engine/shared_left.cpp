#include "shared_left.hpp"

#include <algorithm>

namespace memlane {

bool keeps_shared_words(const ir::Program& program, const MachineSpec& machine) {
  return std::any_of(program.arrays.begin(), program.arrays.end(),
                     [&](const ir::Array& array) { return is_kept(array, machine); });
}

void SharedLeft::note(std::int64_t mp, std::int32_t array, std::int64_t launch,
                      const std::vector<std::uint8_t>& written, Budget& budget) {
  std::vector<std::uint32_t>& launches = launches_[{mp, array}];
  if (launches.size() < written.size()) {
    const auto more =
        static_cast<std::int64_t>((written.size() - launches.size()) * sizeof(std::uint32_t));
    if (more > budget.limits->memory - budget.bytes) return;
    budget.bytes += more;
    launches.resize(written.size(), no_launch);
  }
  const auto number = static_cast<std::uint32_t>(std::min<std::int64_t>(launch, INT32_MAX)) + 1;
  for (std::size_t element = 0; element < written.size(); ++element)
    if (written[element]) launches[element] = number;
}

std::optional<std::int64_t> SharedLeft::writer(std::int64_t mp, std::int32_t array,
                                               std::int64_t element) const {
  const auto found = launches_.find({mp, array});
  const auto at = static_cast<std::size_t>(element);
  if (found == launches_.end() || at >= found->second.size()) return std::nullopt;
  if (found->second[at] == no_launch) return std::nullopt;
  return std::int64_t{found->second[at]} - 1;
}

} // namespace memlane
