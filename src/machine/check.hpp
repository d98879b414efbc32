// The values of machine files, by key.
#pragma once

#include "memlane/machine/keys.hpp"
#include "memlane/support/json_record.hpp"

#include <optional>

namespace memlane {

/// What a key's value is in a file, except for null.
Kind<KeyValue> kind_of(const MachineKey& key);

/// None after adding an error. Accepts null if any model accepts it.
std::optional<KeyValue> check_value(const MachineKey& key, const JsonPlace& place);

/// Reads the text after `--set key=` like a value in a file, but strings have no quotes.
JsonValue value_of_option(const MachineKey& key, std::string text, Span span);

} // namespace memlane
