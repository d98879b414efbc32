// What a tuning found, in sentences.
#include "cells.hpp"
#include "tuning_text.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane {

using sweep::Tuning;
using sweep::TuningLine;

std::string shown(const std::optional<sweep::Objective>& number) {
  if (!number) return "";
  if (number->whole) return std::to_string(*number->whole);
  const bool is_large = number->value >= 1000 && number->value < 1e15;
  return is_large ? fmt::format("{:.1f}", number->value) : fmt::format("{:.6g}", number->value);
}

sweep::Cell exact_cell(const std::optional<sweep::Objective>& number) {
  if (!number) return {};
  if (number->whole) return *number->whole;
  return number->value;
}

std::optional<double> ratio_to_naive(const TunedMachine& machine, const TunedRow& row,
                                     std::size_t measure) {
  const TunedRow* const naive = naive_row(machine);
  if (!naive || measure >= naive->measures.size() || measure >= row.measures.size())
    return std::nullopt;
  if (!naive->measures[measure] || !row.measures[measure]) return std::nullopt;
  return sweep::ratio_of(*naive->measures[measure], *row.measures[measure]);
}

std::optional<double> objective_ratio(const TunedMachine& machine, const TunedRow& row) {
  const TunedRow* const naive = naive_row(machine);
  if (!naive || !naive->objective || !row.objective) return std::nullopt;
  return sweep::ratio_of(*naive->objective, *row.objective);
}

std::string shown_ratio(const std::optional<double>& ratio) {
  return ratio ? ratio_cell(*ratio) : "";
}

std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

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
  void say_best();
  std::string naive_text() const;
  void say_row_bests();
  void say_range(std::size_t axis);
  void say_trend(std::size_t axis);
  void say_edges(std::size_t axis);
  void say_edge(std::size_t axis, bool greatest);
  std::optional<double> variation_of(std::size_t measure) const;
  void say_strategy();
  void say_confirmation(const TunedMachine& other);
  void say_bad_rows(const TunedMachine& machine);
  void say(std::string word, std::string sentence) {
    findings_.emplace_back(std::move(word), std::move(sentence));
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

/// Of two axes: how the best value of the second follows the first.
void TuningWords::say_row_bests() {
  const std::vector<std::size_t>& rows = machine_.tuning->best_of_rows;
  if (rows.size() < 2) return;
  std::string text;
  for (std::size_t k = 0; k < rows.size() && k < most_listed_values; ++k)
    text += fmt::format("{}{}={}: {}", k == 0 ? "" : "; ", title(0), value_of(0, rows[k]),
                        value_of(1, rows[k]));
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
  const TuningLine& line = machine_.tuning->lines[axis];
  if (line.at_least) say_edge(axis, false);
  if (line.at_greatest) say_edge(axis, true);
}

/// How many times as much the measure is at the value that has most as at that with least.
std::optional<double> TuningWords::variation_of(std::size_t measure) const {
  std::optional<sweep::Objective> least, most;
  for (const TunedRow& row : machine_.rows) {
    if (row.state != TunedState::done || !row.measures.at(measure)) continue;
    const sweep::Objective& own = *row.measures[measure];
    if (!least || sweep::is_less(own, *least)) least = own;
    if (!most || sweep::is_less(*most, own)) most = own;
  }
  return least ? sweep::ratio_of(*most, *least) : std::nullopt;
}

/// The strategy of the MMM paper's introduction: where work varies little and overhead much, the
/// value with the least overhead, if the bound of Corollary 1 is less there.
void TuningWords::say_strategy() {
  const auto place = [&](std::string_view name) {
    const auto found = std::find_if(machine_.measures.begin(), machine_.measures.end(),
                                    [&](const TuningMeasure& one) { return one.name == name; });
    return static_cast<std::size_t>(found - machine_.measures.begin());
  };
  const std::size_t work = place("work"), overhead = place("overhead"), bound = place("bound");
  const TunedRow* const naive = naive_row(machine_);
  if (machine_.model != Model::mmm || !naive) return;
  std::optional<std::size_t> least;
  for (std::size_t k = 0; k < machine_.rows.size(); ++k) {
    const TunedRow& row = machine_.rows[k];
    if (row.state != TunedState::done || !row.measures.at(overhead)) continue;
    if (!least ||
        sweep::is_less(*row.measures[overhead], *machine_.rows[*least].measures[overhead]))
      least = k;
  }
  if (!least) return;
  const TunedRow& row = machine_.rows[*least];
  const auto o = ratio_to_naive(machine_, row, overhead), w = ratio_to_naive(machine_, row, work),
             r = ratio_to_naive(machine_, row, bound);
  const auto all_o = variation_of(overhead), all_w = variation_of(work);
  if (!o || !w || !r || !all_o || !all_w) return;
  const std::string assumption =
      fmt::format("from the least to the most, work varies {} times and overhead {} times{}",
                  shown_ratio(all_w), shown_ratio(all_o),
                  *all_w < *all_o ? "" : ", but the strategy is for work that varies less");
  const std::string verdict =
      naive == &row ? "it is the naive value, which stays"
      : *r > 1
          ? fmt::format("R = {} > 1: the bound is less, too", shown_ratio(r))
          : fmt::format("R = {}, not above 1: by the bound the naive one stays", shown_ratio(r));
  say("strategy",
      fmt::format("{}; overhead is least at {}: naive/value is {} of overhead, {} of work; {}",
                  assumption, values_text(report_, row), shown_ratio(o), shown_ratio(w), verdict));
}

void TuningWords::say_confirmation(const TunedMachine& other) {
  const std::string word = "on " + other.name;
  if (!other.tuning) return say(word, "no value can be chosen there");
  const TuningConfirmation result = confirm(machine_, other);
  if (result.common == 0) return say(word, "no value can be chosen on both machines");
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
    say_best();
    say_row_bests();
    if (!machine_.tuning->all_equal)
      for (std::size_t axis = 0; axis < report_.axes.size(); ++axis) {
        say_range(axis);
        say_trend(axis);
        say_edges(axis);
      }
    say_strategy();
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
