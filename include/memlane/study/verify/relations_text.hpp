// Relations between the AGPU and other models for one program, as people and programs read them.
#pragma once

#include "memlane/show/run_report.hpp"
#include "memlane/study/verify/relations.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace memlane {

struct RelationsReport {
  RunReport asked; ///< the run on the machine that was asked for
  sweep::Relations relations;
};

/// The schemas of `--format json` and of a line of `--format jsonl`.
nlohmann::ordered_json relations_schema();
nlohmann::ordered_json relations_line_schema();
/// Any of the formats, ending with a line end. csv and jsonl: a relation a line.
std::string render_relations(const RelationsReport& report, Format format);

} // namespace memlane
