// Time charts as people and programs read them.
#pragma once

#include "memlane/show/run_report.hpp"
#include "memlane/timeline/text.hpp"
#include "memlane/timeline/timeline.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace memlane {

/// A time chart with what was run.
struct TimelineReport {
  std::string version; ///< memlane's version
  ProgramInfo program;
  MachineSpec machine;
  std::uint64_t seed = 1;
  Timeline timeline;
};

enum class ChartFormat : std::uint8_t { text, json, html, perfetto, kanata, svg, memory };

/// What pictures show: the style of an SVG, the line and the width of a picture of memory.
struct PictureChoice {
  std::optional<std::int32_t> line; ///< of memory_text
  ChartStyle style;
};

/// A whole window in any format. `title`: of pages and pictures; `command`: of a page.
std::string timeline_in(ChartFormat format, const TimelineReport& report, const Sources& sources,
                        const std::string& title, const std::string& command,
                        Watch* watch = nullptr, const PictureChoice& picture = {});

/// The version of the format of `timeline_json`.
inline constexpr int timeline_format = 1;

/// The whole time chart: what the page of time charts, and any other viewer, is given. If `watch`
/// is stopped on the way, its lists are cut off; likewise the texts below.
nlohmann::ordered_json timeline_json(const TimelineReport& report, const Sources& sources,
                                     Watch* watch = nullptr);
/// The schema of that object.
nlohmann::ordered_json timeline_schema();

/// The trace events of ui.perfetto.dev and chrome://tracing, as JSON; a time unit is 1 µs. A track
/// for each place of a warp, each port, and each bank of a discrete unit and port; events of a
/// track do not overlap.
std::string timeline_perfetto(const TimelineReport& report, const Sources& sources,
                              Watch* watch = nullptr);
/// A larger text is more than these viewers hold.
inline constexpr std::size_t most_perfetto_bytes = std::size_t{100} << 20;

/// The log of the pipeline viewer Konata (format Kanata 0004): each request is an instruction.
std::string timeline_kanata(const TimelineReport& report, const Sources& sources,
                            Watch* watch = nullptr);

} // namespace memlane
