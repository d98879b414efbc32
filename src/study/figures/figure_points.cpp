#include "memlane/study/figures/figure_points.hpp"

#include "memlane/study/results/stored_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

namespace memlane {
namespace {

/// The texts of all points of a figure, by their keys.
std::map<std::string, PointText> texts_of(const PlannedFigure& figure) {
  std::map<std::string, PointText> texts;
  for (const sweep::Plan& plan : figure.plans)
    for (std::int64_t number = 0; number < plan.size(); ++number) {
      const sweep::PlannedPoint point = plan.point(number);
      texts[point.key] = {point.label, point.command};
    }
  for (const auto& plan : figure.beyond)
    for (std::int64_t number = 0; plan && number < plan->size(); ++number) {
      const sweep::PlannedPoint point = plan->point(number);
      texts.try_emplace(point.key, PointText{point.label + ", by formula", ""});
    }
  return texts;
}

/// How often SQLite asks, once in about 1000 of its steps, whether a query shall go on. Steps end
/// it and not seconds, so that a query ends on every computer or on none.
constexpr std::int64_t most_polls = 400'000;
struct QueryWork {
  std::optional<std::int64_t> polls; ///< of the query that runs; none: no query of a figure does
};

/// The rows of points that were not run.
Result<std::vector<sweep::AddedRow>> added_rows(PlannedFigure& figure, std::size_t i,
                                                const sweep::StoreReader& reader,
                                                const Sources& sources) {
  const sweep::Continuation& continuation = *figure.result.spec.sweeps[i].continuation;
  const sweep::CountOfRun count = [&](const std::string& key,
                                      const std::string& column) -> std::optional<double> {
    const auto rows =
        reader.rows({{column}, fmt::format("key = '{}' AND status = 'done'", key), {}});
    if (!rows || rows->rows.size() != 1) return std::nullopt;
    const sweep::Cell& cell = rows->rows[0][0];
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
    const auto* real = std::get_if<double>(&cell);
    return real ? std::optional(*real) : std::nullopt;
  };
  auto continued =
      sweep::continue_points(continuation, figure.plans[i], *figure.beyond[i], count, sources);
  if (!continued) return continued.errors();
  const std::vector<sweep::StoreColumn> columns = reader.columns();
  const auto shown_name = [&](const std::string& parameter) {
    const std::string other = "param_" + parameter;
    return std::any_of(columns.begin(), columns.end(),
                       [&](const sweep::StoreColumn& c) { return c.name == other; })
               ? other
               : parameter;
  };
  std::vector<sweep::AddedRow> rows;
  for (const sweep::ContinuedPoint& point : continued->points) {
    sweep::AddedRow row{point.largest, {}};
    ProgramInfo info;
    info.parameters = point.parameters;
    for (auto& [name, cell] : stored_parameters(info))
      row.cells.emplace_back(shown_name(name), cell);
    for (const auto& [column, value] : point.counts) row.cells.emplace_back(column, value);
    row.cells.emplace_back("key", figure.beyond[i]->point(point.number).key);
    rows.push_back(std::move(row));
  }
  auto& formulas = figure.result.formulas;
  formulas.insert(formulas.end(), continued->formulas.begin(), continued->formulas.end());
  return rows;
}

/// Points of a table that have no result, or a wrong one, and how many of each.
Status note_failed(FigureResult& result, const sweep::StoreReader& reader, const std::string& table,
                   const std::map<std::string, PointText>& texts, FiguresRun& all) {
  const auto rows = reader.select(fmt::format(
      "SELECT key, status, check_failed, coalesce(reason, stopped_by, 'a check failed') FROM {} "
      "WHERE basis = 'model' AND (status <> 'done' OR check_failed)",
      table));
  if (!rows) return rows.errors();
  for (const auto& row : rows->rows) {
    const auto text = [&](std::size_t i) {
      const auto* word = std::get_if<std::string>(&row[i]);
      return word ? *word : std::string();
    };
    const auto point = texts.find(text(0));
    result.failed.push_back(
        fmt::format("{}: {}", point == texts.end() ? text(0) : point->second.label, text(3)));
    ++(text(1) == "stopped" ? all.stopped : text(1) == "failed" ? all.failed : all.check_failed);
  }
  return Done{};
}

} // namespace

Result<PlannedFigure> plan_figure(FigureSpec spec, const sweep::SweepFiles& files,
                                  Sources& sources) {
  ErrorCollector errors;
  PlannedFigure figure;
  for (const FigureSweep& one : spec.sweeps) {
    Result<sweep::Plan> plan = sweep::Plan::make(one.spec, files, sources);
    if (errors.check(plan)) figure.plans.push_back(std::move(*plan));
    figure.beyond.emplace_back();
    if (!one.continuation) continue;
    Result<sweep::Plan> beyond = sweep::Plan::make(one.continuation->beyond, files, sources);
    if (errors.check(beyond)) figure.beyond.back().emplace(std::move(*beyond));
  }
  if (!errors.ok()) return errors.errors();
  figure.result.spec = std::move(spec);
  return figure;
}

std::vector<sweep::NamedPlan> plans_of(const std::vector<PlannedFigure>& figures) {
  std::vector<sweep::NamedPlan> plans;
  for (const PlannedFigure& figure : figures)
    for (std::size_t i = 0; i < figure.plans.size(); ++i)
      plans.push_back({figure.result.spec.sweeps[i].spec.name, &figure.plans[i]});
  return plans;
}

Result<FigureSelect> select_over(PlannedFigure& figure, const std::string& store,
                                 std::function<Stop()> check, const Sources& sources,
                                 FiguresRun& run) {
  const auto work = std::make_shared<QueryWork>();
  Result<sweep::StoreReader> opened = sweep::StoreReader::open(store, [check, work] {
    if (work->polls && ++*work->polls > most_polls) return Stop::steps;
    return check ? check() : Stop::none;
  });
  if (!opened) return opened.errors();
  const auto reader = std::make_shared<sweep::StoreReader>(std::move(*opened));
  const std::map<std::string, PointText> texts = texts_of(figure);
  FigureResult& result = figure.result;
  for (std::size_t i = 0; i < figure.plans.size(); ++i) {
    sweep::PointTable table{result.spec.sweeps[i].table, {}, {}};
    for (std::int64_t number = 0; number < figure.plans[i].size(); ++number)
      table.keys.push_back(figure.plans[i].point(number).key);
    result.points += figure.plans[i].size();
    // Without its largest point a sweep is not continued: what stopped or failed is counted first.
    ErrorCollector errors;
    if (figure.beyond[i]) errors.take(added_rows(figure, i, *reader, sources), table.added);
    if (const Status made = reader->add_table(table); !made) return made.errors();
    errors.check(note_failed(result, *reader, table.name, texts, run));
    if (!errors.ok()) return errors.errors();
  }
  return FigureSelect([reader, work, &run](const std::string& sql) -> Result<sweep::Rows> {
    work->polls = 0;
    Result<sweep::Rows> rows = reader->select(sql);
    const bool is_cut_off = work->polls > most_polls;
    work->polls.reset();
    if (!is_cut_off) return rows;
    ++run.queries_stopped;
    return error_in("query",
                    fmt::format("takes more than {} million steps of SQLite", most_polls / 1000),
                    {"WITH RECURSIVE needs a condition that ends it: … WHERE x < 100",
                     "a join of large tables needs a condition that both have: … USING (n)"});
  });
}

Status judge_points(PlannedFigure& figure, const FigureSelect& select) {
  const std::map<std::string, PointText> texts = texts_of(figure);
  return judge_figure(figure.result, select, [&](const std::string& key) {
    const auto found = texts.find(key);
    return found == texts.end() ? PointText{} : found->second;
  });
}

Status judge_planned(PlannedFigure& figure, const std::string& store, std::function<Stop()> check,
                     const Sources& sources, FiguresRun& run) {
  const Result<FigureSelect> select = select_over(figure, store, std::move(check), sources, run);
  return select ? judge_points(figure, *select) : select.errors();
}

} // namespace memlane
