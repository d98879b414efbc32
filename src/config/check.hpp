// One value of a machine file against its key.
#pragma once

#include "memlane/config/keys.hpp"
#include "memlane/support/json_text.hpp"

#include <optional>

namespace memlane {

/// The value, or nothing after saying what is wrong with it. Null passes where some model has it.
std::optional<KeyValue> check_value(const MachineKey& key, const JsonValue& value,
                                    Diagnostics& errors);

/// A text after `--set key=` as the value it would be in a file: bare words are strings.
JsonValue value_of_option(const MachineKey& key, std::string text, Span span);

/// `a umm`, `an hmm`.
std::string with_article(Model model);

} // namespace memlane
