// What a sweep varies: read from a file (configs/sweeps/*.json) or from the command line.
#pragma once

#include "memlane/support/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memlane::sweep {

enum class AxisKind : std::uint8_t { parameter, machine_key, layout, fn, type };

/// A name and the values that it takes, as texts: `n` 1024, 2048; `shared.latency` 1, 10;
/// `layout t` rows, padded(1).
struct SweepAxis {
  AxisKind kind = AxisKind::parameter;
  std::string name;
  std::vector<std::string> values;
  Span span; ///< of the name
};

/// A program and what is replaced in it at every point (`layout`, `t=rows`).
struct SweptProgram {
  std::string name;
  std::vector<std::pair<std::string, std::string>> replaced;
  std::vector<std::pair<std::string, std::string>> definitions; ///< -D, for it alone
  Span span;
};

struct SweptMachine {
  std::string name;
  std::vector<std::string> overrides; ///< `key=value`
  Span span;
};

struct SweepSpec {
  std::string name;        ///< of the sweep; by default its file's or its first program's
  std::string description; ///< may be empty
  std::vector<SweptProgram> programs;
  std::vector<SweptMachine> machines;
  /// Axes that advance together; most groups have one.
  std::vector<std::vector<SweepAxis>> axes;
  std::string where; ///< a condition over parameters and machine letters; empty: all points
  Span where_span;
  std::vector<std::uint64_t> seeds = {1};
  bool timing_only = false;
  std::vector<std::pair<std::string, std::string>> inputs; ///< array and file
};

} // namespace memlane::sweep
