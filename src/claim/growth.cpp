// How ratios grow along a ray, and the leading terms of a claim's formula on it.
#include "memlane/claim/growth.hpp"

#include "environment.hpp"

#include <cmath>
#include <cstddef>
#include <map>

namespace memlane {
namespace {

// --- ratios

/// Doublings in a window: two even out the steps of ceilings.
constexpr std::size_t window = 2;
/// What a window must gain, of what the one before gained, to go on.
constexpr double steady = 0.9;
/// A window that gains less than this part of it has a ratio that settles.
constexpr double dying = 0.75;
/// A window that gains less than this part of the ratio has a ratio that stands still.
constexpr double nothing = 0.02;
/// The least factor over three windows.
constexpr double least_rise = 1.1;
/// How much the slope may rise from the first window to the third: before the knee of a ratio
/// a + b*x^e it doubles.
constexpr double bent = 1.15;
/// A rise over three windows that no constants of a sum's terms explain, whatever the slopes.
constexpr double steep_rise = 16;

// --- leading terms

using lang::TExpr;
using lang::TExprKind;

/// Formulas of claims may loop (claims::ClaimEnvironment); far out on a ray that takes too long.
constexpr std::int64_t most_far_steps = 100'000;
/// What an outgrown term loses between the two points, against the greatest of its sum.
constexpr double outgrown = 8;

bool is_sum(const TExpr& e) {
  return e.kind == TExprKind::operation && e.type.exact && e.op == ir::Opcode::add;
}

/// A formula at one point, term by term. NaN: a part has no value.
class Terms {
public:
  Terms(const lang::Checked& checked, const ClaimInputs& inputs, const DroppedTerms& dropped)
      : inputs_{inputs.program, inputs.machine, nullptr, inputs.limits},
        environment_(checked, inputs_),
        evaluator_(checked, environment_, {most_far_steps, true, true, true}), dropped_(dropped) {}

  double value(const TExpr& e) {
    const bool real = e.type.exact && !lang::is_exact_whole(e.type);
    if (is_sum(e)) return term(e.operands[0]) + term(e.operands[1]);
    if (real && e.kind == TExprKind::convert && e.operands[0].type.exact)
      return value(e.operands[0]);
    if (real && e.kind == TExprKind::operation && e.op == ir::Opcode::mul)
      return value(e.operands[0]) * value(e.operands[1]);
    if (real && e.kind == TExprKind::operation && e.op == ir::Opcode::div)
      return value(e.operands[0]) / value(e.operands[1]);
    const auto known = evaluator_.value(e);
    if (!known) return std::nan("");
    return e.type.exact ? known->number().to_double()
                        : static_cast<double>(known->word().integer());
  }

  double term(const TExpr& e) { return dropped_.contains(&e) ? 0 : value(e); }

private:
  ClaimInputs inputs_;
  claims::ClaimEnvironment environment_;
  lang::Evaluator evaluator_;
  const DroppedTerms& dropped_;
};

/// The terms of a sum: operands of nested additions.
void collect_terms(const TExpr& e, std::vector<const TExpr*>& terms) {
  if (!is_sum(e)) {
    terms.push_back(&e);
    return;
  }
  for (const TExpr& operand : e.operands) collect_terms(operand, terms);
}

/// Adds the outgrown terms of the sums in e: a factor's sum is judged for itself.
void drop_outgrown(const TExpr& e, Terms& near, Terms& far, DroppedTerms& dropped) {
  std::vector<const TExpr*> terms;
  collect_terms(e, terms);
  std::map<const TExpr*, double> at_near, at_far;
  double most_near = 0, most_far = 0;
  for (const TExpr* term : terms) {
    most_near = std::max(most_near, at_near[term] = near.value(*term));
    most_far = std::max(most_far, at_far[term] = far.value(*term));
  }
  for (const TExpr* term : terms) {
    const bool positive = at_near[term] > 0 && at_far[term] >= 0;
    if (positive && at_far[term] / most_far * outgrown < at_near[term] / most_near)
      dropped.insert(term);
    else if (term->kind == TExprKind::operation || term->kind == TExprKind::convert)
      for (const TExpr& operand : term->operands) drop_outgrown(operand, near, far, dropped);
  }
}

} // namespace

Growth growth_of(std::span<const double> ratios) {
  const auto from_end = [&](std::size_t k) { return ratios[ratios.size() - 1 - k * window]; };
  const auto gain = [&](std::size_t k) { return from_end(k) - from_end(k + 1); };
  if (ratios.size() <= window) return Growth::unclear;
  if (gain(0) <= nothing * from_end(0)) return Growth::settles;
  if (ratios.size() <= 2 * window) return Growth::unclear;
  if (gain(1) > 0 && gain(0) < dying * gain(1)) return Growth::settles;
  if (ratios.size() <= 3 * window) return Growth::unclear;
  const double rise = from_end(0) / from_end(3);
  const bool goes_on = gain(2) > 0 && gain(1) >= steady * gain(2) && gain(0) >= steady * gain(1);
  const double last = from_end(0) / from_end(1), first = from_end(2) / from_end(3);
  const bool straight = last - 1 <= bent * (first - 1);
  return goes_on && rise >= least_rise && (straight || rise >= steep_rise) ? Growth::grows
                                                                           : Growth::unclear;
}

bool grows_to_the_end(std::span<const double> ratios) {
  if (ratios.size() <= 2 * window) return false;
  const std::size_t last = ratios.size() - 1;
  const double least = std::sqrt(1 << window);
  return ratios[last] >= least * ratios[last - window] &&
         ratios[last - window] >= least * ratios[last - 2 * window];
}

DroppedTerms outgrown_terms(const lang::Checked& checked, std::size_t claim,
                            const ClaimInputs& near, const ClaimInputs& far) {
  const DroppedTerms none;
  DroppedTerms dropped;
  Terms at_near(checked, near, none), at_far(checked, far, none);
  drop_outgrown(checked.claims[claim].right, at_near, at_far, dropped);
  return dropped;
}

std::optional<double> value_without(const lang::Checked& checked, std::size_t claim,
                                    const ClaimInputs& inputs, const DroppedTerms& dropped) {
  const double value = Terms(checked, inputs, dropped).value(checked.claims[claim].right);
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

} // namespace memlane
