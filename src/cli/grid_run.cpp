#include "grid_run.hpp"

#include "memlane/engine/simulate.hpp"
#include "memlane/lang/lower.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace memlane::cli {
namespace {

/// Failed runs whose messages are kept.
constexpr std::size_t most_failures = 5;

bool mentions(const lang::Expr& expr, std::string_view name) {
  if (expr.kind == lang::ExprKind::name && expr.name == name) return true;
  return std::any_of(expr.operands.begin(), expr.operands.end(),
                     [&](const lang::Expr& operand) { return mentions(operand, name); });
}

bool asks_for_lockstep(const lang::Program& program) {
  return std::any_of(program.claims.begin(), program.claims.end(), [](const auto& claim) {
    return claim.when && mentions(*claim.when, "lockstep");
  });
}

/// The comparisons of `array.layout` with a layout's name.
void collect_layouts(const lang::Expr& expr, std::vector<std::string>& layouts) {
  for (const lang::Expr& operand : expr.operands) collect_layouts(operand, layouts);
  if (expr.kind != lang::ExprKind::comparison || expr.operands.size() != 2) return;
  const lang::Expr& field = expr.operands[0];
  const lang::Expr& name = expr.operands[1];
  if (field.kind != lang::ExprKind::field || field.name != "layout" ||
      name.kind != lang::ExprKind::name)
    return;
  const std::string layout =
      fmt::format("{}={}{}", field.operands[0].name, name.name, name.name == "padded" ? "(1)" : "");
  if (std::find(layouts.begin(), layouts.end(), layout) == layouts.end()) layouts.push_back(layout);
}

/// Whether the claim is about machines of this model.
bool speaks_of(const lang::ClaimDecl& claim, std::string_view model) {
  return claim.machines.empty() ||
         std::any_of(claim.machines.begin(), claim.machines.end(),
                     [&](const lang::Name& name) { return name.text == model; });
}

lang::Expr literal(std::int64_t value, ir::Scalar type) {
  lang::Expr expr;
  expr.kind = type == ir::Scalar::boolean ? lang::ExprKind::boolean : lang::ExprKind::integer;
  expr.integer = value;
  return expr;
}

/// One place of the grid, ready to run.
struct Place {
  MachineSpec machine;
  std::vector<lang::ParamValue> params;
};

/// A verification under way.
class GridRun {
public:
  GridRun(Sources& sources, const std::vector<CheckedProgram>& variants, const GridRequest& request)
      : sources_(sources), variants_(variants), variant_(&variants.front()), request_(request) {
    result_.program = variant_->info.path;
  }

  Result<Verification> run();

private:
  Status choose_axes(Model model);
  Place place(const GridValues& values, Model model, bool lockstep) const;
  Result<ir::Program> lowered(const Place& place) const;
  std::optional<double> estimate(const Place& place);
  std::vector<GridValues> points_of(Model model, bool lockstep);
  bool run_model(Model model);
  void run_point(const GridValues& values, const Place& place);
  void run_once(const GridValues& values, const Place& place, const ir::Program& code,
                std::uint64_t seed);
  void note_failure(const GridValues& values, const Place& place, const Diagnostics& errors);
  Diagnostics runs_nowhere() const;
  void judge();

  const lang::Checked& checked() const { return variant_->checked; }
  const lang::Program& tree() const { return checked().program; }

