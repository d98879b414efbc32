#include "grid_run.hpp"

#include "memlane/ir/without_data.hpp"
#include "memlane/points/parallel_tasks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace memlane::sweep {

namespace {

/// Runs that are planned at once.
constexpr std::size_t most_planned = 16384;

/// The runs of some points with all their seeds, under way.
class SeedRuns {
public:
  SeedRuns(const Sources& sources, const GridRequest& request, std::vector<GridPlace> points)
      : sources_(sources), request_(request), points_(std::move(points)), costs_(points_.size()),
        seeds_(points_.size()), refused_(points_.size()), runs_(points_.size()) {}

  std::vector<std::vector<PointRun>> run();

private:
  using Code = Result<std::shared_ptr<const ir::Program>>;
  Code code_of(const Point& point) const;
  void bind(std::size_t at, const Code& code);
  void bind_all();
  bool add_seeds();
  struct Planned {
    std::size_t at = 0; ///< its point
    Point point;
    PointRun* run = nullptr;
  };
  std::vector<std::vector<std::size_t>> shared(const std::vector<Planned>& planned) const;
  void run_all(const std::vector<Planned>& planned, std::size_t rising);
  void run_planned();

  const Sources& sources_;
  const GridRequest& request_;
  std::vector<GridPlace> points_;                   ///< without code: they cannot run
  std::vector<double> costs_;                       ///< by point
  std::vector<std::int64_t> seeds_;                 ///< by point
  std::vector<std::optional<Diagnostics>> refused_; ///< by point: why it has no code
  std::vector<std::vector<PointRun>> runs_;         ///< by point
  std::size_t done_ = 0, added_ = 0; ///< seeds of a point that were run; that are planned
};

SeedRuns::Code SeedRuns::code_of(const Point& point) const {
  Result<ir::Program> code = lower_at(point, sources_);
  if (code)
    if (Status possible = check_machine(*code, point.machine); !possible) code = possible.errors();
  if (code && point.options.timing_only) code = ir::without_data(*code, point.options.limits);
  if (!code) return code.errors();
  return std::make_shared<const ir::Program>(std::move(*code));
}

/// Whether the program's code names the same values of both machines.
bool names_the_same(const Point& point, const Point& other) {
  const auto own = letters(point.machine), others = letters(other.machine);
  const auto& named = point.program->checked.letters;
  return std::all_of(named.begin(), named.end(), [&](const std::string& letter) {
    const auto a = own.find(letter), b = others.find(letter);
    return (a == own.end()) == (b == others.end()) && (a == own.end() || a->second == b->second);
  });
}

/// Points of one execution differ in latencies alone, which few programs name: they have one code.
void SeedRuns::bind_all() {
  std::map<GridValues, std::vector<std::size_t>> by_execution;
  for (std::size_t at = 0; at < points_.size(); ++at)
    by_execution[points_[at].execution].push_back(at);
  std::vector<std::vector<std::size_t>> alike;
  for (auto& [execution, points] : by_execution) alike.push_back(std::move(points));
  ParallelTasks binding;
  binding.count = alike.size();
  binding.work = [&](std::size_t number) {
    const std::size_t first = alike[number].front();
    const Code code = code_of(points_[first].point);
    for (const std::size_t at : alike[number]) {
      const Point& point = points_[at].point;
      const bool same = at == first || (code && names_the_same(points_[first].point, point));
      bind(at, same ? code : code_of(point));
    }
  };
  run_parallel(request_.jobs, request_.limits.memory, binding);
}

void SeedRuns::bind(std::size_t at, const Code& code) {
  Point& point = points_[at].point;
  // The run of a point that was stopped says so, and begins nothing.
  if (!code && stop_of(code.errors()) != Stop::none)
    seeds_[at] = 1;
  else if (!code)
    refused_[at] = code.errors();
  if (!code) return;
  const lang::Checked& checked = point.program->checked;
  const std::vector<lang::ClaimDecl>& claims = checked.program.claims;
  bool sampled = false;
  for (std::size_t k = 0; k < claims.size(); ++k)
    sampled = sampled ||
              (claims[k].kind == lang::ClaimKind::about &&
               may_apply(checked, k, {code->get(), &point.machine, nullptr, &request_.limits}));
  costs_[at] = words_of(**code).handled + threads_of(point.machine);
  seeds_[at] = sampled ? request_.seeds : 1;
  point.code = *code;
}

/// What is kept: a million runs need neither all counts nor the claims' own words.
PointRun reduced(std::uint64_t seed, const PointResult& result) {
  PointRun run;
  run.seed = seed;
  run.stop = result.run.stop;
  run.verify = result.run.verify;
  run.races = result.run.races.races > 0;
  run.unfit = result.run.unfit;
  run.steps = result.run.steps;
  run.engine = result.run.engine;
  if (run.ended()) return run;
  if (run.stop == Stop::none && run.verify != Verdict::failed) {
    run.claims = result.claims;
    for (ClaimOutcome& claim : run.claims) claim.text = claim.source = {};
    return run;
  }
  run.errors = result.run.errors;
  if (run.stop != Stop::none && run.stop != Stop::error)
    run.errors.push_back(
        error_in("", fmt::format("{}: {}", stop_text(run.stop), result.run.reached)));
  return run;
}

/// The numbers of those that share a run, together: one execution is timed on all their machines. A
/// run that `see` sees has all counts, so each is one of its own.
std::vector<std::vector<std::size_t>> SeedRuns::shared(const std::vector<Planned>& planned) const {
  std::vector<std::vector<std::size_t>> groups;
  std::map<std::tuple<GridValues, std::uint64_t, ExecutionOrder>, std::vector<std::size_t>> known;
  for (std::size_t k = 0; k < planned.size(); ++k) {
    const Point& point = planned[k].point;
    const RunOptions& options = point.options;
    std::vector<std::size_t>& alike =
        known[{points_[planned[k].at].execution, options.seed, options.atomics}];
    const auto found = std::find_if(alike.begin(), alike.end(), [&](std::size_t group) {
      const Point& first = planned[groups[group].front()].point;
      return !request_.see && first.code && point.code && shares_run(first, point);
    });
    if (found != alike.end()) {
      groups[*found].push_back(k);
      continue;
    }
    alike.push_back(groups.size());
    groups.push_back({k});
  }
  return groups;
}

/// The first `rising` ones are seen.
void SeedRuns::run_all(const std::vector<Planned>& planned, std::size_t rising) {
  const std::vector<std::vector<std::size_t>> groups = shared(planned);
  std::vector<Point> points;
  for (const std::vector<std::size_t>& group : groups) {
    Point& point = points.emplace_back(planned[group.front()].point);
    for (std::size_t k = 1; k < group.size(); ++k) point.same.push_back(planned[group[k]].point);
  }
  std::size_t done = 0;
  const auto take = [&](std::size_t at, const PointResult& result) {
    if (request_.see && result.started && at < rising) request_.see(planned[at].point, result);
    const RunOptions& options = planned[at].point.options;
    *planned[at].run = reduced(options.seed, result);
    planned[at].run->atomics = options.atomics;
    if (request_.progress) request_.progress(++done, planned.size());
  };
  run_points(points, sources_, {request_.jobs, request_.limits.memory, false},
             [&](std::size_t number, PointResult result) {
               const std::vector<PointResult> same = std::move(result.same);
               const std::vector<std::size_t>& group = groups[number];
               // A point that was not started says why for all.
               for (std::size_t k = 0; k < group.size(); ++k)
                 take(group[k], k == 0 || same.empty() ? result : same[k - 1]);
             });
}

/// A long run that starts last would run alone: the large ones come first.
void SeedRuns::run_planned() {
  std::vector<std::size_t> order(points_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return costs_[a] > costs_[b]; });
  std::vector<Planned> planned;
  for (const std::size_t at : order) {
    for (std::size_t k = done_; k < runs_[at].size(); ++k) {
      planned.push_back({at, points_[at].point, &runs_[at][k]});
      planned.back().point.options.seed = runs_[at][k].seed;
    }
  }
  const std::size_t rising = planned.size();
  for (std::size_t k = 0; k < rising; ++k) {
    if (!planned[k].point.code || !planned[k].point.code->order_matters()) continue;
    for (const auto other : {ExecutionOrder::reversed, ExecutionOrder::random}) {
      planned.push_back(planned[k]);
      planned.back().point.options.atomics = other;
    }
  }
  std::vector<PointRun> others(planned.size() - rising);
  std::vector<PointRun*> replaced;
  for (std::size_t k = 0; k < others.size(); ++k)
    replaced.push_back(std::exchange(planned[rising + k].run, &others[k]));
  run_all(planned, rising);
  // One of another order replaces a run that was right if it is wrong.
  for (std::size_t k = 0; k < others.size(); ++k) {
    PointRun& run = *replaced[k];
    const bool right = run.stop == Stop::none && run.verify != Verdict::failed;
    const bool wrong = others[k].stop != Stop::none || others[k].verify == Verdict::failed;
    if (right && wrong) run = std::move(others[k]);
  }
}

