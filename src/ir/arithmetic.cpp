#include "memlane/ir/arithmetic.hpp"

#include "memlane/ir/operations.hpp"

namespace memlane::ir {

namespace {

template <Opcode op>
RowOutcome rows_of(Scalar type, Scalar from, const Rows& rows) {
  for (int i = 0; i < rows.lanes; ++i) {
    if (!rows.mask[i]) continue;
    const Outcome outcome = operations::one(op, type, rows.a[i], rows.b[i], rows.c[i], from);
    if (outcome.trap) return {i, outcome.trap};
    rows.d[i] = outcome.value;
  }
  return {};
}

} // namespace

Outcome apply(Opcode op, Scalar type, Value a, Value b, Value c, Scalar from) {
  return operations::one(op, type, a, b, c, from);
}

RowOutcome apply_rows(Opcode op, Scalar type, Scalar from, const Rows& rows) {
  switch (op) {
#define MEMLANE_ROWS(name, mnemonic, operands, group)                                              \
  case Opcode::name: return rows_of<Opcode::name>(type, from, rows);
    MEMLANE_OPCODES(MEMLANE_ROWS)
#undef MEMLANE_ROWS
  }
  return {};
}

} // namespace memlane::ir
