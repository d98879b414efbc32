// Cubins: what ptxas made of the PTX. Residency follows from registers and shared memory; numbers
// of memory instructions are held against the PTX's.
#pragma once

#include "memlane/support/result.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace memlane::ptx {

/// Instructions of one kind in machine code that access memory or other lanes, counted in the text,
/// not as executed.
struct MachineAccess {
  std::string_view name; ///< NVIDIA's: LDG, STS, ATOMG, SHFL, …
  int bits = 0;          ///< of a lane; 0: of another kind, such as atomics

  bool operator==(const MachineAccess&) const = default;
  // By hand, since libc++ 13 has no <=> of texts.
  bool operator<(const MachineAccess& other) const {
    return std::tie(name, bits) < std::tie(other.name, other.bits);
  }
};

struct CubinKernel {
  std::string name;
  int registers = 0;              ///< of a thread; 0: the cubin does not say
  std::int64_t static_shared = 0; ///< bytes of a block, without those that the system keeps
  std::int64_t instructions = 0;  ///< without those that fill the last line
  std::map<MachineAccess, std::int64_t> accesses;
};

struct Cubin {
  std::uint32_t architecture = 0; ///< 80: sm_80
  /// Whether the accesses were counted: memlane knows the instructions of this architecture.
  bool counted = false;
  std::vector<CubinKernel> kernels;
  /// Functions with machine code of their own, beside the kernels that call them (nvcc -rdc=true).
  std::vector<std::string> functions;

  const CubinKernel* find(std::string_view kernel) const;
};

/// Whether memlane knows which instructions of sm_ARCHITECTURE access memory.
bool knows_instructions(std::uint32_t architecture);

/// Reads a cubin of compute capability 7.0 or newer, whose instructions have 16 bytes.
/// `architecture`: as the fat binary's entry says. Of one that memlane does not know, it reads all
/// but the accesses. Cost: linear in the bytes and in kernels times sections.
Result<Cubin> read_cubin(std::string_view bytes, std::uint32_t architecture,
                         const std::string& place);

} // namespace memlane::ptx
