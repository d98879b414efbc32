// A verification as people and programs read it.
#pragma once

#include "grid_run.hpp"

#include "memlane/report/run_report.hpp"

#include <string>
#include <vector>

namespace memlane::cli {

/// All programs in one of the formats; json: one object; jsonl, csv: a line a claim.
std::string render_verifications(const std::vector<Verification>& all, Format format);

} // namespace memlane::cli
