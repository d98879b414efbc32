// What a tuning found, in sentences.
#include "tuning_text.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane {

using sweep::Tuning;
using sweep::TuningLine;

namespace {

using Findings = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t most_listed_values = 20;

/// `1, 2, 4`; of many the first ones.
std::string listed(const std::vector<std::string>& values) {
  const std::size_t count = std::min(values.size(), most_listed_values);
  const auto end = values.begin() + static_cast<std::ptrdiff_t>(count);
  std::string text = fmt::format("{}", fmt::join(values.begin(), end, ", "));
  if (count < values.size()) text += fmt::format(" and {} more", values.size() - count);
  return text;
}

/// The sentences about one report.
class TuningWords {
public:
  explicit TuningWords(const TuningReport& report)
      : report_(report), machine_(report.machines.front()) {}

  Findings find();

private:
  void say_problems();
  void say_best();
  std::string naive_text() const;
  void say_row_bests();
  void say_range(std::size_t axis);
  void say_trend(std::size_t axis);
  void say_edges(std::size_t axis);
  void say_edge(std::size_t axis, bool greatest);
  void say_bound();
  void say_time();
  std::string row_best_text(std::size_t best) const;
  std::string alike_text(const TunedMachine& other) const;
  void say_confirmation(const TunedMachine& other);
  void say_bad_rows(const TunedMachine& machine);
  void say(std::string word, std::string sentence) {
    findings_.emplace_back(std::move(word), std::move(sentence));
  }
  /// Whether the values of the axis are different problems.
  bool is_problem(std::size_t axis) const {
    return axis < report_.changed_inputs.size() && !report_.changed_inputs[axis].empty();
  }
  std::string value_of(std::size_t axis, std::size_t row) const {
    return report_.axes[axis].values[machine_.rows[row].at[axis]];
  }
  const std::string& title(std::size_t axis) const { return report_.axes[axis].title; }
  const std::string& objective() const { return machine_.objective.name; }
  std::string with_objective(const TunedMachine& machine, std::size_t row) const {
    return fmt::format("{} ({} {})", values_text(report_, machine.rows[row]),
                       machine.objective.name, shown(machine.rows[row].objective));
  }

  const TuningReport& report_;
  const TunedMachine& machine_;
  Findings findings_;
};

/// Values that are different problems: the best of them is only the cheapest problem.
void TuningWords::say_problems() {
  for (std::size_t axis = 0; axis < report_.axes.size(); ++axis)
    if (is_problem(axis))
      say("problems", fmt::format("each {0} is another problem, with another size of {1}: the best "
                                  "{0} is the problem that costs least",
                                  title(axis), report_.changed_inputs[axis]));
}

void TuningWords::say_best() {
  const Tuning& tuning = *machine_.tuning;
  if (tuning.all_equal) {
    say("best", fmt::format("every value gives {} {}: {} does not change it", objective(),
                            shown(machine_.rows[tuning.best].objective),
                            report_.axes.size() == 1 ? title(0) : title(0) + " and " + title(1)));
    return;
  }
  std::string text = with_objective(machine_, tuning.best);
  for (std::size_t k = 0; k < tuning.ties.size() && k < most_listed_values; ++k)
    text += fmt::format("{}{}", k == 0 ? "; as good: " : "; ",
                        values_text(report_, machine_.rows[tuning.ties[k]]));
  if (tuning.ties.size() > most_listed_values)
    text += fmt::format(" and {} more", tuning.ties.size() - most_listed_values);
  text += naive_text();
  say("best", std::move(text));
}

/// What the best is against the naive value.
std::string TuningWords::naive_text() const {
  const TunedRow* const naive = naive_row(machine_);
  if (!naive) return "; there is no right result of a naive value to compare with";
  const std::size_t best = machine_.tuning->best;
  const std::string what = machine_.other_naive
                               ? report_.naive_program
                               : fmt::format("the naive value {}", values_text(report_, *naive));
  if (naive == &machine_.rows[best]) return "; this is the naive value";
  const auto ratio = objective_ratio(machine_, machine_.rows[best]);
  if (!naive->objective || !ratio)
    return fmt::format("; {} has no {} to compare with", what, objective());
  return fmt::format("; with {} it is {}, {} times as much", what, shown(naive->objective),
                     shown_ratio(ratio));
}

/// The best value of the second axis at that value of the first; empty if there are several values
/// that give the same.
std::string TuningWords::row_best_text(std::size_t best) const {
  const TunedRow& row = machine_.rows[best];
  std::size_t values = 0, same = 0;
  for (const TunedRow& other : machine_.rows) {
    if (other.state != TunedState::done || other.at[0] != row.at[0]) continue;
    ++values;
    if (!sweep::is_less(*row.objective, *other.objective)) ++same;
  }
  return values > 1 && same == values ? "" : value_of(1, best);
}

/// Of two axes: how the best value of the second follows the first.
void TuningWords::say_row_bests() {
  const std::vector<std::size_t>& rows = machine_.tuning->best_of_rows;
  if (rows.size() < 2) return;
  std::string text;
  std::size_t alike = 0; // rows whose values give the same
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::string best = row_best_text(rows[k]);
    if (best.empty()) ++alike;
    if (k < most_listed_values)
      text += fmt::format("{}{}={}: {}", k == 0 ? "" : "; ", title(0), value_of(0, rows[k]),
                          best.empty() ? "all the same" : best);
  }
  if (alike == rows.size())
    return say("best " + title(1), fmt::format("at each {}, all values of {} give the same {}",
                                               title(0), title(1), objective()));
  if (rows.size() > most_listed_values)
    text += fmt::format("; and {} more", rows.size() - most_listed_values);
  say("best " + title(1), std::move(text));
}

