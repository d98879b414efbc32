// CUDA kernels that ptx::Pricing has priced, as people and programs read them. What `memlane ptx`
// and the runtime library of `memlane cuda` share.
#pragma once

#include "memlane/ptx/device.hpp"
#include "memlane/ptx/price.hpp"
#include "memlane/show/run_report.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace memlane {

/// The whole file; none: it cannot be read, or has more than `most` bytes.
std::optional<std::string> file_text(const std::string& path, std::size_t most);

/// Reads the sources that PTX names: as it names them, else in the program's folder. Headers of
/// CUDA's toolkit are no sources of the user's. `tell`: of a source that has been changed since the
/// program was made, a note says so.
ptx::ReadSource source_reader(const std::string& program,
                              std::function<void(const std::string&)> tell = {});

/// A kernel of a program, its machine code against its PTX.
MachineCode machine_code_of(const ptx::KernelInfo& kernel);

/// What was priced so far, of a file with kernels. The caller adds the host, the seed and how the
/// machine was chosen.
RunReport priced_report(const ptx::Pricing& pricing, const MachineSpec& machine,
                        const std::string& path, const std::string& sha256);

} // namespace memlane
