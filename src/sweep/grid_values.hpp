// The values of a grid that were run, and those that were asked for in vain.
#pragma once

#include "memlane/sweep/verification.hpp"

#include <map>
#include <set>
#include <string>

namespace memlane::sweep {

/// The values of each axis that some points have.
class SeenValues {
public:
  void add(const std::vector<GridAxis>& axes, const GridValues& values);
  bool has(const std::string& axis, std::int64_t value) const;
  bool empty() const { return values_.empty(); }

private:
  std::map<std::string, std::set<std::int64_t>> values_;
};

/// The values of --grid that no run had: an error where the limit of --points is why, a warning
/// where no model or condition allows the value, or no launch with it fits on a machine of the
/// grid.
Diagnostics unused_values(const GridRequest& request, const SeenValues& possible,
                          const SeenValues& unfit, const SeenValues& used);

/// What is to be given for larger runs, and how runs that cost more than the grid may come in.
std::string more_points(std::size_t points);
std::string way_to_larger(std::size_t points);

} // namespace memlane::sweep
