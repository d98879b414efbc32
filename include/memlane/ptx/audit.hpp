// PTX held against the machine code that ptxas made of it. memlane executes and prices the PTX; a
// GPU executes the machine code, whose loads and stores ptxas may have merged, repeated or added.
#pragma once

#include "memlane/ptx/cubin.hpp"
#include "memlane/ptx/module.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::ptx {

/// Instructions that are compared. Loads of parameters and constants are not: machine code reads
/// them as operands, too.
// X(enumerator, one, several)
#define MEMLANE_MEMORY_ACCESSES(X)                                                                 \
  X(global_load, "global load", "global loads")                                                    \
  X(global_store, "global store", "global stores")                                                 \
  X(shared_load, "shared load", "shared loads")                                                    \
  X(shared_store, "shared store", "shared stores")                                                 \
  X(local_load, "local load", "local loads")                                                       \
  X(local_store, "local store", "local stores")                                                    \
  X(generic_load, "generic load", "generic loads")                                                 \
  X(generic_store, "generic store", "generic stores")                                              \
  X(global_atomic, "global atomic", "global atomics")                                              \
  X(shared_atomic, "shared atomic", "shared atomics")                                              \
  X(generic_atomic, "generic atomic", "generic atomics")                                           \
  X(async_copy, "asynchronous copy", "asynchronous copies")                                        \
  X(matrix_load, "matrix load", "matrix loads")                                                    \
  X(shuffle, "shuffle", "shuffles")

enum class MemoryAccess : std::uint8_t {
#define MEMLANE_MEMORY_ACCESS(name, one, several) name,
  MEMLANE_MEMORY_ACCESSES(MEMLANE_MEMORY_ACCESS)
#undef MEMLANE_MEMORY_ACCESS
};
/// In words, for one or several of them.
std::string_view name_of(MemoryAccess access, std::int64_t count = 1);

/// How many instructions of a kind and width both texts have.
struct ComparedAccess {
  MemoryAccess access = MemoryAccess::global_load;
  int bits = 0; ///< of a lane; 0: of loads and stores only, others are compared without a width
  std::int64_t ptx = 0, machine = 0;
};

/// One kernel, its PTX against its machine code.
struct KernelAudit {
  std::uint32_t architecture = 0; ///< of the machine code: 80 is sm_80
  bool counted = false;           ///< memlane knows the instructions of this architecture
  std::int64_t instructions = 0;
  /// Kinds and widths that either has, ordered; none if they were not counted.
  std::vector<ComparedAccess> accesses;
  /// What differs, in plain words, a sentence for each kind of access: what was counted, and why it
  /// differs where the counts alone prove it. None: nothing, or nothing was counted.
  std::vector<std::string> differences;
  /// What the comparison does not cover; empty: nothing.
  std::string note;
};

/// Compares a kernel of the module with its machine code: its own instructions and those of the
/// functions that it calls, each once, except for functions whose machine code is elsewhere.
/// Requires kernel < module.functions.size(). Cost: linear in the PTX.
KernelAudit audit_of(const Module& module, std::size_t kernel, const Cubin& cubin,
                     const CubinKernel& machine);

} // namespace memlane::ptx
