// What a tuning found, in sentences.
#include "memlane/study/gpu/ordering.hpp"
#include "memlane/study/tune/tuning_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace memlane {

using sweep::Cell;

namespace {

using Findings = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t most_listed = 20;

/// `1, 2, 4`; of many the first ones.
std::string listed(const std::vector<std::string>& values, std::string_view separator) {
  const std::size_t count = std::min(values.size(), most_listed);
  const auto end = values.begin() + static_cast<std::ptrdiff_t>(count);
  std::string text = fmt::format("{}", fmt::join(values.begin(), end, separator));
  if (count < values.size()) text += fmt::format(" and {} more", values.size() - count);
  return text;
}

/// `12.2 %`.
std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

/// Requires a best value.
const TunedRow& best_of(const TunedMachine& machine) { return machine.rows[machine.tuning->best]; }
std::string with_objective(const TuningReport& report, const TunedMachine& machine) {
  return fmt::format("{} ({} {})", values_text(report, best_of(machine)), machine.objective().name,
                     shown(best_of(machine).numbers.front()));
}

// Each function makes one sentence about the machine that is tuned for, which has a best value;
// none where there is nothing to say.

std::string best_sentence(const TuningReport& report) {
  const TunedMachine& machine = report.machines.front();
  const TunedRow& best = best_of(machine);
  const std::string& objective = machine.objective().name;
  if (machine.tuning->all_equal)
    return fmt::format(
        "every value gives {} {}: {} not change it", objective, shown(best.numbers.front()),
        report.axes.size() == 1 ? report.axes[0].title + " does"
                                : report.axes[0].title + " and " + report.axes[1].title + " do");
  std::string text = with_objective(report, machine);
  std::vector<std::string> ties;
  for (const std::size_t row : machine.tuning->ties)
    ties.push_back(values_text(report, machine.rows[row]));
  if (!ties.empty()) text += "; as good: " + listed(ties, "; ");
  const TunedRow* const naive = naive_row(machine);
  if (!naive) return text + "; there is no right result of a naive value to compare with";
  if (naive == &best) return text + "; this is the naive value";
  const std::string what = "the naive value " + values_text(report, *naive);
  const auto ratio = ratio_to_naive(machine, best);
  if (!ratio) return text + fmt::format("; {} has no {} to compare with", what, objective);
  return text + fmt::format("; with {} it is {}, {} times as much", what,
                            shown(naive->numbers.front()), shown_ratio(ratio));
}

std::string range_sentence(const TuningReport& report, std::size_t axis) {
  const TunedMachine& machine = report.machines.front();
  const sweep::TuningLine& line = machine.tuning->lines[axis];
  const auto values_of = [&](const std::vector<std::size_t>& rows) {
    std::vector<std::string> values;
    for (const std::size_t row : rows)
      values.push_back(report.axes[axis].values[machine.rows[row].at[axis]]);
    return values;
  };
  const std::vector<std::string> worth = values_of(line.worth);
  const bool is_range = !report.axes[axis].numbers.empty() && worth.size() > 1;
  return fmt::format(
      "{}={}, within {} of the best{}", report.axes[axis].title,
      is_range ? fmt::format("{} to {}", worth.front(), worth.back()) : listed(worth, ", "),
      percent(report.within),
      line.apart.empty() ? "" : "; apart from it " + listed(values_of(line.apart), ", "));
}

/// Whether there may be a better value beyond those that were tried.
std::string edge_sentence(const TuningReport& report, std::size_t axis) {
  const TunedMachine& machine = report.machines.front();
  const sweep::TuningLine& line = machine.tuning->lines[axis];
  if (!line.at_least && !line.at_greatest) return "";
  const std::vector<double>& numbers = report.axes[axis].numbers;
  const double best = numbers[best_of(machine).at[axis]];
  const bool others_failed =
      std::any_of(machine.rows.begin(), machine.rows.end(), [&](const TunedRow& row) {
        const double number = numbers[row.at[axis]];
        return row.state != TunedState::done && (line.at_greatest ? number > best : number < best);
      });
  const std::string& command = report.extensions[axis];
  return fmt::format(
      "the best is the {} {} that was tried{}{}", line.at_greatest ? "greatest" : "least",
      report.axes[axis].title, others_failed ? " and can be chosen" : "",
      command.empty() ? "" : "; if launches fit there, a better one may lie beyond: " + command);
}

/// Whether the other machine has the same best value, what the first machine's best loses there,
/// and Kendall's tau-b of both orders.
std::string confirmation_sentence(const TuningReport& report, const TunedMachine& other) {
  const TunedMachine& machine = report.machines.front();
  if (!other.tuning) return "no value can be chosen there";
  std::vector<double> here, there; // of values that can be chosen on both
  bool agrees = false;
  Cell of_best;                   // there, of the best here
  auto same = other.rows.begin(); // rows of all machines are in one order
  for (const TunedRow& row : machine.rows) {
    while (same != other.rows.end() && same->at < row.at) ++same;
    if (same == other.rows.end() || same->at != row.at) continue;
    if (row.state != TunedState::done || same->state != TunedState::done) continue;
    here.push_back(*sweep::number_in(row.numbers.front()));
    there.push_back(*sweep::number_in(same->numbers.front()));
    agrees = agrees || (!sweep::is_less(best_of(machine).numbers.front(), row.numbers.front()) &&
                        !sweep::is_less(best_of(other).numbers.front(), same->numbers.front()));
    if (&row == &best_of(machine)) of_best = same->numbers.front();
  }
  if (here.empty()) return "no value can be chosen on both machines";
  for (const TunedMachine* const one : {&machine, &other})
    if (one->tuning->all_equal)
      return fmt::format("{} gives the same {} for every value; the best on {}: {}", one->name,
                         one->objective().name, other.name, with_objective(report, other));
  std::string text = agrees ? "the best agrees: " : "the best is another: ";
  text += with_objective(report, other);
  const std::string best = values_text(report, best_of(machine));
  const auto ratio = sweep::ratio_of(of_best, best_of(other).numbers.front());
  if (of_best.index() == 0)
    text += fmt::format("; {} cannot be chosen there", best);
  else if (!agrees && ratio)
    text += fmt::format("; {} costs {} more there", best, percent(*ratio - 1));
  if (const auto tau = measure::tau_b(measure::count_pairs(here, there)))
    text += fmt::format("; both orders: tau-b = {:.3g}", *tau);
  return text;
}

/// Values that cannot be chosen, and those whose claim fails: one line for those with the same
/// reason.
void add_bad_rows(const TunedMachine& machine, const TuningReport& report, Findings& findings) {
  constexpr std::array words = {"claim", "wrong", "without", "cannot run", "stopped", "not run"};
  const bool is_first = &machine == &report.machines.front();
  std::vector<std::pair<std::string, std::string>> reasons; // in the order of rows
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> values;
  for (const TunedRow& row : machine.rows) {
    if (row.state == TunedState::done && !row.claim_failed) continue;
    const std::string word = words[static_cast<std::size_t>(row.state)];
    const std::pair reason{is_first ? word : word + " on " + machine.name, row.reason};
    if (values[reason].empty()) reasons.push_back(reason);
    values[reason].push_back(values_text(report, row));
  }
  for (std::size_t k = 0; k < reasons.size() && k < most_listed; ++k)
    findings.emplace_back(reasons[k].first,
                          listed(values[reasons[k]], "; ") +
                              (reasons[k].second.empty() ? "" : ": " + reasons[k].second));
  if (reasons.size() > most_listed)
    findings.emplace_back("and", fmt::format("{} more reasons; --format csv lists all values",
                                             reasons.size() - most_listed));
}

} // namespace

