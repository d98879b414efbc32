// A compiled program as text: the source line beside each instruction.
#pragma once

#include "memlane/ir/program.hpp"

#include <string>

namespace memlane::ir {

/// Every function of the program: a heading, then one line an instruction: its number, `*` for a
/// counted operator, mnemonic with type, operands by name, and, where it changes, the source line
/// it comes from.
std::string disassemble(const Program& program, const Sources& sources);

} // namespace memlane::ir
