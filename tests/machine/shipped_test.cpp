#include "files.hpp"
#include "support/catch.hpp"
#include "support/machine_files.hpp"

#include "memlane/machine/stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

using namespace memlane;

namespace {

const std::string configs = std::string(MEMLANE_SOURCE_DIR) + "/configs";

MachineSpec shipped(const std::string& name) {
  Sources sources;
  const auto machine =
      load_machine(sources, name, {}, test::machine_files_on_disk(configs + "/machines"));
  INFO(name << "\n" << (machine ? "" : render(machine.errors(), sources)));
  REQUIRE(machine.ok());
  return machine->spec;
}

/// Time of two warps that each make one request, warp 0 first (configs/README.md section 3).
std::int64_t time_of_figure(const MachineSpec& machine) {
  const std::vector<Address> first = {{7}, {5}, {15}, {0}}, second = {{10}, {11}, {12}, {9}};
  const UnitSpec& unit = machine.memory_unit();
  return stages(unit.kind, machine.width, first) + stages(unit.kind, machine.width, second) - 1 +
         unit.latency.value;
}

/// `dmm, umm`; `all` for every model.
std::string names_of(ModelSet models) {
  std::vector<std::string_view> names;
  for (Model model : all_models())
    if (contains(models, model)) names.push_back(name_of(model));
  return names.size() == all_models().size() ? "all" : fmt::format("{}", fmt::join(names, ", "));
}

std::string default_of(const MachineKey& key) {
  if (key.required() == key.models) return "required";
  if (key.required() != 0) return fmt::format("required ({})", names_of(key.required()));
  return key.default_value.index() == 0 ? "none" : fmt::format("`{}`", text_of(key.default_value));
}

/// The keys as configs/README.md has them.
std::string machine_key_table() {
  std::string table = "| key | models | values | default | meaning |\n|---|---|---|---|---|\n";
  for (const MachineKey& key : machine_keys()) {
    table += fmt::format("| `{}` | {} | {} | {} | {} |\n", key.path, names_of(key.models),
                         accepted_values(key), default_of(key), key.meaning);
  }
  return table;
}

} // namespace

TEST_CASE("every shipped machine loads and has a name and notes") {
  const auto files = test::machine_files_on_disk(configs + "/machines");
  REQUIRE(files.shipped.size() >= 10);
  for (const std::string& name : files.shipped) {
    const MachineSpec machine = shipped(name);
    INFO(name);
    CHECK(machine.name != name);
    CHECK_FALSE(machine.notes.empty());
    CHECK(name.substr(0, name.find('-')) == name_of(machine.model));
  }
}

TEST_CASE("the machines of the figures have the times of the papers") {
  CHECK(time_of_figure(shipped("dmm-figure3")) == 7);
  CHECK(time_of_figure(shipped("umm-figure3")) == 9);
  CHECK(time_of_figure(shipped("dmm-figure2")) == 6);
  CHECK(time_of_figure(shipped("umm-figure2")) == 10);
  for (const char* name : {"dmm-figure3", "umm-figure3", "dmm-figure2", "umm-figure2"}) {
    CHECK(shipped(name).width == 4);
    CHECK(shipped(name).threads == 8);
  }
}

TEST_CASE("the machines of width 32") {
  for (const char* name : {"dmm-w32", "umm-w32", "dmm-w32-shared", "umm-w32-global"}) {
    CHECK(shipped(name).width == 32);
    CHECK(shipped(name).threads == 1024);
  }
  CHECK(shipped("dmm-w32").memory_unit().latency.value == 20);
  CHECK(shipped("umm-w32").memory_unit().latency.value == 20);
  CHECK(shipped("dmm-w32-shared").memory_unit().latency.value == 30);
  CHECK(shipped("umm-w32-global").memory_unit().latency.value == 400);
}

TEST_CASE("a GPU's HMM and its AGPU have the same size, and Koike's HMMs their most warps") {
  const auto names = test::machine_files_on_disk(configs + "/machines").shipped;
  int pairs = 0;
  for (const std::string& name : names) {
    if (name.rfind("agpu-", 0) != 0 || name == "agpu-teaching") continue;
    std::string twin = "hmm" + name.substr(name.find('-'));
    if (std::find(names.begin(), names.end(), twin + "-plain") != names.end()) twin += "-plain";
    const MachineSpec agpu = shipped(name), hmm = shipped(twin);
    INFO(name);
    CHECK(agpu.width == hmm.width);
    CHECK(agpu.multiprocessors == hmm.multiprocessors);
    CHECK(agpu.shared->capacity == hmm.shared->capacity);
    ++pairs;
  }
  CHECK(pairs >= 4);
  for (const char* name : {"hmm-k20c", "hmm-k40c", "hmm-c1060"}) {
    const MachineSpec machine = shipped(name);
    CHECK(machine.threads == machine.width);
    CHECK(machine.resident_blocks == (std::string(name) == "hmm-c1060" ? 16 : 64));
  }
}

TEST_CASE("configs/README.md has the table of keys, and lists every shipped machine") {
  const std::string text = test::text_of_file(configs + "/README.md").value_or("");
  CHECK(text.find(machine_key_table()) != std::string::npos);
  for (const std::string& name : test::machine_files_on_disk(configs + "/machines").shipped) {
    INFO(name);
    CHECK(text.find("`" + name + "`") != std::string::npos);
  }
}

TEST_CASE("configs/README.md shows what --print-config prints") {
  Sources sources;
  MachineFiles files = test::machine_files_on_disk(configs + "/machines");
  files.directory = "configs/machines";
  files.read = [](const std::string& path) -> Result<std::string> {
    return test::text_of_file(std::string(MEMLANE_SOURCE_DIR) + "/" + path).value_or("");
  };
  const auto machine = load_machine(sources, "umm-w32", {"latency=30"}, files);
  REQUIRE(machine.ok());
  std::istringstream lines(config_text(*machine, sources));
  std::string block;
  for (std::string line; std::getline(lines, line);) block += std::string("    ") + line + "\n";
  INFO(block);
  CHECK(test::text_of_file(configs + "/README.md").value_or("").find(block) != std::string::npos);
}

TEST_CASE("the machines in configs/README.md load") {
  const std::string text = test::text_of_file(configs + "/README.md").value_or("");
  int found = 0;
  for (std::size_t at = text.find("```json\n"); at != std::string::npos;
       at = text.find("```json\n", at + 1)) {
    const std::size_t begin = at + 8;
    const std::string machine_text = text.substr(begin, text.find("```", begin) - begin);
    if (machine_text.find("\"programs\"") != std::string::npos) continue; // a sweep
    if (machine_text.find("\"pem\"") != std::string::npos) continue;      // prices
    MachineFiles files;
    files.read = [&](const std::string& path) -> Result<std::string> {
      if (path == "mine.json") return machine_text;
      return test::text_of_file(configs + "/" + path).value_or("(no such file)");
    };
    Sources sources;
    const auto machine = load_machine(sources, "mine.json", {}, files);
    INFO(machine_text << (machine ? "" : render(machine.errors(), sources)));
    CHECK(machine.ok());
    ++found;
  }
  CHECK(found >= 3);
}
