#include "memlane/study/tune/tuning_points.hpp"

#include "memlane/points/sweep_options.hpp"
#include "memlane/store/query.hpp"
#include "memlane/study/explain/advice.hpp"
#include "memlane/study/results/stored_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace memlane {
namespace {

using sweep::AxisKind;
using sweep::Cell;
using sweep::Plan;

/// The number of the value on each axis that varies.
using At = std::vector<std::size_t>;
/// What the store has of one point: cells by column; none of a point that was not run.
using PointCells = std::map<std::string, Cell>;
/// The runs of each value, one for each seed.
using PointsByValue = std::map<At, std::vector<PointCells>>;

At tuned_numbers(const TuningGrid& grid, const std::vector<std::int64_t>& numbers) {
  At at;
  for (const std::size_t group : grid.tuned) at.push_back(static_cast<std::size_t>(numbers[group]));
  return at;
}

std::string text_of(const Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text ? *text : "";
}

Cell point_cell(const PointCells& point, const std::string& column) {
  const auto found = point.find(column);
  return found == point.end() ? Cell() : found->second;
}

/// The points of a plan under the values that they have. `table` is a name for the reader's.
Result<PointsByValue> read_points(const TuningGrid& grid, const TunedPlan& tuned,
                                  const std::string& table, sweep::StoreReader& reader) {
  std::set<std::string> columns = {"key",    "status", "check_failed",
                                   "verify", "reason", "stopped_by"};
  for (const TuningMeasure& measure : tuned.machine.measures) {
    columns.insert(measure.columns.begin(), measure.columns.end());
    if (!measure.fallback.empty()) columns.insert(measure.fallback);
  }
  sweep::PointTable keys{table, {}, {}};
  for (std::int64_t k = 0; k < tuned.plan.size(); ++k) keys.keys.push_back(tuned.plan.point(k).key);
  if (Status made = reader.add_table(keys); !made) return made.errors();
  const auto rows =
      reader.select(fmt::format("SELECT \"{}\" FROM {}", fmt::join(columns, "\", \""), table));
  if (!rows) return rows.errors();
  std::map<std::string, PointCells> by_key;
  for (const std::vector<Cell>& row : rows->rows) {
    PointCells point;
    for (std::size_t k = 0; k < row.size(); ++k) point[rows->columns[k]] = row[k];
    by_key[text_of(point["key"])] = std::move(point);
  }
  PointsByValue points;
  for (std::int64_t k = 0; k < tuned.plan.size(); ++k) {
    const sweep::PlannedPoint planned = tuned.plan.point(k);
    PointCells point = by_key[planned.key];
    point["command"] = planned.command;
    points[tuned_numbers(grid, tuned.plan.numbers(k))].push_back(std::move(point));
  }
  return points;
}

/// One theorem for all bounds of a machine.
void choose_rules(TunedMachine& machine, const PointsByValue& points) {
  const auto has = [](const PointCells& point, const std::string& column) {
    return point_cell(point, column).index() != 0;
  };
  for (TuningMeasure& measure : machine.measures)
    for (const auto& [at, of_value] : points)
      for (const PointCells& point : of_value)
        if (has(point, measure.fallback) && !has(point, measure.columns.front()))
          measure.columns = {measure.fallback};
}

/// The sum of the measure's columns that have a number.
Cell number_of_measure(const TuningMeasure& measure, const PointCells& point) {
  Cell sum = point_cell(point, measure.columns.front());
  for (std::size_t k = 1; k < measure.columns.size(); ++k) {
    const Cell more = point_cell(point, measure.columns[k]);
    auto* const whole = std::get_if<std::int64_t>(&sum);
    const auto* const added = std::get_if<std::int64_t>(&more);
    if (!whole) sum = more;
    if (whole && added && __builtin_add_overflow(*whole, *added, whole)) return {};
  }
  return sum;
}

/// What is wrong with a result: a program's verify says it, a command's run has the reason.
std::string wrong_result(const PointCells& point, bool is_command) {
  const std::string reason = is_command ? text_of(point_cell(point, "reason")) : "";
  return reason.empty() ? "its verify failed" : reason;
}

TunedRow row_of(const TunedMachine& machine, const At& at, const std::vector<PointCells>& points,
                bool is_command) {
  TunedRow row;
  row.at = at;
  for (const TuningMeasure& measure : machine.measures) {
    std::vector<Cell> cells;
    for (const PointCells& point : points) cells.push_back(number_of_measure(measure, point));
    row.numbers.push_back(sweep::mean_of(cells));
  }
  const auto point_with = [&](const char* column, std::string_view text) {
    return std::find_if(points.begin(), points.end(), [&](const PointCells& point) {
      return text_of(point_cell(point, column)) == text;
    });
  };
  for (const char* verdict : {"failed", "passed", "none"})
    if (row.verify.empty() && point_with("verify", verdict) != points.end()) row.verify = verdict;
  row.command = text_of(point_cell(points.front(), "command"));
  const auto end_as = [&](TunedState state, std::string reason = "") {
    row.state = state;
    row.reason = std::move(reason);
    return row;
  };
  if (const auto failed = point_with("status", "failed"); failed != points.end())
    return end_as(TunedState::failed, text_of(point_cell(*failed, "reason")));
  if (const auto stopped = point_with("status", "stopped"); stopped != points.end())
    return end_as(TunedState::stopped, text_of(point_cell(*stopped, "stopped_by")));
  if (point_with("status", "") != points.end()) return end_as(TunedState::missing);
  if (row.verify == "failed")
    return end_as(TunedState::check_failed,
                  wrong_result(*point_with("verify", "failed"), is_command));
  for (const PointCells& point : points)
    if (sweep::number_in(point_cell(point, "check_failed")).value_or(0) != 0)
      row.claim_failed = true;
  if (!sweep::number_in(row.numbers.front()))
    return end_as(TunedState::no_objective,
                  "the run gives no number for " + machine.objective().name);
  return end_as(TunedState::done, row.claim_failed ? "an exact claim fails" : "");
}

/// A point for each value of a tuned axis. The other axis has one value, that with the most points;
/// where conditions leave one value beside each, the points differ in both.
std::vector<std::int64_t> points_along(const TuningGrid& grid, const Plan& plan, std::size_t axis) {
  using PointByValue = std::map<std::size_t, std::int64_t>;
  std::map<At, PointByValue> lines; // by the value of the other axis
  PointByValue first;
  for (std::int64_t number = 0; number < plan.size(); ++number) {
    At at = tuned_numbers(grid, plan.numbers(number));
    const std::size_t value = std::exchange(at[axis], 0);
    lines[at].emplace(value, number);
    first.emplace(value, number);
  }
  const auto longest =
      std::max_element(lines.begin(), lines.end(), [](const auto& a, const auto& b) {
        return a.second.size() < b.second.size();
      });
  std::vector<std::int64_t> points;
  for (const auto& [value, number] : longest->second.size() > 1 ? longest->second : first)
    points.push_back(number);
  return points;
}

} // namespace

