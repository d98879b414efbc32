#include "memlane/sweep/tried_change.hpp"

#include <algorithm>

namespace memlane::sweep {

std::optional<CauseComparison> compare_causes(const MachineSpec& first_machine, const Counts& first,
                                              const MachineSpec& second_machine,
                                              const Counts& second) {
  const std::vector<ExplainedUnit> own = explained_units(first_machine, first);
  if (own.empty()) return std::nullopt;
  const std::vector<ExplainedUnit> others = explained_units(second_machine, second);
  const auto other = std::find_if(others.begin(), others.end(), [&](const ExplainedUnit& unit) {
    return unit.unit == own.front().unit;
  });
  if (other == others.end()) return std::nullopt;
  return CauseComparison{own.front().unit, first_machine.model != Model::hmm, own.front().time,
                         other->time};
}

} // namespace memlane::sweep
