// The JSON of time charts.
#include "lanes.hpp"

#include "memlane/machine/machine.hpp"
#include "memlane/show/json_parts.hpp"
#include "memlane/timeline/report.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace memlane {
namespace {

using schema::Json;

/// A time chart with the texts that its places are in.
struct ShownTimeline {
  const TimelineReport& report;
  const Sources& sources;
  std::vector<std::int32_t> files; ///< the texts' numbers, the program's first
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
using S = ShownTimeline;

// --- what a chart has much of, by columns

/// Tables by columns: a list for each member, all of equal length.
using TimelineColumns = schema::Table<ShownTimeline>;

/// A list with the member's value for each of `all`.
template <class List, class Get>
auto column_of(List list, Get get) {
  return [list, get](const S& shown) {
    auto out = Json::array();
    for (const auto& entry : std::invoke(list, shown.timeline())) {
      if (!shown.goes_on()) break;
      if constexpr (std::is_invocable_v<Get, const S&, decltype(entry)>) {
        out.push_back(get(shown, entry));
      } else {
        out.push_back(schema::json_of_value(std::invoke(get, entry)));
      }
    }
    return out;
  };
}

/// The columns of a table with one row for each of `list`.
template <class Entry>
class ColumnsOf {
public:
  using Members = schema::Members<S>;
  explicit ColumnsOf(std::vector<Entry> Timeline::*list) : list_(list) {}

