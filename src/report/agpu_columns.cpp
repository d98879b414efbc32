#include "agpu_columns.hpp"

#include "memlane/report/json_parts.hpp"

namespace memlane {

bool shows_agpu(const Counts& counts) {
  return counts.agpu.io && counts.launches > 0 && !counts.shared.empty() && !counts.global.empty();
}

const schema::Table<AgpuCounts>& agpu_table() {
  static const schema::Table<AgpuCounts> table(
      count_members<AgpuCounts>(agpu_fields()),
      {{"multiplicity", std::string(multiplicity_meaning).c_str(), [](const AgpuCounts& agpu) {
          return agpu.multiplicity ? std::optional(agpu.multiplicity->text()) : std::nullopt;
        }}});
  return table;
}

} // namespace memlane
