// The conformance suite (tests/conformance/README.md): the times of its cases are those of both
// engines and of the tests' own second reading of the definition.
#include "cli/shell.hpp"
#include "engine/given_steps.hpp"
#include "engine/oracle.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/machine_files.hpp"

#include "memlane/trace/replay.hpp"

#include <nlohmann/json.hpp>

#include <set>
#include <sstream>

namespace memlane::test {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

const fs::path suite = MEMLANE_SOURCE_DIR "/tests/conformance";

/// What a case says of itself, without its numbers.
Json given_part(const Json& of) {
  Json part;
  for (const auto& [key, value] : of.items())
    if (std::set<std::string>{"name", "section", "why", "machine", "trace", "program", "define",
                              "input", "result"}
            .contains(key))
      part[key] = value;
  return part;
}

/// JSON with a space behind each comma and colon, as the traces have it.
std::string on_one_line(const Json& value) {
  if (!value.is_structured()) return value.dump();
  std::string text;
  for (const auto& [key, item] : value.items()) {
    if (!text.empty()) text += ", ";
    text += (value.is_object() ? Json(key).dump() + ": " : "") + on_one_line(item);
  }
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

/// A member on a line; where its value is a list, an element on a line.
std::string text_of(const Json& cases) {
  std::string text;
  for (const Json& of : cases) {
    std::string members;
    for (const auto& [key, value] : of.items()) {
      members += (members.empty() ? "  \"" : ",\n  \"") + key + "\": ";
      if (!value.is_array()) {
        members += on_one_line(value);
        continue;
      }
      std::string items;
      for (const Json& item : value)
        items += (items.empty() ? "\n    " : ",\n    ") + on_one_line(item);
      members += "[" + items + "]";
    }
    text += (text.empty() ? "[{\n" : "}, {\n") + members + "\n";
  }
  return text + "}]\n";
}

MachineSpec machine_at(const fs::path& path) {
  Sources sources;
  const auto machine = load_machine(sources, path.string(), {},
                                    machine_files_on_disk(MEMLANE_SOURCE_DIR "/configs/machines"));
  INFO(path.string() << "\n" << (machine ? "" : render(machine.errors(), sources)));
  REQUIRE(machine.ok());
  CHECK(!Json::parse(contents(path)).contains("extends")); // a file has all that it means
  return machine->spec;
}

Trace trace_at(const fs::path& path) {
  std::istringstream in(contents(path));
  auto trace = read_trace(in, path.filename().string());
  INFO(path.string() << "\n" << (trace ? "" : render(trace.errors(), Sources{})));
  REQUIRE(trace.ok());
  CHECK(trace->complete);
  return std::move(*trace);
}

/// What happens when: the time, the accounts of the units in the order of a case, and the requests
/// in the order of their dispatch, where they are told.
struct Times {
  std::int64_t time = 0;
  std::vector<UnitAccount> units;
  std::vector<Recorder::Entry> entries;

  void add(const LaunchTally& tally) {
    std::vector<UnitAccount> accounts = tally.shared;
    accounts.insert(accounts.end(), tally.ports.begin(), tally.ports.end());
    accounts.insert(accounts.end(), tally.global.begin(), tally.global.end());
    units.resize(accounts.size());
    for (std::size_t k = 0; k < accounts.size(); ++k) units[k] += accounts[k];
    time += tally.time.value;
  }
};

/// The numbers of a case from the reference engine.
class Reference : public Observer, TimeObserver {
public:
  Reference(const Trace& trace, const MachineSpec& machine) {
    const Replay run = replay(trace, machine, {}, *this);
    INFO(render(run.errors, Sources{}));
    REQUIRE(run.stop == Stop::none);
    numbers_["time"] = run.counts.time.value;
    for (std::size_t k = 0; k < run.counts.shared.size(); ++k)
      add_unit("shared", static_cast<int>(k), run.counts.shared[k]);
    for (std::size_t k = 0; k < run.counts.ports.size(); ++k)
      add_unit("port", static_cast<int>(k), run.counts.ports[k]);
    for (const UnitCounts& unit : run.counts.global) add_unit("global", -1, unit);
    numbers_["requests"] = Json::array();
    for (const auto& [place, request] : requests_) numbers_["requests"].push_back(request);
  }
  const Json& numbers() const { return numbers_; }

private:
  using Place = std::array<std::int64_t, 4>; ///< launch, block, warp, number
  TimeObserver* times() override { return this; }
  void dispatched(const Dispatch& of) override {
    Json& row = requests_[{of.launch, of.warp.block, of.warp.warp, of.number}];
    row = {{"launch", of.launch},         {"block", of.warp.block},
           {"warp", of.warp.warp},        {"stages", of.stages},
           {"dispatched", of.time.value}, {"completed", of.completion.value}};
  }
  void completes(std::int64_t launch, WarpRef warp, std::int64_t number, Cycles at) override {
    requests_.at({launch, warp.block, warp.warp, number})["completed"] = at.value;
  }
  void add_unit(const char* memory, int multiprocessor, const UnitCounts& unit) {
    Json row = {{"memory", memory}};
    if (multiprocessor >= 0) row["multiprocessor"] = multiprocessor;
    row.update({{"requests", unit.requests},
                {"stages", unit.stages},
                {"busy", unit.busy},
                {"idle_latency", unit.idle_latency},
                {"idle_barrier", unit.idle_barrier},
                {"idle_drain", unit.idle_drain},
                {"idle_empty", unit.idle_empty}});
    numbers_["units"].push_back(std::move(row));
  }

  Json numbers_;
  std::map<Place, Json> requests_;
};

Script script_of(const TraceLaunch& launch, std::int64_t width) {
  Script script;
  for (const auto& [warp, steps] : launch.warps)
    for (const TraceStep& step : steps) {
      Act act{step.kind, {}, step.value, step.operation};
      if (step.kind == StepKind::wait) {
        const auto first = launch.awaited.begin() + step.value;
        act.awaited.assign(first, first + step.awaited);
      }
      if (step.kind == StepKind::request) {
        const auto first = launch.addresses.begin() + step.value;
        act = access(step.access, {first, first + width}, step.unit);
        act.request.words_of_lane = step.words;
        act.request.is_volatile = step.is_volatile;
        act.request.uses_old = step.uses_old;
      }
      script[warp].push_back(std::move(act));
    }
  number_sites(script);
  return script;
}

Times fast_times(const Trace& trace, const MachineSpec& machine) {
  Times times;
  for (const TraceLaunch& launch : trace.launches) {
    const Script script = script_of(launch, trace.width);
    const std::int64_t warps = (launch.shape.threads + machine.width - 1) / machine.width;
    EngineWork work;
    const LaunchOutcome outcome = time_launch(
        machine, launch.shape, Cycles{times.time}, {},
        [&](std::int64_t block, const LaunchTime&, BlockSteps& steps) {
          give_steps(script, block, machine, warps, steps);
          return Stop::none;
        },
        work);
    REQUIRE(outcome.stop == Stop::none);
    times.add(outcome.tally);
  }
  return times;
}

Times oracle_times(const Trace& trace, const MachineSpec& machine) {
  Times times;
  for (const TraceLaunch& launch : trace.launches) {
    const OracleRun run = run_by_the_text(machine, launch.shape, script_of(launch, trace.width));
    for (Recorder::Entry entry : run.entries) {
      entry.time += times.time;
      entry.completion += times.time;
      times.entries.push_back(entry);
    }
    LaunchTally tally;
    tally.time = Cycles{run.time};
    const auto account = [](const OracleAccount& of) {
      UnitAccount unit;
      unit.busy = of.busy;
      unit.idle_latency = of.latency;
      unit.idle_barrier = of.barrier;
      unit.idle_drain = of.drain;
      unit.idle_empty = of.empty;
      return unit;
    };
    for (const OracleAccount& of : run.shared) tally.shared.push_back(account(of));
    for (const OracleAccount& of : run.ports) tally.ports.push_back(account(of));
    if (run.global) tally.global.push_back(account(*run.global));
    times.add(tally);
  }
  return times;
}

void check_times(const Json& numbers, const Times& times) {
  CHECK(times.time == numbers.at("time"));
  REQUIRE(times.units.size() == numbers.at("units").size());
  for (std::size_t k = 0; k < times.units.size(); ++k) {
    const Json& unit = numbers.at("units")[k];
    CHECK(times.units[k].busy == unit.at("busy"));
    CHECK(times.units[k].idle_latency == unit.at("idle_latency"));
    CHECK(times.units[k].idle_barrier == unit.at("idle_barrier"));
    CHECK(times.units[k].idle_drain == unit.at("idle_drain"));
    CHECK(times.units[k].idle_empty == unit.at("idle_empty"));
  }
}

void check_entries(const Json& numbers, const Times& times) {
  using Row = std::array<std::int64_t, 4>;
  std::multiset<Row> expected, found;
  for (const Json& row : numbers.at("requests"))
    expected.insert(
        Row{row.at("dispatched"), row.at("block"), row.at("warp"), row.at("completed")});
  for (const Recorder::Entry& entry : times.entries)
    found.insert(Row{entry.time, entry.block, entry.warp, entry.completion});
  CHECK(found == expected);
}

/// The numbers of a case. Requires that all simulators agree on them.
Json replayed(const fs::path& folder, const Json& of) {
  const MachineSpec machine = machine_at(folder / of.at("machine"));
  const Trace trace = trace_at(folder / of.at("trace"));
  const Json numbers = Reference(trace, machine).numbers();
  check_times(numbers, fast_times(trace, machine));
  // The second reading leaves out what bounds resident blocks beside their slots.
  const bool bounded =
      machine.max_threads || machine.registers || (machine.shared && machine.shared->capacity);
  if (bounded) return numbers;
  const Times oracle = oracle_times(trace, machine);
  check_times(numbers, oracle);
  check_entries(numbers, oracle);
  return numbers;
}

/// The numbers of a program, which both engines give. An array named in `result` has what is left
/// in it.
Json run_of(const fs::path& folder, const Json& of) {
  const Playground playground;
  std::string command = "memlane run " + of.at("program").get<std::string>() + " -m '" +
                        (folder / of.at("machine")).string() + "' --format json -o run.json";
  for (const auto& [name, value] : of.at("define").items())
    command += " -D " + name + "=" + value.dump();
  for (const auto& [name, rows] : of.at("input").items()) {
    std::string lines;
    for (const Json& row : rows) lines += row.dump() + "\n";
    std::erase_if(lines, [](char c) { return c == '[' || c == ']'; });
    spit(playground.folder() + "/" + name + ".csv", lines);
    command += " --input " + name + "=" + name + ".csv";
  }
  const std::string array = of.at("result").at("array");
  Json numbers;
  for (const char* const engine : {"fast", "reference"}) {
    const std::string file = playground.folder() + "/" + engine + ".csv";
    const Outcome outcome =
        playground.run(command + " --engine " + engine + " --output " + array + "=" + file);
    INFO(command << "\n" << outcome.err);
    REQUIRE(outcome.status == 0);
    const Json run = Json::parse(slurp(playground.folder() + "/run.json"));
    CHECK(run.at("engine").at("name") == engine);
    const Json& counts = run.at("counts");
    Json found = {{"time", counts.at("time")}, {"units", Json::array()}};
    for (const char* const memory : {"shared", "global"})
      for (const Json& unit : counts.at("units").value(memory, Json::array()))
        found["units"].push_back({{"memory", memory},
                                  {"requests", unit.at("requests")},
                                  {"stages", unit.at("stages")},
                                  {"busy", unit.at("busy")}});
    std::string values = slurp(file);
    std::replace(values.begin(), values.end(), '\n', ',');
    values.erase(values.find_last_not_of(',') + 1);
    found["result"] = {{"array", array}, {"values", Json::parse("[" + values + "]")}};
    CHECK((numbers.is_null() || numbers == found));
    numbers = std::move(found);
  }
  return numbers;
}

/// Compares the cases of a folder with what is found, and its files with those that cases name.
template <class Find>
void check_folder(const std::string& name, Find find) {
  const fs::path folder = suite / name, list = folder / "cases.json";
  Json found;
  std::set<std::string> names, files{"cases.json"};
  for (const Json& of : Json::parse(contents(list))) {
    INFO(of.at("name").get<std::string>());
    CHECK(names.insert(of.at("name")).second);
    CHECK(of.at("why").get<std::string>().size() > 20);
    for (const char* const key : {"machine", "trace"})
      if (of.contains(key)) files.insert(of.at(key));
    found.push_back(given_part(of));
    found.back().update(find(folder, of));
  }
  const std::string row = "| `" + name + "` | " + std::to_string(found.size()) + " |";
  CHECK(contents(suite / "README.md").find(row) != std::string::npos);
  const Json listed = Json::parse(golden(list.string(), text_of(found)));
  REQUIRE(listed.size() == found.size());
  for (std::size_t k = 0; k < found.size(); ++k) CHECK(listed[k].dump() == found[k].dump());
  std::set<std::string> there;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) there.insert(fs::relative(entry, folder).generic_string());
  CHECK(there == files);
}

} // namespace

TEST_CASE("conformance: the papers' machines") { check_folder("papers", replayed); }

TEST_CASE("conformance: keys of real GPUs, and atomics") { check_folder("keys", replayed); }

TEST_CASE("conformance: programs, whose result, time and stages are those of both engines") {
  check_folder("programs", run_of);
}

TEST_CASE("conformance: the suite has no other files") {
  std::set<std::string> there;
  for (const auto& entry : fs::directory_iterator(suite))
    there.insert(entry.path().filename().string());
  CHECK(there == std::set<std::string>{"README.md", "reader.py", "papers", "keys", "programs"});
}

} // namespace memlane::test
