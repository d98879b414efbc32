// Runs of both engines. Where they differ, the smallest program on which they do is shown.
#pragma once

#include "memlane/machine/spec.hpp"

#include <climits>
#include <cstdint>
#include <string>

namespace memlane::test {

struct EngineCase {
  std::string text;
  MachineSpec machine;
  int tile_lanes = 0;
  std::int64_t steps = 2'000'000; ///< the limit
  int polls = INT_MAX;            ///< how often the caller is asked before it says stop
  std::size_t threads = 1;        ///< that execute blocks
  std::int64_t least = 0;         ///< instructions of a launch that several serve
};

/// The difference of the engines; empty: none, or the text is not a program.
std::string difference(const EngineCase& at, bool* was_fast = nullptr);

/// Adds 1 to `done` if the fast engine makes the run of program `seed`. Fails, with the smallest
/// program that does so, if the engines differ, or the text is no program.
void check_engines(std::uint64_t seed, const EngineCase& at, std::int64_t& done);

/// Runs every other program in tiles of one or two warps, like large blocks.
EngineCase case_of(std::uint64_t seed, const std::string& text, const MachineSpec& machine);

} // namespace memlane::test
