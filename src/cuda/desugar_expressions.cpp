// Expressions: the language's own meaning in C++.
#include "desugar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace memlane::cuda {

using namespace lang;
using enum ir::Scalar;

namespace {

/// Whether the value may be rounded: then the conversion stands in the text, for what is around it
/// may be wider still.
bool rounds(ir::Scalar from, ir::Scalar to) {
  return (ir::is_integer(from) && to == float32) || (from == int64 && to == float64);
}

} // namespace

Expr value_literal(ir::Scalar type, ir::Value value) {
  if (type == boolean) return literal(value.truth() ? "true" : "false", type);
  if (ir::is_integer(type)) {
    const std::int64_t v = value.integer();
    if (v == INT64_MIN) return literal("LLONG_MIN", type);
    if (type == int32 && v == INT32_MIN) return literal("INT_MIN", type);
    const bool small = v >= -INT32_MAX && v <= INT32_MAX;
    return small ? integer(v) : literal(std::to_string(v) + "ll", type);
  }
  const double v = value.real();
  const bool single = type == float32;
  const std::string huge = single ? "HUGE_VALF" : "HUGE_VAL";
  if (std::isinf(v)) return literal((v < 0 ? "-" : "") + huge, type);
  if (std::isnan(v)) return literal(fmt::format("({0} - {0})", huge), type);
  std::string digits = single ? fmt::format("{}", static_cast<float>(v)) : fmt::format("{}", v);
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return literal(digits + (single ? "f" : ""), type);
}

std::vector<Expr> Desugarer::exprs(const std::vector<TExpr>& all) {
  std::vector<Expr> made;
  for (const TExpr& e : all) made.push_back(expr(e));
  return made;
}

/// Code of exactly this C++ type, for overloads and where the arithmetic's width matters.
Expr Desugarer::exact(Expr code, ir::Scalar type, const TExpr* e) {
  if (code.type == type) return code;
  if (code.kind == Expr::integer && type == int64 && e && e->kind == TExprKind::literal)
    return literal(std::to_string(code.number) + "ll", type);
  return cast(scalar_name(type), std::move(code), type);
}

Expr Desugarer::exact(const TExpr& e) { return exact(expr(e), e.type.scalar, &e); }

Expr Desugarer::expr(const TExpr& e) {
  if (draws_in_several(e.operands) && e.kind != TExprKind::logical_and &&
      e.kind != TExprKind::logical_or && e.kind != TExprKind::conditional)
    return in_order(e);
  switch (e.kind) {
  case TExprKind::literal: return value_literal(e.type.scalar, e.value);
  case TExprKind::param:
  case TExprKind::constant: return run_value(e);
  case TExprKind::letter: return letter(e);
  case TExprKind::special: return special(e.special);
  case TExprKind::index_number: return named("index");
  case TExprKind::variable: return variables_[e.symbol];
  case TExprKind::element:
  case TExprKind::initial: return element(e);
  case TExprKind::atomic: return atomic(e);
  case TExprKind::of_warp: return of_warp(e);
  case TExprKind::lookup: {
    const ConstSymbol& table = checked_.constant(e.symbol);
    ArrayRef array;
    array.extents = exprs(table.extents);
    return call(names_.top(table.name), {number(array, exprs(e.operands))}, table.type);
  }
  case TExprKind::operation: return operation(e);
  case TExprKind::comparison: return comparison(e);
  case TExprKind::logical_not: {
    Expr negation = unary("!", expr(e.operands[0]));
    negation.type = boolean;
    return negation;
  }
  case TExprKind::logical_and:
  case TExprKind::logical_or:
  case TExprKind::conditional: return choice(e);
  case TExprKind::convert: return conversion(e);
  case TExprKind::is_pow2:
    return call_with_operands(std::string(find_builtin(ir::Opcode::is_pow2)->cuda), e);
  case TExprKind::random: return random(e);
  case TExprKind::fn_call: return e.symbol < 0 ? bound_parts(e) : fn_call(e);
  case TExprKind::record: {
    std::vector<Expr> fields;
    for (const TExpr& operand : e.operands) fields.push_back(exact(operand));
    return braces(names_.type(e.type), std::move(fields));
  }
  case TExprKind::field: return field(e);
  case TExprKind::floor: // formulas of claims
  case TExprKind::ceiling:
  case TExprKind::count:
  case TExprKind::fn_count:
  case TExprKind::padding:
  case TExprKind::layout: break;
  }
  return integer(0);
}

/// Widening is C++'s own, where it happens at all; narrowing and rounding are written.
Expr Desugarer::conversion(const TExpr& e) {
  Expr inner = expr(e.operands[0]);
  const ir::Scalar to = e.type.scalar;
  if (to == boolean) return binary(std::move(inner), "!=", integer(0), to);
  if (inner.type <= to && !rounds(inner.type, to)) return inner;
  return exact(std::move(inner), to);
}

