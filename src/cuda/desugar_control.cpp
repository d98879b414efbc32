// Control: if, while, for, and the lanes that are in them.
#include "desugar.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cuda {

using namespace lang;
using enum ir::Scalar;

namespace {

/// The lanes of a mask for which a condition holds.
Expr ballot(Expr mask, Expr condition) {
  return call("__ballot_sync", {std::move(mask), std::move(condition)});
}

} // namespace

/// What a condition that lanes may answer differently lets some of them evaluate; operations of the
/// warp there are those of these lanes.
Expr Desugarer::choice(const TExpr& e) {
  const bool parts = !context_->host && hazards_.differs_in_warp(e.operands[0]) &&
                     std::any_of(e.operands.begin() + 1, e.operands.end(), uses_warp);
  if (!parts) return choice(e, expr(e.operands[0]), context_->mask, context_->mask);
  Function all;
  const TExpr condition = evaluated(e.operands[0], all.body);
  const Expr then = keep(all.body, "unsigned", numbered("lanes"), ballot(lanes(), expr(condition)));
  const Expr otherwise = binary(lanes(), "&", unary("~", then));
  const Expr chosen = choice(e, expr(condition), then, otherwise);
  all.body.push_back(simple(Statement::return_, chosen));
  return call(lambda(std::move(all)), {}, chosen.type);
}

/// With the lanes for which the condition holds, and the others.
Expr Desugarer::choice(const TExpr& e, Expr condition, const std::optional<Expr>& then,
                       const std::optional<Expr>& otherwise) {
  const std::optional<Expr> outer = context_->mask;
  const auto of_lanes = [&](const TExpr& operand, const std::optional<Expr>& mask) {
    context_->mask = mask;
    Expr made = expr(operand);
    context_->mask = outer;
    return made;
  };
  if (e.kind == TExprKind::logical_and)
    return binary(std::move(condition), "&&", of_lanes(e.operands[1], then), boolean);
  if (e.kind == TExprKind::logical_or)
    return binary(std::move(condition), "||", of_lanes(e.operands[1], otherwise), boolean);
  Expr yes = of_lanes(e.operands[1], then), no = of_lanes(e.operands[2], otherwise);
  if (!e.type.is_record() && yes.type != no.type) {
    yes = word_value(e.operands[1], std::move(yes)); // C++ would give a choice between a word
    no = word_value(e.operands[2], std::move(no));   // and a number the number's type
  }
  const ir::Scalar type = e.type.is_record() ? e.type.scalar : std::max(yes.type, no.type);
  return choose(std::move(condition), std::move(yes), std::move(no), type);
}

void Desugarer::if_statement(const TStatement& s, Block& out) {
  const std::string comment = comments_.behind(s.span);
  const std::optional<Expr> outer = context_->mask;
  const bool masked = !context_->host && hazards_.needs_mask(s);
  Expr condition = expr(*s.value);
  std::optional<Expr> then = outer, otherwise = outer;
  if (masked) {
    const std::string own = numbered("lanes");
    condition = keep(out, "bool", names_.fresh(fmt::format("enters{}", numbered_)), condition);
    then = keep(out, "unsigned", own, ballot(lanes(), condition));
    otherwise = binary(lanes(), "&", unary("~", *then));
  }
  context_->mask = then;
  Block body, alternative;
  if (!context_->host && fences_.inside(s)) body.push_back(simple(Statement::fence));
  block(s.body, body);
  context_->mask = otherwise;
  // `else if` is an alternative of one `if`.
  if (s.alternative.size() == 1 && s.alternative[0].kind == TStatementKind::if_ && !masked &&
      !hazards_.syncs_before(s.alternative[0]) && !fences_.after(s.alternative[0])) {
    if_statement(s.alternative[0], alternative);
    relate(s.alternative[0].span, alternative);
  } else {
    alternative = block(s.alternative);
  }
  context_->mask = outer;
  out.push_back(if_else(std::move(condition), std::move(body), std::move(alternative), comment));
}

/// Begins the body of a loop whose lanes leave it at different times: those for which the condition
/// holds go on.
void Desugarer::begin_masked_round(const Expr& mask, Block& out,
                                   const std::function<Expr()>& more) {
  out.push_back(simple(Statement::sync_warp, mask));
  const std::string own = names_.fresh(fmt::format("goes_on{}", numbered_));
  const Expr goes_on = keep(out, "bool", own, more());
  out.push_back(assign(mask, ballot(mask, goes_on)));
  out.push_back(brief_if(unary("!", goes_on), simple(Statement::break_)));
}

/// The lanes that are in a loop, as a variable.
Expr Desugarer::declare_mask(Block& out) {
  const std::string own = numbered("lanes");
  out.push_back(declare("unsigned", own, lanes()));
  return named(own);
}

