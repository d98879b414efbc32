// What `memlane timeline` is asked for.
#pragma once

#include "run_request.hpp"

#include "memlane/timeline/recorder.hpp"
#include "memlane/timeline/report.hpp"
#include "memlane/timeline/text.hpp"

#include <optional>
#include <string_view>

namespace memlane::cli {

/// Requests of a window that is not told how many it may have, except those of texts.
inline constexpr std::int64_t standard_requests = 10'000;

struct TimelineRequest {
  RunRequest run;
  TimelineWindow window;
  std::optional<std::int32_t> line; ///< --line
  bool standard_end = false;        ///< a drawn chart without a chosen window ends early
  ChartFormat format = ChartFormat::text;
  std::string out;                 ///< -o
  std::string command;             ///< that asks for it
  ChartStyle style;                ///< of a text
  std::optional<PendingFile> file; ///< none: standard output
};

/// --window.
void add_window(Options& options, TimelineWindow& window);
/// The format that the ending of a file asks for; none: no format has it.
std::optional<ChartFormat> chart_format_of(std::string_view path);

void timeline_options(Options& options, TimelineRequest& request);

/// The window of a prepared run. Errors: no request is in the line that was asked for.
Result<TimelineWindow> window_of(const TimelineRequest& request, const PreparedRun& run);

/// Why a chart shows no warp: the window has none of those that --blocks and --warps choose.
Diagnostic nothing_chosen(const TimelineRequest& request, const ChartedParts& parts);

/// Why the run has no time unit of the window. Requires one that has not begun.
Diagnostic nothing_in_window(const TimelineRequest& request, const TimelineRecorder& recorder);

} // namespace memlane::cli
