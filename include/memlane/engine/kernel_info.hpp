// A kernel as machines time it and counters count it, whatever language it was written in: where
// its instructions stand in the source, and which of them are counted or make requests. A tally
// says how often an instruction was executed, this says what it is.
#pragma once

#include "memlane/ir/program.hpp"
#include "memlane/machine/spec.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memlane {

/// A line of a program: its file's number in Sources, and the line; {0, 0}: unknown.
using SourceLine = std::pair<std::int32_t, std::int32_t>;

enum class UnitId : std::uint8_t { shared, global };

/// What a request does with the words of its lanes. An atomic writes; it is counted among them.
enum class AccessKind : std::uint8_t { read, write, atomic };
constexpr bool writes(AccessKind kind) { return kind != AccessKind::read; }
/// Of an instruction that makes requests.
constexpr AccessKind access_kind(ir::Opcode op) {
  if (ir::is_atomic(op)) return AccessKind::atomic;
  return ir::writes_memory(op) ? AccessKind::write : AccessKind::read;
}
/// `read`, `write` or `atomic`.
constexpr std::string_view name_of(AccessKind kind) {
  return kind == AccessKind::read ? "read" : kind == AccessKind::write ? "write" : "atomic";
}
/// What a thread does in a message about a race, and what it did.
constexpr std::string_view verb_of(AccessKind kind) {
  return kind == AccessKind::read    ? "reads"
         : kind == AccessKind::write ? "writes"
                                     : "atomically updates";
}
constexpr std::string_view past_of(AccessKind kind) {
  return kind == AccessKind::read    ? "read"
         : kind == AccessKind::write ? "wrote"
                                     : "atomically updated";
}

struct InstructionInfo {
  bool counted = false;                             ///< a counted operator
  OperationClass operation = OperationClass::other; ///< of a counted one
  bool barrier = false;                             ///< warps of a block wait for each other
  std::int32_t statement = -1; ///< index into KernelInfo::statements; -1: no costed statement
  SourceLine line{0, 0};
  bool in_request = false; ///< its operator is part of its request: a counted atomic of a program
};

/// An instruction that makes requests.
struct SiteInfo {
  UnitId unit = UnitId::global; ///< the unit that serves its requests on this machine
  AccessKind kind = AccessKind::read;
  std::size_t instruction = 0; ///< index into KernelInfo::instructions
  std::int32_t array = -1;     ///< index into Program::arrays; -1: unknown
  bool global = false;         ///< it accesses a memory array: a global operand (section 6)
  std::int32_t statement = -1;
  SourceLine line{0, 0};
  bool is_volatile = false; ///< its reads ask memory each time
  bool uses_old = false;    ///< an atomic whose old value is used
};

/// A statement that costs, as in ir::Function::statements.
struct StatementInfo {
  std::size_t first = 0; ///< the instruction that each execution executes once
  ir::Performs performs = ir::Performs::never;
  SourceLine line{0, 0};
};

/// A call of a fn.
struct CallInfo {
  std::size_t instruction = 0;
  std::size_t fn = 0; ///< index into Program::fns
};

struct KernelInfo {
  std::string name;
  std::vector<InstructionInfo> instructions;
  std::vector<SiteInfo> sites; ///< in the order of the code; indexed as Tally::requests
  std::vector<StatementInfo> statements;
  std::vector<CallInfo> calls;
  std::span<const ir::Variable> variables; ///< those of the source, sorted by `first`
  /// Each execution of a statement is seen. Not in a trace, nor where ir::without_data has left
  /// statements out.
  bool all_statements = true;

  /// The site of an instruction. Requires that the instruction makes requests. O(log sites).
  const SiteInfo& site_of(std::size_t instruction) const {
    return *std::lower_bound(
        sites.begin(), sites.end(), instruction,
        [](const SiteInfo& site, std::size_t at) { return site.instruction < at; });
  }
};

/// What a counted operator is for units of operations (configs/README.md section 10).
OperationClass operation_of(const ir::Instruction& instruction);

/// Describes a compiled kernel on this machine. Refers to the kernel's variables. Cost: linear in
/// its code.
KernelInfo kernel_info(const ir::Program& program, const ir::Function& kernel,
                       const MachineSpec& machine, const Sources& sources);

/// The instructions of a kernel that make requests: loads, stores, deferred stores.
std::vector<std::size_t> memory_instructions(const ir::Function& kernel);

} // namespace memlane