bool is_fixed_key(const std::vector<sweep::SweepAxis>& group) {
  return group.front().kind == AxisKind::machine_key && group.front().size == 1;
}

Result<std::vector<TunedPlan>> plan_tuning(const TuningGrid& grid, const sweep::SweepFiles& files,
                                           Sources& sources) {
  std::vector<std::string> names = {grid.spec.machines.front().name};
  names.insert(names.end(), grid.confirm.begin(), grid.confirm.end());
  std::vector<TunedPlan> plans;
  for (const std::string& name : names) {
    const Result<LoadedMachine> loaded = files.machine(name, {});
    if (!loaded) return loaded.errors();
    sweep::SweepSpec spec = grid.spec;
    spec.machines = {{name}};
    if (!plans.empty()) std::erase_if(spec.axes, is_fixed_key);
    ErrorCollector errors;
    TunedMachine machine;
    machine.name = name;
    for (const auto& group : spec.axes)
      if (group.front().size == 1)
        machine.fixed.emplace_back(group.front().title(), group.front().value(0));
    errors.take(
        tuning_measures(plans.empty() ? grid.objective : "", loaded->spec.model, stored_columns()),
        machine.measures);
    Result<Plan> plan = Plan::make(spec, files, sources, sweep::WrongPoints::leave_out);
    errors.check(plan);
    if (!errors.ok()) return errors.errors(); // a program's are the same on the next machine
    plans.push_back({std::move(machine), std::move(*plan)});
  }
  return plans;
}