  Sources& sources_;
  const std::vector<CheckedProgram>& variants_;
  const CheckedProgram* variant_; ///< the one under way
  const GridRequest& request_;
  std::vector<GridAxis> axes_;
  std::vector<std::vector<GridPoint>> outcomes_; ///< by claim
  Diagnostics refusal_;                          ///< why the last place could not be bound
  Diagnostics model_refusal_;                    ///< why the last model could not run the program
  Verification result_;
};

/// The standard axes, d and L where an HMM is among the models, and those of --grid in their place.
Status GridRun::choose_axes(Model model) {
  axes_ = default_axes(tree());
  const auto& models = request_.models;
  if (std::find(models.begin(), models.end(), Model::hmm) != models.end()) {
    axes_.push_back(fixed_axis("d", {1, 2, 4, 8}));
    axes_.push_back(fixed_axis("L", {1, 7, 40, 200}));
  }
  Diagnostics errors;
  for (const auto& [name, values] : request_.axes) {
    const auto axis = std::find_if(axes_.begin(), axes_.end(),
                                   [&, n = name](const GridAxis& a) { return a.name == n; });
    if (axis != axes_.end()) {
      *axis = fixed_axis(name, values);
      continue;
    }
    const auto& params = checked().params;
    const bool known = std::any_of(params.begin(), params.end(),
                                   [&, n = name](const auto& p) { return p.name == n; });
    if (known) axes_.insert(axes_.begin() + 1, fixed_axis(name, values));
    if (known) continue;
    std::vector<std::string> names;
    for (const GridAxis& a : axes_) names.push_back(a.name);
    std::vector<std::string> help = did_you_mean(name, names);
    help.push_back(fmt::format("the grid has {}", fmt::join(names, ", ")));
    errors.push_back(
        error_in("--grid", fmt::format("the program has no parameter '{}'", name), help));
  }
  if (!errors.empty()) return errors;
  if (model != Model::hmm) // which other machines do not have
    for (GridAxis& axis : axes_)
      if (axis.name == "d" || axis.name == "L") axis = fixed_axis(axis.name, {1});
  return Done{};
}

Place GridRun::place(const GridValues& values, Model model, bool lockstep) const {
  Place place;
  MachineSpec& machine = place.machine;
  machine.model = model;
  machine.lockstep = lockstep;
  UnitSpec shared;
  UnitSpec global;
  global.kind = UnitKind::unified;
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    const std::string& name = axes_[k].name;
    const std::int64_t value = values[k];
    if (name == "w") {
      machine.width = value;
    } else if (name == "p") {
      machine.threads = value;
    } else if (name == "l") {
      shared.latency = Cycles{value};
      if (model == Model::umm) global.latency = Cycles{value};
    } else if (name == "L") {
      global.latency = Cycles{value};
    } else if (name == "d") {
      machine.multiprocessors = value;
    } else {
      const auto param = std::find_if(checked().params.begin(), checked().params.end(),
                                      [&](const auto& p) { return p.name == name; });
      place.params.push_back({name, literal(value, param->type)});
    }
  }
  if (model != Model::umm) machine.shared = shared;
  if (model != Model::dmm) machine.global = global;
  machine.name = fmt::format("{}", name_of(model));
  return place;
}

Result<ir::Program> GridRun::lowered(const Place& place) const {
  if (place.machine.threads % place.machine.width != 0) return Diagnostics{};
  lang::Bindings bindings{letters(place.machine), place.machine.name, place.params};
  bindings.option = "--grid";
  return lang::lower(checked(), bindings, sources_);
}

void GridRun::note_failure(const GridValues& values, const Place& place,
                           const Diagnostics& errors) {
  result_.failed_runs += 1;
  if (result_.failures.size() >= most_failures) return;
  std::string at =
      fmt::format("{}{}", place.machine.name, place.machine.lockstep ? ", lockstep" : "");
  for (std::size_t k = 0; k < axes_.size(); ++k)
    at += fmt::format(", {}={}", axes_[k].name, values[k]);
  for (Diagnostic error : errors) {
    error.help.push_back("at " + at);
    result_.failures.push_back(std::move(error));
  }
}

void GridRun::run_once(const GridValues& values, const Place& place, const ir::Program& code,
                       std::uint64_t seed) {
  RunOptions options;
  options.seed = seed;
  options.limits = request_.limits;
  Observer nobody;
  RunResult run = simulate(code, place.machine, options, sources_, nobody);
  result_.runs += 1;
  if (run.stop == Stop::interrupted || run.stop == Stop::wall_clock) {
    result_.stop = run.stop;
    return;
  }
  if (run.stop != Stop::none && run.errors.empty())
    run.errors.push_back(error_in("", fmt::format("stopped at a limit: {}", run.reached)));
  if (run.stop != Stop::none || run.verify == Verdict::failed)
    return note_failure(values, place, run.errors);
  GridPoint point;
  point.seed = seed;
  for (const std::int64_t value : values) point.parameters.push_back(static_cast<double>(value));
  const auto outcomes = evaluate_claims(tree(), sources_, {&code, &place.machine, &run});
  for (std::size_t k = 0; k < outcomes.size(); ++k) {
    point.outcome = outcomes[k];
    outcomes_[k].push_back(point);
  }
}

void GridRun::run_point(const GridValues& values, const Place& place) {
  const Result<ir::Program> code = lowered(place);
  if (!code || !check_machine(*code, place.machine)) return;
  const bool sampled =
      std::any_of(tree().claims.begin(), tree().claims.end(), [&](const lang::ClaimDecl& claim) {
        return claim.kind == lang::ClaimKind::about &&
               may_apply(tree(), claim, {&*code, &place.machine, nullptr});
      });
  const std::int64_t seeds = sampled ? request_.seeds : 1;
  for (std::int64_t seed = 1; seed <= seeds && result_.stop == Stop::none; ++seed)
    run_once(values, place, *code, static_cast<std::uint64_t>(seed));
}

/// About how many words a run handles: those of its arrays; of matrices, times an eighth of a side,
/// since what is done with them goes up to n^3.
double cost_of(const ir::Program& code) {
  double words = 1;
  for (const ir::Array& array : code.arrays) {
    double own = static_cast<double>(array.elements());
    const std::int64_t side = *std::max_element(array.extents.begin(), array.extents.end());
    if (array.extents.size() > 1) own *= std::max(1.0, static_cast<double>(side) / 8);
    words += own;
  }
  return words;
}

