// Fuzzes machine files, which may extend themselves: errors, or a machine that is equal after
// writing and reading.
#include "memlane/machine/machine.hpp"

#include "fuzz.hpp"

#include <nlohmann/json.hpp>

namespace {

using namespace memlane;

Result<LoadedMachine> load(Sources& sources, const std::string& text) {
  MachineFiles files;
  files.read = [&](const std::string& path) -> Result<std::string> {
    if (path.find("m.json") == std::string::npos) return error_in("", "no such file");
    return text;
  };
  return load_machine(sources, "./m.json", {}, files);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Sources sources;
  const Result<LoadedMachine> machine = load(sources, test::text_of(data, size));
  if (!machine) {
    test::require(!render(machine.errors(), sources).empty());
    return 0;
  }
  test::require(!config_text(*machine, sources).empty());
  const std::string written = to_json(machine->spec).dump();
  Sources again;
  const Result<LoadedMachine> same = load(again, written);
  test::require(same.ok() && to_json(same->spec).dump() == written);
  return 0;
}