  template <class Get>
  ColumnsOf& add(const char* name, Json schema, Get get) {
    members_.push_back({name,
                        schema::list(schema, schema["description"].template get<std::string>()),
                        column_of(list_, get)});
    return *this;
  }
  template <class V>
  ColumnsOf& add(const char* name, const char* meaning, V Entry::*member) {
    return add(name, schema::schema_of_type<V>(meaning), member);
  }
  /// Launch, block and warp.
  ColumnsOf& of_warp() { return of_block().add("warp", "its number in the block", &Entry::warp); }
  ColumnsOf& of_block() {
    return add("launch", "its number in the run", &Entry::launch)
        .add("block", "its number in the launch", &Entry::block);
  }
  schema::Table<S> table() const { return {members_}; }

private:
  std::vector<Entry> Timeline::*list_;
  Members members_;
};

const TimelineColumns& request_columns() {
  using R = Timeline::Request;
  const auto place = [](const char* meaning) { return schema::or_null(schema::count(meaning)); };
  static const TimelineColumns table =
      ColumnsOf<R>(&Timeline::requests)
          .of_warp()
          .add("multiprocessor", "that runs the block", &R::multiprocessor)
          .add("unit", "index into units", &R::unit)
          .add("write", "whether it writes; else it reads", &R::write)
          .add("source", place("index into sources; null: unknown"),
               [](const S& s, const R& r) { return s.source(r.span); })
          .add("line", place("of the source, from 1"),
               [](const S& s, const R& r) { return s.line(r.span); })
          .add("column", place("of the line, from 1"),
               [](const S& s, const R& r) { return s.column(r.span); })
          .add("array", "index into arrays", &R::array)
          .add("issued", "when the warp began to wait for the port", &R::issued)
          .add("dispatched", "the time unit in which its first stage enters", &R::dispatched)
          .add("port", "through which it enters; the next stage takes the next one", &R::port)
          .add("last", "the time unit in which its last stage enters", &R::last)
          .add("stages", "pipeline stages that it takes", &R::stages)
          .add(
              "completed",
              "when it is over: a latency after its last stage has entered, of an atomic after its "
              "last service; behind an own port a latency after its last address group",
              &R::completed)
          .add("addresses", lanes_schema("words of the unit's memory"),
               [](const S&, const R& r) { return lanes_json(r.addresses); })
          .add("words", "that a lane accesses, from its address on", &R::words_of_lane)
          .add("values", lanes_schema("read or written"),
               [](const S& s, const R& r) {
                 if (!r.array || r.values.empty()) return Json(nullptr);
                 const auto& array = s.timeline().arrays[static_cast<std::size_t>(*r.array)];
                 return lanes_json(array.type, r.values, r.addresses);
               })
          .table();
  return table;
}

const TimelineColumns& waiting_columns() {
  using W = Timeline::Waiting;
  static const TimelineColumns table =
      ColumnsOf<W>(&Timeline::waiting)
          .of_warp()
          .add("unit", "index into units; null: a unit of operations", &W::unit)
          .add("source", schema::or_null(schema::count("index into sources; null: unknown")),
               [](const S& s, const W& w) { return s.source(w.span); })
          .add("line", schema::or_null(schema::count("of the source, from 1")),
               [](const S& s, const W& w) { return s.line(w.span); })
          .add("issued", "when the warp began to wait for the port", &W::issued)
          .table();
  return table;
}

const TimelineColumns& barrier_columns() {
  using B = Timeline::Barrier;
  static const TimelineColumns table =
      ColumnsOf<B>(&Timeline::barriers)
          .of_warp()
          .add("arrived", "when the warp began to wait", &B::arrived)
          .add("released", "when it went on; null: behind the window", &B::released)
          .table();
  return table;
}

const TimelineColumns& compute_columns() {
  using C = Timeline::Compute;
  static const TimelineColumns table =
      ColumnsOf<C>(&Timeline::computes)
          .of_warp()
          .add("issued", "when the warp began to wait for its unit", &C::issued)
          .add("from", "when it begins", &C::from)
          .add("to", "when it is over", &C::to)
          .table();
  return table;
}

const TimelineColumns& entry_columns() {
  using E = Timeline::Entry;
  static const TimelineColumns table =
      ColumnsOf<E>(&Timeline::entries)
          .of_warp()
          .add("unit", "index into other_units", &E::unit)
          .add("port", "through which it enters", &E::port)
          .add("from", "the time unit in which its first stage enters", &E::from)
          .add("to", "the time unit behind that of its last stage", &E::to)
          .table();
  return table;
}

const TimelineColumns& done_columns() {
  using D = Timeline::Done;
  static const TimelineColumns table =
      ColumnsOf<D>(&Timeline::done)
          .of_warp()
          .add("from", "when its instructions were over; it lasts until its block ends", &D::from)
          .table();
  return table;
}

const TimelineColumns& block_columns() {
  using B = Timeline::Block;
  static const TimelineColumns table =
      ColumnsOf<B>(&Timeline::blocks)
          .of_block()
          .add("multiprocessor", "that runs it", &B::multiprocessor)
          .add("slot", "its place on the multiprocessor", &B::slot)
          .add("from", "when it starts", &B::from)
          .add("to", "when it ends; null: behind the window", &B::to)
          .table();
  return table;
}

const TimelineColumns& register_columns() {
  using R = Timeline::RegisterChange;
  static const TimelineColumns table =
      ColumnsOf<R>(&Timeline::registers)
          .of_warp()
          .add("time", "of the change", &R::time)
          .add("name", "index into names", &R::name)
          .add("values", lanes_schema("of the warp's threads from then on"),
               [](const S&, const R& r) { return lanes_json(r.type, r.values, {}); })
          .table();
  return table;
}

const TimelineColumns& host_columns() {
  using H = Timeline::HostWrite;
  static const TimelineColumns table =
      ColumnsOf<H>(&Timeline::host_writes)
          .add("time", "between two launches", &H::time)
          .add("array", "index into arrays", &H::array)
          .add("word", "of the array, from 0", &H::word)
          .add("value", value_schema("written"),
               [](const S& s, const H& h) {
                 const auto& array = s.timeline().arrays[static_cast<std::size_t>(h.array)];
                 return value_json(array.type, h.value);
               })
          .table();
  return table;
}

// --- the document

std::vector<std::int32_t> files_of(const Timeline& timeline) {
  std::vector<std::int32_t> files = {0};
  const auto add = [&](Span span) {
    if (span.known() && std::find(files.begin(), files.end(), span.file) == files.end())
      files.push_back(span.file);
  };
  for (const Timeline::Launch& launch : timeline.launches) add(launch.span);
  for (const Timeline::Request& request : timeline.requests) add(request.span);
  for (const Timeline::Waiting& waiting : timeline.waiting) add(waiting.span);
  return files;
}

const schema::Table<Timeline::Unit>& unit_table() {
  using U = Timeline::Unit;
  static const schema::Table<U> table({
      {"unit", schema::word({"global", "shared"}, "which memory"),
       [](const U& u) { return u.unit == UnitId::global ? "global" : "shared"; }},
      {"multiprocessor", "whose shared memory it is; null: the only unit, or that of all",
       &U::multiprocessor},
      {"kind",
       schema::word({name_of(UnitKind::discrete), name_of(UnitKind::unified)},
                    "what a stage may access: discrete: a word of each bank; unified: one "
                    "address group"),
       [](const U& u) { return name_of(u.kind); }},
      {"latency", "time units from a stage's entry to its completion", &U::latency},
      {"ports", "stages that may enter in a time unit", &U::ports},
      {"group", schema::count("words of a stage of a unified unit; without it as many as lanes", 1),
       &U::group, [](const U& u) { return u.group.has_value(); }},
  });
  return table;
}

const schema::Table<Timeline::Unit>& other_unit_table() {
  using U = Timeline::Unit;
  static const schema::Table<U> table({
      {"name", "global; or that of a unit of operations in the machine",
       [](const U& u) { return u.operations.empty() ? "global" : u.operations; }},
      {"multiprocessor", "whose it is; null: the only one, or that of all", &U::multiprocessor},
      {"latency", "time units from a stage's entry to its completion", &U::latency},
      {"ports", "stages that may enter in a time unit", &U::ports},
  });
  return table;
}

const schema::Table<Timeline::Array>& array_table() {
  using A = Timeline::Array;
  static const schema::Table<A> table({
      {"name", "in the program", &A::name},
      {"unit", "index into units", &A::unit},
      {"launch", "of a shared array: whose it is; null: a memory array", &A::launch},
      {"block", "likewise", &A::block},
      {"first", "address of its first word", &A::first},
      {"words", "that it occupies, spare ones included", &A::words},
      {"extents", schema::list(schema::count("elements"), "of its dimensions"), &A::extents},
      {"type", schema::word(schema::names_up_to(ir::Scalar::float64), "of its elements"),
       [](const A& a) { return ir::name_of(a.type); }},
      {"layout", "as programs name it", &A::layout},
      {"words_of", "index into placements; null: element i is word i, or see notes", &A::words_of},
      {"initial",
       lanes_schema("by word, when the window begins or the block starts: null, and behind the "
                    "end, nothing was written; null: left out (see notes)"),
       [](const A& a) { return contents_json(a.type, a.initial); }},
  });
  return table;
}

using ShownLaunch = std::pair<const S*, const Timeline::Launch*>;

const schema::Table<ShownLaunch>& launch_table() {
  using L = ShownLaunch;
  const auto of = [](auto member) { return [member](const L& l) { return l.second->*member; }; };
  using Launch = Timeline::Launch;
  static const schema::Table<L> table({
      {"launch", "its number in the run", of(&Launch::launch)},
      {"kernel", "its name", of(&Launch::kernel)},
      {"source", schema::or_null(schema::count("of the kernel: index into sources")),
       [](const L& l) { return l.first->source(l.second->span); }},
      {"line", schema::or_null(schema::count("of the kernel")),
       [](const L& l) { return l.first->line(l.second->span); }},
      {"begin", "time, the launch's cost included", of(&Launch::begin)},
      {"end", "time; null: behind the window", of(&Launch::end)},
      {"blocks", "of the launch", of(&Launch::blocks)},
      {"threads", "of a block", of(&Launch::threads)},
      {"warps", "of a block", of(&Launch::warps)},
  });
  return table;
}

struct ShownSource {
  std::string path, text;
};

const schema::Table<ShownSource>& source_table() {
  static const schema::Table<ShownSource> table({
      {"path", "of the file, or what it is", &ShownSource::path},
      {"text", "its whole text", &ShownSource::text},
  });
  return table;
}

const schema::Table<S>& program_table() {
  static const schema::Table<S> table({
      {"path", "of the program; its text is the first of sources",
       [](const S& s) { return s.report.program.path; }},
      {"sha256", sha256_schema(), [](const S& s) { return s.report.program.sha256; }},
      {"parameters", parameters_schema(),
       [](const S& s) { return parameters_json(s.report.program); }},
      {"replaced", replaced_schema(), [](const S& s) { return replaced_json(s.report.program); }},
      {"inputs", inputs_schema(), [](const S& s) { return inputs_json(s.report.program); }},
  });
  return table;
}

const schema::Table<Timeline>& window_table() {
  static const schema::Table<Timeline> table({
      {"from", "its first time unit", &Timeline::from},
      {"to", "the time unit behind its last one", &Timeline::to},
  });
  return table;
}

Json named_registers(const S& shown) {
  if (!shown.timeline().has_registers) return nullptr;
  Json out = {{"names", shown.timeline().register_names}};
  out["events"] = register_columns().json(shown);
  return out;
}

Json registers_schema() {
  return schema::or_null(schema::object(
      "variables of the source; null: not recorded",
      {{"names", schema::list(schema::text("of a variable"), "of variables that change")},
       {"events", register_columns().schema(
                      "changes, by time; a warp's first change of each variable is its value")}}));
}

/// A table by columns.
schema::Member<S> by_columns(const char* name, const schema::Table<S>& table, const char* meaning) {
  return {name, table.schema(meaning), [&table](const S& shown) { return table.json(shown); }};
}

const schema::Table<S>& timeline_table() {
  const auto list = [](const auto& table, const char* item, const char* meaning) {
    return schema::list(table.schema(item), meaning);
  };
  static const schema::Table<S> table({
      {"memlane_timeline", schema::constant(timeline_format, "the format"),
       [](const S&) { return timeline_format; }},
      {"tool", tool_schema(), [](const S& s) { return tool_json(s.report.version); }},
      {"program", program_table().schema("what was run"),
       [](const S& s) { return program_table().json(s); }},
      {"sources", list(source_table(), "a text", "texts of which lines are named"),
       [](const S& s) {
         auto out = Json::array();
         for (const std::int32_t file : s.files)
           out.push_back(source_table().json({s.sources.path(file), s.sources.text(file)}));
         return out;
       }},
      {"machine", effective_machine_schema(), [](const S& s) { return to_json(s.report.machine); }},
      {"seed", "of random numbers", [](const S& s) { return s.report.seed; }},
      {"window", window_table().schema("the time units of the chart, from the start of the run"),
       [](const S& s) { return window_table().json(s.timeline()); }},
      {"time", schema::or_null(schema::count("of the whole run; null: it was stopped")),
       [](const S& s) { return s.timeline().time; }},
      {"width", "lanes of a warp and banks of a unit",
       [](const S& s) { return s.timeline().width; }},
      {"units", list(unit_table(), "a memory unit", "shared ones first"),
       [](const S& s) { return unit_table().json_of_all(s.timeline().units); }},
      {"arrays", list(array_table(), "an array", "of memory, and of the window's blocks"),
       [](const S& s) { return array_table().json_of_all(s.timeline().arrays); }},
      {"placements",
       schema::list(schema::list(schema::count("word"), "by element, row-major: its word"),
                    "of arrays whose element i is not word i"),
       [](const S& s) { return s.timeline().placements; }},
      {"launches", list(launch_table(), "a launch", "of the window"),
       [](const S& s) {
         auto out = Json::array();
         for (const Timeline::Launch& launch : s.timeline().launches)
           out.push_back(launch_table().json({&s, &launch}));
         return out;
       }},
      by_columns("requests", request_columns(), "in order of dispatch: those in the window"),
      by_columns("waiting", waiting_columns(), "warps that wait for a port when the window ends"),
      by_columns("barriers", barrier_columns(),
                 "warps that wait at a barrier, in order of arrival"),
      by_columns("computes", compute_columns(), "warps that compute: operators that cost time"),
      {"other_units",
       list(other_unit_table(), "a unit",
            "those that no request names: the global one behind own "
            "ports, and those of operations"),
       [](const S& s) { return other_unit_table().json_of_all(s.timeline().others); },
       [](const S& s) { return !s.timeline().others.empty(); }},
      {"entries", entry_columns().schema("operations and address groups that enter them, by begin"),
       [](const S& s) { return entry_columns().json(s); },
       [](const S& s) { return !s.timeline().others.empty(); }},
      by_columns("done", done_columns(), "warps whose instructions are over"),
      by_columns("blocks", block_columns(),
                 "blocks that are resident, or have ended with requests under way, by start"),
      {"registers", registers_schema(), named_registers},
      by_columns("host_writes", host_columns(), "of the host, to memory arrays, in the window"),
      {"notes", schema::list(schema::text("a sentence"), "what was left out"),
       [](const S& s) { return s.timeline().notes; }},
  });
  return table;
}

} // namespace

Json timeline_json(const TimelineReport& report, const Sources& sources, Watch* watch) {
  return timeline_table().json({report, sources, files_of(report.timeline), watch});
}

Json timeline_schema() {
  return schema::document("A time chart: memlane timeline --format json",
                          timeline_table().schema("what warps and memory units do in each time "
                                                  "unit; times count from the start of the run"));
}

} // namespace memlane
