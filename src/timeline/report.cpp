#include "memlane/timeline/report.hpp"

#include "svg.hpp"

#include "memlane/show/json_parts.hpp"
#include "memlane/timeline/memory_text.hpp"
#include "memlane/timeline/page.hpp"
#include "memlane/timeline/text.hpp"

#include <nlohmann/json.hpp>

namespace memlane {

namespace {

/// Up to so many time units, a page has a chart in text for readers without scripts.
constexpr std::int64_t longest_text = 1000;

} // namespace

std::string timeline_in(ChartFormat format, const TimelineReport& report, const Sources& sources,
                        const std::string& title, const std::string& command, Watch* watch,
                        const PictureChoice& picture) {
  switch (format) {
  case ChartFormat::text: return title + '\n' + timeline_text(report.timeline, sources);
  case ChartFormat::json: return json_text(timeline_json(report, sources, watch), -1);
  case ChartFormat::perfetto: return timeline_perfetto(report, sources, watch);
  case ChartFormat::kanata: return timeline_kanata(report, sources, watch);
  case ChartFormat::memory:
    return title + '\n' +
           memory_text(report.timeline, sources, picture.line, picture.style.columns);
  case ChartFormat::svg: return timeline_svg(report.timeline, picture.style, title);
  case ChartFormat::html: break;
  }
  TimelinePage page{title, command, ""};
  if (report.timeline.to - report.timeline.from <= longest_text)
    page.text = timeline_text(report.timeline, sources);
  return timeline_page(page, timeline_json(report, sources, watch), watch);
}

} // namespace memlane
