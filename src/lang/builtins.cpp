// Built-in fns: their table, and the check of their calls.
#include "memlane/lang/builtins.hpp"

#include "checker.hpp"

#include <array>
#include <limits>

namespace memlane::lang {

namespace {

using enum BuiltinKind;
using enum CudaReals;
using Place = BuiltinPlace;
using ir::Opcode;

constexpr std::array table = {
    Builtin{"min", Opcode::min, fold, 2, Place::both, "min(a, b, …)", "the least of them", "min",
            "least"},
    Builtin{"max", Opcode::max, fold, 2, Place::both, "max(a, b, …)", "the greatest of them", "max",
            "greatest"},
    Builtin{"abs", Opcode::abs, number, 1, Place::both, "abs(x)", "x without its sign", "magnitude",
            "fabs", suffixed},
    Builtin{"log2", Opcode::log2, number, 1, Place::both, "log2(x)",
            "the logarithm to the base 2, of integers rounded down", "floor_log2", "log2",
            by_double},
    Builtin{"mod", Opcode::mod, number, 2, Place::both, "mod(a, b)",
            "a modulo b, at least 0 for b > 0", "mod", "real_mod"},
    Builtin{"ceil_div", Opcode::ceil_div, integer, 2, Place::both, "ceil_div(a, b)",
            "a / b, rounded up", "ceil_div", "ceil", by_double},
    Builtin{"mulmod", Opcode::mulmod, integer, 3, Place::both, "mulmod(a, b, m)",
            "a * b modulo m, without overflow", "mulmod"},
    Builtin{"invmod", Opcode::invmod, integer, 2, Place::code, "invmod(a, m)",
            "the inverse of a modulo m", "invmod"},
    Builtin{"is_pow2", Opcode::is_pow2, test, 1, Place::both, "is_pow2(n)",
            "whether n is a power of 2", "is_pow2"},
    Builtin{"sqrt", Opcode::sqrt, real, 1, Place::both, "sqrt(x)", "the square root", "", "sqrt",
            suffixed},
    Builtin{"sin", Opcode::sin, real, 1, Place::code, "sin(x)", "the sine", "", "sin", by_double},
    Builtin{"cos", Opcode::cos, real, 1, Place::code, "cos(x)", "the cosine", "", "cos", by_double},
    Builtin{"exp", Opcode::exp, real, 1, Place::code, "exp(x)", "e to the power x", "", "exp",
            by_double},
    Builtin{"random", Opcode::random, BuiltinKind::random, 2, Place::code, "random(a, b)",
            "a random number: integers from a to b, reals from a up to b"},
    Builtin{"shuffle", Opcode::shuffle, BuiltinKind::shuffle, 2, Place::code, "shuffle(x, i)",
            "x of the warp's lane i", "warp_shuffle"},
    Builtin{"shuffle_up", Opcode::shuffle_up, BuiltinKind::shuffle, 2, Place::code,
            "shuffle_up(x, k)", "x of the lane k below; without one its own", "warp_shuffle_up"},
    Builtin{"shuffle_down", Opcode::shuffle_down, BuiltinKind::shuffle, 2, Place::code,
            "shuffle_down(x, k)", "x of the lane k above; without one its own",
            "warp_shuffle_down"},
    Builtin{"shuffle_xor", Opcode::shuffle_xor, BuiltinKind::shuffle, 2, Place::code,
            "shuffle_xor(x, k)", "x of the lane with the number lane xor k", "warp_shuffle_xor"},
    Builtin{"ballot", Opcode::ballot, vote, 1, Place::code, "ballot(c)",
            "a long whose bit i is c of lane i", "warp_ballot"},
    Builtin{"any", Opcode::any, vote, 1, Place::code, "any(c)",
            "whether c holds in some lane of the warp", "warp_any"},
    Builtin{"all", Opcode::all, vote, 1, Place::code, "all(c)",
            "whether c holds in all active lanes of the warp", "warp_all"},
    Builtin{"warp_sum", Opcode::warp_sum, combine, 1, Place::code, "warp_sum(x)",
            "the sum of x over the warp's active lanes", "warp_sum"},
    Builtin{"warp_min", Opcode::warp_min, combine, 1, Place::code, "warp_min(x)",
            "the least x of the warp's active lanes", "warp_min"},
    Builtin{"warp_max", Opcode::warp_max, combine, 1, Place::code, "warp_max(x)",
            "the greatest x of the warp's active lanes", "warp_max"},
    Builtin{"match", Opcode::match, matching, 1, Place::code, "match(x)",
            "a long whose bit i says whether lane i has the same x", "warp_match"},
    Builtin{"floor", Opcode::constant, rounding, 1, Place::formulas, "floor(x)", "x, rounded down"},
    Builtin{"ceil", Opcode::constant, rounding, 1, Place::formulas, "ceil(x)", "x, rounded up"},
    Builtin{"highest", Opcode::constant, extreme, 1, Place::both, "highest(T)",
            "the greatest number of a type"},
    Builtin{"lowest", Opcode::constant, extreme, 1, Place::both, "lowest(T)",
            "the least number of a type"},
};

} // namespace

std::span<const Builtin> builtins() { return table; }

const Builtin* find_builtin(ir::Opcode op) {
  for (const Builtin& builtin : table)
    if (builtin.op == op && op != Opcode::constant) return &builtin;
  return nullptr;
}

const Builtin* find_builtin(std::string_view name, bool formula) {
  for (const Builtin& builtin : table)
    if (builtin.name == name && builtin.place != (formula ? Place::code : Place::formulas))
      return &builtin;
  return nullptr;
}

using ir::Opcode;
using ir::Scalar;

namespace {

/// Maximum number of operands of min and max: their tree is that high.
constexpr std::size_t longest_fold = 1000;

} // namespace

std::vector<std::string> builtin_names(bool formula) {
  std::vector<std::string> names = {"int", "long", "float", "double"};
  for (const Builtin& builtin : builtins())
    if (find_builtin(builtin.name, formula)) names.emplace_back(builtin.name);
  return names;
}

Typed Checker::builtin(const Expr& e) {
  const Builtin& function = *find_builtin(e.name, is_formula());
  const bool folds = function.kind == BuiltinKind::fold;
  const bool many = folds && e.operands.size() > longest_fold;
  if (many ||
      (folds ? e.operands.size() < function.arguments : e.operands.size() != function.arguments)) {
    if (function.kind != BuiltinKind::extreme) arguments(e);
    return error(e.span,
                 in_quotes(e.name) + " takes " +
                     (many    ? "at most "
                      : folds ? "at least "
                              : "") +
                     counted_noun(many ? longest_fold : function.arguments, "argument") +
                     but_given(e.operands.size(), "argument"),
                 {std::string(function.usage) + " is " + std::string(function.meaning)});
  }
  if (function.kind == BuiltinKind::extreme) return extreme(e);
  if (is_of_warp(function.kind)) return of_warp(e, function);
  const Depth depth(*this, e.span, folds ? e.operands.size() - 1 : 0);
  if (!depth) return std::nullopt;
  auto given = arguments(e);
  if (!given) return std::nullopt;
  bool integers = function.kind == BuiltinKind::integer || function.kind == BuiltinKind::test;
  std::vector<TExpr*> all;
  for (TExpr& argument : *given) {
    bool good = integers ? require_integer(argument, "an argument of " + in_quotes(e.name))
                         : require_number(argument, in_quotes(e.name));
    if (!good) return std::nullopt;
    all.push_back(&argument);
  }
  if (!unify(all)) return std::nullopt;
  Type type = given->front().type;
  switch (function.kind) {
  case BuiltinKind::fold: return fold(e, function.op, std::move(*given));
  case BuiltinKind::real: return real_function(e, function.op, std::move(*given));
  case BuiltinKind::test: return node(TExprKind::is_pow2, bool_type, e.span, std::move(*given));
  case BuiltinKind::rounding:
    return node(e.name == "floor" ? TExprKind::floor : TExprKind::ceiling, type, e.span,
                std::move(*given));
  case BuiltinKind::random: {
    TExpr draw = node(TExprKind::random, type, e.span, std::move(*given));
    draw.symbol = draw_sites_++;
    return draw;
  }
  case BuiltinKind::extreme: // handled above
  case BuiltinKind::shuffle:
  case BuiltinKind::vote:
  case BuiltinKind::combine:
  case BuiltinKind::matching: break;
  case BuiltinKind::number:
  case BuiltinKind::integer: break;
  }
  return operation(function.op, type, e.span, std::move(*given));
}

Typed Checker::of_warp(const Expr& e, const Builtin& function) {
  auto given = arguments(e);
  if (!given) return std::nullopt;
  TExpr& x = given->front();
  const bool good = function.kind == BuiltinKind::vote
                        ? require_bool(x, "what " + in_quotes(e.name) + " asks for")
                    : function.kind == BuiltinKind::matching
                        ? require_integer(x, "an argument of " + in_quotes(e.name))
                        : require_number(x, in_quotes(e.name));
  if (!good) return std::nullopt;
  if (function.kind == BuiltinKind::shuffle &&
      !require_integer(given->back(), "the lane of " + in_quotes(e.name)))
    return std::nullopt;
  const bool bits = function.op == Opcode::ballot || function.op == Opcode::match;
  const Type type = bits ? long_type : x.type;
  TExpr made = node(TExprKind::of_warp, type, e.span, std::move(*given));
  made.op = function.op;
  return made;
}

/// min and max of several operands: a chain from the left, whose last operation is the call.
Typed Checker::fold(const Expr& e, Opcode op, std::vector<TExpr> arguments) {
  Type type = arguments.front().type;
  TExpr result = std::move(arguments.front());
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (i > 1) result.implied = true;
    result = operation(op, type, e.span, operands_of(std::move(result), std::move(arguments[i])));
  }
  return result;
}