void Desugarer::while_loop(const TStatement& s, Block& out) {
  Statement loop = simple(Statement::loop, {}, comments_.behind(s.span));
  const std::optional<Expr> outer = context_->mask;
  if (!context_->host && hazards_.needs_mask(s)) {
    const Expr mask = declare_mask(out);
    context_->mask = mask; // the condition may ask the lanes that are in the loop
    begin_masked_round(mask, loop.body, [&] { return expr(*s.value); });
  } else {
    loop.value = expr(*s.value);
  }
  const bool syncs = !context_->host && hazards_.syncs_after(s);
  before_continue_.push_back(syncs ? Block{warp_sync()} : Block{});
  if (!context_->host && fences_.inside(s)) loop.body.push_back(simple(Statement::fence));
  block(s.body, loop.body);
  before_continue_.pop_back();
  if (syncs) loop.body.push_back(warp_sync());
  context_->mask = outer;
  out.push_back(std::move(loop));
}

/// Whether an expression keeps its value while a loop runs, and is cheap to look at again.
bool Desugarer::is_invariant(const TExpr& e) const {
  return !contains(e, [&](const TExpr& part) {
    using enum ir::Opcode;
    switch (part.kind) {
    case TExprKind::literal:
    case TExprKind::param:
    case TExprKind::constant:
    case TExprKind::letter:
    case TExprKind::special:
    case TExprKind::convert:
    case TExprKind::index_number: return false;
    case TExprKind::variable: return variable(part.symbol).assignable;
    case TExprKind::operation:
      return part.op != add && part.op != sub && part.op != mul && part.op != ir::Opcode::div &&
             part.op != ir::Opcode::pow && part.op != neg && part.op != ir::Opcode::log2 &&
             part.op != ceil_div;
    default: return true;
    }
  });
}

/// Where a loop may end. What comes from arrays and variables may be any int; parameters that the
/// emission does not know are taken to be far from the ends of int.
std::optional<Interval> Desugarer::ends_of(const TExpr& e) {
  if (const auto known = values_.interval(e)) return known;
  const bool any = contains(e, [&](const TExpr& part) {
    return part.kind == TExprKind::element || part.kind == TExprKind::initial ||
           part.kind == TExprKind::random ||
           (part.kind == TExprKind::variable && !values_.interval(part));
  });
  if (!any) return std::nullopt;
  if (e.kind == TExprKind::operation && e.op == ir::Opcode::sub) // `x - 1` is below the greatest
    if (const auto less = values_.interval(e.operands[1]))
      return Interval{INT32_MIN, INT32_MAX - std::max<std::int64_t>(0, less->low)};
  return Interval{INT32_MIN, INT32_MAX};
}

/// The numbers that a loop's counter has in its body, and behind its last round; none where the
/// counter may wrap around.
std::optional<Interval> Desugarer::counter_bounds(const TStatement& s) {
  const Interval from = values_.bounds(s.expressions[0]), to = values_.bounds(s.expressions[1]);
  const Interval by = s.expressions.size() > 2 ? values_.bounds(s.expressions[2]) : Interval{1, 1};
  if (by.low < 1 || by.high > INT32_MAX) return std::nullopt;
  // A factor keeps the sign, and only a positive counter grows by it.
  if (s.step_kind != StepKind::add && from.low < 0) return std::nullopt;
  const Interval body = s.down ? Interval{to.low, from.high} : Interval{from.low, to.high};
  const Interval all = {std::min(body.low, from.low), std::max(body.high, from.high)};
  if (all.low < INT32_MIN || all.high > INT32_MAX) return std::nullopt;
  const std::int64_t last = s.step_kind == StepKind::multiply ? all.high * by.high
                            : s.step_kind == StepKind::divide ? all.high
                            : s.down                          ? all.low - by.high
                                                              : all.high + by.high;
  if (last < INT32_MIN || last > INT32_MAX) return std::nullopt;
  return body.low <= body.high ? body : all;
}

/// Whether a counter passes the range of its type behind the loop's last round, as far as the
/// emission can tell. The end of a long's loop is taken to be inside unless its value is known.
bool Desugarer::may_pass_range(const TStatement& s) {
  if (counter_bounds(s) || s.step_kind == StepKind::divide) return false;
  const bool is_long = s.expressions[0].type.scalar == int64;
  const auto to = is_long ? values_.interval(s.expressions[1]) : ends_of(s.expressions[1]);
  if (!to) return false;
  const auto by = s.expressions.size() > 2 ? values_.interval(s.expressions[2]) : Interval{1, 1};
  const std::int64_t step = by ? by->high : 1;
  std::int64_t last = 0;
  const bool passes_longs = s.step_kind == StepKind::multiply
                                ? __builtin_mul_overflow(to->high, step, &last)
                            : s.down ? __builtin_sub_overflow(to->low, step, &last)
                                     : __builtin_add_overflow(to->high, step, &last);
  return passes_longs || (!is_long && (last < INT32_MIN || last > INT32_MAX));
}

