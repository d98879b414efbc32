// Control of threads: the forms of forall, and break, continue, return.
#include "lowering.hpp"

#include <algorithm>
#include <utility>

namespace memlane::lang {

// The forms of forall: which thread runs which iterations, and the barriers after them.

using enum ir::Opcode;

// Thread j of T runs iterations j, j + T, …; chunked, ceil(iterations / T) consecutive ones. Of a
// grid, j and T count over all blocks of the launch.
Lowering::IterationRange Lowering::iteration_range(const TStatement& s, Operand iterations) {
  Operand thread = Operand::in(code().special(ir::Special::thread));
  Operand threads = Operand::in(code().special(ir::Special::threads));
  if (s.forall_kind == ForallKind::grid) {
    Operand block = Operand::in(code().special(ir::Special::block));
    Operand blocks = Operand::in(code().special(ir::Special::blocks));
    thread = code().integer(add, code().integer(mul, block, threads), thread);
    threads = code().integer(mul, blocks, threads);
  }
  program_.threads_matter =
      program_.threads_matter || s.chunked; // the number of threads decides each warp's iterations
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

namespace {

/// More iterations than this are an error.
constexpr std::uint64_t most_iterations = std::uint64_t{1} << 62;

/// The longest range that these bounds can have.
std::uint64_t longest(ir::Scalar type, Operand low, Operand high) {
  if (type != ir::Scalar::int32 && (!low.known || !high.known)) return UINT64_MAX;
  const std::int64_t lo = low.known ? low.value : INT32_MIN;
  const std::int64_t hi = high.known ? high.value : INT32_MAX;
  return lo < hi ? static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(lo) : 0;
}

} // namespace

/// The product of the lengths, checked only if types and known bounds allow it to be too large.
Operand Lowering::count_iterations(const TStatement& s, const std::vector<Operand>& lows,
                                   const std::vector<Operand>& highs,
                                   const std::vector<Operand>& lengths) {
  Operand all = Operand::of(1);
  std::uint64_t most = 1;
  for (std::size_t k = 0; k < s.ranges.size(); ++k) {
    const std::uint64_t length = longest(s.ranges[k].lo.type.scalar, lows[k], highs[k]);
    const bool fits = length == 0 || most <= most_iterations / length;
    most = fits ? most * length : most_iterations;
    if (fits) {
      all = code().integer(mul, all, lengths[k]);
      continue;
    }
    ir::Register others = code().reg(all), low = code().reg(lows[k]), high = code().reg(highs[k]);
    all = Operand::in(code().fresh());
    code().emit(iterations, ir::Scalar::int64, all.reg, others, low, high);
  }
  return all;
}

void Lowering::lower_forall(const TStatement& s) {
  std::vector<Operand> lows, highs, lengths;
  const bool triangular = is_triangular(s);
  Rows rows;
  if (triangular) rows = rows_of(s);
  for (const auto& range : s.ranges) {
    if (triangular) break;
    Operand lo = evaluate_bound(range.lo), hi = evaluate_bound(range.hi);
    lows.push_back(lo);
    highs.push_back(hi);
    lengths.push_back(code().integer(ir::Opcode::max, Operand::of(0), code().integer(sub, hi, lo)));
  }
  code().at(s.span);
  IterationRange d = iteration_range(s, triangular ? sum_of_rows(s, rows)
                                                   : count_iterations(s, lows, highs, lengths));

  ir::Register i = code().fresh(), more = code().fresh();
  code().emit(forall, ir::Scalar::boolean, -1).immediate =
      s.forall_kind == ForallKind::grid ? 1 : 0;
  code().emit(ir::Opcode::move, ir::Scalar::int64, i, code().reg(d.first));
  auto top = code().label(), end = code().label();
  open_loop(end);
  code().bind(top);
  code().emit(lt, ir::Scalar::int64, more, i, code().reg(d.end));
  code().jump(while_, end, more);
  {
    FunctionBuilder::Scope scope(code());
    if (triangular)
      find_row(s, rows, Operand::in(i));
    else
      bind_indices(s, Operand::in(i), lows, lengths);
    code().emit(iteration, ir::Scalar::int64, -1, i);
    deferring_ = s.forall_kind == ForallKind::sync;
    forall_registers_ = code().next_register();
    loop_body(s.body);
    forall_registers_ = 0;
    deferring_ = false;
  }
  code().at(s.span);
  code().emit(add, ir::Scalar::int64, i, i, code().reg(d.step));
  code().jump(again, top);
  close_loop(end);
  code().emit(endforall, ir::Scalar::boolean, -1);
  if (s.forall_kind == ForallKind::grid) return;
  code().emit(barrier, ir::Scalar::boolean, -1);
  if (s.forall_kind != ForallKind::sync) return;
  // A PRAM step: after all iterations have read, all write.
  code().emit(drain, ir::Scalar::boolean, -1);
  code().emit(barrier, ir::Scalar::boolean, -1);
}

// break, continue and return. Lanes that leave wait for the others after the loop, at the end of
// its body, or after the fn's block.

using enum ir::Opcode;

/// Opens a loop, or code that lanes may leave early, up to `end`.
void Lowering::open_loop(FunctionBuilder::Label end) {
  code().emit(loop, ir::Scalar::boolean, -1);
  leaving_.exits.push_back(end);
  leaving_.outer.push_back(std::exchange(leaving_.outermost, Leaving::nothing));
}

void Lowering::close_loop(FunctionBuilder::Label end) {
  code().bind(end);
  code().emit(endloop, ir::Scalar::boolean, -1);
  leaving_.exits.pop_back();
  const int outer = leaving_.outer.back();
  leaving_.outer.pop_back();
  const bool leaves_more = leaving_.outermost < static_cast<int>(leaving_.outer.size());
  if (leaves_more)
    code().jump(exit, leaving_.exits.back()); // all lanes may have left the outer one, too
  leaving_.outermost = leaves_more ? std::min(outer, leaving_.outermost) : outer;
}

/// All active lanes leave the loop with this number and the loops in it.
void Lowering::leave_loops(int outermost) {
  const int inner = static_cast<int>(leaving_.outer.size()) - 1 - outermost;
  code().emit(break_, ir::Scalar::boolean, -1, -1, -1, -1, inner);
  code().jump(exit, leaving_.exits.back());
  leaving_.outermost = std::min(leaving_.outermost, outermost);
}

/// The body of the innermost open loop.
void Lowering::loop_body(const std::vector<TStatement>& body) {
  const int itself = static_cast<int>(leaving_.outer.size()) - 1;
  const bool skips = holds_continue(body);
  const auto end = code().label();
  if (skips) open_loop(end);
  leaving_.loops.push_back({itself, itself + 1});
  block(body);
  leaving_.loops.pop_back();
  if (skips) close_loop(end);
}

/// Emits a fn's statements where it is called; they write only their own registers.
Registers Lowering::lower_fn_block(const TExpr& expr) {
  Registers result = fresh(expr.type);
  const bool early = returns_early(expr.block);
  const auto end = code().label();
  if (early) open_loop(end);
  const int number = static_cast<int>(leaving_.outer.size()) - 1;
  leaving_.fns.push_back({early ? number : Leaving::nothing, result});
  const bool deferring = std::exchange(deferring_, false);
  block(expr.block);
  deferring_ = deferring;
  leaving_.fns.pop_back();
  if (early) close_loop(end);
  return result;
}

void Lowering::lower_return(const TStatement& s) {
  const Leaving::Fn fn = leaving_.fns.back();
  lower_into(*s.value, fn.result);
  code().at(s.span);
  const auto leaving = costed(s.span, false);
  if (fn.block != Leaving::nothing) leave_loops(fn.block);
}

/// Evaluates all values before printing any.
void Lowering::lower_print(const TStatement& s) {
  std::vector<Registers> values;
  for (const TExpr& e : s.expressions) {
    const auto own = evaluation(e);
    values.push_back(lower(e));
  }
  code().at(s.span);
  const auto item = [&](std::string text, ir::Scalar type, ir::Register value) {
    code().emit(print, type, -1, value, -1, -1, message(std::move(text)));
  };
  std::string text;
  for (std::size_t k = 0; k < values.size(); ++k) {
    text += s.texts[k];
    const std::vector<ir::Scalar> types = scalars_of(checked_, s.expressions[k].type);
    const bool record = s.expressions[k].type.is_record();
    for (std::size_t f = 0; f < types.size(); ++f) {
      text += !record ? "" : f == 0 ? "(" : ", ";
      item(std::exchange(text, ""), types[f], values[k][f]);
    }
    if (record) text = ")";
  }
  item(text + s.texts.back() + "\n", ir::Scalar::boolean, -1);
}

} // namespace memlane::lang
