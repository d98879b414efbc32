// A verification as people and programs read it.
#pragma once

#include "grid_run.hpp"

#include "memlane/report/run_report.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace memlane::cli {

/// All programs in one of the formats; json: one object; jsonl, csv: a line a claim.
std::string render_verifications(const std::vector<Verification>& all, Format format);

nlohmann::ordered_json verifications_json(const std::vector<Verification>& all);
std::string verification_lines(const std::vector<Verification>& all);
/// The schemas of `--format json` and of a line of `--format jsonl`.
nlohmann::ordered_json verifications_schema();
nlohmann::ordered_json verification_line_schema();

/// The verdict on a claim about machines that were not run.
constexpr std::string_view not_run = "not run";
/// `holds`, `fails`, …, `not run`.
std::string_view verdict_of(const ClaimVerification& claim);
std::string reason_of(const ClaimVerification& claim);
/// The setting of a point, by its number.
const GridSetting& setting_of(const Verification& v, std::int64_t number);

} // namespace memlane::cli
