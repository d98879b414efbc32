// Values by lane in the JSON of time charts.
#pragma once

#include "memlane/ir/arithmetic.hpp"
#include "memlane/support/json_table.hpp"

#include <optional>
#include <vector>

namespace memlane {

/// A value. A number that JSON or a double cannot hold is a text.
schema::Json value_json(ir::Scalar type, ir::Value value);
schema::Json value_schema(const char* meaning);

/// Addresses by lane: `{"base", "stride", "lanes": [first, last]}` where those of lanes first …
/// last are base, base + stride, … and all other lanes are inactive, which is -1; else a list.
schema::Json lanes_json(const std::vector<std::int64_t>& addresses);
/// Values by lane, likewise. A lane whose address is -1 is inactive; no addresses: all are active.
schema::Json lanes_json(ir::Scalar type, const std::vector<ir::Value>& values,
                        const std::vector<std::int64_t>& addresses);
/// Values by word, likewise; null for none.
schema::Json contents_json(ir::Scalar type,
                           const std::optional<std::vector<std::optional<ir::Value>>>& words);
schema::Json lanes_schema(const char* meaning);

} // namespace memlane