void TuningWords::say_range(std::size_t axis) {
  const TuningLine& line = machine_.tuning->lines[axis];
  const auto value_at = [&](std::size_t place) { return value_of(axis, line.values[place]); };
  std::vector<std::string> inside, apart;
  for (std::size_t place = 0; place < line.values.size(); ++place)
    if (place >= line.range_first && place <= line.range_last)
      inside.push_back(value_at(place));
    else if (!worth_of(report_, machine_, line.values[place]).empty())
      apart.push_back(value_at(place));
  const bool is_range = !report_.axes[axis].numbers.empty() && inside.size() > 1;
  std::string text = fmt::format("{}={}, within {} of the best", title(axis),
                                 is_range ? fmt::format("{} to {}", inside.front(), inside.back())
                                          : listed(inside),
                                 percent(report_.within));
  if (!apart.empty()) text += "; apart from it " + listed(apart);
  say(report_.axes.size() == 1 ? "worth using" : "worth using " + title(axis), std::move(text));
}

void TuningWords::say_trend(std::size_t axis) {
  constexpr std::size_t most_parts = 6;
  const std::vector<sweep::TrendPart>& parts = machine_.tuning->lines[axis].trend;
  if (parts.empty()) return;
  std::string text = objective();
  for (std::size_t k = 0; k < parts.size() && k < most_parts; ++k) {
    const sweep::TrendPart& part = parts[k];
    text += fmt::format("{} {}{} to {}", k == 0 ? "" : ", then",
                        part.trend == sweep::Trend::level ? "stays the same" : name_of(part.trend),
                        k == 0 ? fmt::format(" from {}={}", title(axis), value_of(axis, part.first))
                               : "",
                        value_of(axis, part.last));
  }
  if (parts.size() > most_parts)
    text += fmt::format("; the direction changes {} times in all", parts.size() - 1);
  say(report_.axes.size() == 1 ? "trend" : "trend of " + title(axis), std::move(text));
}

/// What lies beyond the values that could be chosen.
void TuningWords::say_edge(std::size_t axis, bool greatest) {
  const TunedRow& best = machine_.rows[machine_.tuning->best];
  const std::vector<double>& numbers = report_.axes[axis].numbers;
  const bool cannot_run_beyond =
      std::any_of(machine_.rows.begin(), machine_.rows.end(), [&](const TunedRow& row) {
        const double distance = numbers[row.at[axis]] - numbers[best.at[axis]];
        return row.state != TunedState::done && (greatest ? distance > 0 : distance < 0);
      });
  const char* const word = greatest ? "greatest" : "least";
  std::string text = fmt::format("the best is the {} {} that {}", word, title(axis),
                                 cannot_run_beyond ? "can be chosen" : "was tried");
  const TuningExtension& extension = report_.extensions[axis];
  const std::string& command = greatest ? extension.greatest : extension.least;
  if (!cannot_run_beyond && !command.empty())
    text += fmt::format("; a better one may lie beyond: {}", command);
  say("edge", std::move(text));
}

void TuningWords::say_edges(std::size_t axis) {
  if (is_problem(axis)) return; // a smaller problem always costs less
  const TuningLine& line = machine_.tuning->lines[axis];
  if (line.at_least) say_edge(axis, false);
  if (line.at_greatest) say_edge(axis, true);
}

/// By which theorem, if not the usual one.
void TuningWords::say_bound() {
  const auto& rule = machine_.objective.rule;
  if (!rule || rule->name == machine_.objective.rules.front().name) return;
  say("bound", fmt::format("by {} for all values, {}: for some P is less than K, where {} is no "
                           "bound",
                           rule->name, rule->formula, machine_.objective.rules.front().name));
}

