#include "device_faults.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::ptx {

FaultCause cause_of(const Fault& fault) {
  switch (fault.kind) {
  case FaultKind::outside:
    return fault.space == Space::shared || fault.space == Space::local ? FaultCause::shared_address
                                                                       : FaultCause::address;
  case FaultKind::freed: return FaultCause::address;
  case FaultKind::misaligned: return FaultCause::misaligned;
  case FaultKind::uninitialised: return FaultCause::uninitialised;
  case FaultKind::inactive:
  case FaultKind::parted_barrier: return FaultCause::lanes;
  case FaultKind::no_function: return FaultCause::call;
  case FaultKind::too_deep: return FaultCause::stack;
  default: return FaultCause::trap;
  }
}

namespace {

std::string_view verb_of(const Step* step) {
  if (!step || !step->op) return "access";
  switch (row_of(step->op->opcode).effects) {
  case Effects::reads: return "read";
  case Effects::writes: return "write";
  case Effects::updates: return "atomic update";
  default: return "access";
  }
}

/// Where an address that is in no allocation is: what it may have been meant for.
std::string neighbour_of(const Fault& fault, const DeviceMemory& memory) {
  if (fault.address < 4096) return "; this is a null pointer with an offset";
  // A page's worth before the address is where an index that is too large comes from.
  for (const std::uint64_t back : {std::uint64_t{1}, std::uint64_t{4096}}) {
    if (back > fault.address) break;
    const DeviceMemory::Range* range = memory.find(fault.address - back);
    if (!range) continue;
    const std::string what =
        range->name.empty() ? fmt::format("an allocation of {} bytes", range->end - range->begin)
                            : range->name;
    const std::uint64_t behind = fault.address - range->end;
    return behind == 0 ? fmt::format("; {} ends there", what)
                       : fmt::format("; {} ends {} bytes before it", what, behind);
  }
  return "; if it is memory of the host, copy it or use cudaMallocManaged";
}

} // namespace

std::string message_of(const Fault& fault, const DeviceMemory& memory) {
  const std::string_view space = fault.space == Space::generic ? "" : name_of(fault.space);
  const std::string place =
      fmt::format("{} of {} bytes at {}{}{:#x}", verb_of(fault.step), fault.bytes, space,
                  space.empty() ? "" : " ", fault.address);
  switch (fault.kind) {
  case FaultKind::outside:
    if (fault.space == Space::shared) return place + ": it is beyond the block's shared memory";
    if (fault.space == Space::local) return place + ": it is beyond the thread's local memory";
    return fmt::format("{}: no allocation has this address{}", place, neighbour_of(fault, memory));
  case FaultKind::freed: return place + ": this memory has been freed";
  case FaultKind::misaligned:
    return fmt::format("{}: the address is no multiple of {}", place, fault.bytes);
  case FaultKind::uninitialised: return place + ": nothing has written this word";
  case FaultKind::inactive: return "a value of a lane that takes no part is read";
  case FaultKind::trapped: return "the kernel ends itself (trap)";
  case FaultKind::no_function: return "a call to an address that is no function";
  case FaultKind::too_deep: return "more nested calls than a thread's stack has";
  case FaultKind::parted_barrier: return "not all threads of the warp reach this barrier together";
  default: return "it fails";
  }
}

void set_place(LaunchFault& said, const Fault& fault, const Module& module,
               const Sources& sources) {
  if (!fault.step || !fault.step->op) return;
  const Operation& op = *fault.step->op;
  if (op.location >= 0) {
    const Location& at = module.locations[static_cast<std::size_t>(op.location)];
    const auto path = module.files.find(at.file);
    if (at.line > 0 && path != module.files.end()) {
      said.path = path->second;
      said.line = at.line;
      return;
    }
  }
  if (!op.span.known()) return;
  said.path = sources.path(op.span.file);
  said.line = sources.begin(op.span).line;
}

std::string text_of(const LaunchFault& fault) {
  const auto dim = [](const Dim3& d) { return fmt::format("({},{},{})", d[0], d[1], d[2]); };
  std::string place = fault.path;
  if (fault.line > 0) place += fmt::format(":{}", fault.line);
  if (!place.empty()) place += ": ";
  const std::string thread =
      fault.cause == FaultCause::waits_for_ever
          ? ""
          : fmt::format(" (block {}, thread {})", dim(fault.block), dim(fault.thread));
  return fmt::format("{}kernel {}: {}{}", place, fault.kernel, fault.message, thread);
}

std::string text_of(LaunchRefusal refusal, const Launch& launch, const Device& device) {
  const DeviceProperties& has = device.properties();
  const KernelInfo& info = device.kernel(launch.kernel);
  const auto dim = [](const Dim3& d) { return fmt::format("({},{},{})", d[0], d[1], d[2]); };
  switch (refusal) {
  case LaunchRefusal::none: return "nothing is wrong";
  case LaunchRefusal::empty_shape:
    return fmt::format("a launch of {} blocks of {} threads: each extent must be at least 1",
                       dim(launch.grid), dim(launch.block));
  case LaunchRefusal::shape_too_large:
    return fmt::format(
        "a launch of {} blocks of {} threads; the most are {} blocks and {} threads, "
        "{} threads in all",
        dim(launch.grid), dim(launch.block), dim(has.most_blocks), dim(has.most_threads),
        has.threads_of_block);
  case LaunchRefusal::other_shape:
    return fmt::format("blocks of {} threads; the kernel was compiled for other ones "
                       "(__launch_bounds__)",
                       dim(launch.block));
  case LaunchRefusal::shared_too_large:
    return fmt::format("{} bytes of static and {} of dynamic shared memory; a block has {}, with "
                       "cudaFuncSetAttribute {}",
                       info.static_shared, launch.dynamic_shared, has.shared_of_block,
                       has.shared_of_block_at_most);
  case LaunchRefusal::registers:
    return fmt::format("{} threads with {} registers each; a block has {}",
                       threads_of(launch.block), info.registers, has.registers_of_block);
  case LaunchRefusal::not_resident:
    return fmt::format("a cooperative launch of {} blocks; {} are resident at once",
                       launch.grid[0] * launch.grid[1] * launch.grid[2],
                       has.multiprocessors * device.resident_blocks(launch.kernel,
                                                                    threads_of(launch.block),
                                                                    launch.dynamic_shared));
  case LaunchRefusal::wrong_parameters:
    return fmt::format("{} bytes of parameters; the kernel has {}", launch.parameters.size(),
                       info.parameter_bytes);
  }
  return {};
}

} // namespace memlane::ptx
