// What the formats for viewers say of requests.
#pragma once

#include "memlane/report/timeline_report.hpp"

#include <string>

namespace memlane {

/// `shared 3`, `global`; of the only unit `memory`.
std::string unit_text(const Timeline& timeline, std::int64_t unit);
/// `write m 7 5 15 0`, `read a 0..31`: one address a lane, `-` for an inactive one.
std::string access_text(const Timeline& timeline, const Timeline::Request& request);
/// The source line of a request on one line; empty if it is unknown.
std::string source_text(const Sources& sources, Span span);
/// 0: unknown.
std::int32_t line_of(const Sources& sources, Span span);

} // namespace memlane