/// On an MMM the schedule's own time beside a bound of it: its least may be elsewhere.
void TuningWords::say_time() {
  const auto time = place_of_measure(machine_, "time");
  if (machine_.model != Model::mmm || !time || machine_.objective.name == "time") return;
  const auto least = least_row(machine_, *time);
  if (!least) return;
  const TunedRow& fastest = machine_.rows[*least];
  const TunedRow& best = machine_.rows[machine_.tuning->best];
  if (!best.measures[*time] || !sweep::is_less(*fastest.measures[*time], *best.measures[*time]))
    return;
  say("by time", fmt::format("{} (time {}); {} takes {}", values_text(report_, fastest),
                             shown(fastest.measures[*time]), values_text(report_, best),
                             shown(best.measures[*time])));
}

/// Where one of the machines gives the same for every value, there is nothing to agree on.
std::string TuningWords::alike_text(const TunedMachine& other) const {
  const Tuning& there = *other.tuning;
  if (!there.all_equal)
    return fmt::format("{} does not tell the values apart; here the best is {}", machine_.name,
                       with_objective(other, there.best));
  return fmt::format("{} does not tell the values apart{}: every value gives {} {}", other.name,
                     machine_.tuning->all_equal ? " either" : "", other.objective.name,
                     shown(other.rows[there.best].objective));
}

void TuningWords::say_confirmation(const TunedMachine& other) {
  const std::string word = "on " + other.name;
  if (!other.tuning) return say(word, "no value can be chosen there");
  const TuningConfirmation result = confirm(machine_, other);
  if (result.common == 0) return say(word, "no value can be chosen on both machines");
  if (machine_.tuning->all_equal || other.tuning->all_equal) return say(word, alike_text(other));
  std::string text = result.agrees ? "the best agrees: " : "the best is another: ";
  text += with_objective(other, other.tuning->best);
  if (!result.loss)
    text += fmt::format("; {} cannot be chosen there",
                        values_text(report_, machine_.rows[machine_.tuning->best]));
  else if (!result.agrees)
    text += fmt::format(
        "; {} costs {} more there{}", values_text(report_, machine_.rows[machine_.tuning->best]),
        percent(*result.loss),
        *result.loss <= report_.within ? fmt::format(", within {}", percent(report_.within)) : "");
  if (result.tau) text += fmt::format("; both orders: tau-b = {:.3g}", *result.tau);
  say(word, std::move(text));
}

void TuningWords::say_bad_rows(const TunedMachine& machine) {
  // One line for the values with the same reason.
  std::vector<std::pair<std::pair<TunedState, std::string>, std::vector<std::string>>> groups;
  for (const TunedRow& row : machine.rows) {
    if (row.state == TunedState::done) continue;
    const std::pair key{row.state, row.reason};
    auto known = std::find_if(groups.begin(), groups.end(),
                              [&](const auto& group) { return group.first == key; });
    if (known == groups.end()) known = groups.insert(known, {key, {}});
    known->second.push_back(values_text(report_, row));
  }
  if (const auto& naive = machine.other_naive; naive && naive->state != TunedState::done)
    say(report_.naive_program, fmt::format("on {}: {}{}{}", machine.name, name_of(naive->state),
                                           naive->reason.empty() ? "" : ": ", naive->reason));
  for (std::size_t k = 0; k < groups.size() && k < most_listed_values; ++k) {
    auto& [key, values] = groups[k];
    const auto& [state, reason] = key;
    const std::size_t more =
        values.size() > most_listed_values ? values.size() - most_listed_values : 0;
    values.resize(values.size() - more);
    const char* const word = state == TunedState::failed         ? "cannot run"
                             : state == TunedState::stopped      ? "stopped"
                             : state == TunedState::check_failed ? "wrong"
                             : state == TunedState::missing      ? "not run"
                                                                 : "without";
    say(&machine == &machine_ ? word : fmt::format("{} on {}", word, machine.name),
        fmt::format("{}{}{}{}", fmt::join(values, "; "),
                    more > 0 ? fmt::format(" and {} more", more) : "", reason.empty() ? "" : ": ",
                    reason));
  }
  if (groups.size() > most_listed_values)
    say("and", fmt::format("{} more reasons; --format csv lists all values",
                           groups.size() - most_listed_values));
}

Findings TuningWords::find() {
  if (machine_.tuning) {
    say_problems();
    say_best();
    say_row_bests();
    if (!machine_.tuning->all_equal)
      for (std::size_t axis = 0; axis < report_.axes.size(); ++axis) {
        say_range(axis);
        say_trend(axis);
        say_edges(axis);
      }
    say_bound();
    say_time();
    if (std::string text = strategy_sentence(report_, machine_); !text.empty())
      say("strategy", std::move(text));
    for (std::size_t k = 1; k < report_.machines.size(); ++k) say_confirmation(report_.machines[k]);
  } else {
    say("best", "no value can be chosen");
  }
  for (const TunedMachine& machine : report_.machines) say_bad_rows(machine);
  if (machine_.tuning) say("repeat", machine_.rows[machine_.tuning->best].command);
  return std::move(findings_);
}

} // namespace

Findings tuning_findings(const TuningReport& report) { return TuningWords(report).find(); }

} // namespace memlane
