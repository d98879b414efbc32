#include "grid_lines.hpp"
#include "grid_points.hpp"
#include "grid_values.hpp"

#include "memlane/sweep/verification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

namespace memlane::sweep {
namespace {

/// Failed runs whose messages are kept.
constexpr std::size_t most_failures = 5;
/// Of adding lines to a grid.
constexpr int most_rounds = 6;
/// Points that are made ready to run at once, whose code is kept.
constexpr std::size_t most_ready = 1024;

/// What points must share for their ratios to be compared, and what is known of its points.
struct Setting {
  std::int64_t number = 0;
  Model model = Model::umm;
  bool lockstep = false;
  /// The words of a place's arrays, by its values; 0 for those of l, L, and p unless it matters.
  /// None: cannot be run.
  std::map<GridValues, std::optional<double>> words;
};

/// A verification under way.
class GridRun {
public:
  GridRun(Sources& sources, const std::string& name, const std::vector<CheckedProgram>& variants,
          const GridRequest& request)
      : sources_(sources), name_(name), variants_(variants), variant_(&variants.front()),
        request_(request) {
    result_.program = variant_->info.path;
    result_.info = variant_->info;
    result_.races_allowed = request.races_allowed;
  }

  Result<Verification> run();

private:
  std::vector<std::string> names_of_axes() const {
    std::vector<std::string> names;
    for (const GridAxis& axis : axes_) names.push_back(axis.name);
    return names;
  }
  Point point(const GridValues& values, const Setting& setting) const {
    return point_at(axes_, values, setting.model, setting.lockstep, *variant_);
  }
  std::int64_t letter(const GridValues& values, std::string_view name) const {
    std::size_t axis = 0;
    while (axes_[axis].name != name) ++axis;
    return values[axis];
  }
  struct Estimate {
    std::optional<double> words; ///< none: cannot be run
    bool any_threads = false;    ///< the same for every p
  };
  Estimate estimate(const Point& point);
  std::optional<double> words(Setting& setting, const GridValues& values);
  bool can_run(Setting& setting, const GridValues& values);
  std::optional<double> cost(Setting& setting, const GridValues& values);
  std::vector<GridValues> points_of(Setting& setting);
  void complete_lines(Setting& setting);
  bool run_points(const Setting& setting, const std::vector<GridValues>& points);
  bool run_model(Model model);
  void take(const GridValues& values, const Setting& setting, PointRun run);
  void note_engine(const EngineUse& use);
  void note_failure(const GridValues& values, const Setting& setting, const PointRun& run);
  std::string command(const GridSetting& setting, const GridValues& values,
                      std::uint64_t seed) const;
  Result<Verification> runs_nowhere();
  void judge();

  const lang::Checked& checked() const { return variant_->checked; }
  const lang::Program& tree() const { return checked().program; }

