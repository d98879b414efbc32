// The files of one machine: its own and those it extends, read and merged.
#pragma once

#include "memlane/config/machine.hpp"
#include "memlane/support/json_text.hpp"

#include <map>
#include <string>
#include <vector>

namespace memlane {

/// One machine file.
struct Layer {
  std::string path;
  JsonValue root; ///< an object
};

/// A machine's own file first, then what it extends.
struct Layers {
  std::vector<Layer> files;
  bool complete = true; ///< false if a file of the chain could not be read: keys may be missing
};

/// What some file or `--set` gives for a key.
struct Given {
  std::optional<KeyValue> value; ///< none: given, but wrong
  Origin origin;
};

/// All that is given: keys, and groups (`shared`) by the place where they are written.
struct GivenKeys {
  std::map<std::string, Given, std::less<>> keys;
  std::map<std::string, Span, std::less<>> groups;
};

/// Reads the file and follows `extends`.
Layers read_layers(Sources& sources, const std::string& path, const MachineFiles& files,
                   Diagnostics& errors);

/// Checks every value of every file and merges them: what an earlier file gives stays.
void merge_layers(const Layers& layers, GivenKeys& given, Diagnostics& errors);

/// Applies `--set` texts, over whatever the files give.
void apply_overrides(Sources& sources, const std::vector<std::string>& overrides, GivenKeys& given,
                     Diagnostics& errors);

} // namespace memlane