/// The lanes that take part come first.
Expr Desugarer::of_warp(const TExpr& e) {
  std::vector<Expr> arguments = {lanes(), exact(e.operands[0])};
  if (e.operands.size() > 1) arguments.push_back(exact(expr(e.operands[1]), int64, &e.operands[1]));
  return call(std::string(find_builtin(e.op)->cuda), std::move(arguments), e.type.scalar);
}

Expr Desugarer::atomic(const TExpr& e) {
  const std::size_t values = values_of_atomic(e.op);
  const auto first = e.operands.begin() + std::ptrdiff_t(values);
  const ArrayRef array = resolve(e.symbol);
  Expr target = place(array, e.symbol, e.field, word(array, {first, e.operands.end()}));
  std::vector<Expr> arguments = {unary("&", std::move(target))};
  for (std::size_t k = 0; k < values; ++k) arguments.push_back(exact(e.operands[k]));
  std::string name(ir::mnemonic(e.op)); // `atomic.add`
  std::replace(name.begin(), name.end(), '.', '_');
  Expr made = call(std::move(name), std::move(arguments), e.type.scalar);
  made.source = source_of(e.span);
  return made;
}

Expr Desugarer::field(const TExpr& e) {
  const TExpr& whole = e.operands[0];
  const RecordField& field = checked_.fields(whole.type)[std::size_t(e.symbol)];
  if (whole.kind != TExprKind::element && whole.kind != TExprKind::initial)
    return member_of(expr(whole), names_.field(field.name), field.type);
  // Only the field's own word is read.
  const ArrayRef array = resolve(whole.symbol);
  Expr at = word(array, whole.operands);
  if (whole.kind == TExprKind::initial)
    return call(member_of(member_of(array.base, names_.field(field.name)), "initial"),
                {std::move(at)}, field.type);
  return place(array, whole.symbol, e.symbol, std::move(at));
}

/// A parameter or constant; what the emission does not fix is given to kernels.
Expr Desugarer::run_value(const TExpr& e) {
  const bool is_param = e.kind == TExprKind::param;
  const auto id = std::size_t(e.symbol);
  const bool fixed = (is_param ? fixed_params_ : fixed_consts_).count(e.symbol) > 0;
  ir::Scalar type = is_param ? checked_.params[id].type : checked_.consts[id].type;
  // Kernels get an int in place of a long where all its values fit.
  if (!fixed && type == int64 && context_ && !context_->host && values_.fits_int(e)) type = int32;
  Expr value =
      named(names_.top(is_param ? checked_.params[id].name : checked_.consts[id].name), type);
  if (!fixed) value.role = Role::run_value;
  return value;
}

Expr Desugarer::special(ir::Special special) {
  using enum ir::Special;
  if (special == threads && launched_threads_) return *launched_threads_;
  if (context_->host) // one thread does it all
    return integer(special == threads || special == blocks || special == warps ? 1 : 0);
  Expr value = named(std::string(ir::name_of(special)));
  value.role = Role::special, value.special = special;
  return value;
}

Expr Desugarer::letter(const TExpr& e) {
  if (!values_.integer(e)) return integer(0);
  if (names_.declares(e.text)) return machine_letter(e.text); // the checker has added it
  Expr letter = named(names_.top(e.text), e.type.scalar == int64 ? int64 : int32);
  letter.role = Role::letter;
  return letter;
}

/// A letter of the machine where the program did not write it: a number if it has its own use for
/// the letter.
Expr Desugarer::machine_letter(const std::string& letter) {
  if (names_.declares(letter)) return integer(request_.bindings.letters.at(letter));
  Expr value = named(names_.top(letter));
  value.role = Role::letter;
  return value;
}

/// A word of memory has a type of its own on the host, from which a template takes no number.
bool Desugarer::is_word(const TExpr& e) const {
  return context_->host && reads_arrays(e) &&
         (e.kind == TExprKind::element || e.kind == TExprKind::field ||
          e.kind == TExprKind::conditional);
}

/// What an expression became, as a number where it is a word of memory on the host.
Expr Desugarer::word_value(const TExpr& e, Expr code) const {
  const ir::Scalar type = code.type;
  const bool word = is_word(e.kind == TExprKind::convert ? e.operands[0] : e);
  return word && code.kind != Expr::cast ? cast(scalar_name(type), std::move(code), type) : code;
}

Expr Desugarer::call_with_operands(const std::string& function, const TExpr& e,
                                   const std::string& argument) {
  std::vector<Expr> arguments;
  for (const TExpr& operand : e.operands) {
    const ir::Scalar type = operand.type.scalar;
    arguments.push_back(is_word(operand) ? cast(scalar_name(type), exact(operand), type)
                                         : exact(operand));
  }
  return call_of(function, argument, std::move(arguments), e.type.scalar);
}

