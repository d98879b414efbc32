// A forall whose later ranges depend on earlier indices: its iterations are numbered row by row.
#include "lowering.hpp"

#include <algorithm>
#include <utility>

namespace memlane::lang {

using enum ir::Opcode;

/// The least and the greatest bound that a leading range may have: an affine function has them at
/// corners of the earlier ranges.
std::pair<Operand, Operand> Lowering::outermost_bounds(const TStatement& s, std::size_t k,
                                                       const Rows& rows) {
  const TRange& range = s.ranges[k];
  const std::vector<std::size_t> on = ranges_before(s, k);
  std::optional<std::pair<Operand, Operand>> outermost;
  for (std::size_t corner = 0; corner < std::size_t{1} << on.size(); ++corner) {
    for (std::size_t j = 0; j < on.size(); ++j) {
      const Operand low = rows.lows[on[j]];
      const Operand last =
          code().integer(sub, code().integer(add, low, rows.lengths[on[j]]), Operand::of(1));
      bind_variable(s.ranges[on[j]].index, {code().reg(corner >> j & 1 ? last : low)});
    }
    const Operand lo = evaluate_bound(range.lo), hi = evaluate_bound(range.hi);
    if (!outermost) {
      outermost = {lo, hi};
      continue;
    }
    outermost->first = code().integer(ir::Opcode::min, outermost->first, lo);
    outermost->second = code().integer(ir::Opcode::max, outermost->second, hi);
  }
  return *outermost;
}

Lowering::Rows Lowering::rows_of(const TStatement& s) {
  Rows rows;
  rows.count = Operand::of(1);
  for (std::size_t k = 0; k + 1 < s.ranges.size(); ++k) {
    const auto [lo, hi] = outermost_bounds(s, k, rows);
    rows.lows.push_back(lo);
    rows.lengths.push_back(
        code().integer(ir::Opcode::max, Operand::of(0), code().integer(sub, hi, lo)));
    rows.count = code().integer(mul, rows.count, rows.lengths.back());
  }
  rows.row = code().fresh();
  rows.first = code().fresh();
  return rows;
}

/// Binds the leading indices.
void Lowering::bind_row(const TStatement& s, const Rows& rows, Operand row) {
  Operand rest = row;
  for (std::size_t k = rows.lows.size(); k-- > 0;) {
    Operand offset = rest;
    if (k > 0) {
      offset = code().integer(rem, rest, rows.lengths[k]);
      rest = code().integer(ir::Opcode::div, rest, rows.lengths[k]);
    }
    bind_variable(s.ranges[k].index, {code().reg(code().integer(add, rows.lows[k], offset))});
  }
}

/// Binds the leading indices, too. A row outside of its own leading ranges has no iterations.
Operand Lowering::row_length(const TStatement& s, const Rows& rows, Operand row) {
  bind_row(s, rows, row);
  const TRange& last = s.ranges.back();
  const Operand lo = operand(last.lo), hi = operand(last.hi);
  Operand length = code().integer(ir::Opcode::max, Operand::of(0), code().integer(sub, hi, lo));
  for (std::size_t k = 1; k + 1 < s.ranges.size(); ++k) {
    if (ranges_before(s, k).empty()) continue;
    const TRange& range = s.ranges[k];
    const ir::Register index = variable(range.index)[0], zero = code().reg(Operand::of(0));
    const ir::Register low = code().reg(operand(range.lo)), high = code().reg(operand(range.hi));
    const ir::Register from = code().fresh(), below = code().fresh(), inside = code().fresh();
    code().emit(le, ir::Scalar::int64, from, low, index);
    code().emit(lt, ir::Scalar::int64, below, index, high);
    code().emit(bit_and, ir::Scalar::boolean, inside, from, below);
    const ir::Register chosen = code().fresh();
    code().emit(select, ir::Scalar::int64, chosen, inside, code().reg(length), zero);
    length = Operand::in(chosen);
  }
  return length;
}

/// The number of iterations. Leaves the thread at the first row.
Operand Lowering::sum_of_rows(const TStatement& s, const Rows& rows) {
  const auto wide = ir::Scalar::int64;
  const ir::Register sum = code().fresh(), more = code().fresh();
  const ir::Register zero = code().reg(Operand::of(0));
  for (const ir::Register r : {sum, rows.row, rows.first})
    code().emit(ir::Opcode::move, wide, r, zero);
  const auto top = code().label(), end = code().label();
  code().emit(loop, ir::Scalar::boolean, -1);
  code().bind(top);
  code().emit(lt, wide, more, rows.row, code().reg(rows.count));
  code().jump(while_, end, more);
  {
    FunctionBuilder::Scope scope(code());
    const ir::Register length = code().reg(row_length(s, rows, Operand::in(rows.row)));
    code().emit(add, wide, sum, sum, length);
    code().emit(add, wide, rows.row, rows.row, code().reg(Operand::of(1)));
  }
  code().jump(again, top);
  code().bind(end);
  code().emit(endloop, ir::Scalar::boolean, -1);
  code().emit(ir::Opcode::move, wide, rows.row, zero);
  return Operand::in(sum);
}

/// Goes on to the row of an iteration, which is no earlier one, and binds the indices.
void Lowering::find_row(const TStatement& s, const Rows& rows, Operand iteration) {
  const auto wide = ir::Scalar::int64;
  const auto top = code().label(), end = code().label();
  code().emit(loop, ir::Scalar::boolean, -1);
  code().bind(top);
  {
    FunctionBuilder::Scope scope(code());
    const ir::Register length = code().reg(row_length(s, rows, Operand::in(rows.row)));
    const ir::Register rest = code().fresh(), beyond = code().fresh();
    code().emit(sub, wide, rest, iteration.reg, rows.first);
    code().emit(le, wide, beyond, length, rest);
    code().jump(while_, end, beyond);
    code().emit(add, wide, rows.first, rows.first, length);
    code().emit(add, wide, rows.row, rows.row, code().reg(Operand::of(1)));
  }
  code().jump(again, top);
  code().bind(end);
  code().emit(endloop, ir::Scalar::boolean, -1);
  bind_row(s, rows, Operand::in(rows.row));
  const TRange& last = s.ranges.back();
  const Operand offset = code().integer(sub, iteration, Operand::in(rows.first));
  bind_variable(last.index, {code().reg(code().integer(add, operand(last.lo), offset))});
}

} // namespace memlane::lang
