// A forall whose later ranges depend on earlier indices: its iterations are numbered row by row.
#include "desugar.hpp"

#include <fmt/format.h>

namespace memlane::cuda {

using namespace lang;
using enum ir::Scalar;

/// Loops over the ranges from k on, except the last one.
Block Desugarer::leading_loops(const TStatement& s, std::size_t k,
                               const std::function<Block()>& inner) {
  const TRange& range = s.ranges[k];
  if (k + 1 == s.ranges.size()) return inner();
  Block made;
  Expr low = expr(range.lo), high = expr(range.hi);
  const std::string own = declare_index(range.index, false);
  if (!is_invariant(range.hi) && ranges_before(s, k).empty())
    high = keep(made, scalar_name(high.type), kept_name(own + "_end"), std::move(high));
  values_.bind(range.index, std::optional<Interval>());
  Block body = leading_loops(s, k + 1, inner);
  const Expr index = named(own, range.lo.type.scalar);
  made.push_back(for_loop(declare(scalar_name(range.lo.type.scalar), own, std::move(low)),
                          less(index, std::move(high)), evaluate(unary("++", index)),
                          std::move(body)));
  return made;
}

/// A thread counts its next iteration from the beginning of each row.
void Desugarer::forall_rows(const TStatement& s, Block& out) {
  if (!context_->host && hazards_.needs_mask(s))
    unsupported(s.span, "operations of a warp in a forall whose ranges depend on its indices",
                {"its lanes are in different rows: write all pairs, and an if"});
  const TRange& last = s.ranges.back();
  const std::string name = names_.fresh(variable(last.index).name + "_next");
  const std::string wide = scalar_name(int64);
  Expr thread = special(ir::Special::thread), step = special(ir::Special::threads);
  if (s.forall_kind == ForallKind::grid && !context_->host) {
    thread = special(ir::Special::block) * step + thread;
    step = special(ir::Special::blocks) * step;
  }
  const Expr next = named(kept_name(name), int64);
  const auto length = [&] { return exact(this->length(last, expr(last.lo)), int64, nullptr); };
  Block all;
  std::optional<Expr> left; // of a chunk
  if (s.chunked) {
    const Expr count = named(kept_name(name + "_count"), int64);
    out.push_back(declare(wide, count.text, literal("0ll", int64)));
    for (Statement& loop :
         leading_loops(s, 0, [&] { return Block{assign(count, length(), "", "+=")}; }))
      out.push_back(std::move(loop));
    left = named(kept_name(name + "_left"), int64);
    out.push_back(declare(wide, left->text,
                          call_of("ceil_div", wide, {count, exact(step, int64, nullptr)}, int64)));
    thread = exact(std::move(thread), int64, nullptr) * *left;
    step = integer(1);
  }
  out.push_back(declare(wide, next.text, std::move(thread), comments_.behind(s.span)));
  Block loops = leading_loops(s, 0, [&] {
    Block row;
    const Expr words = keep(row, wide, names_.fresh(name + "_row"), length());
    Block body;
    Expr index = cast(scalar_name(last.lo.type.scalar), next, last.lo.type.scalar);
    const std::string own = declare_index(last.index, false);
    body.push_back(declare("const " + scalar_name(last.lo.type.scalar), own,
                           sum(expr(last.lo), std::move(index))));
    values_.bind(last.index, std::optional<Interval>());
    if (left) body.push_back(assign(*left, integer(1), "", "-="));
    block(s.body, body);
    Expr more = less(next, words);
    if (left) more = binary(std::move(more), "&&", less(integer(0), *left), boolean);
    body.push_back(assign(next, step, "", "+="));
    Statement loop = simple(Statement::loop, std::move(more));
    loop.body = std::move(body);
    row.push_back(std::move(loop));
    row.push_back(assign(next, words, "", "-="));
    return row;
  });
  for (Statement& loop : loops) out.push_back(std::move(loop));
}

} // namespace memlane::cuda
