// Expressions: values into registers, requests in the order of the source, arms under masks.
#include "lowering.hpp"

#include "memlane/ir/arithmetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace memlane::lang {

using enum ir::Opcode;

Registers Lowering::fresh(Type type) {
  Registers registers;
  for (std::size_t left = scalars_of(checked_, type).size(); left > 0; --left)
    registers.push_back(code().fresh());
  return registers;
}

void Lowering::move(const Registers& to, const Registers& from, Type type) {
  auto types = scalars_of(checked_, type);
  for (std::size_t i = 0; i < to.size(); ++i)
    if (to[i] != from[i]) code().emit(ir::Opcode::move, types[i], to[i], from[i]);
}

const Registers& Lowering::variable(SymbolId id) {
  auto found = variables_.find(id);
  assert(found != variables_.end());
  return found->second;
}

void Lowering::bind_variable(SymbolId id, Registers registers) {
  if (in_kernel_) {
    const VariableSymbol& symbol = checked_.variable(id);
    for (std::size_t f = 0; f < registers.size(); ++f)
      code().variable(variable_name(symbol, f), scalars_of(checked_, symbol.type)[f], registers[f],
                      symbol.span);
  }
  variables_[id] = std::move(registers);
}

/// `x`, or of a record the field's: `x.y`.
std::string Lowering::variable_name(const VariableSymbol& symbol, std::size_t field) const {
  if (!symbol.type.is_record()) return symbol.name;
  return symbol.name + "." + checked_.fields(symbol.type)[field].name;
}

Registers Lowering::special(ir::Special which) {
  switch (which) {
  case ir::Special::thread:
  case ir::Special::threads:
  case ir::Special::warp:
  case ir::Special::warps: program_.threads_matter = true; break;
  case ir::Special::block:
  case ir::Special::blocks:
  case ir::Special::lane:
  case ir::Special::index: break;
  }
  return {code().special(which)};
}

Registers Lowering::lower(const TExpr& expr) {
  watch_.go_on(sizeof(ir::Instruction));
  if (!expr.type.is_record())
    if (auto value = constants_.fold(expr)) return {code().constant(expr.type.scalar, *value)};
  if (watch_.stopped()) return fresh(expr.type); // not even a literal has a value now
  switch (expr.kind) {
  case TExprKind::param: // not folded above: this reports why
  case TExprKind::constant:
  case TExprKind::letter: return {code().constant(expr.type.scalar, constants_.require(expr))};
  case TExprKind::special: return special(expr.special);
  case TExprKind::index_number: return {index_ >= 0 ? index_ : code().special(ir::Special::index)};
  case TExprKind::variable: return variable(expr.symbol);
  case TExprKind::atomic: return {lower_atomic(expr, true)};
  case TExprKind::element:
  case TExprKind::initial: return lower_element(expr);
  case TExprKind::lookup: return {lower_lookup(expr)};
  case TExprKind::of_warp: return {lower_of_warp(expr)};
  case TExprKind::logical_and:
  case TExprKind::logical_or: return {lower_logical(expr)};
  case TExprKind::conditional: return lower_conditional(expr);
  case TExprKind::fn_call: return lower_fn(expr);
  case TExprKind::record: {
    Registers all;
    for (const auto& operand : expr.operands) all.push_back(scalar(operand));
    return all;
  }
  case TExprKind::field: return lower_field(expr);
  case TExprKind::comparison: return {lower_comparison(expr)};
  default: return {lower_operation(expr)};
  }
}

void Lowering::lower_into(const TExpr& expr, const Registers& target) {
  // An operation reads its operands before it writes its result, so it may write the target
  // directly; a result that is written in several steps has its own registers.
  Registers result = lower(expr);
  move(target, result, expr.type);
}

Registers Lowering::lower_element(const TExpr& expr) {
  ArrayRef ref = resolve(expr.symbol);
  Operand at = number(ref, expr.operands);
  Registers values;
  for (std::size_t f = 0; f < ref.roots.size(); ++f) values.push_back(load(ref, f, at, expr));
  return values;
}

