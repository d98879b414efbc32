// Emitted programs, held against the simulator: on the CPU, compiled by this build's compiler over
// fibres; under `memlane cuda`, compiled by nvcc.
#pragma once

#include "cli/shell.hpp"

#include <map>
#include <string>
#include <vector>

namespace memlane::test {

/// A program as it is emitted, and the parameters with which it is run: of the simulator's command
/// line, `n=64 s=3`.
struct EmittedCase {
  std::string program; ///< or its path
  std::string options; ///< of emit-cuda and run alike: machine, replacements, parameters
  std::vector<std::string> runs = {""};
  /// Arrays whose content depends on the order of atomics. What such a program reads does, too: the
  /// stages of its lines are not compared.
  std::vector<std::string> unordered = {};
};

/// The shipped programs by groups, a test each, so that several run at once. A program that is new
/// has to be in one.
const std::map<std::string, std::vector<EmittedCase>>& shipped_cases();
/// Those of every second program of a group, from the one of this number on; in `nightly` of all.
std::vector<EmittedCase> cases_of_turn(const std::string& group, std::size_t first);

/// Compiles a file for the CPU, `name.cu` in the playground, to `name`. Fails the test with the
/// compiler's words.
void compile_for_host(const Playground& playground, const std::string& name,
                      const std::string& options = "");

/// Compiles emitted texts as one program, `emitted` in the playground. Its first argument is the
/// index of the text that it runs, the others are that program's.
void compile_together(const Playground& playground, const std::vector<std::string>& programs);

/// Every array of every run of every case, in both orders of the threads, is that of the simulator.
/// The cases are compiled together.
void check_emitted(const Playground& playground, const std::vector<EmittedCase>& cases);

/// What one line of a program costs.
struct LineCost {
  long long requests = 0, stages = 0;
  bool operator==(const LineCost&) const = default;
};

/// Where nvcc's code rightly makes other requests than the program, in one run of it.
struct OtherRequests {
  std::string program, run; ///< of the case
  std::string line;         ///< `contiguous.lane:8`
  LineCost compiled;        ///< what nvcc's code makes
  const char* why;
};

/// Accesses to elements of 64 bits: as many requests, but of two words a thread. A half of the warp
/// takes at most twice the stages that the simulator has for the warp.
struct WideLines {
  std::string program, option;    ///< of cases; the option is among theirs
  std::vector<std::string> lines; ///< none: any
};

/// The same as check_emitted() of what nvcc makes, run by `memlane cuda`; and each line of the
/// program makes the simulator's requests with its stages, except those in the tables. Each row of
/// these has to be true of a run.
void check_executed(const Playground& playground, const std::string& nvcc,
                    const std::vector<EmittedCase>& cases, const std::vector<OtherRequests>& others,
                    const std::vector<WideLines>& wide);

} // namespace memlane::test
