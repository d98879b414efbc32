// From a program's text, wherever it comes from, to a checked program.
#pragma once

#include "memlane/lang/parse.hpp"
#include "memlane/points/recipe.hpp"

#include <cstdint>

namespace memlane::sweep {

/// A program's text.
struct ProgramSource {
  std::int32_t file = 0;  ///< its number in the sources
  lang::UseLoader loader; ///< of the programs that it uses
};

/// A program and everything it uses, after its replacements.
struct ProgramText {
  lang::Program program;
  ProgramInfo info; ///< without the parameters
};
/// The selection says what is replaced; its name is not used. Adds the replacements to `sources`.
Result<ProgramText> read_program(Sources& sources, const ProgramSource& source,
                                 const ProgramSelection& selection);
/// The same, with names, types and claims checked.
Result<CheckedProgram> check_program(Sources& sources, const ProgramSource& source,
                                     const ProgramSelection& selection);

} // namespace memlane::sweep
