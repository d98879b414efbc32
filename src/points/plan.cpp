// Makes plans: loads what a sweep names, then tries every combination once.
#include "memlane/points/plan.hpp"

#include "axis_values.hpp"
#include "plan_commands.hpp"
#include "plan_state.hpp"

#include "memlane/lang/parse.hpp"
#include "memlane/points/command_program.hpp"
#include "memlane/points/point.hpp"
#include "memlane/support/suggest.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::sweep {
namespace {

/// Programs are checked once for each combination of replacements.
constexpr std::size_t most_variants = 10'000;
/// Errors of single points that are shown.
constexpr std::int64_t most_wrong_points = 3;

/// Loads and checks all that a sweep names.
class PlanBuilder {
public:
  PlanBuilder(const SweepSpec& sweep, const SweepFiles& files, Sources& sources, WrongPoints wrong)
      : files_(files), sources_(sources), state_(std::make_unique<PlanState>()),
        leaves_out_(wrong == WrongPoints::leave_out) {
    state_->sweep = sweep;
    state_->sources = &sources;
  }

  Result<std::unique_ptr<const PlanState>> build();

private:
  void load_machines();
  bool load_commands();
  void load_programs();
  void evaluate_machine_values();
  void check_machine_values();
  void merge_machines();
  void check_syntax();
  void load_variants();
  void load_inputs();
  void try_points();
  bool try_point(std::int64_t combination);
  bool check_command(std::int64_t combination, const PlacePlanned& place,
                     const lang::BoundParams& bound);
  void add_wrong(std::int64_t combination, Diagnostics errors, const std::string& help);
  template <class T>
  bool take(const Result<T>& result, Span entry, const std::string& program = {});

