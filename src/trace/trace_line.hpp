// The lines of a trace: their keys, by which they are read, and the JSON Schema (trace_writer.hpp).
#pragma once

#include "memlane/engine/stream.hpp"
#include "memlane/support/json_record.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace memlane {

/// What a line says; each kind of line has some of it.
struct TraceLine {
  std::int64_t format = 1;
  std::int64_t width = 1;
  bool has_shared = false, has_global = false; ///< units of the header
  LaunchShape shape;
  std::int64_t launch = 0, block = 0, warp = 0;
  std::optional<std::int64_t> stage;
  std::size_t unit = 0;                 ///< 0: shared
  const JsonValue* addresses = nullptr; ///< one a lane
  std::int64_t line = 0;                ///< the program's line; 0: unknown
  std::string file;                     ///< of the line; empty: the program
  std::int64_t words = 1;               ///< of a lane
  bool is_volatile = false;             ///< a read
  bool uses_old = false;                ///< an atomic
  std::vector<std::int64_t> awaited;    ///< by a wait
  std::int64_t count = 0;               ///< the number of operators
  OperationClass operation = OperationClass::other;
  std::int64_t requests = 0;
  bool end = false;
};

const Record<TraceLine>& header_record();
const Record<TraceLine>& launch_record();
const Record<TraceLine>& request_record();
const Record<TraceLine>& compute_record();
const Record<TraceLine>& barrier_record();
const Record<TraceLine>& wait_record();
const Record<TraceLine>& end_record();

} // namespace memlane
