// Functions that PTX declares and the driver defines: vprintf and __assertfail, as nvcc calls them.
#pragma once

#include "memory.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memlane::ptx {

/// Where a call's argument or result is: `stride` bytes from lane to lane.
struct ParamPlace {
  std::uint8_t* of_lane_0 = nullptr;
  std::int64_t stride = 0, bytes = 0;
};

struct BuiltinCall {
  std::string_view function;
  std::vector<ParamPlace> arguments, results;
};

bool is_builtin(std::string_view function);

/// Executes it for the lanes of the mask. False: Memories::fault, such as that there is no such
/// function.
bool execute_builtin(Warp& warp, const Step& step, const BuiltinCall& call);

/// Bytes that a generic address of a lane gives, in any memory; null: it has none.
const std::uint8_t* readable(Memories& memories, std::uint64_t address, std::uint64_t bytes);

} // namespace memlane::ptx
