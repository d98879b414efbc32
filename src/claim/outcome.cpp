// One claim against one run.
#include "environment.hpp"

#include "memlane/claim/claim.hpp"
#include "memlane/lang/exact/number.hpp"
#include "memlane/lang/walk.hpp"
#include "memlane/machine/stages.hpp"
#include "memlane/support/text.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

namespace memlane {
namespace {

using exact::Number;

/// Whether a kernel has atomics on arrays of shared or of global memory.
bool has_atomics_on(ir::Space space, const ir::Program& program) {
  const auto is_one = [&](const ir::Instruction& in) {
    return ir::is_atomic(in.op) &&
           program.arrays[static_cast<std::size_t>(in.immediate)].space == space;
  };
  return std::any_of(program.functions.begin(), program.functions.end(), [&](const auto& function) {
    return std::any_of(function.code.begin(), function.code.end(), is_one);
  });
}

/// Why a claim about time, stages or words does not apply: it assumes the papers' machines, with
/// elements of one word, groups of w words, atomics that cost as much as writes, free instructions,
/// barriers and launches and one stage a time unit, unless it names the cost. Empty: it applies.
std::string priced_otherwise(const lang::ClaimFormulas& claim, const ir::Program& program,
                             const MachineSpec& machine) {
  bool timed = false, staged = false, of_words = false;
  std::set<std::string> named;
  const auto note = [&](const lang::TExpr& part) {
    if (part.kind == lang::TExprKind::count) {
      timed = timed || claims::is_timed(part.text);
      staged = staged || claims::counts_stages(part.text);
      of_words = of_words || claims::counts_words(part.text);
    }
    if (part.kind == lang::TExprKind::letter) named.insert(part.text);
  };
  lang::each_part(claim.left, note);
  lang::each_part(claim.right, note);
  if (claim.when) lang::each_part(*claim.when, note);
  const std::int64_t of_stage = machine.stage_words(machine.memory_unit());
  if ((timed || staged) && of_stage != machine.width)
    return "stages of the machine's global memory are groups of " + std::to_string(of_stage);
  if ((timed || staged) && machine.shared && least_stages(*machine.shared) > 1)
    return "requests take at least " + std::to_string(least_stages(*machine.shared)) +
           " stages of the machine's shared memory";
  if ((timed || staged || of_words) && machine.word_bytes)
    return "elements of the machine's arrays may have several words";
  if ((timed || staged) && machine.shared && machine.shared->atomic_stages != Decimal::of(1) &&
      has_atomics_on(ir::Space::shared, program))
    return "the machine has shared.atomic_cost " + text_of(machine.shared->atomic_stages);
  if (!timed) return "";
  if (machine.global && machine.global->atomic_service.value != 1 &&
      has_atomics_on(ir::Space::memory, program))
    return "the machine has global.atomic_cost " +
           std::to_string(machine.global->atomic_service.value);
  if (machine.has_own_ports()) return "the machine's multiprocessors have own ports";
  if (machine.times_operators()) return "the machine has units for operations";
  if (machine.requests_in_flight > 1)
    return "a warp of the machine may have " + std::to_string(machine.requests_in_flight) +
           " requests on their way";
  if (machine.schedule == Schedule::hoisted) return "the machine issues reads before earlier steps";
  const std::pair<const char*, Cycles> costs[] = {{"instruction_cost", machine.instruction_cost},
                                                  {"barrier_cost", machine.barrier_cost},
                                                  {"launch_cost", machine.launch_cost}};
  for (const auto& [name, cost] : costs)
    if (cost.value != 0 && named.count(name) == 0)
      return std::string("the machine has ") + name + " " + std::to_string(cost.value);
  for (const auto& unit : {machine.shared, machine.global})
    if (unit && unit->ports != 1)
      return "the machine takes " + std::to_string(unit->ports) + " stages a time unit";
  return "";
}

/// Maximum number of steps: fns of a claim may loop.
constexpr std::int64_t most_steps = 1'000'000;

constexpr lang::EvaluationRules rules_of(bool approximates) {
  return {most_steps, true, approximates, true};
}

/// Why the claim does not apply to the run, because of `on`, `when` or the machine's costs.
std::optional<lang::NoValue> ruled_out(const lang::Checked& checked, std::size_t number,
                                       const ClaimInputs& inputs) {
  const lang::ClaimDecl& claim = checked.program.claims[number];
  const lang::ClaimFormulas& formulas = checked.claims[number];
  if (!speaks_of(claim, name_of(inputs.machine->model))) {
    std::string names;
    for (const lang::Name& name : claim.machines) names += (names.empty() ? "" : ", ") + name.text;
    return claims::not_applicable("only on " + names);
  }
  if (formulas.when) {
    claims::ClaimEnvironment environment(checked, inputs);
    lang::Evaluator evaluator(checked, environment, rules_of(false));
    const auto holds = evaluator.value(*formulas.when);
    if (!holds) return evaluator.problem();
    if (!holds->word().truth()) return claims::not_applicable("its `when` does not hold");
  }
  if (is_exact(claim.kind))
    if (std::string reason = priced_otherwise(formulas, *inputs.program, *inputs.machine);
        !reason.empty())
      return claims::not_applicable(std::move(reason));
  return std::nullopt;
}

ClaimVerdict verdict_of(lang::ClaimKind kind, std::partial_ordering order) {
  if (order == std::partial_ordering::unordered) return ClaimVerdict::not_evaluated;
  const bool holds = kind == lang::ClaimKind::equal     ? order == 0
                     : kind == lang::ClaimKind::at_most ? order <= 0
                                                        : order >= 0;
  return holds ? ClaimVerdict::holds : ClaimVerdict::fails;
}

double ratio_of(const Number& left, const Number& right) {
  if (right.sign() != 0) return (left / right).to_double();
  if (left.sign() == 0) return std::numeric_limits<double>::quiet_NaN();
  return left.sign() * std::numeric_limits<double>::infinity();
}

void set_problem(ClaimOutcome& outcome, const lang::NoValue& problem) {
  outcome.verdict =
      problem.inapplicable ? ClaimVerdict::not_applicable : ClaimVerdict::not_evaluated;
  outcome.reason = problem.reason.message;
  outcome.stop = problem.reason.stop;
}

} // namespace

bool speaks_of(const lang::ClaimDecl& claim, std::string_view model) {
  return claim.machines.empty() ||
         std::any_of(claim.machines.begin(), claim.machines.end(),
                     [&](const lang::Name& name) { return name.text == model; });
}

std::string claim_text(const lang::ClaimDecl& claim, const Sources& sources) {
  if (!claim.span.known()) return "";
  const std::string_view text = std::string_view(sources.text(claim.span.file))
                                    .substr(claim.span.begin, claim.span.end - claim.span.begin);
  std::string line = compact_source(text);
  line.resize(std::min(line.find('"'), line.size())); // without its source
  while (!line.empty() && line.back() == ' ') line.pop_back();
  if (line.substr(0, 6) == "claim ") line.erase(0, 6);
  return line;
}

std::string_view name_of(ClaimVerdict verdict) {
  constexpr std::array<std::string_view, 5> names = {"holds", "fails", "not applicable",
                                                     "not evaluated", "ratio only"};
  return names[static_cast<std::size_t>(verdict)];
}

std::string_view spelling(lang::ClaimKind kind) {
  constexpr std::array<std::string_view, 7> spellings = {"==", "<=",    ">=",   "~",
                                                         "O",  "Omega", "Theta"};
  return spellings[static_cast<std::size_t>(kind)];
}

bool may_apply(const lang::Checked& checked, std::size_t claim, const ClaimInputs& inputs) {
  const auto problem = ruled_out(checked, claim, inputs);
  return !problem || !problem->inapplicable;
}

FormulaValue evaluate_formula(const lang::Checked& checked, std::size_t number,
                              const ClaimInputs& inputs) {
  if (const auto problem = ruled_out(checked, number, inputs))
    return {std::nullopt, problem->reason.message};
  const ClaimInputs before_run{inputs.program, inputs.machine, nullptr, inputs.limits};
  claims::ClaimEnvironment environment(checked, before_run);
  lang::Evaluator evaluator(checked, environment,
                            rules_of(!is_exact(checked.program.claims[number].kind)));
  const auto value = evaluator.value(checked.claims[number].right);
  if (!value) return {std::nullopt, evaluator.problem().reason.message};
  return {value->number().to_double(), {}};
}

Result<bool> condition_holds(const lang::Checked& checked, const lang::TExpr& condition,
                             const ClaimInputs& inputs) {
  claims::ClaimEnvironment environment(checked, inputs);
  lang::Evaluator evaluator(checked, environment, rules_of(false));
  const auto holds = evaluator.value(condition);
  if (holds) return holds->word().truth();
  lang::NoValue problem = evaluator.problem();
  if (!problem.reason.span.known()) problem.reason.span = condition.span;
  if (problem.inapplicable)
    problem.reason.help = {"leave such machines out, or give them a value for it"};
  return problem.reason;
}

std::optional<std::int64_t> whole_value(const lang::Checked& checked, const lang::TExpr& expr,
                                        const ClaimInputs& inputs) {
  claims::ClaimEnvironment environment(checked, inputs);
  lang::Evaluator evaluator(checked, environment, rules_of(false));
  const auto value = evaluator.value(expr);
  return value ? std::optional(value->word().integer()) : std::nullopt;
}

ClaimOutcome evaluate_claim(const lang::Checked& checked, std::size_t number,
                            const Sources& sources, const ClaimInputs& inputs) {
  const lang::ClaimDecl& claim = checked.program.claims[number];
  ClaimOutcome outcome;
  outcome.text = claim_text(claim, sources);
  outcome.source = claim.source;
  outcome.span = claim.span;
  outcome.kind = claim.kind;
  if (const auto problem = ruled_out(checked, number, inputs)) {
    set_problem(outcome, *problem);
    return outcome;
  }
  claims::ClaimEnvironment environment(checked, inputs);
  lang::Evaluator evaluator(checked, environment, rules_of(!is_exact(claim.kind)));
  const auto side = [&](const lang::TExpr& formula, ClaimValue& value) {
    std::optional<Number> number;
    if (const auto known = evaluator.value(formula)) number = known->number();
    if (number) value = {number->text(), number->to_double()};
    return number;
  };
  const auto left = side(checked.claims[number].left, outcome.left);
  const auto right = left ? side(checked.claims[number].right, outcome.right) : std::nullopt;
  if (!left || !right) {
    set_problem(outcome, evaluator.problem());
    return outcome;
  }
  outcome.ratio = ratio_of(*left, *right);
  if (!is_exact(claim.kind)) {
    outcome.verdict = ClaimVerdict::ratio_only;
    return outcome;
  }
  outcome.verdict = verdict_of(claim.kind, *left <=> *right);
  if (outcome.verdict == ClaimVerdict::not_evaluated) outcome.reason = exact::undecided;
  // Counts are whole numbers, so an irrational formula does not apply to this run.
  const bool irrational = !left->rational() || !right->rational();
  if (claim.kind == lang::ClaimKind::equal && outcome.verdict == ClaimVerdict::fails && irrational)
    set_problem(outcome, claims::not_applicable(evaluator.irrational()));
  if (outcome.verdict == ClaimVerdict::fails && outcome.left.value == outcome.right.value) {
    outcome.left.text = left->long_text();
    outcome.right.text = right->long_text();
  }
  return outcome;
}

std::vector<ClaimOutcome> evaluate_claims(const lang::Checked& checked, const Sources& sources,
                                          const ClaimInputs& inputs) {
  std::vector<ClaimOutcome> outcomes;
  for (std::size_t claim = 0; claim < checked.claims.size(); ++claim)
    outcomes.push_back(evaluate_claim(checked, claim, sources, inputs));
  return outcomes;
}

const ClaimOutcome* failed_claim(const std::vector<ClaimOutcome>& claims) {
  const auto failed = std::find_if(claims.begin(), claims.end(), [](const ClaimOutcome& claim) {
    return claim.verdict == ClaimVerdict::fails;
  });
  return failed == claims.end() ? nullptr : &*failed;
}

Stop stop_of(const std::vector<ClaimOutcome>& claims) {
  for (const ClaimOutcome& claim : claims)
    if (claim.stop != Stop::none) return claim.stop;
  return Stop::none;
}

} // namespace memlane