  Sources& sources_;
  const std::string& name_; ///< what the user calls the program
  const std::vector<CheckedProgram>& variants_;
  const CheckedProgram* variant_; ///< the one under way
  const GridRequest& request_;
  std::vector<GridAxis> axes_;
  std::vector<std::vector<GridPoint>> outcomes_; ///< by claim
  SeenValues possible_, used_;                   ///< at which it can run, and did
  Diagnostics refusal_;                          ///< why the last place could not be bound
  Diagnostics model_refusal_;                    ///< why the last model could not run the program
  Verification result_;
};

void GridRun::note_failure(const GridValues& values, const Setting& setting, const PointRun& run) {
  if (result_.failures.size() >= most_failures) return;
  const GridSetting& described = setting_of(result_, setting.number);
  for (Diagnostic error : run.errors) {
    error.help.push_back("at " + place_on(names_of_axes(), values, described));
    error.help.push_back("repeat it: " + command(described, values, run.seed));
    result_.failures.push_back(std::move(error));
  }
}

/// Runs that one engine served for one reason are counted together.
void GridRun::note_engine(const EngineUse& use) {
  const std::string text = engine_text(use, sources_);
  for (auto& [known, runs] : result_.engines) {
    if (known == text) {
      ++runs;
      return;
    }
  }
  result_.engines.emplace_back(text, 1);
}

void GridRun::take(const GridValues& values, const Setting& setting, PointRun run) {
  if (run.ended()) {
    result_.stop = run.stop;
    return;
  }
  result_.runs += 1;
  note_engine(run.engine);
  if (run.stop != Stop::none && run.stop != Stop::error) {
    result_.stopped_runs += 1;
    return note_failure(values, setting, run);
  }
  if (run.stop == Stop::error || run.verify == Verdict::failed) {
    result_.failed_runs += 1;
    return note_failure(values, setting, run);
  }
  if (run.verify == Verdict::none) result_.unchecked_runs += 1;
  if (run.races) result_.racing_runs += 1;
  used_.add(axes_, values);
  GridPoint point;
  point.seed = run.seed;
  point.setting = setting.number;
  point.parameters = values;
  for (std::size_t k = 0; k < run.claims.size(); ++k) {
    point.outcome = std::move(run.claims[k]);
    outcomes_[k].push_back(point);
  }
}

/// The words of a place's arrays, if the program can be bound and run there; the reason is kept if
/// not.
GridRun::Estimate GridRun::estimate(const Point& point) {
  const Result<ir::Program> code = lower_at(point, sources_);
  if (!code) {
    if (!code.errors().empty()) refusal_ = code.errors();
    return {};
  }
  const bool any_threads = !code->threads_matter;
  if (Status possible = check_machine(*code, point.machine); !possible) {
    model_refusal_ = possible.errors();
    return {std::nullopt, any_threads};
  }
  return {words_of(*code), any_threads};
}

/// Conditions and sizes seldom ask for a latency: one answer serves all values of l and L. A point
/// that one of them does refuse is passed over later.
std::optional<double> GridRun::words(Setting& setting, const GridValues& values) {
  GridValues key = values;
  GridValues key_of_all_p = values;
  for (std::size_t k = 0; k < key.size(); ++k) {
    const std::string& name = axes_[k].name;
    if (name == "l" || name == "L") key[k] = key_of_all_p[k] = 0;
    if (name == "p") key_of_all_p[k] = 0;
  }
  if (const auto found = setting.words.find(key_of_all_p); found != setting.words.end())
    return found->second;
  const auto [found, unknown] = setting.words.try_emplace(key);
  if (!unknown) return found->second;
  const Estimate own = estimate(point(values, setting));
  found->second = own.words;
  if (own.any_threads) setting.words[key_of_all_p] = own.words;
  return own.words;
}

bool GridRun::can_run(Setting& setting, const GridValues& values) {
  const bool whole_warps =
      !has_axis(setting.model, "p") || letter(values, "p") % letter(values, "w") == 0;
  return whole_warps && words(setting, values);
}

/// The cost of a place, if the program can be run there.
std::optional<double> GridRun::cost(Setting& setting, const GridValues& values) {
  if (!can_run(setting, values)) return std::nullopt;
  return *words(setting, values) + threads_of(point(values, setting).machine);
}

/// The points for one setting.
std::vector<GridValues> GridRun::points_of(Setting& setting) {
  GridLimits limits = request_.grid;
  // Where no claim speaks of the model, a few runs show that the result is right there too.
  const auto& claims = tree().claims;
  const bool claimed = std::any_of(claims.begin(), claims.end(), [&](const auto& claim) {
    return speaks_of(claim, name_of(setting.model));
  });
  if (!claimed) limits.points = std::max<std::size_t>(1, limits.points / 10);
  return spread_grid(
      axes_,
      [&](const GridValues& values) {
        if (!can_run(setting, values)) return false;
        possible_.add(axes_, values);
        return true;
      },
      [&](const GridValues& values) { return cost(setting, values).value_or(0); }, limits);
}

/// Adds the lines that the test of trends compares along, again and again, since a line may show a
/// new extreme.
void GridRun::complete_lines(Setting& setting) {
  std::size_t left = 2 * request_.grid.points;
  double cost_left = 4 * request_.grid.cost;
  for (int round = 0; round < most_rounds; ++round) {
    // Each round takes at most a third of what is left, so that later ones have their share.
    std::vector<GridValues> chosen;
    double spent = 0;
    for (GridValues& values :
         missing_points(tree(), axes_, outcomes_, setting.number, round >= most_rounds / 2)) {
      const std::optional<double> own = cost(setting, values);
      if (!own || 3 * chosen.size() >= left || 3 * (spent + *own) > cost_left) continue;
      spent += *own;
      chosen.push_back(std::move(values));
    }
    left -= chosen.size();
    cost_left -= spent;
    if (!run_points(setting, chosen)) return;
  }
}

/// False if the verification has to stop.
bool GridRun::run_points(const Setting& setting, const std::vector<GridValues>& points) {
  for (std::size_t first = 0; first < points.size(); first += most_ready) {
    const std::size_t last = std::min(points.size(), first + most_ready);
    std::vector<Point> ready;
    for (std::size_t k = first; k < last; ++k) ready.push_back(point(points[k], setting));
    auto runs = run_grid_points(sources_, request_, std::move(ready));
    // In the order of the points and seeds, in whatever order they were run.
    for (std::size_t k = first; k < last; ++k)
      for (PointRun& run : runs[k - first]) take(points[k], setting, std::move(run));
    if (result_.stop != Stop::none) return false;
  }
  return true;
}

/// Whether the model can run the variant anywhere on the grid.
bool GridRun::run_model(Model model) {
  bool any = false;
  const std::vector<bool> modes =
      asks_for_lockstep(tree()) ? std::vector<bool>{false, true} : std::vector<bool>{false};
  for (const bool lockstep : modes) {
    result_.settings.push_back({model, lockstep, variant_->info.replaced});
    Setting setting{static_cast<std::int64_t>(result_.settings.size()), model, lockstep, {}};
    const std::vector<GridValues> points = points_of(setting);
    any = any || !points.empty();
    if (!run_points(setting, points)) return any;
    complete_lines(setting);
    if (result_.stop != Stop::none) return any;
  }
  return any;
}

/// The command that repeats the run at a point.
std::string GridRun::command(const GridSetting& setting, const GridValues& values,
                             std::uint64_t seed) const {
  Point at = point_at(axes_, values, setting.model, setting.lockstep, *variant_);
  at.options.seed = seed;
  return command_at(name_, at, setting.replaced, request_.machines);
}

/// A part of the grid can refute a claim; it cannot confirm one.
void mark_partial(GridJudgement& judgement) {
  if (judgement.verdict != GridVerdict::holds && judgement.verdict != GridVerdict::never_applicable)
    return;
  judgement.verdict = GridVerdict::not_decided;
  judgement.reason = "stopped before the end: only a part of the grid was run";
}

void GridRun::judge() {
  const PlaceName place = [&](const GridValues& parameters, std::int64_t number) {
    return place_on(result_.names, parameters, setting_of(result_, number));
  };
  std::vector<std::string> sizes;
  for (const GridAxis& axis : axes_)
    if (axis.size) sizes.push_back(axis.name);
  for (std::size_t k = 0; k < tree().claims.size(); ++k) {
    const lang::ClaimDecl& claim = tree().claims[k];
    ClaimVerification verified;
    verified.source = claim.source;
    verified.text = claim_text(claim, sources_);
    const auto& ran = result_.models;
    verified.elsewhere = result_.stop == Stop::none &&
                         std::none_of(ran.begin(), ran.end(), [&](const std::string& model) {
                           return speaks_of(claim, model);
                         });
    verified.judgement = judge_over_grid(claim.kind, result_.names, outcomes_[k], sizes, place);
    if (result_.stop != Stop::none) mark_partial(verified.judgement);
    if (const auto& point = verified.judgement.counterexample; point && !verified.elsewhere) {
      const GridSetting& setting = setting_of(result_, point->setting);
      verified.counterexample = {setting_text(setting),
                                 command(setting, point->parameters, point->seed)};
    }
    result_.claims.push_back(std::move(verified));
  }
}

/// Values of the grid are a way out of broken conditions only.
Result<Verification> GridRun::runs_nowhere() {
  if (!model_refusal_.empty()) { // so somewhere its conditions hold
    std::string asked;
    for (const Model model : request_.models)
      asked += fmt::format("{}{}", asked.empty() ? "" : ", ", name_of(model));
    Diagnostics errors{error_in("",
                                fmt::format("{} cannot run on a machine of the model asked for: {}",
                                            result_.program, asked),
                                {"take another --model, or leave it out for all that can run it"})};
    errors.insert(errors.end(), model_refusal_.begin(), model_refusal_.end());
    return errors;
  }
  if (!possible_.empty()) {
    result_.unused = {
        error_in("--points",
                 fmt::format("the runs of {} are all too large for a grid of {} points",
                             result_.program, request_.grid.points),
                 {way_to_larger(request_.grid.points)})};
    return std::move(result_);
  }
  Diagnostics errors{
      error_in("", fmt::format("{} can run at no point of its grid", result_.program),
               {refusal_.empty() ? "p is a multiple of w: --grid w=32 --grid p=64,128"
                                 : "give values that its conditions allow: --grid n=16,64"})};
  errors.insert(errors.end(), refusal_.begin(), refusal_.end());
  return errors;
}

Result<Verification> GridRun::run() {
  outcomes_.resize(tree().claims.size());
  for (const Model model : request_.models) {
    Result<std::vector<GridAxis>> axes = grid_axes(checked(), request_, model);
    if (!axes) return axes.errors();
    axes_ = std::move(*axes);
    bool any = false;
    for (const CheckedProgram& variant : variants_) {
      variant_ = &variant;
      if (result_.stop == Stop::none) any = run_model(model) || any;
    }
    if (any) result_.models.emplace_back(name_of(model));
    if (result_.stop != Stop::none) break;
  }
  if (result_.models.empty() && result_.stop == Stop::none) return runs_nowhere();
  result_.names = names_of_axes();
  judge();
  if (result_.stop == Stop::none && result_.failed_runs + result_.stopped_runs == 0)
    result_.unused = unused_values(request_, possible_, used_);
  return std::move(result_);
}

} // namespace

bool Verification::limited() const {
  return std::any_of(unused.begin(), unused.end(),
                     [](const Diagnostic& value) { return value.severity == Severity::error; });
}

bool Verification::passed() const {
  return stop == Stop::none && failed_runs + stopped_runs == 0 && !limited() &&
         std::all_of(claims.begin(), claims.end(),
                     [](const auto& claim) { return claim.passed(); });
}

Result<Verification> verify_over_grid(Sources& sources, const std::string& name,
                                      const std::vector<CheckedProgram>& variants,
                                      const GridRequest& request) {
  return GridRun(sources, name, variants, request).run();
}

} // namespace memlane::sweep