  const SweepFiles& files_;
  Sources& sources_;
  std::unique_ptr<PlanState> state_;
  std::vector<CheckedProgram> loaded_; ///< one for each program of the sweep, with the first values
  PlannedCommands commands_;
  std::vector<LoadedMachine> machines_;
  ErrorCollector errors_;
  bool leaves_out_;        ///< wrong points are no errors
  std::int64_t wrong_ = 0; ///< the number of wrong points
  /// The machine whose letters `bindings_` has.
  std::shared_ptr<const LoadedMachine> bound_machine_;
  lang::Bindings bindings_;
};

/// An error without a place gets the entry's place. Other errors get a note: the program, if the
/// entry is an option, else the entry's place in the sweep file.
template <class T>
bool PlanBuilder::take(const Result<T>& result, Span entry, const std::string& program) {
  if (result) return true;
  Diagnostics errors = result.errors();
  for (Diagnostic& error : errors) {
    if (!entry.known()) break;
    if (!error.span.known()) {
      error.span = entry;
    } else if (!program.empty() && sources_.path(entry.file).starts_with("--")) {
      error.notes.push_back({Severity::note, {}, "", "the program is " + program, {}, {}, {}});
    } else if (error.span.file != entry.file) {
      error.notes.push_back(note_at(entry, "the sweep asks for it here"));
    }
  }
  errors_.add(errors);
  return false;
}

void PlanBuilder::load_machines() {
  for (const SweptMachine& swept : state_->sweep.machines) {
    const Result<LoadedMachine> machine = files_.machine(swept.name, swept.overrides);
    if (take(machine, swept.span)) machines_.push_back(*machine);
  }
}

/// Whether all commands are right; axes of wrong ones would say nothing.
bool PlanBuilder::load_commands() {
  bool good = true;
  for (const SweptProgram& swept : state_->sweep.programs) {
    commands_.emplace_back();
    if (swept.command.empty()) continue;
    Result<KernelCommand> command =
        files_.command ? files_.command(swept)
                       : error_in("", "commands cannot be run here", {"name a program"});
    good = take(command, swept.span) && good;
    if (command) commands_.back() = std::move(*command);
  }
  return good && errors_.check(fit_commands(state_->sweep, commands_, sources_));
}

/// Each program with its own replacements; those of axes come later.
void PlanBuilder::load_programs() {
  for (const SweptProgram& swept : state_->sweep.programs) {
    const auto& command =
        commands_[static_cast<std::size_t>(&swept - state_->sweep.programs.data())];
    Result<CheckedProgram> program =
        command ? program_for(*command, numbers_of(*command, state_->sweep), sources_)
                : files_.program(swept.name, swept.replaced);
    if (take(program, swept.span)) loaded_.push_back(std::move(*program));
  }
}

/// Expressions of machine axes become their digits, which machines take: `2^10`. Other texts stay.
void PlanBuilder::evaluate_machine_values() {
  for (const PlannedAxis& planned : state_->axes) {
    if (planned.role != AxisRole::machine) continue;
    for (AxisPart& part : state_->sweep.axes[planned.group][planned.place].parts) {
      if (part.numbers || part.text.find_first_of("^*+-/(") == std::string::npos) continue;
      Result<std::int64_t> number =
          placed_number(sources_, {part.text, part.span}, "a value of the machine");
      if (number) {
        part.text = std::to_string(*number);
        continue;
      }
      Diagnostics errors = number.errors();
      errors.front().help.push_back(
          fmt::format("where it follows a parameter, list its values and add a condition: --where "
                      "'{} == {}', or \"where\" in a sweep file",
                      planned.axis->name, part.text));
      errors_.add(errors);
    }
  }
}

void PlanBuilder::check_machine_values() {
  for (const PlannedAxis& planned : state_->axes) {
    if (planned.role != AxisRole::machine) continue;
    const SweepAxis& axis = *planned.axis;
    for (const LoadedMachine& machine : machines_) {
      bool good = true;
      for (const AxisPart& part : axis.parts) {
        good = errors_.check(machine_value(machine, axis, part.begin)) && good;
        const std::size_t next = static_cast<std::size_t>(&part - axis.parts.data()) + 1;
        const std::int64_t last =
            (next < axis.parts.size() ? axis.parts[next].begin : axis.size) - 1;
        if (good && last > part.begin) good = errors_.check(machine_value(machine, axis, last));
      }
      if (!good) break; // the same error for each machine
    }
  }
}

/// Machines that the axes leave no difference between run once, under all their names.
void PlanBuilder::merge_machines() {
  PlanState& state = *state_;
  const auto with_axes = [&](std::size_t machine) {
    PlacePlanned first;
    first.machine = machine;
    first.values.resize(state.sweep.axes.size());
    return state.machine(first);
  };
  for (std::size_t k = 1; k < state.machines.size(); ++k) {
    const auto machine = with_axes(k);
    for (std::size_t before = 0; before < k && machine; ++before) {
      const auto other = with_axes(before);
      if (!other || !same_machine((*other)->spec, (*machine)->spec)) continue;
      LoadedMachine named = *state.machines[before];
      const std::string& other_name = state.machines[k]->spec.name;
      SweptMachine& swept = state.sweep.machines[before];
      swept.also.push_back(state.sweep.machines[k].title());
      named.spec.name =
          named.spec.name == other_name ? swept.title() : joined_names(named.spec.name, other_name);
      state.machines[before] = std::make_shared<const LoadedMachine>(std::move(named));
      const auto at = static_cast<std::ptrdiff_t>(k--);
      state.machines.erase(state.machines.begin() + at);
      state.sweep.machines.erase(state.sweep.machines.begin() + at);
      break;
    }
  }
}

/// Texts that are no expressions are wrong for every program: they are reported once.
void PlanBuilder::check_syntax() {
  constexpr std::size_t most_errors = 20;
  const auto check = [&](Span text) {
    if (errors_.errors().size() < most_errors)
      errors_.check(lang::parse_expression(sources_, text));
  };
  for (const PlannedAxis& planned : state_->axes) {
    if (planned.role != AxisRole::parameter) continue;
    for (const AxisPart& part : planned.axis->parts)
      if (!part.numbers) check(part.span);
  }
  if (!state_->sweep.where.empty()) check(state_->sweep.where_span);
}

/// The programs with all combinations of replacements.
void PlanBuilder::load_variants() {
  PlanState& state = *state_;
  std::vector<bool> replaces(state.sweep.axes.size());
  for (const PlannedAxis& planned : state.axes)
    if (planned.role == AxisRole::replacement) replaces[planned.group] = true;
  for (std::size_t group = 0; group < replaces.size(); ++group)
    if (replaces[group])
      state.variants *= static_cast<std::size_t>(state.sweep.axes[group].front().size);
  if (state.variants > most_variants) {
    errors_.add(error_in("", fmt::format("layouts, fns and types have {} combinations, at most {} "
                                         "are allowed",
                                         state.variants, most_variants)));
    return;
  }
  for (std::size_t k = 0; k < loaded_.size(); ++k) {
    const SweptProgram& swept = state.sweep.programs[k];
    for (std::size_t variant = 0; variant < state.variants; ++variant) {
      auto replaced = swept.replaced;
      std::size_t rest = variant;
      GroupValues values(replaces.size());
      for (std::size_t group = replaces.size(); group-- > 0;) {
        if (!replaces[group]) continue;
        const auto size = static_cast<std::size_t>(state.sweep.axes[group].front().size);
        values[group] = static_cast<std::int64_t>(rest % size);
        rest /= size;
      }
      Span place = swept.span;
      for (const PlannedAxis& planned : state.axes) {
        if (planned.role != AxisRole::replacement) continue;
        replaced.push_back(replacement(*planned.axis, values[planned.group]));
        place = planned.axis->part(values[planned.group]).span;
      }
      Result<CheckedProgram> program = state.variants > 1 || replaced != swept.replaced
                                           ? files_.program(swept.name, replaced)
                                           : Result<CheckedProgram>(std::move(loaded_[k]));
      if (!take(program, place, swept.name)) return;
      if (state.sweep.allow_races) program->info.allow_all_races("--allow-races");
      Result<PlannedProgram> planned =
          planned_program(state.sweep, swept, std::move(*program), state.axes, sources_);
      if (!errors_.check(planned)) break;
      planned->command = commands_[k];
      state.programs.push_back(std::move(*planned));
    }
  }
}

void PlanBuilder::load_inputs() {
  std::vector<std::string> names;
  for (const PlannedProgram& program : state_->programs)
    for (const lang::ArraySymbol& array : program.program.checked.arrays)
      if (array.kind == lang::ArrayKind::memory && array.used) names.push_back(array.name);
  for (const PlannedAxis& planned : state_->axes) {
    if (planned.role != AxisRole::input) continue;
    const SweepAxis& axis = *planned.axis;
    const bool known = std::any_of(state_->programs.begin(), state_->programs.end(),
                                   [&](const PlannedProgram& program) {
                                     return has_memory_array(program.program.checked, axis.name);
                                   });
    if (!known)
      errors_.add(error_at(axis.span, fmt::format("no program has a memory array '{}'", axis.name),
                           did_you_mean(axis.name, names)));
    for (std::int64_t k = 0; k < axis.size; ++k) {
      const std::string source = axis.value(k);
      if (state_->input_hashes.contains(source)) continue;
      const Result<std::string> hash = files_.input_hash(source);
      if (take(hash, axis.part(k).span)) state_->input_hashes[source] = *hash;
    }
  }
}

/// Lists a wrong point that is left out; of others it keeps the errors of the first.
void PlanBuilder::add_wrong(std::int64_t combination, Diagnostics errors, const std::string& help) {
  constexpr std::size_t widest = 300;
  const PlacePlanned place = state_->place(combination);
  std::vector<std::pair<std::string, std::string>> values;
  for (const PlannedAxis& planned : state_->axes)
    values.emplace_back(planned.axis->title(), planned.axis->value(place.values[planned.group]));
  if (leaves_out_ && stop_of(errors) == Stop::none) {
    state_->wrong.push_back(
        {place.values, std::move(values), on_one_line(errors.front().message, widest)});
    return;
  }
  if (++wrong_ > most_wrong_points) return;
  if (wrong_ == most_wrong_points)
    errors.back().notes.push_back(
        {Severity::note, {}, "", "the points behind it were not tried", {}, {}, {}});
  const std::string label = state_->label(place, values);
  for (Diagnostic& error : errors) {
    error.message = fmt::format("point {}: {}", label, error.message);
    if (!help.empty()) error.help = {help};
  }
  errors_.add(errors);
}

/// Whether the words of a point's command are right; also of a program, which has none.
bool PlanBuilder::check_command(std::int64_t combination, const PlacePlanned& place,
                                const lang::BoundParams& bound) {
  const auto& command = state_->program(place).command;
  if (!command || !files_.check_words) return true;
  const Status right = files_.check_words(
      words_with_values(command->words, state_->axis_values(place, bound.values)));
  if (right) return true;
  add_wrong(combination, right.errors(), "");
  return !leaves_out_;
}

/// Whether the combination is a point: the condition allows it. A wrong one counts as one, unless
/// it is left out.
bool PlanBuilder::try_point(std::int64_t combination) {
  const PlacePlanned place = state_->place(combination);
  const auto machine = state_->machine(place);
  if (!machine) {
    add_wrong(combination, machine.errors(), "");
    return !leaves_out_;
  }
  const PlannedProgram& program = state_->program(place);
  if (program.command)
    if (const Status fits = files_.fits_kernels((*machine)->spec); !fits) {
      add_wrong(combination, fits.errors(), "");
      return !leaves_out_;
    }
  if (*machine != bound_machine_) { // its letters are the same for many points
    bound_machine_ = *machine;
    bindings_ = bindings_of(bound_machine_->spec, {});
  }
  bindings_.params = program.parameters(place.values);
  const auto bound = lang::bind_params(program.program.checked, bindings_, sources_);
  if (!bound) {
    add_wrong(combination, bound.errors(), "");
    return !leaves_out_;
  }
  if (program.where) {
    ir::Program outline;
    outline.arrays = program.outline.arrays;
    outline.constants = bound->values;
    const ClaimInputs known{&outline, &(*machine)->spec, nullptr, &sources_.limits()};
    for (std::size_t k = 0; k < outline.arrays.size(); ++k) {
      const lang::TExpr* const padding = program.padding(k);
      if (!padding) continue;
      const auto words = whole_value(program.program.checked, *padding, known);
      if (words) outline.arrays[k].padding = *words; // else binding the point says what is wrong
    }
    const auto holds = condition_holds(program.program.checked, *program.where, known);
    if (!holds) {
      add_wrong(
          combination, holds.errors(),
          "leave the machine out, or set what it lacks: a key of it in the sweep file, or --set");
      return !leaves_out_;
    }
    if (!*holds) return false;
  }
  if (bound->broken.empty()) return check_command(combination, place, *bound);
  add_wrong(combination, bound->broken,
            fmt::format("to leave such points out, give the sweep this condition: \"where\" in its "
                        "file, or --where '{}'",
                        source_on_one_line(sources_.text(bound->broken.front().span))));
  return !leaves_out_;
}

void PlanBuilder::try_points() {
  PlanState& state = *state_;
  const auto seeds = static_cast<std::int64_t>(state.sweep.seeds.size());
  state.combinations = combinations(state.sweep) / seeds;
  Watch watch(sources_.limits());
  for (std::int64_t k = 0; k < state.combinations && wrong_ < most_wrong_points; ++k) {
    if (!watch.go_on()) return errors_.add(stopped_while(watch.stop(), "planning the sweep"));
    if (try_point(k)) state.allowed.push_back(static_cast<std::uint32_t>(k));
  }
  if (!errors_.ok()) return;
  if (state.allowed.empty() && !state.wrong.empty())
    errors_.add(error_in("", fmt::format("no value can run: point {}: {}",
                                         state.label(state.place(0), state.wrong.front().values),
                                         state.wrong.front().message)));
  else if (state.allowed.empty())
    errors_.add(error_at(
        state.sweep.where_span,
        state.combinations * seeds == 1
            ? "the condition excludes the only point"
            : fmt::format("the condition excludes all {} points", state.combinations * seeds),
        {"change the condition, or the values of the axes"}));
  if (static_cast<std::int64_t>(state.allowed.size()) == state.combinations) state.allowed = {};
}

Result<std::unique_ptr<const PlanState>> PlanBuilder::build() {
  errors_.check(check_size(state_->sweep));
  if (!errors_.ok()) return errors_.errors();
  load_machines();
  if (!load_commands()) return errors_.errors();
  load_programs();
  if (errors_.ok()) errors_.take(planned_axes(state_->sweep, loaded_, machines_), state_->axes);
  if (errors_.ok()) {
    evaluate_machine_values();
    if (errors_.ok()) check_machine_values();
    for (LoadedMachine& machine : machines_)
      state_->machines.push_back(std::make_shared<const LoadedMachine>(std::move(machine)));
    if (errors_.ok()) merge_machines();
    check_syntax();
  }
  if (errors_.ok()) load_variants();
  if (errors_.ok()) load_inputs();
  if (errors_.ok()) try_points();
  if (!errors_.ok()) return errors_.errors();
  return std::unique_ptr<const PlanState>(std::move(state_));
}

} // namespace

