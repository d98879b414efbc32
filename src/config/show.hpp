// A key's entry in --print-config.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace memlane {

/// Its schema; that of the value is open.
nlohmann::ordered_json setting_schema();

} // namespace memlane
