// The forms of forall: which thread runs which iterations, and the barriers behind them.
#include "desugar.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cuda {

using namespace lang;
using enum ir::Scalar;

bool Desugarer::is_extent(const Expr& e) const {
  return std::find(extents_.begin(), extents_.end(), e) != extents_.end();
}

/// The numbers that the indices of a range have: it is empty where the least is above the greatest.
Interval Desugarer::index_bounds(const TRange& range) {
  return {values_.bounds(range.lo).low, values_.bounds(range.hi).high};
}

/// Whether ints can count the iterations of a forall, one step beyond the last included.
bool Desugarer::counts_with_int(const TStatement& s) {
  std::int64_t iterations = 1;
  for (const TRange& range : s.ranges) {
    const Interval of = index_bounds(range);
    if (of.low < INT32_MIN || of.high > most_elements || of.high - of.low > most_elements)
      return false;
    iterations *= std::max<std::int64_t>(1, of.high - of.low);
    if (iterations > most_elements) return false;
  }
  return true; // and no launch has more than 2^30 threads
}

/// Whether the parameters of the emission leave half of the ints free.
bool Desugarer::fits_int_now(const TStatement& s) {
  std::int64_t most = 1;
  for (const TRange& range : s.ranges) {
    const auto hi = values_.interval(range.hi), lo = values_.interval(range.lo);
    const std::int64_t length =
        hi && lo ? std::max<std::int64_t>(0, hi->high - lo->low) : std::int64_t{INT32_MAX};
    most = std::min<std::int64_t>(most * std::min<std::int64_t>(length, INT32_MAX), INT32_MAX);
  }
  return most <= INT32_MAX / 2;
}

/// Iterations of one range: not negative.
Expr Desugarer::length(const TRange& range, const Expr& low) {
  const Expr high = expr(range.hi), all = low.is(0) ? high : high - low;
  const auto a = values_.interval(range.lo), b = values_.interval(range.hi);
  const bool sure = (a && b && b->low >= a->high) || (low.is(0) && is_extent(high)) ||
                    values_.bounds(range.hi).low >= values_.bounds(range.lo).high;
  if (sure) return all;
  return call("max", {all.type == int64 ? literal("0ll", int64) : integer(0), all}, all.type);
}

/// What a range's bounds read is read once: in `out` they get names, if it is given.
IterationSpace Desugarer::iteration_space(const TStatement& s, Block* out) {
  IterationSpace space;
  space.narrow = !context_->host && counts_with_int(s);
  space.type = s.ranges[0].lo.type.scalar;
  const bool single = s.ranges.size() == 1;
  for (const TRange& range : s.ranges) {
    const std::string index = variable(range.index).name;
    const auto once = [&](Expr code, const TExpr& of, const char* what) {
      if (is_invariant(of) || out == nullptr || (single && !s.chunked)) return code;
      const std::string own = kept_name(fmt::format("{}_{}", index, what));
      return keep(*out, scalar_name(code.type), own, std::move(code));
    };
    space.lows.push_back(once(expr(range.lo), range.lo, "low"));
    space.lengths.push_back(once(length(range, space.lows.back()), range.hi, "length"));
    space.invariant = space.invariant && is_invariant(range.lo) && is_invariant(range.hi);
    space.indices += index;
    space.type = std::max(space.type, range.lo.type.scalar);
    space.count =
        single || space.lengths.size() == 1 ? space.lengths[0] : space.count * space.lengths.back();
  }
  if (space.narrow) space.type = int32;
  if (single || space.narrow || fits_int_now(s) || is_extent(space.count)) return space;
  space.type = int64;
  space.count = cast("long long", space.lengths[0], int64);
  for (std::size_t k = 1; k < space.lengths.size(); ++k)
    space.count = space.count * space.lengths[k];
  return space;
}

/// An index of the program is an int where ints count the iterations.
std::string Desugarer::declare_index(SymbolId index, bool narrow) {
  const ir::Scalar type = variable(index).type.scalar;
  return declare_variable(index, narrow && type == int64 ? int32 : type);
}

