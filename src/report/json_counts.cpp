#include "json_counts.hpp"

#include "memlane/report/json_parts.hpp"

namespace memlane {
namespace {

using schema::Json;

using Congestion = std::map<std::int64_t, std::int64_t>;

const schema::Table<Congestion::value_type>& congestion_table() {
  using Entry = Congestion::value_type;
  static const schema::Table<Entry> table({
      {"stages", schema::count("pipeline stages that each of them took"),
       [](const Entry& entry) { return entry.first; }},
      {"requests", schema::count("so many requests"),
       [](const Entry& entry) { return entry.second; }},
  });
  return table;
}

const schema::Table<UnitCounts>& unit_table_of_json() {
  static const schema::Table<UnitCounts> table = [] {
    schema::Table<UnitCounts> all(count_members(unit_fields()));
    return all.add(
        {{"congestion",
          schema::list(congestion_table().schema("requests that took as many stages"),
                       "the histogram of the requests"),
          [](const UnitCounts& unit) { return congestion_table().json_of_all(unit.congestion); }}});
  }();
  return table;
}

Json units_schema(const char* meaning) {
  return schema::list(unit_table_of_json().schema("a memory unit; busy and all kinds of idle time "
                                                  "are together the time of the run"),
                      meaning);
}

const schema::Table<Counts>& units_table() {
  static const schema::Table<Counts> table({
      {"global", units_schema("one unit: all blocks share it"),
       [](const Counts& c) { return unit_table_of_json().json_of_all(c.global); },
       [](const Counts& c) { return !c.global.empty(); }},
      {"shared", units_schema("one unit a multiprocessor"),
       [](const Counts& c) { return unit_table_of_json().json_of_all(c.shared); },
       [](const Counts& c) { return !c.shared.empty(); }},
  });
  return table;
}

schema::Member<Counts> units_member() {
  return {"units", units_table().schema("memory units; a DMM has shared ones alone, a UMM global"),
          [](const Counts& c) { return units_table().json(c); }};
}

const schema::Table<Counts>& kernel_table() {
  static const schema::Table<Counts> table = [] {
    schema::Table<Counts> all(count_members(count_fields()));
    return all.add({units_member()});
  }();
  return table;
}

/// A source line: its file's number among the sources, and its counts.
struct LineOf {
  std::int32_t file, number;
  const LineCounts& counts;
  const Sources& sources;
};

const schema::Table<LineOf>& line_table_of_counts() {
  static const schema::Table<LineOf> table = [] {
    schema::Table<LineOf> all({
        {"file", schema::text("as the program names it; a trace's lines have none"),
         [](const LineOf& l) { return l.sources.path(l.file); },
         [](const LineOf& l) { return l.file >= 0 && l.file < l.sources.count(); }},
        {"line", schema::count("its number; 0: requests of no line"),
         [](const LineOf& l) { return l.number; }},
    });
    for (const schema::Member<LineCounts>& member : count_members(line_fields()))
      all.add({{member.name, member.schema,
                [get = member.value](const LineOf& l) { return get(l.counts); }}});
    return all.add({{"mean", schema::real("stages a request"),
                     [](const LineOf& l) {
                       return static_cast<double>(l.counts.stages) /
                              static_cast<double>(l.counts.requests);
                     },
                     [](const LineOf& l) { return l.counts.requests > 0; }}});
  }();
  return table;
}

struct CountsOf {
  const RunResult& run;
  const Sources& sources;
};

Json lines_json(const CountsOf& of) {
  auto lines = Json::array();
  for (const auto& [place, line] : of.run.counts.lines)
    lines.push_back(line_table_of_counts().json({place.first, place.second, line, of.sources}));
  return lines;
}

Json kernels_json(const CountsOf& of) {
  auto kernels = Json::object();
  for (const auto& [name, counts] : of.run.kernels) kernels[name] = kernel_table().json(counts);
  return kernels;
}

const schema::Table<FnCounts>& fn_table() {
  static const schema::Table<FnCounts> table(count_members(fn_fields()));
  return table;
}

Json fns_json(const CountsOf& of) {
  auto fns = Json::object();
  for (const auto& [name, fn] : of.run.fns) fns[name] = fn_table().json(fn);
  return fns;
}

const schema::Table<CountsOf>& counts_table() {
  static const schema::Table<CountsOf> table = [] {
    schema::Table<CountsOf> all({});
    for (const schema::Member<Counts>& member : count_members(count_fields()))
      all.add({{member.name, member.schema,
                [get = member.value](const CountsOf& of) { return get(of.run.counts); }}});
    for (const schema::Member<RunResult>& member : count_members(run_fields()))
      all.add({{member.name, member.schema,
                [get = member.value](const CountsOf& of) { return get(of.run); }}});
    const schema::Member<Counts> units = units_member();
    return all.add(
        {{units.name, units.schema,
          [get = units.value](const CountsOf& of) { return get(of.run.counts); }},
         {"lines", schema::list(line_table_of_counts().schema("a line"), "by source line"),
          lines_json},
         {"kernels", schema::map(kernel_table().schema("of its launches"), "by kernel"),
          kernels_json},
         {"fns", schema::map(fn_table().schema("of its calls"), "by fn with a loop"), fns_json}});
  }();
  return table;
}

} // namespace

Json counts_json(const RunResult& run, const Sources& sources) {
  return counts_table().json({run, sources});
}

Json counts_schema() { return counts_table().schema("exact, up to where the run stopped"); }

} // namespace memlane
