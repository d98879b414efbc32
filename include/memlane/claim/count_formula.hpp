// A number over the counts of a run, as an option names it: `shared_stages`, `sort.time`,
// `shared_stages - shared_requests`.
#pragma once

#include "memlane/claim/claim.hpp"

#include <optional>
#include <string>

namespace memlane {

struct CountFormula {
  std::string text;
  lang::TExpr expr;
  bool of_blocks = false;  ///< of counts that blocks add up, whenever they run: no times among them
  bool needs_pram = false; ///< a run has its counts only if RunOptions::pram asks for them
};

/// The formula in the language of claims; `option` is where it is from. Errors: a name that is no
/// count, with the nearest one; a text that is no number.
Result<CountFormula> read_count_formula(Sources& sources, const lang::Checked& checked,
                                        const std::string& option, const std::string& text);

/// The value of a finished run, or why it has none.
struct CountFormulaValue {
  std::optional<ClaimValue> value;
  std::string reason;
};
CountFormulaValue value_of(const CountFormula& formula, const lang::Checked& checked,
                           const ClaimInputs& inputs);

} // namespace memlane
