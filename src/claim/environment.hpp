// The values of names in claims, for one run; counts among them.
#pragma once

#include "memlane/claim/claim.hpp"
#include "memlane/count/counts.hpp"
#include "memlane/lang/evaluate.hpp"
#include "memlane/machine/spec.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace memlane::claims {

// --- the counts that claims can name

using CountValue = std::variant<std::int64_t, MmmBound, lang::NoValue>;

/// Why a claim has no value in a run: it does not apply to the run, or cannot be evaluated.
lang::NoValue not_applicable(std::string reason);
lang::NoValue not_evaluated(std::string reason);

/// What to write in place of a name that models use for different counts: `mmm_work or pram_work`
/// for `work`; empty for other names.
std::string_view clear_names(std::string_view name);
/// Whether the count is in time units, so that a machine's costs change it.
bool is_timed(std::string_view name);
/// Whether it is a sum over what blocks do, whenever they do it, or the number of launches.
bool is_of_blocks(std::string_view name);
/// Whether the count tells how many stages requests took.
bool counts_stages(std::string_view name);
/// Whether it counts words of elements, or address groups of w of them.
bool counts_words(std::string_view name);

/// The count of the whole run. Not `multiplicity`, which is no integer.
CountValue run_count(std::string_view name, const MachineSpec& machine, const RunResult& run);
/// The count of a kernel's launches; a kernel that was not launched has none.
CountValue kernel_count(std::string_view kernel, std::string_view name, const MachineSpec& machine,
                        const RunResult& run);

// --- all names

class ClaimEnvironment : public lang::Environment {
public:
  ClaimEnvironment(const lang::Checked& checked, const ClaimInputs& inputs)
      : checked_(checked), inputs_(inputs) {}

  lang::Evaluation param(lang::SymbolId id) override;
  lang::Evaluation letter(const lang::TExpr& e) override;
  lang::Evaluation property(const lang::TExpr& e) override;
  const Limits& limits() const override {
    return inputs_.limits ? *inputs_.limits : Environment::limits();
  }

private:
  lang::Evaluation count(const lang::TExpr& e) const;
  lang::Evaluation fn_count(const lang::TExpr& e) const;
  lang::Evaluation multiplicity(std::int64_t shared_words) const;
  lang::Evaluation layout_or_padding(const lang::TExpr& e) const;

  const lang::Checked& checked_;
  const ClaimInputs& inputs_;
};

} // namespace memlane::claims
