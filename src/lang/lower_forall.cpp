// The forms of forall: which thread runs which iterations, and the barriers behind them.
#include "lowering.hpp"

namespace memlane::lang {

using enum ir::Opcode;

// Thread j of T runs iterations j, j + T, …; chunked, ceil(iterations / T) consecutive ones. Of a
// grid, j and T count over all blocks of the launch.
Lowering::Deal Lowering::deal(const TStatement& s, Operand iterations) {
  Operand thread = Operand::in(code().special(ir::Special::thread));
  Operand threads = Operand::in(code().special(ir::Special::threads));
  if (s.forall_kind == ForallKind::grid) {
    Operand block = Operand::in(code().special(ir::Special::block));
    Operand blocks = Operand::in(code().special(ir::Special::blocks));
    thread = code().integer(add, code().integer(mul, block, threads), thread);
    threads = code().integer(mul, blocks, threads);
  }
  if (!s.chunked) return {thread, threads, iterations};
  Operand chunk = code().integer(ceil_div, iterations, threads);
  Operand first = code().integer(mul, thread, chunk);
  return {first, Operand::of(1),
          code().integer(ir::Opcode::min, iterations, code().integer(add, first, chunk))};
}

// Iteration number -> indices, the last index fastest.
void Lowering::bind_indices(const TStatement& s, Operand iteration,
                            const std::vector<Operand>& lows, const std::vector<Operand>& lengths) {
  Operand rest = iteration;
  for (std::size_t k = s.ranges.size(); k-- > 0;) {
    Operand offset = rest;
    if (k > 0) {
      offset = code().integer(rem, rest, lengths[k]);
      rest = code().integer(ir::Opcode::div, rest, lengths[k]);
    }
    Operand index = code().integer(add, lows[k], offset);
    bind_variable(s.ranges[k].index, {code().reg(index)});
  }
}

void Lowering::lower_forall(const TStatement& s) {
  std::vector<Operand> lows, lengths;
  Operand iterations_all = Operand::of(1);
  for (const auto& range : s.ranges) {
    Operand lo = operand(range.lo), hi = operand(range.hi);
    lows.push_back(lo);
    lengths.push_back(code().integer(ir::Opcode::max, Operand::of(0), code().integer(sub, hi, lo)));
  }
  code().at(s.span);
  for (const auto& length : lengths) iterations_all = code().integer(mul, iterations_all, length);
  Deal d = deal(s, iterations_all);

  ir::Register i = code().fresh(), more = code().fresh();
  code().emit(forall, ir::Scalar::boolean, -1);
  code().emit(ir::Opcode::move, ir::Scalar::int64, i, code().reg(d.first));
  auto top = code().label(), end = code().label();
  code().emit(loop, ir::Scalar::boolean, -1);
  code().bind(top);
  code().emit(lt, ir::Scalar::int64, more, i, code().reg(d.end));
  code().jump(while_, end, more);
  {
    FunctionBuilder::Scope scope(code());
    bind_indices(s, Operand::in(i), lows, lengths);
    code().emit(iteration, ir::Scalar::int64, -1, i);
    deferring_ = s.forall_kind == ForallKind::sync;
    loop_body(s.body, end);
    deferring_ = false;
  }
  code().at(s.span);
  code().emit(add, ir::Scalar::int64, i, i, code().reg(d.step));
  code().jump(again, top);
  code().bind(end);
  code().emit(endloop, ir::Scalar::boolean, -1);
  code().emit(endforall, ir::Scalar::boolean, -1);
  if (s.forall_kind == ForallKind::grid) return;
  code().emit(barrier, ir::Scalar::boolean, -1);
  if (s.forall_kind != ForallKind::sync) return;
  // The PRAM step: every iteration has read; now all write.
  code().emit(drain, ir::Scalar::boolean, -1);
  code().emit(barrier, ir::Scalar::boolean, -1);
}

} // namespace memlane::lang