// ---- Variables ----

const VariableSymbol& Desugarer::variable(SymbolId id) const {
  const std::size_t own = checked_.variables.size();
  return std::size_t(id) < own ? checked_.variable(id) : added_variables_[std::size_t(id) - own];
}

std::string Desugarer::declare_variable(SymbolId id) {
  return declare_variable(id, variable(id).type.scalar);
}

std::string Desugarer::declare_variable(SymbolId id, ir::Scalar type) {
  std::string name = names_.local(variable(id).name);
  variables_[id] = named(name, type);
  return name;
}

/// The type of a variable's declaration; compilers warn of variables that nothing uses.
std::string Desugarer::typed(SymbolId id, const std::string& type) const {
  return used_variables_.count(id) == 0 ? "[[maybe_unused]] " + type : type;
}

/// A constant of the function: its name stands for the value.
Expr Desugarer::keep(Block& out, const std::string& type, const std::string& own, Expr value,
                     const std::string& comment) {
  const ir::Scalar scalar = value.type;
  out.push_back(declare("const " + type, own, std::move(value), comment));
  return named(own, scalar);
}

/// The name of a value that a loop keeps; no other in the function has the name.
std::string Desugarer::kept_name(const std::string& wish) {
  std::string name = names_.fresh(wish);
  for (int version = 2; !context_->kept.insert(name).second; ++version)
    name = names_.fresh(fmt::format("{}{}", wish, version));
  return name;
}

// --- Random numbers, which host code and initial values draw: the same ones, in the same order.

/// Evaluates an expression in a statement before; gives a variable with its value.
TExpr Desugarer::evaluated(const TExpr& e, Block& out) {
  TExpr stands;
  stands.kind = TExprKind::variable;
  stands.type = e.type;
  stands.span = e.span;
  stands.symbol = SymbolId(checked_.variables.size() + added_variables_.size());
  added_variables_.push_back({"", e.span, e.type});
  const std::string own = numbered("part");
  variables_[stands.symbol] = keep(out, names_.type(e.type), own, expr(e));
  variables_[stands.symbol].type = e.type.scalar;
  return stands;
}

TExpr Desugarer::drawn_first(const TExpr& e, Block& out) {
  return draws(e) ? evaluated(e, out) : e;
}

/// C++ leaves the order of operands open; the order of draws matters.
Expr Desugarer::in_order(const TExpr& e) {
  TExpr last = e;
  Function all;
  for (TExpr& operand : last.operands) operand = drawn_first(operand, all.body);
  all.body.push_back(simple(Statement::return_, expr(last)));
  return call(lambda(std::move(all)), {}, e.type.scalar);
}

bool Desugarer::draws_in_several(const std::vector<TExpr>& operands) {
  return std::count_if(operands.begin(), operands.end(), draws) > 1;
}

ArraySlice Desugarer::drawn_first(ArraySlice slice, Block& out) {
  for (TExpr& lead : slice.lead) lead = drawn_first(lead, out);
  for (TExpr& bound : slice.range) bound = drawn_first(bound, out);
  return slice;
}

/// A call or launch whose arguments are evaluated before it, in their order; nothing if C++ may do
/// it. It has no order of arguments, and a launch's tell arrays that the kernel writes them.
std::optional<TStatement> Desugarer::evaluated_first(const TStatement& s, Block& out) {
  const bool launches = s.kind == TStatementKind::launch;
  const auto reads = [&](const TExpr& e) { return launches && reads_arrays(e); };
  int drawing = 0;
  // `threads` may stand in the size of shared arrays, too.
  bool needed = launches && s.threads && draws(*s.threads);
  each_use(s, [&](const TExpr& e, Use use) {
    drawing += draws(e) ? 1 : 0;
    needed = needed || reads(e) || (draws(e) && use == Use::index);
  });
  if (drawing < 2 && !needed) return std::nullopt;
  TStatement own = s;
  each_use(own, [&](TExpr& e, Use) {
    if (draws(e) || reads(e)) e = evaluated(e, out);
  });
  return own;
}

Expr Desugarer::random(const TExpr& e) {
  const Expr site = integer(e.symbol);
  Expr low = exact(e.operands[0]), high = exact(e.operands[1]);
  std::vector<Expr> arguments = {site, std::move(low), std::move(high)};
  if (random_array_ >= 0)
    arguments = {integer(random_array_), site, named("index"), arguments[1], arguments[2]};
  return call_of(random_array_ < 0 ? "random_draw" : "random_element", scalar_name(e.type.scalar),
                 std::move(arguments), e.type.scalar);
}

} // namespace memlane::cuda
