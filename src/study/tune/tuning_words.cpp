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

std::string percent(double percentage) { return fmt::format("{:.3g} %", percentage); }

/// Requires a best value.
const TunedRow& best_of(const TunedMachine& machine) { return machine.rows[machine.tuning->best]; }
std::string with_objective(const TuningReport& report, const TunedMachine& machine,
                           const TunedRow& row) {
  return fmt::format("{} ({} {})", values_text(report, row), machine.objective().name,
                     shown(row.numbers.front()));
}
/// Requires a best value.
std::string best_with_objective(const TuningReport& report, const TunedMachine& machine) {
  return with_objective(report, machine, best_of(machine));
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
  std::string text = best_with_objective(report, machine);
  std::vector<std::string> ties;
  for (const std::size_t row : machine.tuning->ties)
    ties.push_back(values_text(report, machine.rows[row]));
  if (!ties.empty()) text += "; as good: " + listed(ties, "; ");
  const TunedRow* const naive = naive_row(machine);
  if (!naive) return text + "; there is no right result of a naive value to compare with";
  if (naive == &best) return text + "; this is the naive value";
  const std::string what = "the naive value " + values_text(report, *naive);
  if (!sweep::number_in(naive->numbers.front()))
    return text + fmt::format("; {} has no {} to compare with", what, objective);
  text += fmt::format("; with {} it is {}", what, shown(naive->numbers.front()));
  const auto ratio = ratio_to_naive(machine, best); // none if the best has 0
  return ratio ? text + fmt::format(", {} times as much", shown_ratio(ratio)) : text;
}

/// `k=1 to 4, 8, 16 to 64` without the name: values of an axis, in its order. Neighbours among the
/// axis's numbers make a range; one between them that was not chosen, or was not run, ends it.
std::string ranges(const sweep::TunedAxis& axis, const std::vector<std::size_t>& values) {
  std::vector<double> numbers = axis.numbers;
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  const auto place = [&](std::size_t value) {
    return std::lower_bound(numbers.begin(), numbers.end(), axis.numbers[value]) - numbers.begin();
  };
  std::vector<std::string> parts;
  for (std::size_t first = 0, last = 0; first < values.size(); first = ++last) {
    while (!numbers.empty() && last + 1 < values.size() &&
           place(values[last + 1]) == place(values[last]) + 1)
      ++last;
    const std::string &from = axis.values[values[first]], &to = axis.values[values[last]];
    parts.push_back(first == last ? from : fmt::format("{} to {}", from, to));
  }
  return listed(parts, ", ");
}

std::string range_sentence(const TuningReport& report, std::size_t axis) {
  const TunedMachine& machine = report.machines.front();
  const sweep::TuningLine& line = machine.tuning->lines[axis];
  const sweep::TunedAxis& values = report.axes[axis];
  std::vector<std::size_t> worth;
  for (const std::size_t row : line.worth) worth.push_back(machine.rows[row].at[axis]);
  std::vector<std::string> apart;
  for (const std::size_t row : line.apart)
    apart.push_back(values.values[machine.rows[row].at[axis]]);
  return fmt::format("{}={}, within {} of the best{}", values.title, ranges(values, worth),
                     percent(report.within),
                     apart.empty() ? "" : "; apart from it " + listed(apart, ", "));
}

/// Whether there may be a better value beyond those that were tried with the best one's value of
/// the other axis.
std::string edge_sentence(const TuningReport& report, std::size_t axis) {
  const TunedMachine& machine = report.machines.front();
  const sweep::TuningLine& line = machine.tuning->lines[axis];
  if (!line.at_least && !line.at_greatest) return "";
  const TunedRow& best = best_of(machine);
  const std::vector<double>& numbers = report.axes[axis].numbers;
  const auto is_beyond = [&](const TunedRow& row) {
    std::vector<std::size_t> at = row.at;
    at[axis] = best.at[axis];
    const double number = numbers[row.at[axis]], of_best = numbers[best.at[axis]];
    return at == best.at && (line.at_greatest ? number > of_best : number < of_best);
  };
  const bool others_failed = std::any_of(machine.rows.begin(), machine.rows.end(), is_beyond);
  std::string other;
  for (std::size_t k = 0; k < report.axes.size(); ++k)
    if (k != axis)
      other = fmt::format(" with {}={}", report.axes[k].title, report.axes[k].values[best.at[k]]);
  const std::string& command = report.extensions[axis];
  return fmt::format(
      "the best is the {} {} that was tried{}{}{}", line.at_greatest ? "greatest" : "least",
      report.axes[axis].title, other, others_failed ? " and can be chosen" : "",
      command.empty() ? "" : "; if launches fit there, a better one may lie beyond: " + command);
}

