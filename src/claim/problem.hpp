// Why a claim has no value in a run.
#pragma once

#include "memlane/claim/claim.hpp"

#include <string>

namespace memlane::claims {

/// Why a comparison of two irrational numbers has no answer.
constexpr const char* undecided = "two irrational numbers agree to 2048 bits and may be equal";

struct Problem {
  ClaimVerdict verdict = ClaimVerdict::not_evaluated; ///< or not_applicable
  std::string reason;
};

inline Problem not_applicable(std::string reason) {
  return {ClaimVerdict::not_applicable, std::move(reason)};
}
inline Problem not_evaluated(std::string reason) {
  return {ClaimVerdict::not_evaluated, std::move(reason)};
}

} // namespace memlane::claims
