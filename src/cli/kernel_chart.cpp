#include "kernel_chart.hpp"

#include "timeline_request.hpp"

#include <fmt/format.h>

namespace memlane::cli {

void add_chart(Options& options, ChartRequest& request) {
  options.add("timeline", "FILE", opened(&request.file),
              "write what every warp and memory does in each time unit; the ending\n"
              "says the format: .html (a page that plays it), .svg, .txt,\n"
              ".json, .perfetto, .kanata");
  add_window(options, request.window);
  options.add("timeline-launch", "K", whole(&request.window.launch, 0, INT64_MAX - 1),
              "the time chart has the time units of launch K; the first is 0.\n"
              "--window counts from its beginning");
  options.then([&request](OptionReader& given, Sources&) {
    request.window.most_requests = standard_requests;
    for (const char* const option : {"window", "timeline-launch"})
      if (given.has(option) && !request.file)
        given.fail(fmt::format("--{}", option),
                   "it chooses a part of a time chart, and none is "
                   "asked for",
                   "add --timeline FILE");
    if (!request.file) return;
    const auto format = chart_format_of(request.file->path());
    if (!format)
      given.fail("--timeline",
                 fmt::format("the ending of '{}' is that of no time chart", request.file->path()),
                 "endings: .html, .svg, .txt, .json, .perfetto, .kanata");
    else
      request.format = *format;
  });
}

Status write_chart(ChartRequest& request, const TimelineReport& report, const Sources& sources,
                   const std::string& command, const Console& console) {
  const std::string text =
      timeline_in(request.format, report, sources, chart_title(report), command);
  if (Status written = request.file->write(text); !written) return written;
  console.print_error(chart_notes(report));
  return Done{};
}

} // namespace memlane::cli