/// The indices of the iteration with a number: the last is fastest.
void Desugarer::decode_indices(const TStatement& s, const IterationSpace& space,
                               const std::string& number, Block& out) {
  for (std::size_t k = 0; k < s.ranges.size(); ++k) {
    Expr index = named(number);
    for (std::size_t j = s.ranges.size() - 1; j > k; --j) index = index / space.lengths[j];
    if (k > 0) index = index % space.lengths[k];
    if (!space.lows[k].is(0)) index = space.lows[k] + index;
    const ir::Scalar type = space.narrow ? int32 : s.ranges[k].lo.type.scalar;
    const std::string own = declare_index(s.ranges[k].index, space.narrow);
    out.push_back(declare("const " + scalar_name(type), own, std::move(index)));
  }
}

/// What is known of a forall's indices in its body.
void Desugarer::bind_indices(const TStatement& s, const IterationSpace& space) {
  for (const TRange& range : s.ranges) {
    values_.bind(range.index, std::optional<Interval>());
    const Interval of = index_bounds(range);
    if (space.narrow && of.low < of.high)
      values_.bind_bounds(range.index, Interval{of.low, of.high - 1});
    else
      values_.bind_at_least(range.index, of.low);
  }
}

/// The numbers of this thread's iterations: from the first, in steps, below an end.
Desugarer::ThreadRange Desugarer::thread_range(const TStatement& s, const IterationSpace& space,
                                               const std::string& own, Block& out) {
  const bool grid = s.forall_kind == ForallKind::grid;
  Expr thread = special(ir::Special::thread), step = special(ir::Special::threads);
  if (grid && !context_->host) {
    thread = special(ir::Special::block) * step + thread;
    step = special(ir::Special::blocks) * step;
  }
  const auto once = [&](Expr code, const char* what) {
    const std::string wish = kept_name(fmt::format("{}_{}", own, what));
    return keep(out, scalar_name(space.type), wish, std::move(code));
  };
  if (s.ranges.size() == 1 && !s.chunked) {
    Expr end = expr(s.ranges[0].hi);
    if (!is_invariant(s.ranges[0].hi)) end = once(std::move(end), "end");
    return {sum(space.lows[0], std::move(thread)), std::move(end), std::move(step)};
  }
  Expr end = s.chunked || !space.invariant ? once(space.count, "count") : space.count;
  if (!s.chunked || context_->host) return {std::move(thread), std::move(end), std::move(step)};
  const Expr chunk =
      once(call_of("ceil_div", scalar_name(space.type), {end, std::move(step)}), "chunk");
  const Expr first = once(std::move(thread) * chunk, "first");
  return {first, once(call("min", {end, first + chunk}), "end"), integer(1)};
}

/// The loop over the iterations of this thread, the indices declared in it.
void Desugarer::forall_loop(const TStatement& s, Block& out) {
  const std::string comment = comments_.behind(s.span);
  const IterationSpace space = iteration_space(s, &out);
  const bool single = s.ranges.size() == 1;
  const std::string name =
      single ? declare_index(s.ranges[0].index, space.narrow) : names_.fresh(space.indices);
  ThreadRange range = thread_range(s, space, name, out);
  const bool shifted = single && s.chunked; // counts from 0
  const Expr own = named(shifted ? names_.fresh(name + "_number") : name);
  const std::string type = scalar_name(space.type);
  Block body;
  if (shifted) keep(body, type, name, space.lows[0] + own);
  if (!single) decode_indices(s, space, name, body);
  bind_indices(s, space);
  block(s.body, body);
  out.push_back(for_loop(
      declare(type, own.text, std::move(range.first)), less(own, std::move(range.end)),
      range.step.is(1) ? evaluate(unary("++", own)) : assign(own, std::move(range.step), "", "+="),
      std::move(body), comment));
}

void Desugarer::forall(const TStatement& s, Block& out) {
  if (s.forall_kind == ForallKind::sync) return forall_sync(s, out);
  forall_loop(s, out);
  if (!context_->host && s.forall_kind != ForallKind::grid)
    out.push_back(simple(Statement::sync_block));
}

} // namespace memlane::cuda
