#include "files.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace memlane;

namespace {

const std::string umm = R"({ "model": "umm", "width": 4, "threads": 8, "latency": 5 })";
const std::string hmm = R"({ "model": "hmm", "width": 32, "threads": 1024, "multiprocessors": 14,
  "shared": { "latency": 2, "capacity": 12288 }, "global": { "latency": 400 } })";

LoadedMachine load(const MachineFiles& files, const std::string& path,
                   const std::vector<std::string>& overrides, Sources& sources) {
  auto machine = load_machine(sources, path, overrides, files);
  INFO(path << "\n" << (machine ? "" : render(machine.errors(), sources)));
  REQUIRE(machine.ok());
  return *machine;
}

MachineSpec spec(std::map<std::string, std::string> texts,
                 const std::vector<std::string>& overrides = {}) {
  Sources sources;
  return load(test::files_of(std::move(texts)), "a.json", overrides, sources).spec;
}

std::string messages(std::map<std::string, std::string> texts, const std::string& name,
                     const std::vector<std::string>& overrides = {}) {
  Sources sources;
  MachineFiles files = test::files_of(std::move(texts));
  files.directory = "configs/machines";
  files.shipped = {"dmm-w32", "umm-w32"};
  const auto machine = load_machine(sources, name, overrides, files);
  REQUIRE_FALSE(machine.ok());
  return render(machine.errors(), sources);
}

} // namespace

TEST_CASE("after a hundred mistakes a machine is not made") {
  std::string text = R"({ "model": "umm", "width": 0, "threads": 8, "latency": 5)";
  for (int k = 0; k < 105; ++k) text += fmt::format(R"(, "key{}": 1)", k);
  const std::string said = messages({{"a.json", text + "}"}}, "a.json");
  CHECK(said.find("key0: unknown key") != std::string::npos);
  CHECK(said.find("too many errors; later ones are not shown") != std::string::npos);
}

TEST_CASE("a UMM has one unified unit, and defaults for missing keys") {
  const MachineSpec machine = spec({{"a.json", umm}});
  MachineSpec expected;
  expected.name = "a";
  expected.model = Model::umm;
  expected.width = 4;
  expected.threads = 8;
  expected.global = UnitSpec{UnitKind::unified, {5}, 1, {}};
  CHECK(machine == expected);
}

TEST_CASE("a DMM has one discrete unit") {
  const MachineSpec machine = spec({{"a.json", umm}}, {"model=dmm", "ports=3", "capacity=100"});
  CHECK_FALSE(machine.global.has_value());
  CHECK(*machine.shared == UnitSpec{UnitKind::discrete, {5}, 3, 100});
}

TEST_CASE("an HMM has both units") {
  const MachineSpec machine = spec({{"a.json", hmm}});
  CHECK(machine.multiprocessors == 14);
  CHECK(*machine.shared == UnitSpec{UnitKind::discrete, {2}, 1, 12288});
  CHECK(*machine.global == UnitSpec{UnitKind::unified, {400}, 1, {}});
}

TEST_CASE("every key reaches the specification") {
  const MachineSpec machine =
      spec({{"a.json", hmm}},
           {"name=N", "notes=two words", "lockstep=true", "instruction_cost=1", "barrier_cost=2",
            "launch_cost=3", "resident_blocks=4", "block_schedule=dynamic", "shared.ports=5",
            "global.ports=6", "global.capacity=7", "shared.capacity=null"});
  CHECK(machine.name == "N");
  CHECK(machine.notes == "two words");
  CHECK(machine.lockstep);
  CHECK(machine.instruction_cost == Cycles{1});
  CHECK(machine.barrier_cost == Cycles{2});
  CHECK(machine.launch_cost == Cycles{3});
  CHECK(machine.resident_blocks == 4);
  CHECK(machine.block_schedule == BlockSchedule::dynamic);
  CHECK(*machine.shared == UnitSpec{UnitKind::discrete, {2}, 5, {}});
  CHECK(*machine.global == UnitSpec{UnitKind::unified, {400}, 6, 7});
}

