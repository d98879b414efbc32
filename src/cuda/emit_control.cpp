// Control: if, while, for, and the lanes that are in them.
#include "emitter.hpp"

#include <fmt/format.h>

namespace memlane::cuda {

using namespace lang;

void Emitter::body_of(const std::vector<TStatement>& body, Writer& out) { block(body, out); }

void Emitter::emit_if(const TStatement& s, Writer& out) {
  const std::string comment = comments_.behind(s.span);
  const std::string outer = function_->mask;
  const bool masked = !function_->host && meetings_.needs_mask(s);
  std::string condition = text(*s.value), then = outer, otherwise = outer;
  if (masked) {
    const int k = ++unnamed_;
    then = fresh_name(fmt::format("lanes{}", k));
    const std::string enters = fresh_name(fmt::format("enters{}", k));
    const std::string all = outer.empty() ? "0xffffffffu" : outer;
    out.line(fmt::format("const bool {} = {};", enters, condition));
    out.line(fmt::format("const unsigned {} = __ballot_sync({}, {});", then, all, enters));
    otherwise = fmt::format("{} & ~{}", all, then);
    condition = enters;
  }
  function_->mask = then;
  out.open(fmt::format("if ({})", condition), comment);
  block(s.body, out);
  function_->mask = otherwise;
  const TStatement* last = &s;
  // `else if` is an alternative of one `if`.
  while (!masked && last->alternative.size() == 1 &&
         last->alternative[0].kind == TStatementKind::if_ &&
         !meetings_.needs_mask(last->alternative[0]) &&
         !meetings_.waits_before(last->alternative[0]) &&
         last->alternative[0].span.begin >= last->span.begin) {
    last = &last->alternative[0];
    out.unindent();
    out.line(fmt::format("}} else if ({}) {{", text(*last->value)), comments_.behind(last->span));
    out.indent();
    block(last->body, out);
  }
  if (!last->alternative.empty()) {
    out.unindent();
    out.line("} else {");
    out.indent();
    block(last->alternative, out);
  }
  out.close();
  function_->mask = outer;
}

void Emitter::emit_while(const TStatement& s, Writer& out) {
  const std::string comment = comments_.behind(s.span);
  const std::string outer = function_->mask;
  if (!function_->host && meetings_.needs_mask(s)) {
    const int k = ++unnamed_;
    const std::string lanes = fresh_name(fmt::format("lanes{}", k));
    const std::string goes_on = fresh_name(fmt::format("goes_on{}", k));
    out.line(fmt::format("unsigned {} = {};", lanes, outer.empty() ? "0xffffffffu" : outer));
    out.open("for (;;)", comment);
    out.line(wait_call(lanes));
    out.line(fmt::format("const bool {} = {};", goes_on, text(*s.value)));
    out.line(fmt::format("{0} = __ballot_sync({0}, {1});", lanes, goes_on));
    out.line(fmt::format("if (!{}) break;", goes_on));
    function_->mask = lanes;
  } else {
    out.open(fmt::format("while ({})", text(*s.value)), comment);
  }
  const bool waits = !function_->host && meetings_.waits_after(s);
  waits_.push_back(waits ? wait_call(function_->mask) : "");
  block(s.body, out);
  waits_.pop_back();
  if (waits) out.line(wait_call(function_->mask));
  out.close();
  function_->mask = outer;
}

/// Whether an expression keeps its value while a loop runs, and is cheap to look at again.
bool Emitter::is_steady(const TExpr& e) const {
  return !contains(e, [&](const TExpr& part) {
    switch (part.kind) {
    case TExprKind::literal:
    case TExprKind::param:
    case TExprKind::constant:
    case TExprKind::letter:
    case TExprKind::special:
    case TExprKind::convert:
    case TExprKind::index_number: return false;
    case TExprKind::variable: return checked_.variables[std::size_t(part.symbol)].assignable;
    case TExprKind::operation:
      return part.op != ir::Opcode::add && part.op != ir::Opcode::sub &&
             part.op != ir::Opcode::mul && part.op != ir::Opcode::div &&
             part.op != ir::Opcode::pow && part.op != ir::Opcode::neg &&
             part.op != ir::Opcode::log2 && part.op != ir::Opcode::ceil_div;
    default: return true;
    }
  });
}

/// Where a loop may end. What comes from arrays and variables may be any int; parameters that the
/// emission does not know are taken to be far from the ends of int.
std::optional<Interval> Emitter::ends_of(const TExpr& e) {
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
std::optional<Interval> Emitter::counter_bounds(const TStatement& s) {
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

/// Whether an int passes its range behind the loop's last round, as far as the emission can tell.
bool Emitter::passes_range(const TStatement& s) {
  if (counter_bounds(s)) return false;
  const auto to = ends_of(s.expressions[1]);
  if (!to || s.expressions[0].type.scalar != ir::Scalar::int32 || s.step_kind == StepKind::divide)
    return false;
  const auto by = s.expressions.size() > 2 ? values_.interval(s.expressions[2]) : Interval{1, 1};
  const std::int64_t step = by ? by->high : 1;
  if (s.step_kind == StepKind::multiply) return to->high * step > INT32_MAX;
  return s.down ? to->low - step < INT32_MIN : to->high + step > INT32_MAX;
}

void Emitter::emit_for(const TStatement& s, Writer& out) {
  const std::string comment = comments_.behind(s.span);
  const Code from = expr(s.expressions[0]);
  const auto kept = [&](const TExpr& e, const char* what) -> Code {
    if (is_steady(e)) return expr(e);
    const std::string name =
        kept_name(fmt::format("{}_{}", checked_.variables[std::size_t(s.symbol)].name, what));
    out.line(fmt::format("const {} {} = {};", type_name(e.type), name, text(e)));
    return {name, Code::primary, e.type.scalar};
  };
  values_.bind_bounds(s.symbol, std::nullopt);
  const Code to = kept(s.expressions[1], "end");
  const TExpr* by = s.expressions.size() > 2 ? &s.expressions[2] : nullptr;
  const Code step = by ? kept(*by, "step") : Code{"1", Code::primary, ir::Scalar::int32, true};
  std::optional<Interval> range;
  if (const auto a = values_.interval(s.expressions[0]), b = values_.interval(s.expressions[1]);
      a && b)
    range = s.down ? Interval{b->low, a->high} : Interval{a->low, b->high};
  values_.bind(s.symbol, range);
  const std::optional<std::int64_t> least = values_.floor(s.expressions[s.down ? 1 : 0]);
  const bool grows =
      s.down || s.step_kind == StepKind::add || least >= std::optional(std::int64_t{0});
  values_.bind_floor(s.symbol, grows ? least : std::nullopt);
  const std::optional<Interval> bounds = counter_bounds(s);
  values_.bind_bounds(s.symbol, bounds);
  const std::string index = declare(s.symbol);
  const bool wide = passes_range(s);
  const std::string name = wide ? fresh_name(index + "_long") : index;
  const bool narrow = set_narrow(s.symbol, bounds.has_value());
  const std::string type = wide ? "long long" : narrow ? "int" : type_name(s.expressions[0].type);
  std::string advance;
  if (s.step_kind == StepKind::add)
    advance = step.text == "1" ? fmt::format("{}{}", s.down ? "--" : "++", name)
                               : fmt::format("{} {} {}", name, s.down ? "-=" : "+=", step.text);
  else
    advance =
        fmt::format("{} {} {}", name, s.step_kind == StepKind::multiply ? "*=" : "/=", step.text);
  std::string more = fmt::format("{} {} {}", name, s.down ? ">=" : "<=", to.text);
  // `to n - 1` is `< n`.
  if (const std::string tail = " - 1"; !s.down && to.level == Code::sum && to.text.size() > 4 &&
                                       to.text.substr(to.text.size() - 4) == tail)
    more = fmt::format("{} < {}", name, to.text.substr(0, to.text.size() - 4));
  const std::string outer = function_->mask;
  const bool masked = !function_->host && meetings_.needs_mask(s);
  if (masked) {
    const int k = ++unnamed_;
    const std::string lanes = fresh_name(fmt::format("lanes{}", k));
    const std::string goes_on = fresh_name(fmt::format("goes_on{}", k));
    out.line(fmt::format("unsigned {} = {};", lanes, outer.empty() ? "0xffffffffu" : outer));
    out.open(fmt::format("for ({} {} = {};; {})", type, name, from.text, advance), comment);
    out.line(wait_call(lanes));
    out.line(fmt::format("const bool {} = {};", goes_on, more));
    out.line(fmt::format("{0} = __ballot_sync({0}, {1});", lanes, goes_on));
    out.line(fmt::format("if (!{}) break;", goes_on));
    function_->mask = lanes;
  } else {
    out.open(fmt::format("for ({} {} = {}; {}; {})", type, name, from.text, more, advance),
             comment);
  }
  if (wide) out.line(fmt::format("const int {} = int({});", index, name));
  waits_.emplace_back();
  block(s.body, out);
  waits_.pop_back();
  out.close();
  function_->mask = outer;
}

} // namespace memlane::cuda