std::vector<std::vector<PointRun>> SeedRuns::run() {
  bind_all();
  while (add_seeds()) run_planned();
  for (std::size_t at = 0; at < runs_.size(); ++at) {
    if (!refused_[at]) continue;
    PointRun& none = runs_[at].emplace_back();
    none.refused = true;
    none.errors = std::move(*refused_[at]);
  }
  return std::move(runs_);
}

/// Plans as many more seeds at each point as may run at once: what is planned beyond a limit takes
/// no memory. False where there are none, or the work was asked to stop.
bool SeedRuns::add_seeds() {
  for (const std::vector<PointRun>& known : runs_)
    for (std::size_t k = done_; k < known.size(); ++k)
      if (known[k].ended()) return false;
  done_ = added_;
  added_ += std::max<std::size_t>(1, most_planned / std::max<std::size_t>(1, runs_.size()));
  bool any = false;
  for (std::size_t at = 0; at < runs_.size(); ++at) {
    const auto seeds = static_cast<std::size_t>(seeds_[at]);
    for (std::uint64_t k = runs_[at].size(); k < std::min(seeds, added_); ++k) {
      runs_[at].emplace_back().seed = k + 1;
      any = true;
    }
  }
  return any;
}

} // namespace

std::vector<std::vector<PointRun>>
run_grid_points(const Sources& sources, const GridRequest& request, std::vector<GridPlace> points) {
  return SeedRuns(sources, request, std::move(points)).run();
}

