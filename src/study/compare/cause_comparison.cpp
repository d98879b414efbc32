#include "line_comparison.hpp"

#include "memlane/show/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace memlane {

namespace sweep {

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
  return CauseComparison{own.front().unit, has_one_memory(first_machine.model), own.front().time,
                         other->time};
}

} // namespace sweep

namespace {

using sweep::CauseComparison;

struct CauseRow {
  std::string_view name;
  std::int64_t first = 0, second = 0; ///< time units
};

/// By Cause.
constexpr std::array<std::string_view, cause_count> cause_words = {
    "first stages",        "extra stages",           "idle: latency",          "idle: at a barrier",
    "idle: last requests", "idle: cost of launches", "idle: nothing in flight"};

std::vector<CauseRow> rows_of(const CauseComparison& comparison) {
  std::vector<CauseRow> rows;
  for (std::size_t k = 0; k < cause_count; ++k)
    if (comparison.first[k] != 0 || comparison.second[k] != 0)
      rows.push_back({cause_words[k], comparison.first[k], comparison.second[k]});
  const auto sum = [](const TimeByCause& time) {
    return std::accumulate(time.begin(), time.end(), std::int64_t{0});
  };
  rows.push_back({"time", sum(comparison.first), sum(comparison.second)});
  return rows;
}

const Columns<CauseRow>& cause_columns() {
  static const Columns<CauseRow> columns({
      table_column<CauseRow>(Shown{"time units"},
                             [](const CauseRow& r) { return std::string(r.name); }),
      table_column<CauseRow>(Shown{"A", Align::right},
                             [](const CauseRow& r) { return std::to_string(r.first); }),
      table_column<CauseRow>(Shown{"B", Align::right},
                             [](const CauseRow& r) { return std::to_string(r.second); }),
      table_column<CauseRow>(Shown{"B - A", Align::right},
                             [](const CauseRow& r) {
                               const std::int64_t more = r.second - r.first;
                               return more == 0 ? "" : fmt::format("{:+}", more);
                             }),
  });
  return columns;
}

std::string title_of(const CauseComparison& comparison) {
  if (comparison.is_only) return "by cause";
  return fmt::format("by cause, of the {} memory",
                     comparison.unit == UnitId::global ? "global" : "shared");
}

} // namespace

std::string compared_causes_text(const CauseComparison& comparison) {
  TextTable table = cause_columns().text_heading();
  for (const CauseRow& row : rows_of(comparison)) table.add(cause_columns().text_cells(row));
  return fmt::format("{}\n{}", title_of(comparison), table.text(2));
}

PaperTable compared_causes_paper(const CauseComparison& comparison) {
  std::string title = "Time of A and B " + title_of(comparison);
  return cause_columns().paper(std::move(title), rows_of(comparison));
}

} // namespace memlane
