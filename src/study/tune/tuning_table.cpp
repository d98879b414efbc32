// The measures of tunings, and the best value of each machine by them.
#include "memlane/study/tune/tuning_table.hpp"

#include "memlane/show/json_parts.hpp"
#include "memlane/study/results/stored_rows.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace memlane {

using sweep::Cell;

namespace {

struct MeasureOfModels {
  std::vector<Model> models;
  TuningMeasure measure;
};

/// All measures, model by model in the order in which tables show them. The first of a model is
/// compared if none is asked for.
const std::vector<MeasureOfModels>& all_measures() {
  using enum Model;
  static const std::vector<Model> timed = {dmm, umm, hmm, agpu};
  static const std::vector<MeasureOfModels> all = {
      {timed, {"time", "time", "of the run (time units)", {"time"}}},
      {{mmm}, {"bound", "bound", "of the time", {"mmm_corollary1"}, "R", true, "mmm_theorem1"}},
      {{mmm}, {"work", "work W", "operators of all threads", {"mmm_work"}, "W"}},
      {{mmm}, {"span", "span S", "operators on the heaviest path", {"mmm_span"}, "S"}},
      {{mmm},
       {"overhead", "overhead O", "time of transfers, of all blocks", {"mmm_overhead"}, "O"}},
      {{mmm}, {"blocks", "N", "thread blocks", {"mmm_blocks"}}},
      {{mmm}, {"path", "Λ", "blocks on the longest path", {"mmm_path"}}},
      {{mmm}, {"antichain", "K", "blocks that may run at once", {"mmm_antichain"}, "", false}},
      {{mmm}, {"block_cost", "C", "span and overhead of a block, at most", {"mmm_block_cost"}}},
      {{mmm},
       {"time", "time", "of the greedy schedule on P multiprocessors (time units)", {"mmm_time"}}},
      {timed, {"io", "I/O", "AGPU I/O (blocks of w words)", {"agpu_io"}}},
      {timed,
       {"requests",
        "requests",
        "of warps to all memories (requests)",
        {"global_requests", "shared_requests"}}},
      {timed,
       {"stages", "stages", "of these requests (stages)", {"global_stages", "shared_stages"}}},
      {{agpu},
       {"multiplicity",
        "multiplicity",
        "blocks that fit a shared memory: larger is better",
        {"agpu_multiplicity"},
        "",
        false}},
  };
  return all;
}

/// Columns of what was run, and of words, have no least number.
bool is_count(const sweep::StoreColumn& column) {
  constexpr std::array others = {"seed", "stop", "races_allowed", "verify", "reason", "command"};
  return !column.shared && std::find(others.begin(), others.end(), column.name) == others.end();
}

} // namespace

Result<std::vector<TuningMeasure>> tuning_measures(const std::string& objective, Model model,
                                                   const std::vector<sweep::StoreColumn>& columns) {
  std::vector<TuningMeasure> measures;
  std::vector<std::string> own, known;
  for (const auto& [models, measure] : all_measures()) {
    if (std::find(models.begin(), models.end(), model) == models.end()) continue;
    measures.push_back(measure);
    if (measure.may_choose) own.push_back(measure.name);
  }
  known = own;
  const std::string& name = objective.empty() ? own.front() : objective;
  const auto place = std::find_if(measures.begin(), measures.end(), [&](const auto& measure) {
    return measure.may_choose && measure.name == name;
  });
  if (place != measures.end()) {
    std::rotate(measures.begin(), place, place + 1);
    return measures;
  }
  for (const auto& [models, measure] : all_measures())
    if (!measure.may_choose && measure.columns.front() == name)
      return error_in(
          "--objective", fmt::format("the least {} is no aim", name),
          {fmt::format("objectives on model {}: {}", name_of(model), fmt::join(own, ", "))});
  for (const sweep::StoreColumn& column : columns) {
    if (!is_count(column)) continue;
    known.push_back(column.name);
    if (column.name != name) continue;
    measures.insert(measures.begin(), {name, name, column.meaning, {name}});
    return measures;
  }
  std::vector<std::string> help = did_you_mean(name, known);
  help.push_back(fmt::format("objectives on model {}: {}, and every count by its name ('memlane "
                             "explain counts')",
                             name_of(model), fmt::join(own, ", ")));
  return error_in("--objective",
                  fmt::format("'{}' is no count of a run on model {}", name, name_of(model)),
                  std::move(help));
}

std::string_view TuningMeasure::rule() const {
  if (!fallback.empty()) return columns.front() == fallback ? "Theorem 1" : "Corollary 1";
  return "";
}

std::string TuningMeasure::label() const {
  return rule().empty() ? name : fmt::format("{} ({})", name, rule());
}

std::string_view name_of(TunedState state) {
  constexpr std::array names = {"done",   "check_failed", "no_objective",
                                "failed", "stopped",      "missing"};
  return names[static_cast<std::size_t>(state)];
}

void find_best(TuningReport& report) {
  for (TunedMachine& machine : report.machines) {
    std::vector<sweep::TunedValue> values;
    for (const TunedRow& row : machine.rows)
      values.push_back({row.at, row.state == TunedState::done ? row.numbers.front() : Cell()});
    machine.tuning = sweep::tune(report.axes, values, report.within);
  }
}

const TunedRow* naive_row(const TunedMachine& machine) {
  const TunedRow* const row = machine.naive ? &machine.rows[*machine.naive] : nullptr;
  return row && row->state == TunedState::check_failed ? nullptr : row;
}

std::optional<double> ratio_to_naive(const TunedMachine& machine, const TunedRow& row,
                                     std::size_t measure) {
  const TunedRow* const naive = naive_row(machine);
  if (!naive) return std::nullopt;
  return sweep::ratio_of(naive->numbers.at(measure), row.numbers.at(measure));
}

std::string_view worth_of(const TuningReport& report, const TunedMachine& machine,
                          std::size_t row) {
  if (!machine.tuning || machine.rows[row].state != TunedState::done) return "";
  const sweep::Tuning& tuning = *machine.tuning;
  const auto is_among = [row](const std::vector<std::size_t>& rows) {
    return std::find(rows.begin(), rows.end(), row) != rows.end();
  };
  if (row == tuning.best) return "best";
  if (is_among(tuning.ties)) return "tie";
  for (const sweep::TuningLine& line : tuning.lines)
    if (is_among(line.worth)) return "yes";
  const Cell& best = machine.rows[tuning.best].numbers.front();
  return sweep::is_near(machine.rows[row].numbers.front(), best, report.within) ? "apart" : "";
}

std::string values_text(const TuningReport& report, const TunedRow& row) {
  std::string text;
  for (std::size_t axis = 0; axis < report.axes.size(); ++axis)
    text += fmt::format("{}{}={}", axis == 0 ? "" : ", ", report.axes[axis].title,
                        report.axes[axis].values[row.at[axis]]);
  return text;
}

std::string shown(const Cell& number) {
  const auto* real = std::get_if<double>(&number);
  if (!real) return cell_text(number);
  const double size = std::abs(*real);
  if (size < 1 || size >= 1e15) return fmt::format("{:.6g}", *real);
  if (*real == std::floor(*real)) return fmt::format("{:.0f}", *real);
  // A number that is not whole does not look as if it were.
  for (int digits = 2; digits < 6; ++digits)
    if (std::string text = fmt::format("{:.{}f}", *real, digits); !text.ends_with("00"))
      return text;
  return fmt::format("{:.6f}", *real);
}

std::string shown_ratio(std::optional<double> ratio) { return ratio ? ratio_cell(*ratio) : ""; }

} // namespace memlane
