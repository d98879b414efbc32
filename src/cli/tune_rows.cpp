#include "tune_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace memlane::cli {
namespace {

using sweep::Cell;

/// The number of the value on each axis that varies.
using At = std::vector<std::size_t>;

At tuned_numbers(const TuneRequest& request, const std::vector<std::int64_t>& numbers) {
  At at;
  for (const std::size_t group : request.tuned)
    at.push_back(static_cast<std::size_t>(numbers[group]));
  return at;
}

std::string text_of(const Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text ? *text : "";
}

/// What the store has of one point: cells by column.
using PointRow = std::map<std::string, Cell>;

/// Reads the points of a plan, by key.
Result<std::map<std::string, PointRow>> read_points(const sweep::Plan& plan,
                                                    const std::string& table,
                                                    const std::vector<std::string>& columns,
                                                    sweep::StoreReader& reader) {
  sweep::PointTable points{table, {}, {}};
  for (std::int64_t k = 0; k < plan.size(); ++k) points.keys.push_back(plan.point(k).key);
  if (const Status made = reader.add_table(points); !made) return made.errors();
  const auto rows =
      reader.select(fmt::format("SELECT key, \"{}\" FROM {}", fmt::join(columns, "\", \""), table));
  if (!rows) return rows.errors();
  std::map<std::string, PointRow> by_key;
  for (const std::vector<Cell>& row : rows->rows) {
    PointRow& point = by_key[text_of(row[0])];
    for (std::size_t k = 0; k < columns.size(); ++k) point[columns[k]] = row[k + 1];
  }
  return by_key;
}

/// Collects the runs of one value, one for each seed.
struct RowBuilder {
  TunedRow row;
  std::vector<PointRow> points;
  bool lacks_points = false;
};
using RowBuilders = std::map<At, RowBuilder>;

bool has_cell(const PointRow& point, const std::string& column) {
  const auto found = point.find(column);
  return found != point.end() && found->second.index() != 0;
}

/// Takes one rule for all runs of a machine, those of the naive program included.
void choose_rules(TunedMachine& machine, const std::vector<const RowBuilders*>& all) {
  const auto choose = [&](TuningMeasure& measure) {
    const std::vector<std::string> alternatives = measure.columns;
    measure.choose_rule([&](const std::string& column) {
      for (const RowBuilders* const builders : all)
        for (const auto& [at, builder] : *builders)
          for (const PointRow& point : builder.points) {
            const bool has_any =
                std::any_of(alternatives.begin(), alternatives.end(),
                            [&](const std::string& one) { return has_cell(point, one); });
            if (has_any && !has_cell(point, column)) return false;
          }
      return true;
    });
  };
  choose(machine.objective);
  for (TuningMeasure& measure : machine.measures) choose(measure);
}

std::optional<sweep::Objective> mean_of(const TuningMeasure& measure,
                                        const std::vector<PointRow>& points) {
  std::vector<Cell> cells;
  for (const PointRow& point : points)
    cells.push_back(measure.value([&](const std::string& column) {
      const auto found = point.find(column);
      return found == point.end() ? Cell() : found->second;
    }));
  return sweep::mean_of(cells);
}

/// The first point whose column has this text.
const PointRow* point_with(const RowBuilder& builder, const std::string& column,
                           std::string_view text) {
  for (const PointRow& point : builder.points)
    if (text_of(point.at(column)) == text) return &point;
  return nullptr;
}

void find_state(const TunedMachine& machine, RowBuilder& builder) {
  TunedRow& row = builder.row;
  for (const char* verdict : {"failed", "passed", "none"})
    if (row.verify.empty() && point_with(builder, "verify", verdict)) row.verify = verdict;
  for (const PointRow& point : builder.points) {
    const auto* failed = std::get_if<std::int64_t>(&point.at("check_failed"));
    row.claim_failed = row.claim_failed || (failed && *failed != 0 && row.verify != "failed");
  }
  if (const PointRow* point = point_with(builder, "status", "failed")) {
    row.state = TunedState::failed;
    row.reason = text_of(point->at("reason"));
  } else if (const PointRow* stopped = point_with(builder, "status", "stopped")) {
    row.state = TunedState::stopped;
    row.reason = text_of(stopped->at("stopped_by"));
  } else if (builder.lacks_points || builder.points.empty()) {
    row.state = TunedState::missing;
  } else if (row.verify == "failed") {
    row.state = TunedState::check_failed;
    row.reason = "its verify failed";
  } else if (!row.objective) {
    row.state = TunedState::no_objective;
    row.reason = fmt::format("the run gives no number for {}", machine.objective.name);
  } else {
    row.state = TunedState::done;
  }
}

/// The row of a value, with what its runs gave.
TunedRow& finish(const TunedMachine& machine, RowBuilder& builder) {
  TunedRow& row = builder.row;
  row.objective = mean_of(machine.objective, builder.points);
  for (const TuningMeasure& measure : machine.measures)
    row.measures.push_back(mean_of(measure, builder.points));
  find_state(machine, builder);
  return row;
}

/// Columns of the store that the rows are from.
std::vector<std::string> columns_of(const TunedMachine& machine) {
  std::set<std::string> columns = {"status", "check_failed", "verify", "reason", "stopped_by"};
  for (const TuningMeasure& measure : machine.measures)
    columns.insert(measure.columns.begin(), measure.columns.end());
  columns.insert(machine.objective.columns.begin(), machine.objective.columns.end());
  return {columns.begin(), columns.end()};
}

} // namespace

