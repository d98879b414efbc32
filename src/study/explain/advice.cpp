#include "memlane/study/explain/advice.hpp"

#include "compare/compare_arrays.hpp"

#include "memlane/count/hiding.hpp"
#include "memlane/ir/without_data.hpp"
#include "memlane/study/compare/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace memlane::sweep {
namespace {

constexpr double tolerance = 1e-9; ///< of real numbers: a change may add them in another order

/// A change under way.
struct Candidate {
  Change change;
  ChangedRun run;
  PredictionBasis basis = PredictionBasis::simulated;
};

std::int64_t extra_stages(const Counts& counts) {
  return sum_of(counts.global).conflicts() + sum_of(counts.shared).conflicts();
}

std::int64_t request_count(const Counts& counts) {
  return sum_of(counts.global).requests + sum_of(counts.shared).requests;
}

/// Without its data if its time does not depend on them. False: it cannot be bound.
bool bind(Point& point, PredictionBasis& basis, bool keep_data, const Sources& sources) {
  const bool timing_only = point.options.timing_only;
  point.options.timing_only = false;
  Result<ir::Program> code = bind_point(point, sources);
  if (!code) return false;
  basis = PredictionBasis::simulated;
  if (!keep_data) {
    Result<ir::Program> timed = ir::without_data(*code, point.options.limits);
    if (!timed && timing_only) return false;
    if (timed) {
      code = std::move(timed);
      point.options.timing_only = true;
      point.options.inputs.clear();
      basis = PredictionBasis::simulated_without_data;
    }
  }
  point.code = std::make_shared<const ir::Program>(std::move(*code));
  return true;
}

/// What a prediction leaves out.
void strip(Point& point) {
  point.claims = false;
  point.observer = nullptr;
  point.options.verify = false;
  point.options.pram = false;
  point.options.print = {};
  point.options.clock = {};
  point.options.side_by_side = {};
  point.options.limits.progress = nullptr;
}

/// Whether two runs solve the same problem as far as arrays tell: the first whose contents differ;
/// empty: none. Where verify has passed in both, only inputs must be the same, so that other ways
/// to the result may have other contents between.
std::string other_array(const ir::Program& first, const RunResult& before,
                        const ir::Program& second, const RunResult& after) {
  const bool verified = before.verify == Verdict::passed && after.verify == Verdict::passed;
  for (const auto& [name, values] : after.outputs) {
    const ir::Array* const array = memory_array_of(second, name);
    if (verified && array->initial < 0) continue;
    const auto own = before.outputs.find(name);
    if (own == before.outputs.end() ||
        difference({memory_array_of(first, name), &own->second}, {array, &values}, tolerance))
      return name;
  }
  return "";
}

/// A parameter's change is wanted only if the problem stays as it is, which takes data to see.
bool prepare(Candidate& candidate, const Point& base, const RunResult& run,
             const Sources& sources) {
  Point& point = candidate.run.point;
  const bool is_parameter = candidate.change.kind == ChangeKind::parameter;
  point.options.outputs.clear();
  strip(point);
  if (!bind(point, candidate.basis, is_parameter, sources)) return false;
  if (!is_parameter) return true;
  point.options.verify = base.options.verify;
  for (const auto& [name, values] : run.outputs) point.options.outputs.push_back(name);
  return same_memory_arrays(*base.code, *point.code);
}

/// Small runs may take more: they cost next to nothing.
bool is_more_work(std::int64_t changed, std::int64_t base) {
  constexpr std::int64_t small = 1 << 16;
  return changed > small && base <= INT64_MAX / most_work && changed > most_work * base;
}

/// Stops the run once it has taken most_work times the base's time. Limits of time or steps would
/// make the fast engine's run begin again on the reference engine; `check` only stops it.
void limit_work(Point& point, std::int64_t base_time) {
  Limits& limits = point.options.limits;
  const auto progress = std::make_shared<RunProgress>(); // as long as `check`
  limits.progress = progress.get();
  limits.check = [progress, base_time, check = limits.check] {
    if (check)
      if (const Stop asked = check(); asked != Stop::none) return asked;
    return is_more_work(progress->time, base_time) ? Stop::steps : Stop::none;
  };
}

Suggestion suggestion_of(const Candidate& candidate, const Point& base, const RunResult& before,
                         const RunResult& after) {
  Suggestion suggestion;
  suggestion.change = candidate.change;
  suggestion.basis = candidate.basis;
  suggestion.predicted_time = after.counts.time.value;
  suggestion.predicted_gain = before.counts.time.value - after.counts.time.value;
  const RunResult* const runs[] = {&before, &after};
  for (std::size_t k = 0; k < 2; ++k) {
    suggestion.requests[k] = request_count(runs[k]->counts);
    suggestion.extra_stages[k] = extra_stages(runs[k]->counts);
  }
  constexpr auto latency = static_cast<std::size_t>(Cause::latency);
  if (const auto causes =
          compare_causes(base.machine, before.counts, candidate.run.point.machine, after.counts)) {
    suggestion.latency[0] = causes->first[latency];
    suggestion.latency[1] = causes->second[latency];
  }
  return suggestion;
}

} // namespace

