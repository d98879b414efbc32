// Reads machine files into specifications, and writes them.
#pragma once

#include "memlane/machine/keys.hpp"
#include "memlane/support/result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <string>
#include <vector>

namespace memlane {

/// How the loader reads files; the caller supplies it.
struct MachineFiles {
  /// Returns the text of a file, or one error without a place.
  std::function<Result<std::string>(const std::string& path)> read;
  std::string directory;            ///< of the shipped machines
  std::vector<std::string> shipped; ///< names of the files in that directory, without `.json`
};

enum class OriginKind {
  file,   ///< a machine file
  option, ///< `--set`
  default_value,
};

struct Origin {
  OriginKind kind = OriginKind::default_value;
  Span span; ///< of the value; unknown for a default
};

/// A key's effective value.
struct Setting {
  const MachineKey* key = nullptr;
  KeyValue value;
  Origin origin;
};

struct LoadedMachine {
  MachineSpec spec;
  std::string path;              ///< of the machine's own file
  std::vector<Setting> settings; ///< every key of the model, in display order
};

/// Loads a machine: `name_or_path` is a path if it has a slash or ends in `.json`, else the name of
/// a shipped machine. Follows `extends`, then applies the overrides, each `key=value` as `--set`
/// takes it. Returns all independent errors together; adds every file and override to `sources`, so
/// that messages can quote them.
Result<LoadedMachine> load_machine(Sources& sources, const std::string& name_or_path,
                                   const std::vector<std::string>& overrides,
                                   const MachineFiles& files);

/// Another value of a key, from elsewhere than the machine's files.
struct OtherValue {
  const MachineKey* key = nullptr;
  KeyValue value;
  Span span = {};
};

/// The value of a key, written as `--set` takes it. Errors: a value that the key does not accept.
Result<OtherValue> key_value(const MachineKey& key, const std::string& text, Span span);

/// The machine with other values of some keys; reads no files. Errors: a key that the model does
/// not have, and values that do not fit together. Cost: the number of keys.
Result<LoadedMachine> with_values(const LoadedMachine& machine,
                                  const std::vector<OtherValue>& values);

/// `--print-config`: every value and its origin, as text and as JSON.
std::string config_text(const LoadedMachine& machine, const Sources& sources);
nlohmann::ordered_json config_json(const LoadedMachine& machine, const Sources& sources);

/// A machine file with every value; loading it gives an equal specification.
nlohmann::ordered_json to_json(const MachineSpec& machine);

/// The JSON Schema (draft 7) of machine files: configs/machine.schema.json. It does not check that
/// `threads` is a multiple of `width`, that integers have digits alone, or what extended files
/// hold.
nlohmann::ordered_json machine_schema();
/// The JSON Schemas (draft 2020-12) of `to_json`, to be part of another, and of `config_json`.
nlohmann::ordered_json effective_machine_schema();
nlohmann::ordered_json config_schema();

} // namespace memlane
