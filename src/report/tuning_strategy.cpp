// The strategy of the MMM paper's introduction ([HMX] section 1): where work varies little and
// overhead much, the value with the least overhead, if the bound is less there.
#include "tuning_text.hpp"

#include <fmt/format.h>

namespace memlane {
namespace {

/// The numbers of the measures that the strategy compares.
struct StrategyMeasures {
  std::size_t work, overhead, bound;
};

std::optional<StrategyMeasures> strategy_measures(const TunedMachine& machine) {
  const auto work = place_of_measure(machine, "work"),
             overhead = place_of_measure(machine, "overhead"),
             bound = place_of_measure(machine, "bound");
  if (!work || !overhead || !bound) return std::nullopt;
  return StrategyMeasures{*work, *overhead, *bound};
}

/// How many times as much the measure is at the value that has most as at that with least.
std::optional<double> variation_of(const TunedMachine& machine, std::size_t measure) {
  const auto least = least_row(machine, measure);
  if (!least) return std::nullopt;
  sweep::Objective most = *machine.rows[*least].measures[measure];
  for (const TunedRow& row : machine.rows)
    if (row.state == TunedState::done && row.measures[measure] &&
        sweep::is_less(most, *row.measures[measure]))
      most = *row.measures[measure];
  return sweep::ratio_of(most, *machine.rows[*least].measures[measure]);
}

/// `the strategy takes s=4; by the bound s=3 is less`.
std::string taken_text(const TuningReport& report, const TunedMachine& machine, std::size_t bound,
                       const TunedRow& taken) {
  const std::string name = machine.other_naive && &taken == &*machine.other_naive
                               ? report.naive_program
                               : values_text(report, taken);
  std::string text = "the strategy takes " + name;
  const auto least = least_row(machine, bound);
  if (least && taken.measures[bound] &&
      sweep::is_less(*machine.rows[*least].measures[bound], *taken.measures[bound]))
    text += fmt::format("; by the bound {} is less", values_text(report, machine.rows[*least]));
  return text;
}

} // namespace

std::string strategy_sentence(const TuningReport& report, const TunedMachine& machine) {
  const auto measures = strategy_measures(machine);
  const TunedRow* const naive = naive_row(machine);
  const auto least = measures ? least_row(machine, measures->overhead) : std::nullopt;
  if (!naive || !least) return "";
  const TunedRow& row = machine.rows[*least];
  const auto o = ratio_to_naive(machine, row, measures->overhead),
             w = ratio_to_naive(machine, row, measures->work),
             r = ratio_to_naive(machine, row, measures->bound);
  const auto all_o = variation_of(machine, measures->overhead),
             all_w = variation_of(machine, measures->work);
  if (!o || !w || !r || !all_o || !all_w) return "";
  const bool is_naive_least =
      !sweep::is_less(*row.measures[measures->overhead], *naive->measures[measures->overhead]);
  if (*all_o == 1 && is_naive_least) return ""; // nothing to choose by
  const std::string assumption =
      fmt::format("from the least to the most, work varies {} times and overhead {} times{}",
                  shown_ratio(all_w), shown_ratio(all_o),
                  *all_w < *all_o ? "" : ", but the strategy is for work that varies less");
  const std::string verdict =
      naive == &row ? "it is the naive value"
      : *r > 1      ? fmt::format("R = {} > 1: the bound is less, too", shown_ratio(r))
                    : fmt::format("R = {}, not above 1: the bound is not less", shown_ratio(r));
  return fmt::format(
      "{}; overhead is least at {}: naive/value is {} of overhead, {} of work; {}; {}", assumption,
      values_text(report, row), shown_ratio(o), shown_ratio(w), verdict,
      taken_text(report, machine, measures->bound, *r > 1 ? row : *naive));
}

} // namespace memlane
