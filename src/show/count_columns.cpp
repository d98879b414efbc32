// The counts of a run and of its parts: kernels, launches, blocks, source lines.
#include "memlane/show/model_columns.hpp"
#include "memlane/show/run_columns.hpp"

#include <map>

namespace memlane {
namespace {

using schema::Json;

const schema::Table<LineCounts>& model_line_table(const ModelTable& model) {
  static const auto tables = [] {
    std::map<std::string_view, schema::Table<LineCounts>> all;
    for (const ModelTable& one : model_tables())
      all.emplace(one.name, count_members<LineCounts>(one.line_fields));
    return all;
  }();
  return tables.at(model.name);
}

/// The counts of a model for a line; null: its machine is none of the model's.
schema::Member<CountedLine> line_counts_member(const ModelTable& model) {
  const auto& table = model_line_table(model);
  const bool always = model.without == WithoutCounts::object_of_none;
  const Json schema = table.schema(model.meaning);
  return {std::string(model.name), always ? schema : schema::or_null(schema),
          [&model, &table](const CountedLine& line) {
            return model.is_published(line.counts) ? table.json(line.counts) : Json();
          }};
}

/// Columns of CSV and of tables, which show a model's counts where the first of them is known.
ColumnList<CountedLine> model_line_columns() {
  using C = Column<CountedLine>;
  ColumnList<CountedLine> columns;
  for (const ModelTable& model : model_tables()) {
    if (model.line_fields.empty()) continue;
    columns.push_back(C(line_counts_member(model)));
    columns.back().in_csv = false;
    for (const Field<LineCounts>& field : model.line_fields) {
      const std::string_view heading = field.heading.empty() ? field.name : field.heading;
      C column = csv_column<CountedLine>(
          fmt::format("{}_{}", model.name, field.name),
          [&field](const CountedLine& line) { return field.count(line.counts); },
          Shown{.heading = std::string(heading), .align = Align::right, .hide_empty = true});
      columns.push_back(std::move(column).showing([&model, &field](const CountedLine& line) {
        const auto count = field.count(line.counts);
        return count && model.line_fields.front().count(line.counts) ? std::to_string(*count)
                                                                     : std::string();
      }));
    }
  }
  return columns;
}

schema::Members<CountedLine> line_members() {
  schema::Members<CountedLine> members;
  for (const ModelTable& model : model_tables())
    if (!model.line_fields.empty()) members.push_back(line_counts_member(model));
  return members;
}

} // namespace

const schema::Table<CountedLine>& counted_line_table() {
  static const schema::Table<CountedLine> table(
      {{"file", "as the program names it", &CountedLine::file},
       {"line", "its number in the file", &CountedLine::number},
       {"source", "the line without its margin", &CountedLine::text}},
      count_members<CountedLine>(line_fields(), &CountedLine::counts), line_members());
  return table;
}

const Columns<CountedLine>& line_columns() {
  using C = Column<CountedLine>;
  const auto counts = &CountedLine::counts;
  static const Columns<CountedLine> columns(
      {C("file", "as the program names it; a trace's lines have none", &CountedLine::file,
         schema::Presence::if_any),
       C(Shown{"line", Align::right}, "line", "its number; 0: requests of no line",
         &CountedLine::number),
       table_column<CountedLine>(
           Shown{.heading = "source", .width = widest_source, .is_code = true},
           [](const CountedLine& line) { return line.text; })},
      together(count_columns<CountedLine>(line_fields(), counts), model_line_columns()),
      {C(
          Shown{.heading = "mean",
                .align = Align::right,
                .number = [](double mean) { return fmt::format("{:.2f}", mean); },
                .where = ShownIn::text,
                .hide_empty = true},
          "mean", schema::real("stages a request"),
          [](const CountedLine& line) {
            return static_cast<double>(line.counts.stages) /
                   static_cast<double>(line.counts.requests);
          },
          [](const CountedLine& line) { return line.counts.requests > 0; })});
  return columns;
}

namespace {

using Congestion = std::map<std::int64_t, std::int64_t>;

const schema::Table<Congestion::value_type>& congestion_table() {
  using Entry = Congestion::value_type;
  static const schema::Table<Entry> table({
      {"stages", "pipeline stages that each of them took", &Entry::first},
      {"requests", "so many requests", &Entry::second},
  });
  return table;
}

/// Of a unit.
template <class Unit>
schema::Member<Unit> waits_member() {
  return {"waits", idle_by_wait_table(),
          "idle time by what warps waited for, on machines with requests_in_flight, operations or "
          "own ports",
          [](const Unit& unit) { return *idle_by_wait(unit); },
          [](const Unit& unit) { return unit.tells_waits; }};
}

const schema::Table<UnitCounts>& unit_table_of_json() {
  static const schema::Table<UnitCounts> table(
      count_members<UnitCounts>(unit_fields()),
      {{"congestion", congestion_table(), "requests that took as many stages",
        "the histogram of the requests", &UnitCounts::congestion},
       waits_member<UnitCounts>()});
  return table;
}

const schema::Table<PortCounts>& port_table() {
  static const schema::Table<PortCounts> table(
      count_members<PortCounts>(unit_fields(),
                                [](const PortCounts& port) -> const UnitCounts& { return port; }),
      count_members<PortCounts>(port_fields()), {waits_member<PortCounts>()});
  return table;
}

const schema::Table<OperationAccount>& operation_table() {
  static const schema::Table<OperationAccount> table(
      {{"unit", "its name in the machine", &OperationAccount::unit}},
      count_members<OperationAccount>(operation_fields()));
  return table;
}

const schema::Table<Counts>& units_table() {
  constexpr const char* unit = "a memory unit; busy and all kinds of idle time are together the "
                               "time of the run";
  static const schema::Table<Counts> table({
      {"global", unit_table_of_json(), unit, "one unit: all blocks share it", &Counts::global,
       schema::Presence::if_any},
      {"shared", unit_table_of_json(), unit, "one unit a multiprocessor", &Counts::shared,
       schema::Presence::if_any},
      {"ports", port_table(), unit, "multiprocessors' own ports to global memory, one each",
       &Counts::ports, schema::Presence::if_any},
      {"operations", operation_table(), "a unit of operations", "of each multiprocessor",
       &Counts::operations, schema::Presence::if_any},
  });
  return table;
}

/// The members of what has counts, of a run or of a kernel.
template <class T, class Get>
schema::Member<T> units_member(Get get) {
  return {"units", units_table(), "memory units; a DMM has shared ones alone, a UMM global", get};
}

const schema::Table<Counts>& kernel_table() {
  static const schema::Table<Counts> table(
      count_members<Counts>(count_fields()),
      model_members<Counts>([](const Counts& counts) { return &counts; }),
      {units_member<Counts>(std::identity())});
  return table;
}

const schema::Table<FnCounts>& fn_table() {
  static const schema::Table<FnCounts> table(count_members<FnCounts>(fn_fields()));
  return table;
}

using CountedRun = PartOf<RunResult, Sources>;

/// An object with a member for each of the counts by name.
template <class Counted>
schema::Member<CountedRun> named_member(const char* name, const schema::Table<Counted>& table,
                                        const char* item, const char* meaning,
                                        std::map<std::string, Counted> RunResult::*all) {
  return {name, schema::map(table.schema(item), meaning), [&table, all](const CountedRun& run) {
            auto json = Json::object();
            for (const auto& [key, counts] : (*run).*all) json[key] = table.json(counts);
            return json;
          }};
}

const schema::Table<CountedRun>& counts_table() {
  const auto counts = [](const CountedRun& run) -> const Counts& { return run->counts; };
  static const schema::Table<CountedRun> table(
      count_members<CountedRun>(count_fields(), counts),
      together(count_members<CountedRun>(
                   run_fields(), [](const CountedRun& run) -> const RunResult& { return *run; }),
               model_members<CountedRun>([](const CountedRun& run) { return &run->counts; })),
      {units_member<CountedRun>(counts),
       {"lines", line_columns().json(), "a line", "by source line",
        [](const CountedRun& run) { return counted_lines(run->counts, run.whole); }},
       {"value_waits", wait_columns().json(), "a line that waits and the line of a read",
        "idle time while warps waited for values, the most first",
        [](const CountedRun& run) { return shown_waits(run->counts, run.whole); },
        schema::Presence::if_any},
       {"by_launch", launch_columns().json(), "a launch", "the first 1000 launches, in their order",
        &RunResult::launches, schema::Presence::if_any},
       {"by_block", mmm_block_columns().json(), "a block",
        "on an MMM: the first 1000 blocks, in their order", &RunResult::blocks,
        schema::Presence::if_any},
       named_member("kernels", kernel_table(), "of its launches", "by kernel", &RunResult::kernels),
       named_member("fns", fn_table(), "of its calls", "by fn that a kernel calls",
                    &RunResult::fns)});
  return table;
}

} // namespace

const Columns<NamedCounts>& kernel_columns() {
  const auto counts = [](const NamedCounts& kernel) { return &kernel.second; };
  static const Columns<NamedCounts> columns(
      {csv_column<NamedCounts>(
          "kernel", [](const NamedCounts& kernel) { return kernel.first; },
          Shown{.heading = "kernel", .width = 1000, .is_code = true})},
      count_columns<NamedCounts>(count_fields(), &NamedCounts::second),
      together(model_columns<NamedCounts>(counts), model_table_columns<NamedCounts>(counts)));
  return columns;
}

/// Of a launch N and K are its blocks, which the table has before, and Λ is 1.
static ColumnList<LaunchCounts> launch_model_columns() {
  const auto counts = [](const LaunchCounts& launch) { return &launch; };
  auto columns =
      together(model_columns<LaunchCounts>(counts), model_table_columns<LaunchCounts>(counts));
  std::erase_if(columns, [](const auto& column) {
    const std::string heading = column.shown ? column.shown->heading : "";
    return heading == "N" || heading == "Λ" || heading == "K";
  });
  return columns;
}

const Columns<LaunchCounts>& launch_columns() {
  using C = Column<LaunchCounts>;
  const auto right = Align::right;
  static const Columns<LaunchCounts> columns(
      {C(Shown{.heading = "kernel", .width = 1000, .is_code = true}, "kernel", "its name",
         &LaunchCounts::kernel),
       C(Shown{.heading = "concurrent", .hide_empty = true}, "stage",
         "all launches of one concurrent { … } are one stage, any other launch is a stage",
         &LaunchCounts::stage)
           .showing([](const LaunchCounts& launch) {
             return launch.concurrent ? fmt::format("stage {}", launch.stage) : std::string();
           }),
       C(Shown{"blocks", right}, "blocks", "launched", &LaunchCounts::blocks),
       C(Shown{"threads", right}, "threads", "of a block", &LaunchCounts::threads),
       C(Shown{"time", right}, "time", "time units",
         [](const LaunchCounts& launch) { return launch.time.value; })},
      launch_model_columns());
  return columns;
}

const Columns<BlockCounts>& mmm_block_columns() {
  using C = Column<BlockCounts>;
  static const Columns<BlockCounts> columns(
      {C("launch", "its number, counted from 0", &BlockCounts::launch),
       C("kernel", "its name", &BlockCounts::kernel),
       C("block", "its number in the launch", &BlockCounts::block),
       C("work", "operators: W, of all its threads", &BlockCounts::work),
       C("span", "operators: S, of the thread with the most", &BlockCounts::span),
       C("reads", "words: r, the most that a thread reads from global memory", &BlockCounts::reads),
       C("writes", "words: s, the most that a thread writes to global memory",
         &BlockCounts::writes),
       C("overhead", "time units: O = (r + s)*U", &BlockCounts::overhead),
       C("multiprocessor", "that runs it; without bound each block of a stage has its own",
         &BlockCounts::multiprocessor),
       C("start", "time units: when it starts in the greedy schedule", &BlockCounts::start),
       C("end", "time units: start + S + O", &BlockCounts::end)});
  return columns;
}

Json counts_json(const RunResult& run, const Sources& sources) {
  return counts_table().json({run, sources});
}

Json counts_schema() { return counts_table().schema("exact, up to where the run stopped"); }

} // namespace memlane
