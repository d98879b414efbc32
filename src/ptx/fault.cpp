#include "memlane/ptx/fault.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

namespace memlane::ptx {

namespace {

struct FaultRow {
  std::string_view name;
  bool allowed;
};
constexpr FaultRow fault_rows[] = {
#define MEMLANE_PTX_FAULT(kind, name, allowed) {name, allowed},
    MEMLANE_PTX_FAULTS(MEMLANE_PTX_FAULT)
#undef MEMLANE_PTX_FAULT
};

std::string in_brackets(const std::array<std::int64_t, 3>& extents) {
  return fmt::format("({}, {}, {})", extents[0], extents[1], extents[2]);
}

std::string line_of(const Module& module, const Location& location) {
  const auto file = module.files.find(location.file);
  if (file == module.files.end() || location.line <= 0) return {};
  return fmt::format("{}:{}", file->second, location.line);
}

const Location* location_of(const Module& module, std::int32_t index) {
  return index >= 0 && static_cast<std::size_t>(index) < module.locations.size()
             ? &module.locations[static_cast<std::size_t>(index)]
             : nullptr;
}

/// Headers of CUDA, which users did not write.
bool is_of_cuda(const Module& module, const Location& location) {
  const auto file = module.files.find(location.file);
  if (file == module.files.end()) return false;
  const std::size_t cuda = file->second.find("cuda");
  return cuda != std::string::npos && file->second.find("/include/", cuda) != std::string::npos;
}

/// The lines of an operation, from the innermost to the one into which all are inlined.
std::vector<const Location*> lines_of(const Module& module, const Operation& operation) {
  std::vector<const Location*> lines;
  for (const Location* one = location_of(module, operation.location);
       // The chain cannot be longer than the table that it goes through.
       one && lines.size() < module.locations.size(); one = location_of(module, one->inlined_at))
    lines.push_back(one);
  return lines;
}
/// The line that the user wrote.
std::size_t own_line(const Module& module, const std::vector<const Location*>& lines) {
  for (std::size_t k = 0; k < lines.size(); ++k)
    if (!is_of_cuda(module, *lines[k])) return k;
  return 0;
}

/// `reads`, `writes`, or both.
std::string_view access_of(const ThreadFault& fault) {
  if (!fault.operation) return "accesses";
  switch (row_of(fault.operation->opcode).effects) {
  case Effects::reads: return "reads";
  case Effects::writes: return "writes";
  case Effects::updates: return "updates";
  default: return "accesses";
  }
}

std::string place_in_memory(const ThreadFault& fault) {
  if (fault.space == Space::global || fault.space == Space::generic ||
      fault.space == Space::constant)
    return fmt::format("at address {:#x}", fault.address);
  // Addresses of shared memory have 32 bits: one before it is told as that.
  const auto byte = fault.space == Space::shared
                        ? std::int64_t{static_cast<std::int32_t>(fault.address)}
                        : static_cast<std::int64_t>(fault.address);
  return fmt::format("at byte {} of {} memory", byte, name_of(fault.space));
}

/// What the thread does wrong, behind `thread (0, 0, 0) of block (0, 0, 0) `.
std::string deed_of(const ThreadFault& fault) {
  const auto access = [&](std::string_view why) {
    return fmt::format("{} {} {}, {}", access_of(fault), counted(fault.bytes, "byte"),
                       place_in_memory(fault), why);
  };
  switch (fault.kind) {
  case FaultKind::outside:
    if (fault.operation && uses_object(fault.operation->opcode))
      return fmt::format("{} {} outside of its surface", access_of(fault),
                         counted(fault.bytes, "byte"));
    return access("which is outside of all allocations and variables");
  case FaultKind::freed: return access("which has been freed");
  case FaultKind::misaligned: return access("which is no multiple of that size");
  case FaultKind::uninitialised: return access("which no thread has written");
  case FaultKind::inactive: return "takes a value from a lane that does not execute the shuffle";
  case FaultKind::absent:
    return "executes an operation of its warp whose mask names lanes that do not come, or not its "
           "own lane";
  case FaultKind::parted_barrier: return "reaches a barrier without the other lanes of its warp";
  case FaultKind::stuck_barrier:
    return "waits at a barrier that can never open: all other threads wait or have ended";
  case FaultKind::wrong_mbarrier: return "uses an mbarrier that cannot serve it";
  case FaultKind::no_object: return "uses a texture or surface object that does not exist";
  case FaultKind::asserted: return "fails an assertion";
  case FaultKind::trapped: return "executes a trap";
  case FaultKind::no_function: return "calls what is no function that memlane has";
  case FaultKind::too_deep: return "has too many nested calls or too much local memory";
  case FaultKind::waits_for_ever:
    return "waits for ever: no thread under way does what all of them wait for";
  case FaultKind::none:
  case FaultKind::count: break;
  }
  return "goes on";
}

std::vector<std::string> help_of(const ThreadFault& fault) {
  std::vector<std::string> help;
  switch (fault.kind) {
  case FaultKind::uninitialised:
    help.emplace_back(
        "write the word before; if another warp does that, wait for it with __syncthreads()");
    break;
  case FaultKind::inactive:
  case FaultKind::absent:
    help.emplace_back("give the shuffle, vote or barrier the mask of the lanes that execute it");
    break;
  case FaultKind::parted_barrier:
  case FaultKind::stuck_barrier:
    help.emplace_back("move the barrier out of the branch, so that all threads of the block reach "
                      "it");
    break;
  case FaultKind::waits_for_ever:
    help.emplace_back("does the loop end, if nothing else writes what it reads?");
    help.emplace_back("blocks that wait for each other need a cooperative launch on a GPU");
    break;
  case FaultKind::no_object:
    help.emplace_back(
        "make it with cudaCreateTextureObject or cudaCreateSurfaceObject, and destroy "
        "it after the launch");
    break;
  case FaultKind::no_function:
    help.emplace_back("link the program with the file that defines it (nvcc -rdc=true)");
    break;
  case FaultKind::too_deep:
    help.emplace_back(fault.operation && fault.operation->opcode == Opcode::alloca
                          ? "allocate less, or place the array in global memory"
                          : "does the recursion end?");
    break;
  default: break;
  }
  if (may_be_allowed(fault.kind))
    help.push_back(fmt::format("--allow-{} counts such faults and goes on", name_of(fault.kind)));
  return help;
}

} // namespace

std::string_view name_of(FaultKind kind) { return fault_rows[static_cast<std::size_t>(kind)].name; }
bool may_be_allowed(FaultKind kind) {
  const auto number = static_cast<std::size_t>(kind);
  return fault_rows[number].allowed && !harmless_faults[number];
}
std::optional<FaultKind> fault_named(std::string_view name) {
  for (std::size_t k = 1; k < std::size(fault_rows); ++k)
    if (fault_rows[k].name == name) return static_cast<FaultKind>(k);
  return std::nullopt;
}

std::string source_line(const Module& module, const Operation& operation) {
  const std::vector<const Location*> lines = lines_of(module, operation);
  return lines.empty() ? std::string() : line_of(module, *lines[own_line(module, lines)]);
}

Diagnostic diagnostic_of(const Module& module, const ThreadFault& fault, bool allowed) {
  std::string message = fmt::format("thread {} of block {} {}", in_brackets(fault.thread),
                                    in_brackets(fault.block), deed_of(fault));
  if (!fault.detail.empty()) message += ": " + fault.detail;
  message += fmt::format(", in kernel {}", fault.kernel);
  if (fault.times > 1) message += fmt::format(" (the first of {} times)", fault.times);
  Diagnostic made =
      error_in(fault.operation ? source_line(module, *fault.operation) : "", std::move(message),
               allowed ? std::vector<std::string>() : help_of(fault));
  if (allowed) made.severity = Severity::warning;
  if (!fault.operation) return made;
  if (module.locations.empty())
    made.help.emplace_back("nvcc -lineinfo gives messages and tables the lines of the source");
  const std::vector<const Location*> lines = lines_of(module, *fault.operation);
  const std::size_t own = own_line(module, lines);
  for (std::size_t k = 0; k < lines.size(); ++k) {
    if (k == own) continue;
    Diagnostic note =
        error_in(line_of(module, *lines[k]), k < own ? "the inlined code" : "inlined here");
    note.severity = Severity::note;
    made.notes.push_back(std::move(note));
  }
  made.notes.push_back(note_at(fault.operation->span, "the instruction"));
  return made;
}

} // namespace memlane::ptx
