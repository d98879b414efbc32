// Checks a value of a machine file against its key.
#pragma once

#include "memlane/machine/keys.hpp"
#include "memlane/support/json_text.hpp"

#include <optional>

namespace memlane {

/// None after adding an error. Accepts null if any model accepts it.
std::optional<KeyValue> check_value(const MachineKey& key, const JsonValue& value,
                                    Diagnostics& errors);

/// Reads the text after `--set key=` like a value in a file, but strings have no quotes.
JsonValue value_of_option(const MachineKey& key, std::string text, Span span);

} // namespace memlane