/// As for `x[i] += e`: the requests of e come first, then those of the indices.
ir::Register Lowering::lower_atomic(const TExpr& expr, bool old_is_used) {
  const std::size_t values = values_of_atomic(expr.op);
  ArrayRef ref = resolve(expr.symbol);
  Registers operands;
  for (std::size_t k = 0; k < values; ++k) operands.push_back(scalar(expr.operands[k]));
  const ir::Register stored = operands.back(), expected = values > 1 ? operands.front() : -1;
  const auto first = expr.operands.begin() + static_cast<std::ptrdiff_t>(values);
  const ir::Register a = code().reg(number(ref, {first, expr.operands.end()}));
  const ir::Register d = old_is_used ? code().fresh() : -1;
  // The order of atomics decides their old values, and the number of threads decides the order.
  program_.threads_matter = program_.threads_matter || old_is_used;
  code().at(expr.span);
  code()
      .emit(expr.op, expr.type.scalar, d, a, stored, expected,
            ref.roots[static_cast<std::size_t>(std::max(0, expr.field))])
      .counted = expr.counted;
  return d;
}

Registers Lowering::lower_field(const TExpr& expr) {
  const TExpr& whole = expr.operands[0];
  auto f = static_cast<std::size_t>(expr.symbol);
  if (whole.kind != TExprKind::element && whole.kind != TExprKind::initial)
    return {lower(whole)[f]};
  ArrayRef ref = resolve(whole.symbol); // only the field's own word is read
  return {load(ref, f, number(ref, whole.operands), whole)};
}

ir::Register Lowering::lower_lookup(const TExpr& expr) {
  const ConstSymbol& symbol = checked_.constant(expr.symbol);
  ArrayRef ref;
  ref.name = symbol.name;
  const TableWords& words = constants_.table(expr.symbol);
  for (auto extent : words.extents) ref.extents.push_back(Operand::of(extent));
  auto at = number(ref, expr.operands);
  auto table = std::find_if(program_.tables.begin(), program_.tables.end(),
                            [&](const auto& t) { return t.name == symbol.name; });
  if (table == program_.tables.end())
    table = program_.tables.insert(table, {symbol.name, symbol.type, words.words});
  ir::Register a = code().reg(at);
  ir::Register d = code().fresh();
  code().at(expr.span);
  code().emit(lookup, symbol.type, d, a, -1, -1, table - program_.tables.begin());
  return d;
}

ir::Register Lowering::lower_comparison(const TExpr& expr) {
  const TExpr& left = expr.operands[0];
  if (!left.type.is_record()) return lower_operation(expr);
  Registers a = lower(left), b = lower(expr.operands[1]);
  auto types = scalars_of(checked_, left.type);
  ir::Register d = code().constant(ir::Scalar::boolean, ir::Value::of(true));
  for (std::size_t f = 0; f < types.size(); ++f) {
    ir::Register same = code().fresh(), both = code().fresh();
    code().emit(eq, types[f], same, a[f], b[f]);
    code().emit(bit_and, ir::Scalar::boolean, both, d, same);
    d = both;
  }
  ir::Register result = code().fresh();
  code()
      .emit(expr.op == ne ? logical_not : ir::Opcode::move, ir::Scalar::boolean, result, d)
      .counted = expr.counted;
  return result;
}

/// Whether the expression is part of the operator above it: a conversion that the program does not
/// write, or an inner operation of a `min` or `max` of several values. Such an operator waits once,
/// when all its operands are read (configs/README.md, "Requests in flight").
bool Lowering::is_part_of_operator(const TExpr& expr) {
  const bool computes = expr.kind == TExprKind::convert || expr.kind == TExprKind::operation;
  return computes && expr.implied && !constants_.fold(expr);
}

/// The values that the operator and its parts take, in order.
void Lowering::lower_operands(const TExpr& expr, Registers& values) {
  for (const TExpr& operand : expr.operands) {
    if (is_part_of_operator(operand))
      lower_operands(operand, values);
    else
      values.push_back(scalar(operand));
  }
}

