
#include "memlane/count/fields.hpp"
#include "memlane/show/line_columns.hpp"
#include "memlane/show/model_columns.hpp"
#include "memlane/show/run_columns.hpp"

namespace memlane {
namespace {

using schema::Json;

using Congestion = std::map<std::int64_t, std::int64_t>;

const schema::Table<Congestion::value_type>& congestion_table() {
  using Entry = Congestion::value_type;
  static const schema::Table<Entry> table({
      {"stages", "pipeline stages that each of them took", &Entry::first},
      {"requests", "so many requests", &Entry::second},
  });
  return table;
}

const schema::Table<UnitCounts>& unit_table_of_json() {
  static const schema::Table<UnitCounts> table(
      count_members<UnitCounts>(unit_fields()),
      {{"congestion", congestion_table(), "requests that took as many stages",
        "the histogram of the requests", &UnitCounts::congestion}});
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
  });
  return table;
}

/// The members of what has counts, of a run or of a kernel.
template <class T, class Get>
schema::Member<T> units_member(Get get) {
  return {"units", units_table(), "memory units; a DMM has shared ones alone, a UMM global", get};
}

const schema::Table<Counts>& kernel_table() {
  static const schema::Table<Counts> table(count_members<Counts>(count_fields()),
                                           {{"agpu", agpu_table(), "after Koike", &Counts::agpu},
                                            {"mmm", mmm_table(), mmm_meaning, &Counts::mmm},
                                            pram_member<Counts>(std::mem_fn(&Counts::pram)),
                                            units_member<Counts>(std::identity())});
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
      count_members<CountedRun>(run_fields(),
                                [](const CountedRun& run) -> const RunResult& { return *run; }),
      {{"agpu", agpu_table(), "after Koike",
        [](const CountedRun& run) -> const AgpuCounts& { return run->counts.agpu; }},
       {"mmm", mmm_table(), mmm_meaning, [](const CountedRun& run) { return run->counts.mmm; }},
       pram_member<CountedRun>([](const CountedRun& run) -> const std::optional<PramCounts>& {
         return run->counts.pram;
       }),
       units_member<CountedRun>(counts),
       {"lines", line_columns().json(), "a line", "by source line",
        [](const CountedRun& run) { return counted_lines(run->counts, run.whole); }},
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
  const auto agpu = [](const NamedCounts& kernel) { return &kernel.second.agpu; };
  const auto pram = [](const NamedCounts& kernel) -> const std::optional<PramCounts>& {
    return kernel.second.pram;
  };
  const auto mmm = [](const NamedCounts& kernel) { return kernel.second.mmm; };
  static const Columns<NamedCounts> columns(
      {csv_column<NamedCounts>(
          "kernel", [](const NamedCounts& kernel) { return kernel.first; },
          Shown{.heading = "kernel", .width = 1000, .is_code = true})},
      count_columns<NamedCounts>(count_fields(), &NamedCounts::second),
      together(
          together(agpu_columns<NamedCounts>(agpu), agpu_table_columns<NamedCounts>(agpu)),
          together(
              together(mmm_columns<NamedCounts>(mmm), mmm_table_columns<NamedCounts>(mmm)),
              together(pram_columns<NamedCounts>(pram), pram_table_columns<NamedCounts>(pram)))));
  return columns;
}

/// Of a launch N and K are its blocks, which the table has before, and Λ is 1.
static std::vector<Column<LaunchCounts>> launch_table_columns() {
  auto columns = mmm_table_columns<LaunchCounts>(&LaunchCounts::mmm);
  std::erase_if(columns, [](const auto& column) {
    const std::string& heading = column.shown->heading;
    return heading == "N" || heading == "Λ" || heading == "K";
  });
  return columns;
}

const Columns<LaunchCounts>& launch_columns() {
  using C = Column<LaunchCounts>;
  const auto agpu = [](const LaunchCounts& launch) { return &launch.agpu; };
  const auto pram = std::mem_fn(&LaunchCounts::pram);
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
      together(agpu_columns<LaunchCounts>(agpu), agpu_table_columns<LaunchCounts>(agpu)),
      together(together(mmm_columns<LaunchCounts>(&LaunchCounts::mmm), launch_table_columns()),
               together(pram_columns<LaunchCounts>(pram), pram_table_columns<LaunchCounts>(pram))));
  return columns;
}

Json counts_json(const RunResult& run, const Sources& sources) {
  return counts_table().json({run, sources});
}

Json counts_schema() { return counts_table().schema("exact, up to where the run stopped"); }

} // namespace memlane
