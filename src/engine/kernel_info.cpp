#include "memlane/engine/kernel_info.hpp"

namespace memlane {

namespace {

/// A machine with one memory unit serves all arrays with it (configs/README.md section 1).
UnitId unit_of(const MachineSpec& machine, ir::Space space) {
  if (!machine.global) return UnitId::shared;
  return machine.shared && space == ir::Space::shared ? UnitId::shared : UnitId::global;
}

} // namespace

OperationClass operation_of(const ir::Instruction& in) {
  if (in.op == ir::Opcode::tensor) return OperationClass::tensor;
  const bool converts = in.op == ir::Opcode::convert;
  const auto source = static_cast<ir::Scalar>(in.immediate);
  if (in.type == ir::Scalar::float64 || (converts && source == ir::Scalar::float64))
    return OperationClass::double_;
  switch (in.op) {
  case ir::Opcode::sqrt:
  case ir::Opcode::sin:
  case ir::Opcode::cos:
  case ir::Opcode::exp: return OperationClass::special;
  case ir::Opcode::div:
  case ir::Opcode::rem:
    return ir::is_integer(in.type) ? OperationClass::division : OperationClass::other;
  case ir::Opcode::log2:
  case ir::Opcode::pow:
    return ir::is_integer(in.type) ? OperationClass::other : OperationClass::special;
  default: return OperationClass::other;
  }
}

std::vector<std::size_t> memory_instructions(const ir::Function& kernel) {
  std::vector<std::size_t> sites;
  for (std::size_t at = 0; at < kernel.code.size(); ++at)
    if (ir::makes_request(kernel.code[at].op)) sites.push_back(at);
  return sites;
}

KernelInfo kernel_info(const ir::Program& program, const ir::Function& kernel,
                       const MachineSpec& machine, const Sources& sources) {
  KernelInfo info;
  info.name = kernel.name;
  info.variables = kernel.variables;
  const auto line_of = [&](Span span) {
    return span.known() ? SourceLine(span.file, sources.begin(span).line) : SourceLine(0, 0);
  };
  info.instructions.resize(kernel.code.size());
  for (std::size_t at = 0; at < kernel.code.size(); ++at) {
    const ir::Instruction& in = kernel.code[at];
    InstructionInfo& own = info.instructions[at];
    own.counted = in.counted;
    if (in.counted) own.operation = operation_of(kernel.original(at));
    own.in_request = in.counted && ir::is_atomic(in.op);
    own.barrier = in.op == ir::Opcode::barrier;
    own.statement = in.statement;
    // Counts by line need no others; waits may be any instruction's.
    if (in.counted || machine.is_beyond_papers()) own.line = line_of(in.span);
    if (in.op == ir::Opcode::call)
      info.calls.push_back({at, static_cast<std::size_t>(in.immediate)});
  }
  for (const std::size_t at : memory_instructions(kernel)) {
    const ir::Instruction& in = kernel.code[at];
    const auto array = static_cast<std::int32_t>(in.immediate);
    const ir::Space space = program.arrays[static_cast<std::size_t>(array)].space;
    const SourceLine line = info.instructions[at].line = line_of(in.span);
    info.sites.push_back({unit_of(machine, space), access_kind(in.op), at, array,
                          space == ir::Space::memory, in.statement, line, false,
                          ir::is_atomic(in.op) && in.d >= 0});
  }
  for (const ir::Statement& statement : kernel.statements) {
    info.statements.push_back({statement.first, statement.performs, line_of(statement.span)});
    info.all_statements = info.all_statements && !statement.left_out;
  }
  return info;
}

} // namespace memlane
