// A verification as people and programs read it.
#pragma once

#include "memlane/show/run_report.hpp"
#include "memlane/study/verify/verification.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace memlane {

/// All programs in one of the formats, with the tool's version. json: one object; jsonl, csv: a
/// line a claim.
std::string render_verifications(const std::vector<sweep::Verification>& all,
                                 std::string_view version, Format format);

/// The schemas of `--format json` and of a line of `--format jsonl`.
nlohmann::ordered_json verifications_schema();
nlohmann::ordered_json verification_line_schema();

} // namespace memlane
