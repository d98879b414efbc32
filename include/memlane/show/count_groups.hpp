// The numbers of results by what they are about: names, units, meanings.
#pragma once

#include <string>
#include <vector>

namespace memlane {

struct ListedCount {
  std::string name, unit, meaning; ///< the unit may be empty
};
struct CountGroup {
  std::string title; ///< `of a memory unit`
  std::vector<ListedCount> counts;
};

/// The numbers of a run.
std::vector<CountGroup> count_groups();
/// A line for each, below the title of its group; in so many columns, if not 0, meanings go on in
/// further lines.
std::string counts_text(const std::vector<CountGroup>& groups, std::size_t columns);

} // namespace memlane