Typed Checker::real_function(const Expr& e, Opcode op, std::vector<TExpr> arguments) {
  if (is_integer(arguments.front().type)) {
    Typed real = coerce(std::move(arguments.front()), {Scalar::float64, -1, is_formula()},
                        in_quotes(e.name));
    if (!real) return std::nullopt;
    arguments.front() = std::move(*real);
  }
  Type type = arguments.front().type;
  return operation(op, type, e.span, std::move(arguments));
}

/// highest(T), lowest(T): the greatest and the least number of a type.
Typed Checker::extreme(const Expr& e) {
  const Expr& argument = e.operands[0];
  if (argument.kind != ExprKind::name)
    return error(argument.span, in_quotes(e.name) + " takes the name of a type",
                 {"write " + e.name + "(int)"});
  std::optional<Type> type = type_named({argument.name, argument.span});
  if (!type) return std::nullopt;
  if (!is_number(*type))
    return error(argument.span,
                 in_quotes(e.name) + " takes a type of numbers, this is " + name_of(*type));
  bool high = e.name == "highest";
  auto of = [&](auto limits) {
    return high ? decltype(limits)::max() : decltype(limits)::lowest();
  };
  switch (type->scalar) {
  case Scalar::int32:
    return literal(*type, ir::Value::of(std::int64_t{of(std::numeric_limits<std::int32_t>())}),
                   e.span);
  case Scalar::int64:
    return literal(*type, ir::Value::of(of(std::numeric_limits<std::int64_t>())), e.span);
  case Scalar::float32:
    return literal(*type, ir::Value::of(double{of(std::numeric_limits<float>())}), e.span);
  case Scalar::boolean: // no number: above
  case Scalar::float64: break;
  }
  return literal(*type, ir::Value::of(of(std::numeric_limits<double>())), e.span);
}

} // namespace memlane::lang
