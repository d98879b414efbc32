// `memlane ptx --try`: the same launches on a changed machine, beside the run.
#pragma once

#include "program.hpp"
#include "ptx_run.hpp"

#include "memlane/show/run_report.hpp"
#include "memlane/support/change.hpp"

#include <string>
#include <vector>

namespace memlane::cli {

/// A change of --try and the machine that it makes.
struct MachineTry {
  std::vector<Change> changes;
  LoadedMachine machine;
};

/// Reads every --try. Errors: those of read_machine_changes, and a machine that a change makes
/// wrong or unfit for CUDA's warps.
Result<std::vector<MachineTry>> read_machine_tries(const PtxRequest& request,
                                                   const LoadedMachine& machine, Sources& sources);

struct TriedMachines {
  std::vector<AddedPart> parts;
  Exit exit = Exit::done; ///< what they ask for
};

/// Runs the launches on each changed machine. `run`: the run without a change, on `machine`, which
/// came to its end.
TriedMachines try_machines(const PtxRequest& request, const std::string& ptx, const PtxRun& run,
                           const MachineSpec& machine, const std::vector<MachineTry>& tries,
                           Sources& sources);

} // namespace memlane::cli
