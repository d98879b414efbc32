// Parts of the JSON of time charts.
#pragma once

#include "memlane/report/json_parts.hpp"
#include "memlane/report/timeline_report.hpp"

#include <algorithm>
#include <vector>

namespace memlane {

/// A time chart with the texts that its places are in.
struct ShownTimeline {
  const TimelineReport& report;
  const Sources& sources;
  std::vector<std::int32_t> files; ///< of the texts, the program's first
  Watch* watch = nullptr;          ///< may stop the work; null: nothing does

  const Timeline& timeline() const { return report.timeline; }
  /// Whether to go on with one more row.
  bool goes_on() const { return !watch || watch->go_on(); }
  schema::Json source(Span span) const {
    const auto found = std::find(files.begin(), files.end(), span.file);
    return found == files.end() ? schema::Json(nullptr) : schema::Json(found - files.begin());
  }
  schema::Json line(Span span) const {
    return span.known() ? schema::Json(sources.begin(span).line) : schema::Json();
  }
  schema::Json column(Span span) const {
    return span.known() ? schema::Json(sources.begin(span).column) : schema::Json();
  }
};

/// Tables by columns: a list for each member, all of equal length.
using TimelineColumns = schema::Table<ShownTimeline>;
const TimelineColumns& request_columns();
const TimelineColumns& waiting_columns();
const TimelineColumns& barrier_columns();
const TimelineColumns& compute_columns();
const TimelineColumns& done_columns();
const TimelineColumns& block_columns();
const TimelineColumns& register_columns();
const TimelineColumns& host_columns();

} // namespace memlane
