#include "memlane/count/code_facts.hpp"

#include "memlane/engine/tally.hpp"

namespace memlane {

namespace {

/// A machine with one memory unit serves all arrays with it (configs/README.md section 1).
UnitId unit_of(const MachineSpec& machine, ir::Space space) {
  if (!machine.global) return UnitId::shared;
  return machine.shared && space == ir::Space::shared ? UnitId::shared : UnitId::global;
}

} // namespace

CodeFacts facts_of(const ir::Program& program, const ir::Function& kernel,
                   const MachineSpec& machine, const Sources& sources) {
  CodeFacts facts;
  const auto line_of = [&](Span span) {
    return span.known() ? SourceLine(span.file, sources.begin(span).line) : SourceLine(0, 0);
  };
  for (const std::size_t at : memory_instructions(kernel)) {
    const ir::Instruction& in = kernel.code[at];
    const ir::Space space = program.arrays[static_cast<std::size_t>(in.immediate)].space;
    SiteFacts& site = facts.sites.emplace_back();
    site.unit = unit_of(machine, space);
    site.write = in.op != ir::Opcode::load;
    site.line = line_of(in.span);
    site.instruction = at;
    site.array = static_cast<std::int32_t>(in.immediate);
    site.global = space == ir::Space::memory;
    site.statement = in.statement;
  }
  for (std::size_t at = 0; at < kernel.code.size(); ++at) {
    const ir::Instruction& in = kernel.code[at];
    if (in.counted) facts.operators.push_back({at, in.statement, line_of(in.span)});
    if (in.op == ir::Opcode::call)
      facts.calls.push_back({at, static_cast<std::size_t>(in.immediate)});
  }
  for (const ir::Statement& statement : kernel.statements) {
    facts.statements.push_back({statement.first, statement.performs, line_of(statement.span)});
    facts.all_statements = facts.all_statements && !statement.left_out;
  }
  return facts;
}

} // namespace memlane
