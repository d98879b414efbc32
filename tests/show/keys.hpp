// The keys of a JSON object, in their order.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace memlane::test {

using Json = nlohmann::ordered_json;
using Names = std::vector<std::string>;

inline Names keys_of(const Json& object) {
  Names keys;
  for (const auto& entry : object.items()) keys.push_back(entry.key());
  return keys;
}

} // namespace memlane::test
