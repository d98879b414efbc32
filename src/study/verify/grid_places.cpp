#include "grid_places.hpp"

#include "memlane/lang/lower.hpp"
#include "memlane/lang/values.hpp"
#include "memlane/machine/keys.hpp"
#include "memlane/study/verify/verification.hpp"
#include "memlane/support/machine_names.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::sweep {

namespace {

lang::Expr literal(std::int64_t value, ir::Scalar type) {
  lang::Expr expr;
  expr.kind = type == ir::Scalar::boolean ? lang::ExprKind::boolean : lang::ExprKind::integer;
  expr.integer = value;
  return expr;
}

/// A number that fits is checked here, since a grid has very many places.
lang::ParamValue param_value(const lang::ParamSymbol& param, std::int64_t value) {
  lang::ParamValue given{param.name, literal(value, param.type)};
  const bool truth = param.type == ir::Scalar::boolean;
  if (Result<lang::TExpr> fitted = truth ? lang::truth_param_value(param, value != 0)
                                         : lang::whole_param_value(param, value, {}))
    given.checked = std::make_shared<const lang::TExpr>(std::move(*fitted));
  return given;
}

const lang::ParamSymbol* param_named(const lang::Checked& checked, const std::string& name) {
  const auto& params = checked.params;
  const auto found =
      std::find_if(params.begin(), params.end(), [&](const auto& p) { return p.name == name; });
  return found == params.end() ? nullptr : &*found;
}

/// The values of a machine's letter that its key does not accept.
void check_letter(const std::string& name, const GridValues& values, Diagnostics& errors) {
  const auto path = key_of_letter(name, Model::mmm);
  if (!path) return;
  const MachineKey& key = *find_machine_key(*path);
  for (const std::int64_t value : values) {
    if (value >= key.minimum && value <= key.maximum) continue;
    std::vector<std::string> help;
    if (!key.least_because.empty()) help.emplace_back(key.least_because);
    errors.push_back(error_in(
        "--grid",
        fmt::format("{}={}: a machine's {} is {}", name, value, *path, accepted_values(key)),
        std::move(help)));
    return;
  }
}

/// Puts the axes that the user gave in the place of the standard ones.
Status replace_axes(std::vector<GridAxis>& axes, const lang::Checked& checked,
                    const std::map<std::string, GridValues>& given) {
  Diagnostics errors;
  for (const auto& [name, values] : given) {
    const auto axis = std::find_if(axes.begin(), axes.end(),
                                   [&, n = name](const GridAxis& a) { return a.name == n; });
    if (axis != axes.end()) {
      if (!param_named(checked, name)) check_letter(name, values, errors);
      const bool size = axis->size;
      *axis = fixed_axis(name, values);
      axis->size = size;
    } else if (param_named(checked, name)) {
      axes.insert(axes.begin() + 1, fixed_axis(name, values));
    } else {
      std::vector<std::string> names;
      for (const GridAxis& a : axes) names.push_back(a.name);
      std::vector<std::string> help = did_you_mean(name, names);
      help.push_back(fmt::format("the grid has {}", fmt::join(names, ", ")));
      errors.push_back(
          error_in("--grid", fmt::format("the program has no parameter '{}'", name), help));
    }
  }
  if (!errors.empty()) return errors;
  return Done{};
}

} // namespace

