// The best value on each machine, and what one machine says of another's.
#include "memlane/report/tuning.hpp"

#include "memlane/measure/ordering.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane {

using sweep::Objective;

std::string_view name_of(TunedState state) {
  switch (state) {
  case TunedState::done: return "done";
  case TunedState::check_failed: return "check_failed";
  case TunedState::no_objective: return "no_objective";
  case TunedState::failed: return "failed";
  case TunedState::stopped: return "stopped";
  case TunedState::missing: return "missing";
  }
  return "";
}

const TunedRow* naive_row(const TunedMachine& machine) {
  const TunedRow* row = machine.other_naive ? &*machine.other_naive
                        : machine.naive     ? &machine.rows[*machine.naive]
                                            : nullptr;
  return row && row->state == TunedState::check_failed ? nullptr : row;
}

void find_best(TuningReport& report) {
  for (TunedMachine& machine : report.machines) {
    std::vector<sweep::TunedValue> values;
    for (const TunedRow& row : machine.rows)
      values.push_back({row.at, row.state == TunedState::done ? row.objective : std::nullopt});
    machine.tuning = sweep::tune(report.axes, values, report.within);
  }
}

namespace {

bool is_best(const sweep::Tuning& tuning, std::size_t row) {
  return row == tuning.best ||
         std::find(tuning.ties.begin(), tuning.ties.end(), row) != tuning.ties.end();
}

/// The row with the same values on another machine; none if it cannot be chosen there.
std::optional<std::size_t> same_row(const TunedMachine& machine, const TunedRow& row) {
  for (std::size_t k = 0; k < machine.rows.size(); ++k)
    if (machine.rows[k].at == row.at && machine.rows[k].state == TunedState::done) return k;
  return std::nullopt;
}

} // namespace

TuningConfirmation confirm(const TunedMachine& tuned, const TunedMachine& other) {
  TuningConfirmation confirmation;
  std::vector<double> here, there;
  for (std::size_t k = 0; k < tuned.rows.size(); ++k) {
    if (tuned.rows[k].state != TunedState::done) continue;
    const auto same = same_row(other, tuned.rows[k]);
    if (!same) continue;
    here.push_back(tuned.rows[k].objective->value);
    there.push_back(other.rows[*same].objective->value);
    ++confirmation.common;
    if (is_best(*tuned.tuning, k) && is_best(*other.tuning, *same)) confirmation.agrees = true;
  }
  confirmation.tau = measure::tau_b(measure::count_pairs(here, there));
  const auto best = same_row(other, tuned.rows[tuned.tuning->best]);
  if (!best) return confirmation;
  const auto ratio =
      sweep::ratio_of(*other.rows[*best].objective, *other.rows[other.tuning->best].objective);
  if (ratio) confirmation.loss = *ratio - 1;
  return confirmation;
}

std::string_view worth_of(const TuningReport& report, const TunedMachine& machine,
                          std::size_t row) {
  if (!machine.tuning || machine.rows[row].state != TunedState::done) return "";
  const sweep::Tuning& tuning = *machine.tuning;
  if (row == tuning.best) return "best";
  if (is_best(tuning, row)) return "tie";
  for (const sweep::TuningLine& line : tuning.lines)
    for (std::size_t place = line.range_first; place <= line.range_last; ++place)
      if (line.values[place] == row) return "yes";
  const Objective& best = *machine.rows[tuning.best].objective;
  return sweep::is_near(*machine.rows[row].objective, best, report.within) ? "apart" : "";
}

std::string values_text(const TuningReport& report, const TunedRow& row) {
  std::string text;
  for (std::size_t axis = 0; axis < report.axes.size(); ++axis)
    text += fmt::format("{}{}={}", axis == 0 ? "" : ", ", report.axes[axis].title,
                        report.axes[axis].values[row.at[axis]]);
  return text;
}

} // namespace memlane