std::vector<sweep::TunedAxis> tuned_axes(const TuneRequest& request,
                                         const std::vector<TunedPlan>& plans) {
  std::vector<sweep::TunedAxis> axes;
  for (std::size_t k = 0; k < request.tuned.size(); ++k) {
    const sweep::SweepAxis& axis = request.spec.axes[request.tuned[k]].front();
    std::vector<std::set<std::string>> texts(static_cast<std::size_t>(axis.size));
    for (const TunedPlan& tuned : plans)
      for (std::int64_t number = 0; number < tuned.plan.size(); ++number) {
        const At at = tuned_numbers(request, tuned.plan.numbers(number));
        for (const auto& [title, text] : tuned.plan.point(number).values)
          if (title == axis.title()) texts[at[k]].insert(text);
      }
    std::vector<std::string> values;
    for (std::int64_t number = 0; number < axis.size; ++number) {
      const std::set<std::string>& known = texts[static_cast<std::size_t>(number)];
      values.push_back(known.size() == 1 ? *known.begin() : axis.value(number));
    }
    axes.push_back(sweep::tuned_axis(axis.title(), std::move(values)));
  }
  return axes;
}

namespace {

/// The runs of a plan; those of all seeds of a value make one row.
RowBuilders collect_rows(const sweep::Plan& plan, const std::map<std::string, PointRow>& points,
                         const std::function<At(std::int64_t)>& place) {
  RowBuilders builders;
  for (std::int64_t k = 0; k < plan.size(); ++k) {
    const sweep::PlannedPoint point = plan.point(k);
    RowBuilder& builder = builders[place(k)];
    if (builder.row.command.empty()) builder.row.command = point.command;
    const auto found = points.find(point.key);
    if (found == points.end())
      builder.lacks_points = true;
    else
      builder.points.push_back(found->second);
  }
  return builders;
}

/// The runs of the naive program; without one there are none.
Result<RowBuilders> naive_rows(const TunedPlan& tuned, std::size_t number,
                               const std::vector<std::string>& columns,
                               sweep::StoreReader& reader) {
  if (!tuned.naive) return RowBuilders();
  const auto points = read_points(*tuned.naive, fmt::format("naive{}", number), columns, reader);
  if (!points) return points.errors();
  return collect_rows(*tuned.naive, *points, [](std::int64_t) { return At(); });
}

} // namespace

Status read_rows(const TuneRequest& request, const TunedPlan& tuned, std::size_t number,
                 sweep::StoreReader& reader, TunedMachine& machine) {
  const std::vector<std::string> columns = columns_of(machine);
  const auto points = read_points(tuned.plan, fmt::format("tuned{}", number), columns, reader);
  if (!points) return points.errors();
  RowBuilders builders = collect_rows(tuned.plan, *points, [&](std::int64_t k) {
    return tuned_numbers(request, tuned.plan.numbers(k));
  });
  Result<RowBuilders> naive = naive_rows(tuned, number, columns, reader);
  if (!naive) return naive.errors();
  choose_rules(machine, {&builders, &*naive});
  for (auto& [at, builder] : builders) finish(machine, builder);
  for (auto& [at, builder] : *naive) machine.other_naive = finish(machine, builder);
  for (const sweep::WrongPoint& wrong : tuned.plan.wrong()) {
    RowBuilder& builder = builders[tuned_numbers(request, wrong.numbers)];
    builder.row.state = TunedState::failed;
    builder.row.reason = wrong.message;
    builder.row.measures.resize(machine.measures.size());
  }
  for (auto& [at, builder] : builders) {
    builder.row.at = at;
    if (at == request.naive) machine.naive = machine.rows.size();
    machine.rows.push_back(std::move(builder.row));
  }
  return Done{};
}

} // namespace memlane::cli
