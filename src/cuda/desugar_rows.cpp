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

/// The indices before the last one, which a thread moves from row to row.
struct Desugarer::Rows {
  const TStatement& s;
  std::vector<Expr> indices, ends = {};

  Expr inside() const { return less(indices.front(), ends.front()); }
};

Desugarer::Rows Desugarer::first_row(const TStatement& s, Block& out) {
  Rows rows{s, {}};
  for (std::size_t k = 0; k + 1 < s.ranges.size(); ++k) {
    const TRange& range = s.ranges[k];
    Expr low = expr(range.lo), end = expr(range.hi);
    const std::string own = declare_index(range.index, false);
    if (k == 0 && !is_invariant(range.hi))
      end = keep(out, scalar_name(end.type), kept_name(own + "_end"), std::move(end));
    out.push_back(declare(scalar_name(range.lo.type.scalar), own, std::move(low)));
    values_.bind(range.index, std::optional<Interval>());
    rows.indices.push_back(named(own, range.lo.type.scalar));
    rows.ends.push_back(std::move(end));
  }
  return rows;
}

/// Moves indices before the k-th until that one is in its range, or all rows are over.
void Desugarer::carry(const Rows& rows, std::size_t k, Block& out) {
  if (k == 0) return;
  Statement loop = simple(
      Statement::loop,
      binary(rows.inside(), "&&", binary(rows.indices[k], ">=", rows.ends[k], boolean), boolean));
  loop.body.push_back(evaluate(unary("++", rows.indices[k - 1])));
  carry(rows, k - 1, loop.body);
  loop.body.push_back(assign(rows.indices[k], expr(rows.s.ranges[k].lo)));
  out.push_back(std::move(loop));
}

/// The loop goes over a thread's iterations, each counted from the beginning of its row, so that
/// the lanes of a warp are in the body together whatever their rows are.
void Desugarer::forall_rows(const TStatement& s, Block& outside) {
  Block out;
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
  const Rows rows = first_row(s, out);
  carry(rows, rows.indices.size() - 1, out);
  const Expr row = named(kept_name(name + "_row"), int64);
  out.push_back(declare(wide, row.text, length()));

  Statement find = simple(Statement::loop,
                          binary(rows.inside(), "&&", binary(next, ">=", row, boolean), boolean));
  find.body = {assign(next, row, "", "-="), evaluate(unary("++", rows.indices.back()))};
  carry(rows, rows.indices.size() - 1, find.body);
  find.body.push_back(assign(row, length()));
  Block body{std::move(find)};

  Expr more = rows.inside();
  if (left) more = binary(std::move(more), "&&", less(integer(0), *left), boolean);
  const std::optional<Expr> outer = context_->mask;
  if (!context_->host && hazards_.needs_mask(s)) {
    const Expr mask = declare_mask(out);
    begin_masked_round(mask, body, [&] { return more; });
    context_->mask = mask;
  } else {
    body.push_back(brief_if(unary("!", std::move(more)), simple(Statement::break_)));
  }
  if (left) body.push_back(assign(*left, integer(1), "", "-="));
  const ir::Scalar type = last.lo.type.scalar;
  const std::string own = declare_index(last.index, false);
  body.push_back(declare(typed(last.index, "const " + scalar_name(type)), own,
                         sum(expr(last.lo), cast(scalar_name(type), next, type))));
  values_.bind(last.index, std::optional<Interval>());
  block(s.body, body);
  context_->mask = outer;
  out.push_back(for_loop(declare(wide, next.text, std::move(thread)), std::nullopt,
                         assign(next, std::move(step), "", "+="), std::move(body)));
  outside.push_back(scope(std::move(out), comments_.behind(s.span)));
}

} // namespace memlane::cuda
