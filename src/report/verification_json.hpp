// A verification as JSON, and the words that it shares with tables.
#pragma once

#include "memlane/report/verification.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace memlane {

nlohmann::ordered_json verifications_json(const std::vector<sweep::Verification>& all,
                                          std::string_view version);
/// A claim a line.
std::string verification_lines(const std::vector<sweep::Verification>& all);

/// The verdict on a claim about machines that were not run.
constexpr std::string_view not_run = "not run";
/// `holds`, `fails`, …, `not run`.
std::string_view verdict_of(const sweep::ClaimVerification& claim);
std::string reason_of(const sweep::ClaimVerification& claim);

} // namespace memlane