ir::Register Lowering::lower_operation(const TExpr& expr) {
  Registers values;
  lower_operands(expr, values);
  auto next = values.cbegin();
  return emit_operation(expr, next);
}

ir::Register Lowering::emit_operation(const TExpr& expr, Registers::const_iterator& next) {
  Registers operands;
  for (const TExpr& operand : expr.operands)
    operands.push_back(is_part_of_operator(operand) ? emit_operation(operand, next) : *next++);
  operands.resize(3, -1);
  ir::Scalar from = expr.operands[0].type.scalar;
  code().at(expr.span);
  ir::Register d = code().fresh();
  auto emit = [&](ir::Opcode op, ir::Scalar type, std::int64_t immediate = 0) {
    code().emit(op, type, d, operands[0], operands[1], operands[2], immediate).counted =
        expr.counted;
  };
  switch (expr.kind) {
  case TExprKind::operation: emit(expr.op, expr.type.scalar); break;
  case TExprKind::comparison: emit(expr.op, from); break;
  case TExprKind::logical_not: emit(logical_not, ir::Scalar::boolean); break;
  case TExprKind::is_pow2: emit(is_pow2, from); break;
  case TExprKind::convert: emit(convert, expr.type.scalar, static_cast<std::int64_t>(from)); break;
  case TExprKind::random: emit(ir::Opcode::random, expr.type.scalar, expr.symbol); break;
  default: assert(false && "an expression without instructions");
  }
  return d;
}

/// A sum, minimum or maximum of w lanes counts as the ceil(log2 w) operators of a tree.
ir::Register Lowering::lower_of_warp(const TExpr& expr) {
  TExpr letter;
  letter.kind = TExprKind::letter;
  letter.text = "w";
  letter.span = expr.span;
  const auto known = constants_.fold(letter);
  if (!known && expr.op != ir::Opcode::tensor)
    constants_.errors().push_back(
        error_at(expr.span, "an operation of a warp: programs on an MMM do not know w",
                 {"run the program on another machine, such as umm-w32"}));
  const std::int64_t width = known ? std::max<std::int64_t>(1, known->integer()) : 1;
  const bool bits = expr.op == ir::Opcode::ballot || expr.op == ir::Opcode::match;
  if (bits && width > 64)
    constants_.errors().push_back(error_at(
        expr.span, fmt::format("a long has 64 bits, and a warp of this machine {} lanes", width),
        {"choose a machine with warps of at most 64 lanes: --set width=32"}));
  if (expr.op == ir::Opcode::tensor) {
    letter.text = "tensor_size";
    const std::int64_t size = std::max<std::int64_t>(1, constants_.require(letter).integer());
    if (width % size != 0 && size % width != 0)
      constants_.errors().push_back(
          error_at(expr.span,
                   fmt::format("tiles of {0} x {0} words do not fit warps of {1} lanes: "
                               "one of the two must divide the other",
                               size, width),
                   {"choose a machine where it does: --set tensor.size=" + std::to_string(width)}));
  }
  Registers operands;
  for (const TExpr& operand : expr.operands) operands.push_back(scalar(operand));
  operands.resize(2, -1);
  std::int64_t operators = 1;
  if (expr.op == ir::Opcode::warp_sum || expr.op == ir::Opcode::warp_min ||
      expr.op == ir::Opcode::warp_max)
    for (operators = 0; std::int64_t{1} << operators < width;) ++operators;
  const ir::Scalar type = expr.operands[0].type.scalar;
  const ir::Register d = code().fresh();
  code().at(expr.span);
  code().emit(expr.op, type, d, operands[0], operands[1]).counted = expr.counted && operators > 0;
  for (std::int64_t k = 1; expr.counted && k < operators; ++k)
    code().emit(ir::Opcode::move, type, d, d).counted = true;
  return d;
}

