// What every count is called, its unit and its meaning: JSON, CSV, tables and `explain counts` are
// all made from these lists.
#pragma once

#include "memlane/count/counts.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace memlane {

/// One integer count of a T.
template <class T>
struct Field {
  std::string_view name;
  std::string_view unit;
  std::string_view meaning;
  std::int64_t (*get)(const T&) = nullptr;
  bool (*known)(const T&) = nullptr; ///< null: always

  std::optional<std::int64_t> count(const T& of) const {
    return known && !known(of) ? std::nullopt : std::optional(get(of));
  }
};

/// Counts of a run, or of the launches of one kernel.
const std::vector<Field<Counts>>& count_fields();
/// After [K]: all but the multiplicity, which is a fraction.
const std::vector<Field<AgpuCounts>>& agpu_fields();
/// After [HMX]: all but the bounds, which are fractions.
const std::vector<Field<MmmCounts>>& mmm_fields();
/// The bounds of an MMM's time.
struct BoundField {
  std::string_view name;
  std::string_view meaning;
  std::optional<MmmBound> (*get)(const MmmCounts&);
};
const std::vector<BoundField>& mmm_bounds();
inline constexpr std::string_view multiplicity_meaning =
    "blocks that a shared memory has room for: M / shared_words, in lowest terms";
/// Counts of a PRAM: all but the class and where the run needs it.
const std::vector<Field<PramCounts>>& pram_fields();
/// Counts of a whole run only.
const std::vector<Field<RunResult>>& run_fields();
/// Counts of a memory unit. The parts of its time (busy, idle) are those that `time_fields` gives
/// too.
const std::vector<Field<UnitCounts>>& unit_fields();
/// The fields of a unit that add up to the run's time.
const std::vector<Field<UnitCounts>>& time_fields();
/// Counts of a source line.
const std::vector<Field<LineCounts>>& line_fields();
/// Counts of a source line, after [K].
const std::vector<Field<LineCounts>>& agpu_line_fields();
/// Counts of a source line, after [HMX].
const std::vector<Field<LineCounts>>& mmm_line_fields();
/// Counts of a `fn`.
const std::vector<Field<FnCounts>>& fn_fields();

} // namespace memlane