TEST_CASE("a value comes from the first file of the extends chain that has its key") {
  const std::map<std::string, std::string> texts = {
      {"a.json", R"({ "extends": "x/b.json", "shared": { "latency": 9 } })"},
      {"x/b.json", R"({ "extends": "../c.json", "name": "B", "notes": "of B", "threads": 64,
                        "shared": { "latency": 8, "ports": 2 } })"},
      {"c.json", hmm}};
  const MachineSpec machine = spec(texts);
  CHECK(*machine.shared == UnitSpec{UnitKind::discrete, {9}, 2, 12288});
  CHECK(machine.threads == 64);
  CHECK(machine.multiprocessors == 14);
  CHECK(machine.name == "a"); // name and notes are not inherited
  CHECK(machine.notes.empty());
}

TEST_CASE("a file that extends another may change the model") {
  const MachineSpec machine =
      spec({{"a.json", R"({ "extends": "b.json", "model": "dmm" })"}, {"b.json", umm}});
  CHECK(machine.model == Model::dmm);
  CHECK(*machine.shared == UnitSpec{UnitKind::discrete, {5}, 1, {}});
}

TEST_CASE("costs of atomics are exact decimals") {
  CHECK(spec({{"a.json", hmm}}).shared->atomic_stages == Decimal::of(1));
  CHECK(spec({{"a.json", hmm}}, {"shared.atomic_cost=2.5"}).shared->atomic_stages.millionths ==
        2500000);
  CHECK(spec({{"a.json", hmm}}, {"shared.atomic_cost=1000"}).shared->atomic_stages ==
        Decimal::of(1000));
  CHECK(spec({{"a.json", hmm}}, {"global.atomic_cost=7"}).global->atomic_service == Cycles{7});
  const std::string must = "must be a number from 1 to 1000 with at most 6 decimals, is ";
  for (const char* const wrong : {"0.999999", "1000.5", "2.5000001", "1e1", "null"}) {
    const std::string said =
        messages({{"a.json", hmm}}, "a.json", {std::string("shared.atomic_cost=") + wrong});
    INFO(said);
    CHECK(said.find(must + wrong) != std::string::npos);
  }
  const std::string quoted = R"({ "extends": "b.json", "shared": { "atomic_cost": "2.5" } })";
  CHECK(messages({{"a.json", quoted}, {"b.json", hmm}}, "a.json").find("remove the quotes: 2.5") !=
        std::string::npos);
  CHECK(messages({{"a.json", hmm}}, "a.json", {"global.atomic_cost=1.5"})
            .find("global.atomic_cost: must be an integer") != std::string::npos);
}

TEST_CASE("groups of global memory divide the width") {
  CHECK_FALSE(spec({{"a.json", hmm}}).global->group);
  for (const std::int64_t group : {1, 8, 32})
    CHECK(spec({{"a.json", hmm}}, {fmt::format("global.group={}", group)}).global->group == group);
  for (const int group : {5, 64}) {
    const std::string said =
        messages({{"a.json", hmm}}, "a.json", {fmt::format("global.group={}", group)});
    INFO(said);
    CHECK(said.find(fmt::format("global.group: must be a divisor of width (32), is {}", group)) !=
          std::string::npos);
    CHECK(said.find("it can be 1, 2, 4, 8, 16, 32") != std::string::npos);
  }
  CHECK(messages({{"a.json", umm}}, "a.json", {"global.group=2"}).find("it is a key of hmm") !=
        std::string::npos);
}

TEST_CASE("units for operations are a list, and a class of operations is in one of them") {
  const std::string both = R"([{"name": "fp64", "slots": {"double": 16}},)"
                           R"( {"name": "issue", "ports": 4, "latency": 4,)"
                           R"( "slots": {"division": 20, "other": 1}}])";
  const MachineSpec machine = spec({{"a.json", hmm}}, {"operations=" + both});
  REQUIRE(machine.operations.size() == 2);
  CHECK(machine.operations[0].name == "fp64");
  CHECK(machine.operations[0].ports == 1);
  CHECK(machine.operations[0].latency.value == 1);
  CHECK(machine.unit_of(OperationClass::double_) == &machine.operations[0]);
  CHECK(machine.unit_of(OperationClass::other) == &machine.operations[1]);
  CHECK(machine.unit_of(OperationClass::special) == nullptr);
  CHECK(spec({{"a.json", to_json(machine).dump()}}) == machine);
  const auto said = [](const std::string& units) {
    return messages({{"a.json", hmm}}, "a.json", {"operations=" + units});
  };
  const std::pair<std::string, std::string> mistakes[] = {
      {"16", "operations: must be a list"},
      {R"([{"name": "fp64"}])", "slots: is missing"},
      {R"([{"name": "fp64", "slots": {}}])", "must have at least one class"},
      {R"([{"name": "fp64", "slots": {"double": 0}}])", "operations[0].slots.double: must be"},
      {R"([{"name": "fp64", "slots": {"doubles": 2}}])", "did you mean 'double'?"},
      {R"([{"name": "a", "slots": {"other": 1}}, {"name": "a", "slots": {"double": 1}}])",
       "has the name of another unit, a"},
      {R"([{"name": "a", "slots": {"other": 1}}, {"name": "b", "slots": {"other": 1}}])",
       "other operations have a unit, a"}};
  for (const auto& [units, message] : mistakes) {
    INFO(said(units));
    CHECK(said(units).find(message) != std::string::npos);
  }
}

