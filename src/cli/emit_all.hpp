// Programs as CUDA C++: one, or with --all what is measured of the shipped programs.
#pragma once

#include "command.hpp"
#include "options.hpp"

#include "memlane/cuda/emit.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memlane::cli {

struct EmitRequest {
  ProgramSelection program;
  MachineSelection machine;
  std::string problem; ///< --problem
  bool prints = false; ///< --print
  bool lines = false;  ///< --lines
  bool wmma = false;   ///< --wmma
  std::string command; ///< that emits the file, as the file says
  std::optional<std::string> output;
};
/// The request of `memlane emit-cuda NAME` with these options.
EmitRequest emit_request(const std::string& name, const std::vector<NameAndValue>& options);
/// The file, with warnings.
Result<cuda::Emitted> emit(Sources& sources, const EmitRequest& request);

/// The HMM that programs are measured on if none is asked for.
constexpr std::string_view measured_machine = "hmm-h200-plain";
/// Writes all shipped programs, the kernels written by hand, CUB's and measure.sh into a folder,
/// for an HMM.
Status emit_all(const std::string& path, const MachineSelection& machine, Sources& sources);

/// What measure.sh runs, a point a line: file, program, variant, parameters.
Result<std::string> measured_points(Sources& sources);

} // namespace memlane::cli
