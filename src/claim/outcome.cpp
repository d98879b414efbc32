// One claim against one run.
#include "counts.hpp"
#include "evaluator.hpp"
#include "names.hpp"

#include "memlane/claim/claim.hpp"

#include <algorithm>
#include <limits>

namespace memlane {
namespace {

using claims::Evaluator;
using claims::Precision;
using claims::Problem;
using exact::Number;

bool on_this_machine(const lang::ClaimDecl& claim, const MachineSpec& machine) {
  return claim.machines.empty() ||
         std::any_of(claim.machines.begin(), claim.machines.end(),
                     [&](const lang::Name& name) { return name.text == name_of(machine.model); });
}

/// Claims about time are about the papers' machines, where instructions, barriers and launches are
/// free and a unit takes one stage a time unit. One that names a cost means it.
std::string priced_otherwise(const lang::Program& program, const lang::ClaimDecl& claim,
                             const MachineSpec& machine) {
  bool timed = false;
  std::set<std::string> named;
  const auto note = [&](const lang::Expr& expr) {
    timed = timed || claims::is_timed(expr.name);
    named.insert(expr.name);
  };
  claims::for_each_name(program, claim.left, note);
  claims::for_each_name(program, claim.right, note);
  if (claim.when) claims::for_each_name(program, *claim.when, note);
  if (!timed) return "";
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

/// Why the claim says nothing about the run, if `on`, `when` or the machine's costs say so.
std::optional<Problem> ruled_out(const lang::Program& program, const lang::ClaimDecl& claim,
                                 const ClaimInputs& inputs) {
  if (!on_this_machine(claim, *inputs.machine)) {
    std::string names;
    for (const lang::Name& name : claim.machines) names += (names.empty() ? "" : ", ") + name.text;
    return claims::not_applicable("only on " + names);
  }
  if (claim.when) {
    Evaluator evaluator(program, inputs, Precision::exact);
    const auto holds = evaluator.condition(*claim.when);
    if (!holds) return evaluator.problem();
    if (!*holds) return claims::not_applicable("its `when` does not hold");
  }
  if (is_exact(claim.kind))
    if (std::string reason = priced_otherwise(program, claim, *inputs.machine); !reason.empty())
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

void settle(ClaimOutcome& outcome, const Problem& problem) {
  outcome.verdict = problem.verdict;
  outcome.reason = problem.reason;
}

} // namespace

std::string claim_text(const lang::ClaimDecl& claim, const Sources& sources) {
  if (!claim.span.known()) return "";
  const std::string_view text = std::string_view(sources.text(claim.span.file))
                                    .substr(claim.span.begin, claim.span.end - claim.span.begin);
  std::string line;
  for (std::size_t at = 0; at < text.size() && text[at] != '"'; ++at) {
    const bool comment = text.substr(at, 2) == "//";
    if (comment) at = std::min(text.find('\n', at), text.size() - 1);
    const bool space = comment || text[at] == ' ' || (text[at] >= '\t' && text[at] <= '\r');
    if (!space)
      line += text[at];
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  if (line.substr(0, 6) == "claim ") line.erase(0, 6);
  return line;
}

std::string_view name_of(ClaimVerdict verdict) {
  switch (verdict) {
  case ClaimVerdict::holds: return "holds";
  case ClaimVerdict::fails: return "fails";
  case ClaimVerdict::not_applicable: return "not applicable";
  case ClaimVerdict::not_evaluated: return "not evaluated";
  case ClaimVerdict::ratio_only: return "ratio only";
  }
  return "";
}

std::string_view spelling(lang::ClaimKind kind) {
  switch (kind) {
  case lang::ClaimKind::equal: return "==";
  case lang::ClaimKind::at_most: return "<=";
  case lang::ClaimKind::at_least: return ">=";
  case lang::ClaimKind::about: return "~";
  case lang::ClaimKind::big_o: return "O";
  case lang::ClaimKind::omega: return "Omega";
  case lang::ClaimKind::theta: return "Theta";
  }
  return "";
}

bool may_apply(const lang::Program& program, const lang::ClaimDecl& claim,
               const ClaimInputs& inputs) {
  const auto problem = ruled_out(program, claim, inputs);
  return !problem || problem->verdict != ClaimVerdict::not_applicable;
}

ClaimOutcome evaluate_claim(const lang::Program& program, const lang::ClaimDecl& claim,
                            const Sources& sources, const ClaimInputs& inputs) {
  ClaimOutcome outcome;
  outcome.text = claim_text(claim, sources);
  outcome.source = claim.source;
  outcome.span = claim.span;
  outcome.kind = claim.kind;
  if (const auto problem = ruled_out(program, claim, inputs)) {
    settle(outcome, *problem);
    return outcome;
  }
  Evaluator evaluator(program, inputs,
                      is_exact(claim.kind) ? Precision::exact : Precision::approximate);
  const auto left = evaluator.number(claim.left);
  if (!left) {
    settle(outcome, evaluator.problem());
    return outcome;
  }
  outcome.left = {left->text(), left->to_double()};
  const auto right = evaluator.number(claim.right);
  if (!right) {
    settle(outcome, evaluator.problem());
    return outcome;
  }
  outcome.right = {right->text(), right->to_double()};
  outcome.ratio = ratio_of(*left, *right);
  if (!is_exact(claim.kind)) {
    outcome.verdict = ClaimVerdict::ratio_only;
    return outcome;
  }
  outcome.verdict = verdict_of(claim.kind, *left <=> *right);
  if (outcome.verdict == ClaimVerdict::not_evaluated) outcome.reason = claims::undecided;
  // A count is a whole number: a formula that gives an irrational one is not about this run.
  const bool irrational = !left->rational() || !right->rational();
  if (claim.kind == lang::ClaimKind::equal && outcome.verdict == ClaimVerdict::fails && irrational)
    settle(outcome, claims::not_applicable(evaluator.irrational()));
  if (outcome.verdict == ClaimVerdict::fails && outcome.left.value == outcome.right.value) {
    outcome.left.text = left->long_text();
    outcome.right.text = right->long_text();
  }
  return outcome;
}

std::vector<ClaimOutcome> evaluate_claims(const lang::Program& program, const Sources& sources,
                                          const ClaimInputs& inputs) {
  std::vector<ClaimOutcome> outcomes;
  for (const lang::ClaimDecl& claim : program.claims)
    outcomes.push_back(evaluate_claim(program, claim, sources, inputs));
  return outcomes;
}

} // namespace memlane