TEST_CASE("keys of real GPUs that do not fit together") {
  const std::string units = R"(operations=[{"name": "fp64", "slots": {"double": 16}}])";
  const std::pair<std::vector<std::string>, std::string> mistakes[] = {
      {{"global.reuse=block"}, "global.reuse: needs global.own_port"},
      {{units, "instruction_cost=1"}, "operations: excludes instruction_cost"},
      {{units, "lockstep=true"}, "operations: excludes lockstep"},
      {{"requests_in_flight=2", "lockstep=true"}, "requests_in_flight: excludes lockstep"},
      {{"requests_in_flight=0"}, "requests_in_flight: must be an integer from 1 to 1024"},
      {{"schedule=early"}, "accepted: program, hoisted"},
      {{"shared.widest=12"}, "shared.widest: must be 4, 8 or 16, is 12"},
      {{"shared.widest=2"}, "shared.widest: must be an integer from 4 to 16"},
      {{"global.group=8", "global.line=20"}, "global.line: must be a multiple of global.group (8)"},
      {{"word_bytes=3"}, "word_bytes: must be 1, 2, 4 or 8, is 3"}};
  for (const auto& [settings, message] : mistakes) {
    const std::string said = messages({{"a.json", hmm}}, "a.json", settings);
    INFO(said);
    CHECK(said.find(message) != std::string::npos);
  }
  const MachineSpec machine =
      spec({{"a.json", hmm}}, {"global.own_port=true", "global.reuse=block", "global.group=8",
                               "global.line=64", "word_bytes=4", "clock=1500000000",
                               "requests_in_flight=4", "schedule=hoisted", "shared.widest=16"});
  CHECK(machine.schedule == Schedule::hoisted);
  CHECK(machine.shared->widest == 16);
  CHECK(machine.requests_in_flight == 4);
  CHECK(machine.line_words() == 64);
  CHECK(machine.words_of(8) == 2);
  CHECK(machine.words_of(1) == 1);
  CHECK(spec({{"a.json", to_json(machine).dump()}}) == machine);
}

TEST_CASE("notes are a string or a list of lines") {
  CHECK(spec({{"a.json", R"({ "extends": "b.json", "notes": ["one", "", "three"] })"},
              {"b.json", umm}})
            .notes == "one\n\nthree");
}

TEST_CASE("values at the bounds are accepted") {
  const std::string text = R"({ "model": "umm", "width": 1024, "threads": 1073741824,
    "latency": 1000000000, "ports": 1024, "capacity": 1099511627776, "launch_cost": 1000000000,
    "resident_blocks": 65536 })";
  CHECK(spec({{"a.json", text}}).threads == 1073741824);
  const MachineSpec least = spec({{"a.json", umm}}, {"width=1", "threads=1", "latency=1"});
  CHECK(least.width == 1);
}

TEST_CASE("a shipped machine is found by its name, and similar names are suggested") {
  Sources sources;
  MachineFiles files = test::files_of({{"configs/machines/umm-w32.json", umm}});
  files.directory = "configs/machines";
  files.shipped = {"umm-w32"};
  CHECK(load(files, "umm-w32", {}, sources).path == "configs/machines/umm-w32.json");
  CHECK(messages({}, "umm-w31") == "error: unknown machine 'umm-w31'\n"
                                   "  help: did you mean 'umm-w32'?\n"
                                   "  help: shipped machines: dmm-w32, umm-w32\n"
                                   "  help: name a machine file of your own by its path: "
                                   "./umm-w31.json\n");
  CHECK(messages({}, "") == "error: unknown machine ''\n"
                            "  help: shipped machines: dmm-w32, umm-w32\n");
  CHECK(messages({}, "umm-w32.json") ==
        "error: cannot read 'umm-w32.json': No such file or directory\n"
        "  help: name a shipped machine without path or ending: umm-w32\n");
}

