// A checked program as CUDA C++: one standalone file that a person can read.
#pragma once

#include "memlane/lang/lower.hpp"
#include "memlane/machine/spec.hpp"

#include <string>
#include <utility>
#include <vector>

namespace memlane::cuda {

/// What is emitted, and what the file says of itself.
struct EmitRequest {
  const lang::Checked& checked;
  const lang::Bindings& bindings; ///< the machine's letters, and values of parameters
  const MachineSpec& machine;
  const Sources& sources;
  std::string program, sha256; ///< their names in lines of measurements
  std::vector<std::pair<std::string, std::string>> replaced; ///< option with dashes, and text
  std::string command;                                       ///< how the file was made
  std::string problem; ///< what the program computes, its name in lines of measurements; or empty
  bool prints = false; ///< keeps the program's `print` statements
  bool wmma = false;   ///< products of tiles use tensor cores where wmma has their shape and type
  /// The file's name, if `#line` is to relate its code to the program's lines; or empty.
  std::string lines_in;
};

struct Emitted {
  std::string text;
  std::vector<std::string> run_time; ///< parameters that the emitted program takes as options
  std::vector<std::string> fixed;    ///< parameters that the text depends on
  Diagnostics warnings;              ///< loops that may wait for another block
};

/// The program as CUDA C++ for blocks of the machine's threads: kernels, then the harness, then
/// main, verify and memory as host code. An error with a place for what CUDA cannot do: another
/// width than 32, more than 1024 threads, rounds of a `forall sync` without a bound.
/// Cost: the size of the program with its procs and fns inlined.
Result<Emitted> emit_cuda(const EmitRequest& request);

/// Kernels written by hand and calls of CUB, to be measured beside the emitted ones.
struct WrittenKernel {
  std::string name;    ///< name of its file
  std::string program; ///< the program that solves the same problem
  std::string variant; ///< its name in lines of measurements
};
const std::vector<WrittenKernel>& written_kernels();

/// The kernel as one standalone file. `sha256` and `machine` are those of the emitted program
/// beside it; `problem` may be empty.
std::string written_cuda(const WrittenKernel& kernel, const std::string& sha256,
                         const MachineSpec& machine, const std::string& problem);

/// The script that builds and runs files with nvcc; `rows` are its points, a line each: file
/// without ending, program, variant, parameters as `n=64 s=3`.
std::string measure_script(const std::string& rows);

} // namespace memlane::cuda