OtherArrays other_memory_arrays(const ir::Program& first, const ir::Program& second) {
  const std::vector<std::string> common = common_arrays({{"", &first}, {"", &second}}).names;
  const auto is_in = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  OtherArrays others;
  for (const ir::Program* const code : {&first, &second})
    for (const ir::Array& array : code->arrays) {
      if (array.space != ir::Space::memory || is_in(common, array.name)) continue;
      if (!is_in(others.names, array.name)) others.names.push_back(array.name);
      if (others.input.empty() && array.initial >= 0) others.input = array.name;
    }
  return others;
}

bool same_memory_arrays(const ir::Program& first, const ir::Program& second) {
  return other_memory_arrays(first, second).names.empty();
}

std::string other_sizes_sentence(const OtherArrays& others) {
  if (others.names.empty()) return "";
  if (!others.input.empty())
    return fmt::format("Its input {} has another size: that is another problem.", others.input);
  const bool one = others.names.size() == 1;
  return fmt::format("{} {}, which {} without data, {} another size.",
                     one ? "The array" : "The arrays", fmt::join(others.names, ", "),
                     one ? "begins" : "begin", one ? "has" : "have");
}

namespace {

/// What is the same for all changes.
struct Advising {
  const Point& base;
  const RunResult& run;
  const MakeChanged& make;
  const PointRuns& runs;
  const Sources& sources;
  double least; ///< time units that are worth a suggestion
};

/// Simulates these changes; returns those that help.
std::vector<Suggestion> simulate(const Advising& of, std::vector<Change> changes, Advice& advice) {
  const Point& base = of.base;
  const RunResult& run = of.run;
  std::vector<Candidate> all;
  for (Change& change : changes) {
    Result<ChangedRun> changed = of.make({change});
    if (!changed) continue;
    Candidate candidate{std::move(change), std::move(*changed)};
    if (prepare(candidate, base, run, of.sources)) all.push_back(std::move(candidate));
  }
  const std::int64_t time = run.counts.time.value;
  std::vector<Suggestion> suggestions;
  const PointSource points{all.size(), [&](std::size_t at) {
                             Point point = all[at].run.point;
                             limit_work(point, time);
                             return point;
                           }};
  PointRuns in_order = of.runs;
  in_order.in_order = true;
  in_order.take_concurrently = false;
  run_points(points, of.sources, in_order, [&](std::size_t at, PointResult result) {
    const RunResult& after = result.run;
    // A run that ends before it is stopped counts as one that is stopped: when that is differs.
    const bool too_long = after.stop == Stop::steps || is_more_work(after.time.value, time) ||
                          is_more_work(after.steps, run.steps);
    if (after.stop == Stop::error) return;
    if (too_long || after.stop != Stop::none) {
      (too_long ? advice.too_long : advice.not_run) += 1;
      return;
    }
    advice.simulated.push_back(all[at].change);
    const bool helps = static_cast<double>(time - after.counts.time.value) >= of.least;
    if (!helps || time == 0) return;
    const bool is_parameter = all[at].change.kind == ChangeKind::parameter;
    const bool fails = after.verify == Verdict::failed;
    const std::string array =
        is_parameter && !fails ? other_array(*base.code, run, *result.code, after) : std::string();
    if (array.empty() && !fails)
      suggestions.push_back(suggestion_of(all[at], base, run, after));
    else
      advice.other_results.push_back({all[at].change, after.counts.time.value, array});
  });
  return suggestions;
}

} // namespace

Advice advise(const Point& base, const RunResult& run, const MakeChanged& make,
              const PointRuns& runs, const Sources& sources) {
  const double least =
      least_gain * static_cast<double>(time_beside_launches(base.machine, run.counts));
  const Advising of{base, run, make, runs, sources, least};
  Advice advice;
  std::vector<Suggestion> all = simulate(of, candidates(base, run), advice);
  for (std::vector<Suggestion> latest = all; !latest.empty();) {
    std::vector<Suggestion> more = simulate(of, further(base, latest), advice);
    std::erase_if(more, [&](const Suggestion& one) {
      return std::any_of(latest.begin(), latest.end(), [&](const Suggestion& before) {
        return before.change.name == one.change.name && before.change.kind == one.change.kind &&
               before.predicted_gain >= one.predicted_gain;
      });
    });
    all.insert(all.end(), more.begin(), more.end());
    latest = std::move(more);
  }
  advice.suggestions = best_suggestions(std::move(all));
  const auto line = without_conflicts(base, run, sources);
  if (line && static_cast<double>(line->predicted_gain) >= least) advice.conflict_free = line;
  return advice;
}

std::optional<std::int64_t> predicted_time(const Point& changed, const Sources& sources) {
  Point point = changed;
  PredictionBasis basis = PredictionBasis::simulated;
  point.options.outputs.clear();
  strip(point);
  if (!bind(point, basis, false, sources) || basis == PredictionBasis::simulated)
    return std::nullopt;
  const PointResult result = run_point(point, sources);
  if (result.run.stop != Stop::none) return std::nullopt;
  return result.run.counts.time.value;
}

} // namespace memlane::sweep