TEST_CASE("an unknown machine does not hide a wrong --set") {
  const std::string text = messages({}, "umm-w31", {"latency=0"});
  CHECK(text.find("unknown machine 'umm-w31'") != std::string::npos);
  CHECK(text.find("--set:1:9: error: latency: must be an integer from 1 to 1000000000, is 0") !=
        std::string::npos);
  CHECK(text.find("missing") == std::string::npos);
}

TEST_CASE("the printed configuration shows every value and its origin") {
  Sources sources;
  const auto files =
      test::files_of({{"a.json", "{ \"extends\": \"b.json\",\n  \"notes\": [\"one\", \"two\"] }\n"},
                      {"b.json", umm}});
  const LoadedMachine machine = load(files, "a.json", {"latency=7"}, sources);
  CHECK(config_text(machine, sources) == "extends             b.json   a.json:1:14\n"
                                         "name                a        default\n"
                                         "notes               one …    a.json:2:12\n"
                                         "model               umm      b.json:1:12\n"
                                         "width               4        b.json:1:28\n"
                                         "threads             8        b.json:1:42\n"
                                         "latency             7        --set latency=7\n"
                                         "ports               1        default\n"
                                         "capacity            none     default\n"
                                         "lockstep            false    default\n"
                                         "instruction_cost    0        default\n"
                                         "barrier_cost        0        default\n"
                                         "launch_cost         0        default\n"
                                         "resident_blocks     1        default\n"
                                         "registers           none     default\n"
                                         "max_threads         none     default\n"
                                         "block_schedule      static   default\n"
                                         "operations          []       default\n"
                                         "tensor.size         none     default\n"
                                         "tensor.latency      0        default\n"
                                         "requests_in_flight  1        default\n"
                                         "schedule            program  default\n"
                                         "clock               none     default\n");
  const auto json = config_json(machine, sources);
  CHECK(json["path"] == "a.json");
  CHECK(json["values"]["latency"].dump() == R"({"value":7,"from":"--set","text":"latency=7"})");
  CHECK(json["values"]["width"].dump() ==
        R"({"value":4,"from":"file","file":"b.json","line":1,"column":28})");
  CHECK(json["values"]["capacity"].dump() == R"({"value":null,"from":"default"})");
  CHECK(json["values"]["notes"]["value"].dump() == R"(["one","two"])");
}

TEST_CASE("the printed configuration cuts long values between characters") {
  Sources sources;
  std::string long_note;
  for (int i = 0; i < 41; ++i) long_note += "ä";
  const auto files = test::files_of({{"a.json", umm}});
  const auto exact = load(files, "a.json", {"name=" + long_note.substr(0, 80)}, sources);
  CHECK(config_text(exact, sources).find("  " + long_note.substr(0, 80) + "  ") !=
        std::string::npos);
  const auto cut = load(files, "a.json", {"name=" + long_note}, sources);
  CHECK(config_text(cut, sources).find("  " + long_note.substr(0, 76) + " …  ") !=
        std::string::npos);
}

