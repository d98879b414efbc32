// Static facts of instructions that counts depend on. A tally says how often an instruction was
// executed, its facts say what it is.
#pragma once

#include "memlane/count/counts.hpp"
#include "memlane/engine/stream.hpp"
#include "memlane/ir/program.hpp"
#include "memlane/machine/spec.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace memlane {

/// A memory instruction.
struct SiteFacts {
  UnitId unit = UnitId::global; ///< that serves its requests on this machine
  bool write = false;
  SourceLine line{0, 0};
  std::size_t instruction = 0; ///< of the kernel's code; of a trace 0
  std::int32_t array = -1;     ///< index into Program::arrays; -1: of a trace
  bool global = false;         ///< it accesses a memory array: a global operand (section 6)
  std::int32_t statement = -1; ///< index into Function::statements; -1: no costed statement
};

/// An instruction that is a counted operator.
struct OperatorFacts {
  std::size_t instruction = 0;
  std::int32_t statement = -1; ///< as in SiteFacts
  SourceLine line{0, 0};
};

/// A statement that costs, as in Function::statements.
struct StatementFacts {
  std::size_t first = 0; ///< the instruction that each execution executes once
  ir::Performs performs = ir::Performs::never;
  SourceLine line{0, 0};
};

/// A call of a fn.
struct CallFacts {
  std::size_t instruction = 0;
  std::size_t fn = 0; ///< index into Program::fns
};

/// The facts of a kernel's code, or of a trace's lines.
struct CodeFacts {
  std::vector<SiteFacts> sites; ///< by Tally::requests
  std::vector<OperatorFacts> operators;
  std::vector<StatementFacts> statements;
  std::vector<CallFacts> calls;
  /// Each execution of a statement is seen. Not in a trace, nor where ir::without_data has left
  /// statements out.
  bool all_statements = true;
};

CodeFacts facts_of(const ir::Program& program, const ir::Function& kernel,
                   const MachineSpec& machine, const Sources& sources);

} // namespace memlane
