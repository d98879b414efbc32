// The expression of `memlane bank`: a program with it in a kernel, so that the language's own rules
// give its values and errors.
#pragma once

#include "bank_request.hpp"

#include "memlane/machine/bank_access.hpp"
#include "memlane/machine/spec.hpp"

namespace memlane::cli {

/// A program that stores the expression's indices for each lane of a warp.
struct BankProgram {
  sweep::CheckedProgram program;
  std::size_t dimensions = 1; ///< indices of an element
};
/// For machines of up to `lanes` lanes. Errors: of the expressions, a value of -D that they do not
/// name.
Result<BankProgram> bank_program(Sources& sources, const BankCommand& command, std::int64_t lanes);

/// The element of each lane, numbered row-major. Errors: of the evaluation, an index outside of the
/// shape, a warp that the machine does not have.
Result<LaneIndices> elements_on(Sources& sources, const BankProgram& program,
                                const BankCommand& command, const MachineSpec& machine);

} // namespace memlane::cli