TEST_CASE("a tensor unit is a unit for operations with keys of its own") {
  const MachineSpec machine = spec({{"a.json", hmm}}, {"tensor.size=4", "tensor.latency=7"});
  REQUIRE(machine.operations.size() == 1);
  const OperationUnit* const unit = machine.unit_of(OperationClass::tensor);
  REQUIRE(unit == &machine.operations[0]);
  CHECK(unit->name == "tensor");
  CHECK(unit->ports == 1);
  CHECK(unit->latency.value == 8); // of the last of its stages
  CHECK(unit->stages[static_cast<std::size_t>(OperationClass::tensor)] == 16);
  CHECK_FALSE(machine.times_operators());
  CHECK(spec({{"a.json", to_json(machine).dump()}}) == machine);
  const std::string fp64 = R"(operations=[{"name": "fp64", "slots": {"double": 16}}])";
  const MachineSpec both = spec({{"a.json", hmm}}, {"tensor.size=255", fp64});
  REQUIRE(both.operations.size() == 2);
  CHECK(both.unit_of(OperationClass::tensor) == &both.operations[1]);
  CHECK(both.unit_of(OperationClass::tensor)->latency.value == 1);
  CHECK(both.times_operators());
  CHECK(spec({{"a.json", to_json(both).dump()}}) == both);
  CHECK(spec({{"a.json", hmm}}, {"tensor.size=null"}) == spec({{"a.json", hmm}}));
  const std::pair<std::vector<std::string>, std::string> mistakes[] = {
      {{"tensor.latency=1"}, "tensor.latency: needs tensor.size"},
      {{"tensor.size=0"}, "tensor.size: must be an integer from 1 to 255"},
      {{"tensor.size=256"}, "tensor.size: must be an integer from 1 to 255"},
      {{"tensor.size=4", "tensor.latency=-1"}, "tensor.latency: must be"},
      {{"tensor.size=4", "lockstep=true"}, "tensor.size: excludes lockstep"},
      {{"tensor.size=4", "instruction_cost=1"}, "tensor.size: excludes instruction_cost"},
      {{"tensor.size=4", R"(operations=[{"name": "tensor", "slots": {"other": 1}}])"},
       "operations: tensor is the name of the unit of tensor.size"},
      {{R"(operations=[{"name": "a", "slots": {"tensor": 1}}])"}, "tensor"}};
  for (const auto& [settings, said] : mistakes) {
    INFO(said);
    CHECK(messages({{"a.json", hmm}}, "a.json", settings).find(said) != std::string::npos);
  }
}

TEST_CASE("a machine written as JSON and loaded again is equal") {
  const std::vector<std::vector<std::string>> variants = {
      {},
      {"notes=some", "name=Name of \"mine\" \\ ä"},
      {"lockstep=true", "block_schedule=dynamic", "resident_blocks=8", "launch_cost=9"}};
  for (const std::string& text : {umm, hmm}) {
    for (const auto& overrides : variants) {
      const MachineSpec machine = spec({{"a.json", text}}, overrides);
      const std::string written = to_json(machine).dump(2);
      INFO(written);
      CHECK(spec({{"a.json", written}}) == machine);
    }
  }
  const MachineSpec atomics =
      spec({{"a.json", hmm}}, {"shared.atomic_cost=2.000001", "global.group=4"});
  CHECK(spec({{"a.json", to_json(atomics).dump()}}) == atomics);
  const MachineSpec lines =
      spec({{"a.json", R"({ "extends": "b.json", "notes": ["x", "y"] })"}, {"b.json", umm}});
  CHECK(spec({{"a.json", to_json(lines).dump()}}) == lines);
}

TEST_CASE("a chain of more than 16 files is refused") {
  std::map<std::string, std::string> texts;
  const auto name = [](int i) { return std::string(1, static_cast<char>('a' + i)) + ".json"; };
  for (int i = 0; i < 20; ++i) {
    texts[name(i)] = std::string(R"({ "extends": ")") + name(i + 1) + "\" }";
  }
  CHECK(messages(texts, "a.json").find("extends: the chain is longer than 16 files") !=
        std::string::npos);
}

TEST_CASE("a machine with other values is the one that --set gives") {
  const auto files = test::files_of({{"a.json", hmm}});
  for (const std::vector<std::string>& overrides : std::vector<std::vector<std::string>>{
           {"threads=64"},
           {"width=16", "threads=16"},
           {"shared.capacity=null", "lockstep=true", "block_schedule=dynamic"},
           {"width=64", "threads=96"},
           {"latency=3"}}) {
    Sources sources;
    const LoadedMachine base = load(files, "a.json", {}, sources);
    std::vector<OtherValue> values;
    for (const std::string& text : overrides) {
      const std::size_t equals = text.find('=');
      const auto value = key_value(*find_machine_key(text.substr(0, equals)),
                                   text.substr(equals + 1), {sources.add("--set", text), 0, 1});
      REQUIRE(value);
      values.push_back(*value);
    }
    const auto changed = with_values(base, values);
    Sources others;
    const auto loaded = load_machine(others, "a.json", overrides, files);
    INFO(overrides.front());
    REQUIRE(changed.ok() == loaded.ok());
    if (!loaded) {
      CHECK(changed.errors().front().message == loaded.errors().front().message);
      continue;
    }
    CHECK(changed->spec == loaded->spec);
    CHECK(changed->settings.size() == loaded->settings.size());
  }
  CHECK_FALSE(key_value(*find_machine_key("threads"), "many", {}));
}
