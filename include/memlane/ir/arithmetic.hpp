// What one operation does to values: the single definition of the language's arithmetic, used by
// constant evaluation and by the engines.
#pragma once

#include "memlane/ir/opcodes.hpp"
#include "memlane/ir/value.hpp"

namespace memlane::ir {

/// A result, or the reason there is none ("division by zero"; a literal that outlives the call).
struct Outcome {
  Value value;
  const char* trap = nullptr;
};

/// Applies an operation of the groups "values" (but constant, special), "arithmetic" (but random)
/// and "comparisons" to operands of `type`. int32 and int64 wrap; float32 rounds after each step.
/// min and max of reals leave a NaN out, as C's fmin and fmax, and have -0 below 0: the order of
/// their operands does not matter.
/// For `convert`, `type` is the target and `from` the source: reals truncate to integers, and trap
/// where the integer type cannot hold them; integers wrap.
Outcome apply(Opcode op, Scalar type, Value a, Value b, Value c, Scalar from);

/// The registers of one operation, a value for each lane; d may be one of the operands.
struct Rows {
  Value* d;
  const Value *a, *b, *c;
  const std::uint8_t* mask; ///< the lanes that are not 0 compute
  int lanes;
};

/// The lane that has no result, and why; -1 if there is none.
struct RowOutcome {
  int lane = -1;
  const char* trap = nullptr;
};

/// `apply` lane by lane, up to the first that has no result.
RowOutcome apply_rows(Opcode op, Scalar type, Scalar from, const Rows& rows);

} // namespace memlane::ir
