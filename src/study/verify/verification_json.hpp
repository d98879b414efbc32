// What the formats of a verification are made from.
#pragma once

#include "memlane/show/columns.hpp"
#include "memlane/study/verify/verification.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace memlane {

nlohmann::ordered_json verifications_json(const std::vector<sweep::Verification>& all,
                                          std::string_view version);
/// A claim, and the program whose settings its points have.
using VerifiedClaim = PartOf<sweep::ClaimVerification, sweep::Verification>;
/// A row each.
std::vector<VerifiedClaim> claims_of(const std::vector<sweep::Verification>& all);
const Columns<VerifiedClaim>& verified_claim_columns();

/// The verdict on a claim about machines that were not run.
constexpr std::string_view not_run = "not run";
/// `holds`, `fails`, …, `not run`.
std::string_view verdict_of(const sweep::ClaimVerification& claim);
std::string reason_of(const sweep::ClaimVerification& claim);
/// The fitted constants, or how many points were compared.
std::string finding(const sweep::ClaimVerification& claim);

} // namespace memlane
