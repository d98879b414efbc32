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

/// Compiles emitted texts as one program, `emitted` in the playground. Its first argument is the
/// index of the text that it runs, the others are that program's.
void compile_together(const Playground& playground, const std::vector<std::string>& programs);

/// Every array of every run of every case, in both orders of the threads, is that of the simulator.
/// The cases are compiled together.
void check_emitted(const Playground& playground, const std::vector<EmittedCase>& cases);

} // namespace memlane::test
