// The forms of forall: which thread runs which iterations, and the barriers after them.
#include "lowering.hpp"

namespace memlane::lang {

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
      program_.threads_matter || s.chunked; // its warps' iterations are others
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
  for (const auto& range : s.ranges) {
    Operand lo = evaluate_bound(range.lo), hi = evaluate_bound(range.hi);
    lows.push_back(lo);
    highs.push_back(hi);
    lengths.push_back(code().integer(ir::Opcode::max, Operand::of(0), code().integer(sub, hi, lo)));
  }
  code().at(s.span);
  IterationRange d = iteration_range(s, count_iterations(s, lows, highs, lengths));

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

} // namespace memlane::lang
