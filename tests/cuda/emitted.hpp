// Emitted programs on the CPU: compiled by this build's compiler over fibres, held against the
// simulator.
#pragma once

#include "cli/shell.hpp"

#include <string>
#include <vector>

namespace memlane::test {

/// A program as it is emitted, and the parameters with which it is run: of the simulator's command
/// line, `n=64 s=3`.
struct EmittedCase {
  std::string program; ///< or its path
  std::string options; ///< of emit-cuda and run alike: machine, replacements, parameters
  std::vector<std::string> runs = {""};
};

/// Compiles a file for the CPU, `name.cu` in the playground, to `name`. Fails the test with the
/// compiler's words.
void compile_for_host(const Playground& playground, const std::string& name);

/// Every array of every run, in both orders of the threads, is that of the simulator.
void check_emitted(const Playground& playground, const EmittedCase& emitted);

} // namespace memlane::test