Plan::Plan(std::unique_ptr<const PlanState> state) : state_(std::move(state)) {}
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;
Plan::~Plan() = default;

Result<Plan> Plan::make(const SweepSpec& sweep, const SweepFiles& files, Sources& sources,
                        WrongPoints wrong) {
  Result<std::unique_ptr<const PlanState>> state =
      PlanBuilder(sweep, files, sources, wrong).build();
  if (!state) return state.errors();
  return Plan(std::move(*state));
}

std::int64_t Plan::size() const {
  const auto allowed = static_cast<std::int64_t>(state_->allowed.size());
  return (allowed > 0 ? allowed : state_->combinations) *
         static_cast<std::int64_t>(state_->sweep.seeds.size());
}

std::int64_t Plan::excluded() const {
  const auto wrong = static_cast<std::int64_t>(state_->wrong.size());
  return (state_->combinations - wrong) * static_cast<std::int64_t>(state_->sweep.seeds.size()) -
         size();
}

const std::vector<WrongPoint>& Plan::wrong() const { return state_->wrong; }

/// Where a point is among all combinations of values.
std::int64_t Plan::combination(std::int64_t number) const {
  const std::int64_t place = number / static_cast<std::int64_t>(state_->sweep.seeds.size());
  return state_->allowed.empty() ? place : state_->allowed[static_cast<std::size_t>(place)];
}

std::vector<std::int64_t> Plan::numbers(std::int64_t number) const {
  return state_->place(combination(number)).values;
}

PlannedPoint Plan::point(std::int64_t number) const {
  const auto seeds = static_cast<std::int64_t>(state_->sweep.seeds.size());
  PlacePlanned place = state_->place(combination(number));
  place.seed = static_cast<std::size_t>(number % seeds);
  return state_->planned(place);
}

} // namespace memlane::sweep
