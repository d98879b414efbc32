// Machine files: from JSON to a specification, and back.
#pragma once

#include "memlane/config/keys.hpp"
#include "memlane/support/result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <string>
#include <vector>

namespace memlane {

/// The files a loader may read, as the edge provides them.
struct MachineFiles {
  /// The text of a file, or why there is none (one message, without a place).
  std::function<Result<std::string>(const std::string& path)> read;
  std::string directory;            ///< of the shipped machines
  std::vector<std::string> shipped; ///< their names: files of that directory without `.json`
};

/// Files on disk. A directory that does not exist ships nothing.
MachineFiles machine_files_on_disk(std::string directory);

enum class OriginKind {
  file,     ///< written in a machine file
  option,   ///< written after `--set`
  standard, ///< the default
};

/// Where a value comes from; `span` is the value's own place, unknown for a default.
struct Origin {
  OriginKind kind = OriginKind::standard;
  Span span;
};

/// The value that holds for a key.
struct Setting {
  const MachineKey* key = nullptr;
  KeyValue value;
  Origin origin;
};

struct LoadedMachine {
  MachineSpec spec;
  std::string path;              ///< of the machine's own file
  std::vector<Setting> settings; ///< every key that the model has, in the table's order
};

/// Loads the machine that `name_or_path` gives: a path if it has a slash or ends in `.json`, else
/// the name of a shipped machine. Follows `extends`, then applies the overrides, each `key=value`
/// as `--set` takes it. All independent errors are returned together; every file read, and every
/// override, is added to `sources`, so that messages can show them.
Result<LoadedMachine> load_machine(Sources& sources, const std::string& name_or_path,
                                   const std::vector<std::string>& overrides,
                                   const MachineFiles& files);

/// `--print-config`: every value and where it is from, for people and as JSON.
std::string config_text(const LoadedMachine& machine, const Sources& sources);
nlohmann::ordered_json config_json(const LoadedMachine& machine, const Sources& sources);

/// The machine as a machine file would say it, every value written: loading that gives an equal
/// specification.
nlohmann::ordered_json to_json(const MachineSpec& machine);

/// The JSON Schema (draft 7) of machine files: configs/machine.schema.json. It knows all but three
/// rules: that `threads` is a multiple of `width`, that integers are written in digits alone, and
/// what an extended file already gives.
nlohmann::ordered_json machine_schema();
/// The JSON Schemas (draft 2020-12) of `to_json`, as a part of others, and of `config_json`.
nlohmann::ordered_json effective_machine_schema();
nlohmann::ordered_json config_schema();

} // namespace memlane
