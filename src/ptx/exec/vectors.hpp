// Which function executes an operation that only computes. The same source is compiled for several
// instruction sets; all give the same bits.
#pragma once

#include "step.hpp"

namespace memlane::ptx {

/// Bits of the registers of d and a, which may be wider than the types of conversions.
struct RegisterBits {
  int d = 0, a = 0;
};

/// Null: the operation does more than compute (memory, control, barriers).
using ChooseHandler = Handler (*)(const Operation&, RegisterBits);

namespace plain {
Handler choose(const Operation& op, RegisterBits bits);
}
namespace avx2 {
Handler choose(const Operation& op, RegisterBits bits);
}
namespace avx512 {
Handler choose(const Operation& op, RegisterBits bits);
}

/// The widest set that this processor has.
ChooseHandler best_handlers();

} // namespace memlane::ptx