Result<std::vector<GridAxis>> grid_axes(const lang::Checked& checked, const GridRequest& request,
                                        Model model) {
  std::vector<GridAxis> axes = default_axes(checked, request.limits);
  const auto asked = [&](Model wanted) {
    return std::find(request.models.begin(), request.models.end(), wanted) != request.models.end();
  };
  if (asked(Model::hmm) || asked(Model::agpu)) {
    axes.push_back(fixed_axis("d", {1, 2, 4, 8, 16}));
    axes.back().unusual = {3};
  }
  if (asked(Model::hmm))
    axes.push_back(fixed_axis("L", {1, 5, 20, 100, 10'000, 1'000'000, 100'000'000}));
  if (asked(Model::agpu)) axes.push_back(fixed_axis("M", {65536}));
  const std::pair<const char*, GridValues> of_mmm[] = {
      {"Z", {64, 1024, 65536}}, {"U", {2, 100, 10'000}}, {"P", {1, 2, 3, 14, 65536}}};
  for (const auto& [name, values] : of_mmm)
    if (asked(Model::mmm) && !param_named(checked, name)) axes.push_back(fixed_axis(name, values));
  if (checked.letters.contains("tensor_size")) {
    axes.push_back(fixed_axis("tensor_size", {1, 2, 4, 8, 16}));
    axes.back().size = true; // a tile of s x s words is one request: every count grows with it
    axes.push_back(fixed_axis("tensor_latency", {0, 1, 5, 20, 100, 10'000}));
  }
  if (Status replaced = replace_axes(axes, checked, request.axes); !replaced)
    return replaced.errors();
  for (GridAxis& axis : axes)
    if (!has_axis(model, axis.name) && !param_named(checked, axis.name))
      axis = fixed_axis(axis.name, {1});
  return axes;
}

std::vector<AxisUse> uses_of(const std::vector<GridAxis>& axes, Model model,
                             const lang::Checked& checked) {
  std::vector<AxisUse> uses;
  for (const GridAxis& axis : axes) {
    AxisUse& use = uses.emplace_back();
    use.param = param_named(checked, axis.name);
    if (!use.param && has_axis(model, axis.name))
      use.key = find_machine_key(*key_of_letter(axis.name, model));
  }
  return uses;
}

MachineSpec machine_at(const std::vector<AxisUse>& axes, const GridValues& values, Model model,
                       bool lockstep) {
  MachineSpec machine = machine_of(model);
  machine.lockstep = lockstep;
  for (std::size_t k = 0; k < axes.size(); ++k)
    if (axes[k].key) axes[k].key->store(machine, values[k]);
  derive_values(machine);
  return machine;
}

Place place_at(const std::vector<AxisUse>& axes, const GridValues& values, Model model,
               bool lockstep) {
  Place place{machine_at(axes, values, model, lockstep), {}};
  for (std::size_t k = 0; k < axes.size(); ++k)
    if (const lang::ParamSymbol* param = axes[k].param)
      place.parameters.push_back(param_value(*param, values[k]));
  place.machine.name = name_of(model);
  return place;
}

Point point_at(const Recipe& recipe, Place place, const CheckedProgram& program) {
  Point point = point_of(recipe, program, place.machine);
  point.parameters = std::move(place.parameters);
  return point;
}

namespace {

bool has_whole_warps(const MachineSpec& machine) {
  return machine.model == Model::mmm || machine.threads % machine.width == 0;
}

lang::Bindings bindings_at(const Point& point) {
  return bindings_of(point.machine, point.parameters, "--grid");
}

} // namespace

Result<ir::Program> lower_at(const Point& point, const Sources& sources) {
  if (!has_whole_warps(point.machine)) return Diagnostics{};
  return lang::lower(point.program->checked, bindings_at(point), sources);
}

WordCount words_of(const ir::Program& code) {
  WordCount words;
  for (const ir::Array& array : code.arrays) {
    double own = static_cast<double>(array.elements());
    words.placed += own;
    const std::int64_t side = *std::max_element(array.extents.begin(), array.extents.end());
    if (array.extents.size() > 1) own *= std::max(1.0, static_cast<double>(side) / 8);
    words.handled += own;
  }
  return words;
}

double threads_of(const MachineSpec& machine) {
  if (machine.model == Model::mmm) return static_cast<double>(machine.width);
  return static_cast<double>(machine.multiprocessors) * static_cast<double>(machine.threads);
}

PlaceCosts::PlaceCosts(const std::vector<GridAxis>& axes, const CheckedProgram& program,
                       const GridSetting& setting, const Recipe& recipe, const Sources& sources)
    : uses_(uses_of(axes, setting.model, program.checked)), program_(program),
      model_(setting.model), lockstep_(setting.lockstep), recipe_(recipe), sources_(sources),
      watch_(sources.limits()) {
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const std::string& name = axes[k].name;
    beside_latencies_.push_back(name != "l" && name != "L" && name != "U" && name != "P" &&
                                name != "tensor_latency");
    if (name == "p") p_ = k;
    if (name == "w") w_ = k;
  }
  RunOptions asked; // the formulas of claims are walked once, not at each place
  ask_for_counts(program.checked, machine_of(model_), asked);
  pram_ = asked.pram;
}

Point PlaceCosts::point(const GridValues& values, const Recipe& recipe) const {
  Point point = point_at(recipe, place(values), program_);
  point.options.pram = point.options.pram || pram_;
  return point;
}

GridValues PlaceCosts::without_latencies(const GridValues& values) const {
  return only(values, beside_latencies_);
}

/// The values of other axes are 0.
GridValues PlaceCosts::only(GridValues values, const Axes& axes) {
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!axes[k]) values[k] = 0;
  return values;
}

bool PlaceCosts::agree(const GridValues& a, const GridValues& b, const Axes& axes) {
  for (std::size_t k = 0; k < a.size(); ++k)
    if (axes[k] && a[k] != b[k]) return false;
  return true;
}

bool PlaceCosts::differ_in_latencies(const GridValues& a, const GridValues& b) const {
  return agree(a, b, beside_latencies_);
}

/// The axes that decided what `declare` says: those of parameters and of the letters it asked for.
/// Conditions and sizes seldom ask for a latency: one answer serves all values of l, L, U and P. A
/// point that one of them does refuse is passed over later.
PlaceCosts::Axes PlaceCosts::axes_of(const std::set<std::string>& letters) const {
  Axes asked(uses_.size());
  for (std::size_t k = 0; k < uses_.size(); ++k) asked[k] = uses_[k].param != nullptr;
  for (const std::string& letter : letters) {
    const MachineQuantity quantity = find_machine_name(letter)->quantity;
    const auto of_it = [&](const AxisUse& use) { return use.key && use.key->quantity == quantity; };
    const auto axis = std::find_if(uses_.begin(), uses_.end(), of_it);
    if (axis == uses_.end()) return beside_latencies_; // it may follow from any
    const auto k = static_cast<std::size_t>(axis - uses_.begin());
    asked[k] = beside_latencies_[k];
  }
  return asked;
}

/// Whether an MMM can run it is in its launches; else arrays tell what is asked here.
PlaceCosts::Estimate PlaceCosts::estimate(const GridValues& values) {
  const Point at = point(values);
  lang::Declared made = model_ == Model::mmm
                            ? lang::Declared{lower_at(at, sources_), {}}
                            : lang::declare(at.program->checked, bindings_at(at), sources_);
  Estimate own{std::nullopt, model_ == Model::mmm ? beside_latencies_ : axes_of(made.asked)};
  if (!watch_.ask()) return own;
  if (!made.program) {
    refusal_ = made.program.errors();
  } else if (Status possible = check_machine(*made.program, at.machine); !possible) {
    model_refusal_ = possible.errors();
  } else {
    own.words = words_of(*made.program);
  }
  return own;
}

std::optional<WordCount> PlaceCosts::words(const GridValues& values) {
  if (!last_ || !agree(last_->values, values, last_->own.axes)) last_ = {values, answer(values)};
  return last_->own.words;
}

PlaceCosts::Estimate PlaceCosts::answer(const GridValues& values) {
  for (auto& [axes, known] : words_)
    if (const auto found = known.find(only(values, axes)); found != known.end())
      return {found->second, axes};
  const Estimate own = estimate(values);
  words_[own.axes][only(values, own.axes)] = own.words;
  return own;
}

bool PlaceCosts::can_run(const GridValues& values) {
  const bool whole_warps = !p_ || !uses_[*p_].key || values[*p_] % values[*w_] == 0;
  return whole_warps && (unfit_.empty() || !unfit_.contains(without_latencies(values))) &&
         (refused_.empty() || !refused_.contains(without_latencies(values))) && words(values);
}

void PlaceCosts::refuse(const GridValues& values, Diagnostics why) {
  refused_.insert(without_latencies(values));
  last_cost_.reset();
  if (!why.empty()) refusal_ = std::move(why);
}

std::optional<double> PlaceCosts::cost(const GridValues& values) {
  if (!last_cost_ || !differ_in_latencies(last_cost_->first, values))
    last_cost_ = {values, new_cost(values)};
  return last_cost_->second;
}

std::optional<double> PlaceCosts::new_cost(const GridValues& values) {
  if (!can_run(values)) return std::nullopt;
  const double own = words(values)->handled;
  if (own >= most_) return std::nullopt;
  return own + threads_of(machine_at(uses_, values, model_, lockstep_));
}

namespace {

/// The shipped machine of the model that the runs of a grid differ least from.
std::string nearest_machine(Model model) {
  const bool one_memory = model == Model::dmm || model == Model::umm;
  return fmt::format("{}-{}", name_of(model), one_memory ? "w32" : "teaching");
}

/// The values of the machine that the shipped one does not have, as --set takes them.
std::vector<std::string> overrides(const MachineSpec& machine, const MachineSpec& shipped) {
  std::vector<std::string> texts;
  for (const MachineKey& key : machine_keys()) {
    if (key.per_file() || !key.fetch || key.path == "model") continue;
    if (!contains(key.models, machine.model)) continue;
    const KeyValue value = key.fetch(machine);
    if (value == key.fetch(shipped)) continue;
    texts.push_back(fmt::format("{}={}", key.path, value.index() == 0 ? "null" : text_of(value)));
  }
  return texts;
}

} // namespace

std::string setting_text(const GridSetting& setting) {
  std::string text(name_of(setting.model));
  if (setting.lockstep) text += ", lockstep";
  for (const auto& [option, value] : setting.replaced)
    if (option == "--layout") text += ", " + value;
  return text;
}

const GridSetting& setting_of(const Verification& verification, std::int64_t number) {
  return verification.settings[static_cast<std::size_t>(number - 1)];
}

// Names that are no axis of machines are parameters. The capacity is an axis of AGPUs alone.
bool has_axis(Model model, std::string_view axis) {
  constexpr std::string_view of_machines = "wplLdMZUP";
  const bool letter = axis.size() == 1 && of_machines.find(axis) != std::string_view::npos;
  if (!letter && axis != "tensor_size" && axis != "tensor_latency") return true;
  return key_of_letter(axis, model).has_value() && (axis != "M" || model == Model::agpu);
}

std::string place_on(const std::vector<std::string>& names, const GridValues& values,
                     const GridSetting& setting) {
  std::vector<std::string> own;
  GridValues own_values;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!has_axis(setting.model, names[k])) continue;
    own.push_back(names[k]);
    own_values.push_back(values[k]);
  }
  return fmt::format("{} on {}", place_text(own, own_values), setting_text(setting));
}

std::string command_at(const GridRequest& request, const Point& point,
                       const std::vector<std::pair<std::string, std::string>>& replaced) {
  const std::string base = nearest_machine(point.machine.model);
  Sources sources;
  const Result<LoadedMachine> shipped = load_machine(sources, base, {}, request.machines);
  // Without the shipped file every value is written, and the user finds out which file is missing.
  const MachineSpec unknown = [&] {
    MachineSpec none;
    none.shared = point.machine.shared ? std::optional(UnitSpec{}) : std::nullopt;
    none.global = point.machine.global ? std::optional(UnitSpec{}) : std::nullopt;
    return none;
  }();
  Recipe recipe = request;
  for (const lang::ParamValue& param : point.parameters) {
    const bool truth = param.value.kind == lang::ExprKind::boolean;
    const std::string value = !truth                     ? std::to_string(param.value.integer)
                              : param.value.integer != 0 ? "true"
                                                         : "false";
    recipe.program.definitions.push_back(fmt::format("{}={}", param.name, value));
  }
  recipe.program.replaced = without_dashes(replaced);
  recipe.machine = {base, overrides(point.machine, shipped ? shipped->spec : unknown)};
  recipe.seed = point.options.seed;
  recipe.pram = point.options.pram;
  return command_text(recipe);
}

} // namespace memlane::sweep
