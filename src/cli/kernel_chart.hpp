// What `memlane ptx` and `memlane cuda` are asked for about time charts.
#pragma once

#include "console.hpp"
#include "options.hpp"
#include "pending_file.hpp"

#include "memlane/kernels/kernel_timeline.hpp"

#include <optional>
#include <string>

namespace memlane::cli {

struct ChartRequest {
  std::optional<PendingFile> file; ///< none: no chart is wanted
  ChartFormat format = ChartFormat::html;
  TimelineWindow window;
};

/// --timeline FILE and what chooses its window.
void add_chart(Options& options, ChartRequest& request);

/// Writes the chart into the file, and says what it has.
Status write_chart(ChartRequest& request, const TimelineReport& report, const Sources& sources,
                   const std::string& command, const Console& console);

} // namespace memlane::cli
