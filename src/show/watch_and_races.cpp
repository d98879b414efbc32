// What a run met: values that --watch recorded, and races that it continued after.
#include "memlane/show/run_columns.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane {
namespace {

constexpr std::size_t watched_columns = 80, indent = 4;

std::string place_of(const WatchPoint& point) {
  std::string text = point.time ? fmt::format("time {}, ", *point.time) : "";
  if (point.launch < 0) return text + "before the first launch";
  text += fmt::format("launch {}, kernel {}", point.launch, point.kernel);
  if (!point.block) return text + ", its end";
  return text + fmt::format(", block {}, barrier {}", *point.block, *point.barrier);
}

/// `*5` for a changed value, `-` for a word that nothing has written.
std::string value_text(const WatchPoint& point, std::size_t i) {
  const std::string& value = point.values[i];
  return (point.changed[i] ? "*" : "") + (value.empty() ? "-" : value);
}

/// The values in lines of equally many, as 80 columns have room for; a power of two if more than
/// one line is needed, as rows and tiles are.
std::string values_text(const WatchedPart& part, const WatchPoint& point) {
  std::size_t width = 1, label = 0;
  for (std::size_t i = 0; i < point.values.size(); ++i) {
    width = std::max(width, value_text(point, i).size());
    label = std::max(label, part.names[i].size());
  }
  const std::size_t room =
      watched_columns > indent + label ? (watched_columns - indent - label) / (width + 1) : 1;
  std::size_t in_line = point.values.size();
  if (in_line > room) {
    in_line = 1;
    while (in_line * 2 <= room) in_line *= 2;
  }
  std::string text;
  for (std::size_t i = 0; i < point.values.size(); ++i) {
    if (i % in_line == 0)
      text += fmt::format("{}{}{:<{}}", i == 0 ? "" : "\n", std::string(indent, ' '), part.names[i],
                          label);
    text += fmt::format(" {:>{}}", value_text(point, i), width);
  }
  return text + '\n';
}

/// A number where the text is one; a record, an infinity or a NaN stays a text.
schema::Json value_json(const std::string& text) {
  if (text.empty()) return nullptr;
  return schema::Json::accept(text) ? schema::Json::parse(text) : schema::Json(text);
}

schema::Json values_json(const WatchPoint& point) {
  schema::Json list = schema::Json::array();
  for (const std::string& value : point.values) list.push_back(value_json(value));
  return list;
}

schema::Json changed_json(const WatchPoint& point) {
  schema::Json list = schema::Json::array();
  for (std::size_t i = 0; i < point.changed.size(); ++i)
    if (point.changed[i]) list.push_back(i);
  return list;
}

const schema::Table<WatchedPart>& watched_part_table() {
  static const schema::Table<WatchedPart> table({
      {"text", "as --watch has it", &WatchedPart::text},
      {"shared", "whether each block has its own", &WatchedPart::shared},
      {"elements", schema::list(schema::text("its indices"), "in the order of values"),
       [](const WatchedPart& p) { return schema::Json(p.names); }},
  });
  return table;
}

const schema::Table<WatchPoint>& watch_point_table() {
  using P = WatchPoint;
  const schema::Json value = {{"description", "null: a shared word that nothing has written"},
                              {"type", {"number", "boolean", "string", "null"}}};
  static const schema::Table<P> table({
      {"part", "number in parts", [](const P& p) { return static_cast<std::int64_t>(p.part); }},
      {"launch", "null: before the first one",
       [](const P& p) {
         return p.launch < 0 ? std::nullopt : std::optional<std::int64_t>(p.launch);
       }},
      {"kernel", "of the launch", &P::kernel},
      {"block", "null: the launch has ended, or none has begun", &P::block},
      {"barrier", "of the block in this launch, from 1", &P::barrier},
      {"time", "time units from the start of the run; null: an AGPU counts it", &P::time},
      {"values", schema::list(value, "of the part"), values_json},
      {"changed",
       schema::list(schema::count("a place in values"),
                    "those that differ from the part's last point, of the same block if shared"),
       changed_json},
  });
  return table;
}

} // namespace

const schema::Table<WatchRecord>& watch_table() {
  static const schema::Table<WatchRecord> table({
      {"parts", watched_part_table(), "a part of an array", "one for each --watch",
       &WatchRecord::parts},
      {"points", watch_point_table(), "values after a barrier or a launch",
       "in order of time, where they changed", &WatchRecord::points},
      {"omitted", "points beyond the limit of 1000", &WatchRecord::omitted},
  });
  return table;
}

