#include "memlane/lang/builtins.hpp"

#include <array>

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

} // namespace memlane::lang