Findings tuning_findings(const TuningReport& report) {
  Findings findings;
  const auto say = [&](const std::string& word, std::string sentence) {
    if (!sentence.empty()) findings.emplace_back(word, std::move(sentence));
  };
  const TunedMachine& machine = report.machines.front();
  for (std::size_t axis = 0; machine.tuning && axis < report.axes.size(); ++axis)
    if (const std::string& input = report.changed_inputs[axis]; !input.empty())
      say("problems", fmt::format("each {0} is another problem, with another size of {1}: the best "
                                  "{0} is the problem that costs least",
                                  report.axes[axis].title, input));
  say("best", machine.tuning ? best_sentence(report) : "no value can be chosen");
  for (std::size_t axis = 0; axis < report.axes.size(); ++axis) {
    if (!machine.tuning || machine.tuning->all_equal) break;
    const std::string of_axis = report.axes.size() == 1 ? "" : " " + report.axes[axis].title;
    say("worth using" + of_axis, range_sentence(report, axis));
    if (report.changed_inputs[axis].empty()) // a smaller problem always costs less
      say("edge" + of_axis, edge_sentence(report, axis));
  }
  for (std::size_t k = 1; machine.tuning && k < report.machines.size(); ++k)
    say("on " + report.machines[k].name, confirmation_sentence(report, report.machines[k]));
  for (const TunedMachine& one : report.machines) add_bad_rows(one, report, findings);
  if (machine.tuning) say("repeat", best_of(machine).command);
  return findings;
}

} // namespace memlane