std::string watch_text(const WatchRecord& record) {
  std::string text;
  for (std::size_t part = 0; part < record.parts.size(); ++part) {
    text +=
        fmt::format("\nwatch {} (where it changed; * marks changes)\n", record.parts[part].text);
    bool any = false;
    for (const WatchPoint& point : record.points) {
      if (point.part != part) continue;
      any = true;
      text += fmt::format("  {}\n{}", place_of(point), values_text(record.parts[part], point));
    }
    if (!any) text += "  nothing was written\n";
  }
  if (record.omitted > 0)
    text += fmt::format("{} more {} omitted: the limit is {}\n", record.omitted,
                        record.omitted == 1 ? "change is" : "changes are", most_watched_points);
  return text;
}

// --- races

namespace {

constexpr std::size_t most_rows = 16;

schema::Json race_line_schema() { return schema::count("of the program", 1); }

Span earlier_place(const RacePair& pair) {
  return pair.first.notes.empty() ? Span{} : pair.first.notes.front().span;
}

/// The places of a trace are not in these sources.
bool is_in(const Sources& sources, Span at) { return at.known() && at.file < sources.count(); }

/// `line 7 writes`; with the file, if the other place is in another one.
std::string access_text(const Sources& sources, Span at, Span other, std::string_view verb) {
  if (!is_in(sources, at)) return std::string(verb);
  const std::string file =
      other.known() && at.file != other.file ? fmt::format("{}, ", sources.path(at.file)) : "";
  return fmt::format("{}line {} {}", file, sources.begin(at).line, verb);
}

} // namespace

const Columns<Placed<RacePair>>& race_columns() {
  using Race = Placed<RacePair>;
  using C = Column<Race>;
  const auto word = [](std::string_view meaning) {
    return schema::word(schema::names_up_to(AccessKind::atomic), meaning);
  };
  static const Columns<Race> columns({
      C(Shown{"races", Align::right}, "races", schema::count("races found", 1), &RacePair::races),
      C(Shown{"array"}, "array", "its name; of a replayed trace: global or shared",
        &RacePair::array),
      C(Shown{.heading = "kernel", .align = Align::name, .hide_empty = true}, "kernel",
        "of the later access; only of CUDA programs", &RacePair::kernel, schema::Presence::if_any),
      table_column<Race>(Shown{"what"},
                         [](const Race& r) {
                           return access_text(r.whole, r->first.span, earlier_place(*r),
                                              verb_of(r->later));
                         }),
      table_column<Race>(Shown{"after"},
                         [](const Race& r) {
                           return access_text(r.whole, earlier_place(*r), r->first.span,
                                              past_of(r->earlier));
                         }),
      C(
          "line", race_line_schema(),
          [](const Race& r) { return r.whole.begin(r->first.span).line; },
          [](const Race& r) { return is_in(r.whole, r->first.span); }),
      C("does", word("the later access"), [](const Race& r) { return name_of(r->later); }),
      C(
          "earlier_line", race_line_schema(),
          [](const Race& r) { return r.whole.begin(earlier_place(*r)).line; },
          [](const Race& r) { return is_in(r.whole, earlier_place(*r)); }),
      C("earlier_does", word("the earlier access"),
        [](const Race& r) { return name_of(r->earlier); }),
      C("first", "the first of them, in words", [](const Race& r) { return r->first.message; }),
      C("allowed", "why, as the program says of the array; `racy`: both statements are",
        &RacePair::allowed, schema::Presence::if_any),
  });
  return columns;
}

std::string races_text(const RaceCounts& races, const Sources& sources) {
  std::vector<RacePair> pairs = races.pairs;
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const RacePair& a, const RacePair& b) { return a.races > b.races; });
  const std::size_t shown = std::min(pairs.size(), most_rows), more = pairs.size() - shown;
  pairs.resize(shown);
  if (pairs.empty()) return "";
  std::string text = race_columns().text(parts_of(pairs, sources)).text(2);
  if (more > 0)
    text += fmt::format("  and {}\n",
                        counted(std::int64_t(more), "more pair of lines", "more pairs of lines"));
  return text;
}

} // namespace memlane