std::vector<sweep::TunedAxis> tuned_axes(const TuningGrid& grid,
                                         const std::vector<TunedPlan>& plans) {
  std::vector<sweep::TunedAxis> axes;
  for (std::size_t k = 0; k < grid.tuned.size(); ++k) {
    const sweep::SweepAxis& axis = grid.axis(k);
    std::vector<std::set<std::string>> texts(static_cast<std::size_t>(axis.size));
    for (const TunedPlan& tuned : plans)
      for (std::int64_t number = 0; number < tuned.plan.size(); ++number)
        for (const auto& [title, text] : tuned.plan.point(number).values)
          if (title == axis.title())
            texts[tuned_numbers(grid, tuned.plan.numbers(number))[k]].insert(text);
    std::vector<std::string> values;
    for (const std::set<std::string>& known : texts)
      values.push_back(known.size() == 1 ? *known.begin()
                                         : axis.value(static_cast<std::int64_t>(values.size())));
    axes.push_back(sweep::tuned_axis(axis.title(), std::move(values)));
  }
  return axes;
}

std::vector<std::string> changed_inputs(const TuningGrid& grid, const Plan& plan,
                                        const Sources& sources) {
  // Whole, since --timing-only removes the initial contents.
  const auto code_of = [&](std::int64_t number) {
    sweep::PlannedPoint planned = plan.point(number);
    planned.point.options.timing_only = false;
    return sweep::bind_point(planned.point, sources);
  };
  std::vector<std::string> inputs(grid.tuned.size());
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    std::vector<std::int64_t> points = points_along(grid, plan, k);
    const auto first = code_of(points.front());
    // The last one first: a size that changes mostly changes with every value.
    for (; first && points.size() > 1 && inputs[k].empty(); points.pop_back())
      if (const auto other = code_of(points.back()))
        inputs[k] = sweep::other_memory_arrays(*first, *other).input;
  }
  return inputs;
}

bool can_try(const TuningGrid& grid, std::size_t axis, const std::string& values,
             const std::vector<std::size_t>& at, const sweep::SweepFiles& files, Sources& sources) {
  sweep::SweepOptions options;
  options.programs = {"any"};
  const bool is_key = grid.axis(axis).kind == AxisKind::machine_key;
  std::vector<std::string>& texts = is_key ? options.settings : options.definitions;
  texts.push_back(grid.axis(axis).name + "=" + values);
  const auto more = sweep::read_sweep_options(sources, options, "any");
  if (!more) return false;
  sweep::SweepSpec spec = grid.spec;
  spec.axes[grid.tuned[axis]] = more->axes.front();
  const auto plan = Plan::make(spec, files, sources, sweep::WrongPoints::leave_out);
  for (std::int64_t k = 0; plan && k < plan->size(); ++k) {
    At there = tuned_numbers(grid, plan->numbers(k));
    there[axis] = at[axis];
    if (there == at) return true;
  }
  return false;
}

Result<std::vector<TunedMachine>> tuned_machines(const TuningGrid& grid,
                                                 const std::vector<TunedPlan>& plans,
                                                 const std::string& store) {
  Result<sweep::StoreReader> reader = sweep::StoreReader::open(store);
  if (!reader) return reader.errors();
  const bool is_command = !grid.spec.programs.front().command.empty();
  std::vector<TunedMachine> machines;
  for (const TunedPlan& tuned : plans) {
    const auto points = read_points(grid, tuned, fmt::format("tuned{}", machines.size()), *reader);
    if (!points) return points.errors();
    TunedMachine& machine = machines.emplace_back(tuned.machine);
    choose_rules(machine, *points);
    std::map<At, TunedRow> rows; // in the order of the command
    for (const auto& [at, of_value] : *points) rows[at] = row_of(machine, at, of_value, is_command);
    for (const sweep::WrongPoint& wrong : tuned.plan.wrong()) {
      TunedRow& row = rows[tuned_numbers(grid, wrong.numbers)];
      row.at = tuned_numbers(grid, wrong.numbers);
      row.state = TunedState::failed;
      row.numbers.resize(machine.measures.size());
      row.reason = wrong.message;
    }
    for (auto& [at, row] : rows) {
      if (at == grid.naive) machine.naive = machine.rows.size();
      machine.rows.push_back(std::move(row));
    }
  }
  return machines;
}

} // namespace memlane
