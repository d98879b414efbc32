// A checked program as CUDA C++: one standalone file that a person can read.
#pragma once

#include "memlane/lang/lower.hpp"
#include "memlane/machine/spec.hpp"

#include <string>
#include <utility>
#include <vector>

namespace memlane::gpu {

/// What is emitted, and what the file says of itself.
struct EmitRequest {
  const lang::Checked& checked;
  const lang::Bindings& bindings; ///< the machine's letters, and values of parameters
  const MachineSpec& machine;
  const Sources& sources;
  std::string program, sha256;                               ///< as lines of measurements name them
  std::vector<std::pair<std::string, std::string>> replaced; ///< option with dashes, and text
  std::string command;                                       ///< how the file was made
};

struct Emitted {
  std::string text;
  std::vector<std::string> run_time; ///< parameters that the emitted program takes as options
  std::vector<std::string> fixed;    ///< parameters that the text depends on
};

/// The program as CUDA C++ for blocks of the machine's threads: kernels, then the harness, then
/// main, verify and memory as host code. An error with a place for what CUDA cannot do: another
/// width than 32, more than 1024 threads, rounds of a `forall sync` without a bound.
/// Cost: the size of the program with its procs and fns inlined.
Result<Emitted> emit_cuda(const EmitRequest& request);

} // namespace memlane::gpu
