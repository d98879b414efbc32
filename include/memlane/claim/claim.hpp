// The claims of a program against one run of it: exact rational arithmetic over parameters, machine
// letters and counts (programs/README.md, "Claims").
#pragma once

#include "memlane/count/counts.hpp"
#include "memlane/engine/options.hpp"
#include "memlane/ir/program.hpp"
#include "memlane/lang/check.hpp"
#include "memlane/machine/spec.hpp"
#include "memlane/support/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memlane {

enum class ClaimVerdict {
  holds,          ///< exact claims only
  fails,          ///< exact claims only
  not_applicable, ///< it does not apply to this run; `reason`
  not_evaluated,  ///< it could not be evaluated; `reason`. Never a pass.
  ratio_only,     ///< O, Omega, Theta and ~: one run gives numbers, a grid the verdict
};

std::string_view name_of(ClaimVerdict verdict);
/// `==`, `<=`, `>=`, `~`, `O`, `Omega`, `Theta`.
std::string_view spelling(lang::ClaimKind kind);
/// Whether one run can refute a claim of this kind: `==`, `<=`, `>=`.
constexpr bool is_exact(lang::ClaimKind kind) { return kind <= lang::ClaimKind::at_least; }

/// The claim as the program writes it, on one line, without comments and its source.
std::string claim_text(const lang::ClaimDecl& claim, const Sources& sources);

/// One side of a claim: exact as text (`61`, `127/2`), or the nearest double where the value is
/// irrational (`9.584962500721156`).
struct ClaimValue {
  std::string text;
  double value = 0;
};

struct ClaimOutcome {
  std::string text;   ///< the claim as the program writes it, on one line, without its source
  std::string source; ///< where it is from
  Span span;
  lang::ClaimKind kind = lang::ClaimKind::equal;
  ClaimVerdict verdict = ClaimVerdict::not_evaluated;
  std::string reason;     ///< why not applicable or not evaluated
  Stop stop = Stop::none; ///< `inputs.limits` ended the evaluation
  ClaimValue left, right; ///< empty texts where there are none
  double ratio = 0;       ///< left / right; NaN for 0 / 0
};

/// The run that a claim is evaluated for. Without `run` only `when` and `on` can be judged.
struct ClaimInputs {
  const ir::Program* program = nullptr;
  const MachineSpec* machine = nullptr;
  const RunResult* run = nullptr;
  const Limits* limits = nullptr; ///< of the evaluation; null: none
};

/// Whether the claim's `on` has this model of machines, or the claim has no `on`.
bool speaks_of(const lang::ClaimDecl& claim, std::string_view model);

/// Whether the claim is about steps or work of a PRAM, which a run counts only if it is asked to.
bool asks_for_pram(const lang::ClaimFormulas& claim);

/// Whether all its counts are of blocks, whenever these run: no times among them.
bool is_of_blocks(const lang::ClaimFormulas& claim);

/// The counts that claims can name, for lang::check.
lang::CountNames claim_counts();
/// Asks a run on this machine for the counts that the program's claims name and that a run only
/// has if it is asked for them: those of a PRAM.
void ask_for_counts(const lang::Checked& checked, const MachineSpec& machine, RunOptions& options);

/// Every claim of the program, in its order. The run must be a finished one of this program on
/// this machine.
std::vector<ClaimOutcome> evaluate_claims(const lang::Checked& checked, const Sources& sources,
                                          const ClaimInputs& inputs);

/// The first claim that fails; null: none does.
const ClaimOutcome* failed_claim(const std::vector<ClaimOutcome>& claims);

/// Why the evaluation of claims stopped early.
Stop stop_of(const std::vector<ClaimOutcome>& claims);

/// The claim of this number.
ClaimOutcome evaluate_claim(const lang::Checked& checked, std::size_t claim, const Sources& sources,
                            const ClaimInputs& inputs);

/// The right side of a claim without a run: what its formula says of these parameters on this
/// machine, as the nearest double. None, with the reason, where `on` or `when` rules the claim out,
/// or where the formula names a count of a run. `inputs.run` is not used.
struct FormulaValue {
  std::optional<double> value;
  std::string reason;
};
FormulaValue evaluate_formula(const lang::Checked& checked, std::size_t claim,
                              const ClaimInputs& inputs);

/// Whether the claim could say something about a run with these parameters on this machine, as far
/// as can be known before it: false if `on` or `when` rules it out.
bool may_apply(const lang::Checked& checked, std::size_t claim, const ClaimInputs& inputs);

/// Whether a condition (lang::check_condition) holds for runs with these parameters, as constants
/// of the program, on this machine. Errors: a value that the machine does not have, an overflow.
/// Layouts are those of the program's arrays. Cost: the size of the expression.
Result<bool> condition_holds(const lang::Checked& checked, const lang::TExpr& condition,
                             const ClaimInputs& inputs);
/// The value of a whole-number expression of the program, likewise; none where it has no value.
std::optional<std::int64_t> whole_value(const lang::Checked& checked, const lang::TExpr& expr,
                                        const ClaimInputs& inputs);

} // namespace memlane