void SeenValues::add(const std::vector<GridAxis>& axes, const GridValues& values,
                     const GridValues& before) {
  any_ = true;
  if (values_.empty()) return;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!before.empty() && before[k] == values[k]) continue;
    if (const auto own = values_.find(axes[k].name); own != values_.end())
      own->second.insert(values[k]);
  }
}

bool SeenValues::has(const std::string& axis, std::int64_t value) const {
  const auto values = values_.find(axis);
  return values != values_.end() && values->second.count(value) > 0;
}

std::string more_points(std::size_t points) { return fmt::format("--points {}", 20 * points); }

std::string way_to_larger(std::size_t points) {
  return fmt::format("raise the limit: {}; 'memlane run' takes any size", more_points(points));
}

namespace {

/// Why no run used a value.
enum class Unused : std::uint8_t { too_large, does_not_fit, not_allowed };

/// Values shown of many.
constexpr std::size_t most_shown = 8;

Diagnostic unused_message(const std::string& name, const GridValues& values, Unused why,
                          std::size_t points) {
  const std::size_t shown = std::min(values.size(), most_shown);
  std::string list = fmt::format(
      "{}", fmt::join(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < values.size()) list += fmt::format(" and {} more", values.size() - shown);
  const bool one = values.size() == 1;
  const char* const whose = one ? "its" : "their";
  std::string reason, way = "'memlane run' with these values shows the reason";
  switch (why) {
  case Unused::too_large:
    reason = fmt::format("{} runs exceed the limit of --points {}", whose, points);
    way = way_to_larger(points);
    break;
  case Unused::does_not_fit:
    reason = fmt::format("{} launches do not fit on the machines of the grid", whose);
    break;
  case Unused::not_allowed:
    reason = fmt::format("no model or condition allows {}", one ? "it" : "them");
    break;
  }
  Diagnostic message =
      error_in("--grid", fmt::format("no run used {}={}: {}", name, list, reason), {way});
  message.severity = why == Unused::too_large ? Severity::error : Severity::warning;
  return message;
}

} // namespace

Diagnostics unused_values(const GridRequest& request, const SeenValues& possible,
                          const SeenValues& unfit, const SeenValues& used) {
  Diagnostics messages;
  for (const auto& [name, values] : request.axes) {
    std::map<Unused, GridValues> unused;
    for (const std::int64_t value : values) {
      if (used.has(name, value)) continue;
      const Unused why = unfit.has(name, value)      ? Unused::does_not_fit
                         : possible.has(name, value) ? Unused::too_large
                                                     : Unused::not_allowed;
      unused[why].push_back(value);
    }
    for (const auto& [why, own] : unused)
      messages.push_back(unused_message(name, own, why, request.grid.points));
  }
  return messages;
}

} // namespace memlane::sweep
