// What --print-config says of one key.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace memlane {

/// The schema of a key's entry; the value's own is left open.
nlohmann::ordered_json setting_schema();

} // namespace memlane
