// What the code says of its instructions, as far as counts depend on it: a tally says how often,
// this says what.
#pragma once

#include "memlane/engine/stream.hpp"
#include "memlane/ir/program.hpp"
#include "memlane/machine/spec.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace memlane {

/// A source line, as counts name it: file and number. Line 0: unknown.
using SourceLine = std::pair<std::int32_t, std::int32_t>;

/// A memory instruction.
struct SiteFacts {
  UnitId unit = UnitId::global; ///< of this machine, which serves its requests
  bool write = false;
  SourceLine line{0, 0};
  bool global = false;         ///< it accesses a memory array: a global operand (section 6)
  std::int32_t statement = -1; ///< index into Function::statements; -1: none that costs
};

/// A call of a fn.
struct CallFacts {
  std::size_t instruction = 0;
  std::size_t fn = 0; ///< index into Program::fns
};

/// Of a kernel, or of the lines of a trace.
struct CodeFacts {
  std::vector<SiteFacts> sites;       ///< by Tally::requests
  std::vector<std::size_t> operators; ///< instructions that are counted operators
  std::vector<CallFacts> calls;
};

CodeFacts facts_of(const ir::Program& program, const ir::Function& kernel,
                   const MachineSpec& machine, const Sources& sources);

} // namespace memlane