/// What two machines say of the values that can be chosen on both; rows are the other machine's.
struct Confirmation {
  std::vector<double> here, there;
  const TunedRow* of_best = nullptr;      ///< the value that is best here; null: not chosen there
  const TunedRow* best_on_both = nullptr; ///< as good as the best here, and as the best there
};

Confirmation confirmation_of(const TunedMachine& machine, const TunedMachine& other) {
  const auto is_best = [](const TunedMachine& one, const TunedRow& row) {
    return !sweep::is_less(best_of(one).numbers.front(), row.numbers.front());
  };
  Confirmation found;
  auto same = other.rows.begin(); // rows of all machines are in one order
  for (const TunedRow& row : machine.rows) {
    while (same != other.rows.end() && same->at < row.at) ++same;
    if (same == other.rows.end() || same->at != row.at) continue;
    if (row.state != TunedState::done || same->state != TunedState::done) continue;
    found.here.push_back(*sweep::number_in(row.numbers.front()));
    found.there.push_back(*sweep::number_in(same->numbers.front()));
    const bool is_the_best = &row == &best_of(machine);
    if (is_the_best) found.of_best = &*same;
    if (is_best(machine, row) && is_best(other, *same) && (is_the_best || !found.best_on_both))
      found.best_on_both = &*same;
  }
  return found;
}

/// What there is to say where one of two machines, or both, takes the same for every value; else
/// empty.
std::string flat_sentence(const TuningReport& report, const TunedMachine& machine,
                          const TunedMachine& other) {
  const auto is_flat = [](const TunedMachine& one) { return one.tuning->all_equal; };
  if (!is_flat(machine) && !is_flat(other)) return "";
  const TunedMachine &flat = is_flat(machine) ? machine : other,
                     &another = is_flat(machine) ? other : machine;
  const std::string same =
      fmt::format("{} gives the same {} for every value", flat.name, flat.objective().name);
  if (is_flat(another))
    return fmt::format("{}, and {} the same {}", same, another.name, another.objective().name);
  return fmt::format("{}; the best on {}: {}", same, another.name,
                     best_with_objective(report, another));
}

/// Whether the other machine has the same best value, what the first machine's best loses there,
/// and Kendall's tau-b of both orders.
std::string confirmation_sentence(const TuningReport& report, const TunedMachine& other) {
  const TunedMachine& machine = report.machines.front();
  if (!other.tuning) return "no value can be chosen there";
  const auto [here, there, of_best, best_on_both] = confirmation_of(machine, other);
  if (here.empty()) return "no value can be chosen on both machines";
  if (std::string flat = flat_sentence(report, machine, other); !flat.empty()) return flat;
  const std::string best = values_text(report, best_of(machine));
  std::string text;
  if (!best_on_both)
    text = "the best is another: " + best_with_objective(report, other);
  else if (best_on_both == of_best)
    text = "the best agrees: " + with_objective(report, other, *of_best);
  else
    text = fmt::format("of those that are as good, {} is the best there, too",
                       with_objective(report, other, *best_on_both));
  if (!of_best) {
    text += fmt::format("; {} cannot be chosen there", best);
  } else if (best_on_both != of_best) {
    const auto ratio = sweep::ratio_of(of_best->numbers.front(), best_of(other).numbers.front());
    text += ratio ? fmt::format("; {} costs {} more there", best, percent(100 * (*ratio - 1)))
                  : fmt::format("; with {} it is {} there", best, shown(of_best->numbers.front()));
  }
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
  if (machine.tuning && report.seeds > 1)
    say("seeds",
        fmt::format("the value is the mean of {}; the command repeats the first", report.seeds));
  return findings;
}

} // namespace memlane