/// What is known of a loop's counter in its body. Gives whether an int holds it throughout.
bool Desugarer::bind_counter(const TStatement& s) {
  const TExpr &from = s.expressions[0], &to = s.expressions[1];
  std::optional<Interval> range;
  if (const auto a = values_.interval(from), b = values_.interval(to); a && b)
    range = s.down ? Interval{b->low, a->high} : Interval{a->low, b->high};
  values_.bind(s.symbol, range);
  const std::optional<Interval> bounds = counter_bounds(s);
  const std::int64_t least = values_.bounds(s.down ? to : from).low;
  values_.bind_bounds(s.symbol, bounds);
  if (!bounds && (s.down || s.step_kind == StepKind::add || least >= 0))
    values_.bind_at_least(s.symbol, least);
  return bounds.has_value();
}

/// What is done to a loop's counter behind each round.
Statement Desugarer::advance(const TStatement& s, const Expr& counter, const Expr& step) {
  if (s.step_kind != StepKind::add)
    return assign(counter, step, "", s.step_kind == StepKind::multiply ? "*=" : "/=");
  if (step.is(1)) return evaluate(unary(s.down ? "--" : "++", counter));
  return assign(counter, step, "", s.down ? "-=" : "+=");
}

/// Writes a product of tiles for tensor cores, if it may, and if wmma has its type and size. The
/// threads' own arrays hold the tiles, as in the loop that the product replaces.
bool Desugarer::multiply_by_wmma(const TStatement& s, Block& out) {
  const std::int64_t size = request_.machine.tensor_size.value_or(0);
  if (s.tiles.empty() || !request_.wmma) return false;
  const std::int64_t warps = (context_->sizes.most_threads + 31) / 32;
  if (checked_.array(s.tiles[0]).element.scalar != float64 || size % 8 != 0 || size > 32) {
    add_comments(
        {"// A loop: wmma multiplies without loss only tiles of doubles, of 8, 16 or 32 rows."},
        out);
    return false;
  }
  // multiply_tiles (prelude.cuh) has an array of the compiler's, which may have no more.
  constexpr std::int64_t most_bytes = 48 * 1024;
  if (const std::int64_t bytes = warps * size * size * 8; bytes > most_bytes) {
    add_comments({fmt::format("// A loop: wmma would take {} bytes of a block's shared memory for "
                              "the tiles of {} warps, of {}.",
                              bytes, warps, most_bytes)},
                 out);
    return false;
  }
  std::vector<Expr> tiles;
  for (const SymbolId tile : s.tiles) tiles.push_back(resolve(tile).base);
  out.push_back(evaluate(
      call_of("multiply_tiles", fmt::format("{}, {}", size, warps), std::move(tiles), float64)));
  return true;
}

void Desugarer::for_loop_statement(const TStatement& s, Block& out) {
  if (multiply_by_wmma(s, out)) return;
  const std::string comment = comments_.behind(s.span);
  const Expr from = expr(s.expressions[0]);
  const auto once = [&](const TExpr& e, const char* what) {
    if (is_invariant(e)) return expr(e);
    const std::string own = kept_name(fmt::format("{}_{}", variable(s.symbol).name, what));
    return keep(out, names_.type(e.type), own, expr(e));
  };
  values_.bind_bounds(s.symbol, std::nullopt);
  const Expr to = once(s.expressions[1], "end");
  const Expr step = s.expressions.size() > 2 ? once(s.expressions[2], "step") : integer(1);
  const bool fits = bind_counter(s), wide = may_pass_range(s);
  const ir::Scalar own = variable(s.symbol).type.scalar;
  const bool narrow = !context_->host && own == int64 && fits;
  const std::string index = declare_variable(s.symbol, narrow ? int32 : own);
  const bool is_long = own == int64;
  const Expr counter = named(wide ? names_.fresh(index + (is_long ? "_wide" : "_long")) : index);
  const ir::Scalar type = wide ? int64 : narrow ? int32 : s.expressions[0].type.scalar;
  const std::string counter_type = wide && is_long ? "__int128" : scalar_name(type);
  // `to n - 1` is `< n`.
  const bool below = !s.down && to.kind == Expr::binary && to.text == "-" && to.operands[1].is(1);
  const Expr more =
      below ? less(counter, to.operands[0]) : binary(counter, s.down ? ">=" : "<=", to, boolean);
  Statement loop = for_loop(declare(counter_type, counter.text, from), more,
                            advance(s, counter, step), {}, comment);
  const std::optional<Expr> outer = context_->mask;
  if (!context_->host && hazards_.needs_mask(s)) {
    const Expr mask = declare_mask(out);
    loop.value.reset();
    begin_masked_round(mask, loop.body, [&] { return more; });
    context_->mask = mask;
  }
  if (wide) {
    const std::string name = scalar_name(own);
    loop.body.push_back(declare(typed(s.symbol, "const " + name), index, cast(name, counter, own)));
  }
  before_continue_.emplace_back();
  block(s.body, loop.body);
  before_continue_.pop_back();
  context_->mask = outer;
  out.push_back(std::move(loop));
}

} // namespace memlane::cuda
