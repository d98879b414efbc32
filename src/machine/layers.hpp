// Reads the files of a machine, its own and those it extends, and merges them.
#pragma once

#include "memlane/machine/machine.hpp"
#include "memlane/support/json_record.hpp"

#include <map>
#include <string>
#include <vector>

namespace memlane {

struct Layer {
  std::string path;
  JsonValue root; ///< an object
};

/// A machine's own file first, then the files it extends.
struct Layers {
  std::vector<Layer> files;
  bool complete = true; ///< false if a file could not be read: keys may be missing
};

/// A key's value in a file or `--set`.
struct WrittenValue {
  std::optional<KeyValue> value; ///< none: invalid
  Origin origin;
};

/// All values in files and `--set`, and the places of groups (`shared`).
struct WrittenKeys {
  std::map<std::string, WrittenValue, std::less<>> keys;
  std::map<std::string, Span, std::less<>> groups;
};

/// Reads the file and follows `extends`.
Layers read_layers(RecordFile& file, const std::string& path, const MachineFiles& files);

/// Checks every value of every file and merges them; values of earlier files take precedence.
void merge_layers(RecordFile& file, const Layers& layers, WrittenKeys& written);

/// Applies `--set` texts, which take precedence over files.
void apply_overrides(RecordFile& file, const std::vector<std::string>& overrides,
                     WrittenKeys& written);

} // namespace memlane
