// The values of names in claims, for one run.
#pragma once

#include "memlane/claim/claim.hpp"
#include "memlane/lang/evaluate.hpp"

namespace memlane::claims {

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
