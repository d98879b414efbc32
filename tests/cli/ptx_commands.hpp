// Commands of `memlane ptx` that several tests run.
#pragma once

#include "shell.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace memlane::test {

inline std::string transpose_command(const std::string& kernel, const std::string& more = "") {
  return "memlane ptx " + std::string(MEMLANE_SOURCE_DIR) +
         "/programs/cuda/transpose.ptx --launch '" + kernel +
         "<<<(8,8),(32,8)>>>(out: float[2^16], in: float[2^16] = 0.., 256)' " + more;
}

inline nlohmann::ordered_json priced_json(const Playground& playground,
                                          const std::string& command) {
  const Outcome outcome = playground.run(command + " --format json");
  INFO(command << "\n" << outcome.err);
  REQUIRE(outcome.status == 0);
  return nlohmann::ordered_json::parse(outcome.out);
}

/// The greatest number of stages that a request to the units had.
inline std::int64_t most_stages(const nlohmann::ordered_json& units) {
  std::int64_t most = 0;
  for (const nlohmann::ordered_json& unit : units)
    for (const nlohmann::ordered_json& entry : unit["congestion"])
      most = std::max(most, entry["stages"].get<std::int64_t>());
  return most;
}

} // namespace memlane::test