/// The cost of a place, if the program can be bound and run there; the reason is kept if not.
std::optional<double> GridRun::estimate(const Place& place) {
  const Result<ir::Program> code = lowered(place);
  if (!code) {
    if (!code.errors().empty()) refusal_ = code.errors();
    return std::nullopt;
  }
  if (Status possible = check_machine(*code, place.machine); !possible) {
    model_refusal_ = possible.errors();
    return std::nullopt;
  }
  return cost_of(*code);
}

/// The points for one model and clock. Conditions and sizes seldom ask for a latency: one answer
/// serves all values of l and L. A point that one of them does refuse is passed over later.
std::vector<GridValues> GridRun::points_of(Model model, bool lockstep) {
  std::map<GridValues, std::optional<double>> answers;
  const auto answer = [&](const GridValues& values) {
    GridValues key = values;
    for (std::size_t k = 0; k < key.size(); ++k)
      if (axes_[k].name == "l" || axes_[k].name == "L") key[k] = 0;
    const auto [found, unknown] = answers.try_emplace(key);
    if (unknown) found->second = estimate(place(values, model, lockstep));
    return found->second;
  };
  GridLimits limits = request_.grid;
  // Where no claim speaks of the model, a few runs show that the result is right there too.
  const auto& claims = tree().claims;
  const bool claimed = std::any_of(claims.begin(), claims.end(), [&](const auto& claim) {
    return speaks_of(claim, name_of(model));
  });
  if (!claimed) limits.points = std::max<std::size_t>(1, limits.points / 10);
  return spread_grid(
      axes_, [&](const GridValues& values) { return answer(values).has_value(); },
      [&](const GridValues& values) { return answer(values).value_or(0); }, limits);
}

/// Whether the model can run the variant anywhere on the grid.
bool GridRun::run_model(Model model) {
  bool any = false;
  const std::vector<bool> modes =
      asks_for_lockstep(tree()) ? std::vector<bool>{false, true} : std::vector<bool>{false};
  for (const bool lockstep : modes) {
    for (const GridValues& values : points_of(model, lockstep)) {
      any = true;
      run_point(values, place(values, model, lockstep));
      if (result_.stop != Stop::none) return any;
    }
  }
  return any;
}

void GridRun::judge() {
  for (std::size_t k = 0; k < tree().claims.size(); ++k) {
    const lang::ClaimDecl& claim = tree().claims[k];
    ClaimVerification verified;
    verified.source = claim.source;
    verified.text = claim_text(claim, sources_);
    const auto& ran = result_.models;
    verified.elsewhere = std::none_of(
        ran.begin(), ran.end(), [&](const std::string& model) { return speaks_of(claim, model); });
    verified.judgement = judge_over_grid(claim.kind, result_.names, outcomes_[k]);
    result_.claims.push_back(std::move(verified));
  }
}

/// Values of the grid are a way out of broken conditions only.
Diagnostics GridRun::runs_nowhere() const {
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
  Diagnostics errors{
      error_in("", fmt::format("{} runs nowhere on its grid", result_.program),
               {refusal_.empty() ? "p is a multiple of w: --grid w=32 --grid p=64,128"
                                 : "give values that its conditions allow: --grid n=16,64"})};
  errors.insert(errors.end(), refusal_.begin(), refusal_.end());
  return errors;
}

Result<Verification> GridRun::run() {
  outcomes_.resize(tree().claims.size());
  for (const Model model : request_.models) {
    if (Status chosen = choose_axes(model); !chosen) return chosen.errors();
    bool any = false;
    for (const CheckedProgram& variant : variants_) {
      variant_ = &variant;
      if (result_.stop == Stop::none) any = run_model(model) || any;
    }
    if (any) result_.models.emplace_back(name_of(model));
    if (result_.stop != Stop::none) break;
  }
  if (result_.models.empty()) return runs_nowhere();
  for (const GridAxis& axis : axes_) result_.names.push_back(axis.name);
  judge();
  return std::move(result_);
}

} // namespace

bool Verification::passed() const {
  return failed_runs == 0 && std::all_of(claims.begin(), claims.end(),
                                         [](const auto& claim) { return claim.passed(); });
}

std::vector<std::string> layouts_in_claims(const lang::Program& program) {
  std::vector<std::string> layouts;
  for (const lang::ClaimDecl& claim : program.claims)
    if (claim.when) collect_layouts(*claim.when, layouts);
  return layouts;
}

Result<Verification> verify_over_grid(Sources& sources, const std::vector<CheckedProgram>& variants,
                                      const GridRequest& request) {
  return GridRun(sources, variants, request).run();
}

} // namespace memlane::cli
