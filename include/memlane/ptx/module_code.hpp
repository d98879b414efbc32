// Which of the code in fat binaries a device runs: the runtime library loads it, the command line
// reads it before the program begins.
#pragma once

#include "memlane/ptx/cubin.hpp"
#include "memlane/ptx/device.hpp"
#include "memlane/ptx/fat_binary.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memlane::ptx {

/// The texts of a module, and the machine code that was made of them.
struct ModuleCode {
  std::vector<PtxText> texts; ///< empty: there are no (more) texts
  std::optional<Cubin> cubin;
  std::uint32_t text_architecture = 0, code_architecture = 0; ///< 0: there is none
};

/// The code of a module: a fat binary, or several that were linked (nvcc -rdc=true). `rank` 0 has
/// the texts that a device of this capability would choose; higher ranks those that come next,
/// since an older text may do without an instruction that memlane does not execute. `machine_code`
/// has the cubin. Errors: what cannot be unpacked; machine code that cannot be read is left out.
Result<ModuleCode> module_code(const std::vector<FatBinary>& texts, const FatBinary& machine_code,
                               std::size_t rank, std::uint32_t capability,
                               const std::string& place);

/// Whether a fat binary has a kernel as machine code. nvcc gives programs without any kernel a fat
/// binary, too; one whose machine code cannot be read counts as having some.
bool has_machine_kernels(const FatBinary& fat, const std::string& place);

} // namespace memlane::ptx