// Whether an expression may be evaluated where it is not needed: no request, no trap, no cost, no
// wait for a read.
bool Lowering::simple(const TExpr& expr) const {
  if (expr.counted) return false;
  if (expr.kind == TExprKind::variable && awaits_reads_ && in_kernel_ &&
      checked_.variables[static_cast<std::size_t>(expr.symbol)].data)
    return false;
  if (is_at_hand(expr.kind)) return true;
  switch (expr.kind) {
  case TExprKind::comparison:
  case TExprKind::logical_not:
  case TExprKind::logical_and:
  case TExprKind::logical_or: break;
  case TExprKind::operation:
    if (expr.op != add && expr.op != sub && expr.op != mul && expr.op != neg && expr.op != min &&
        expr.op != max && expr.op != bit_and && expr.op != bit_or && expr.op != bit_xor)
      return false;
    break;
  default: return false;
  }
  return std::all_of(expr.operands.begin(), expr.operands.end(),
                     [this](const TExpr& e) { return simple(e); });
}

Registers Lowering::lower_conditional(const TExpr& expr) {
  const TExpr& condition = expr.operands[0];
  if (auto known = constants_.fold(condition)) return lower(expr.operands[known->truth() ? 1 : 2]);
  ir::Register c = scalar(condition);
  // Values at hand are copied, and not waited for.
  const auto may_select = [&](const TExpr& e) { return is_at_hand(e.kind) || simple(e); };
  if (!expr.type.is_record() && may_select(expr.operands[1]) && may_select(expr.operands[2])) {
    ir::Register a = scalar(expr.operands[1]), b = scalar(expr.operands[2]);
    ir::Register d = code().fresh();
    code().at(expr.span);
    code().emit(select, expr.type.scalar, d, c, a, b);
    return {d};
  }
  Registers result = fresh(expr.type);
  auto otherwise = code().label(), end = code().label();
  code().at(expr.span);
  code().jump(if_, otherwise, c);
  lower_into(expr.operands[1], result);
  code().bind(otherwise);
  code().at(expr.span);
  code().jump(else_, end);
  lower_into(expr.operands[2], result);
  code().bind(end);
  code().at(expr.span);
  code().emit(endif, ir::Scalar::boolean, -1);
  return result;
}

ir::Register Lowering::lower_logical(const TExpr& expr) {
  bool conjunction = expr.kind == TExprKind::logical_and;
  ir::Register a = scalar(expr.operands[0]);
  ir::Register d = code().fresh();
  if (simple(expr.operands[1])) {
    ir::Register b = scalar(expr.operands[1]);
    code().at(expr.span);
    code().emit(conjunction ? bit_and : bit_or, ir::Scalar::boolean, d, a, b).counted =
        expr.counted;
    return d;
  }
  // Only lanes where the first operand does not decide evaluate the second. The operator comes
  // after both.
  code().at(expr.span);
  code().emit(ir::Opcode::move, ir::Scalar::boolean, d, a);
  ir::Register open = a;
  if (!conjunction) {
    open = code().fresh();
    code().emit(logical_not, ir::Scalar::boolean, open, a);
  }
  auto otherwise = code().label(), end = code().label();
  code().jump(if_, otherwise, open);
  lower_into(expr.operands[1], {d});
  code().bind(otherwise);
  code().jump(else_, end);
  code().bind(end);
  code().emit(endif, ir::Scalar::boolean, -1);
  if (expr.counted) {
    code().at(expr.span);
    code().emit(bit_and, ir::Scalar::boolean, d, d, d).counted = true;
  }
  return d;
}

Registers Lowering::lower_fn(const TExpr& expr) {
  for (const auto& [id, argument] : expr.bindings) {
    Registers target = fresh(argument.type);
    lower_into(argument, target);
    bind_variable(id, target);
  }
  Registers result = expr.block.empty() ? lower(expr.operands[0]) : lower_fn_block(expr);
  if (expr.symbol < 0 || !in_kernel_) return result;
  code().at(expr.span);
  code().emit(call, ir::Scalar::int32, -1, -1, -1, -1, expr.symbol).counted = expr.counted;
  return result;
}

} // namespace memlane::lang
