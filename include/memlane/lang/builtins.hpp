// The built-in fns of the language: the one table that the checker, its suggestions, the emitted
// CUDA and the documents are made from.
#pragma once

#include "memlane/ir/opcodes.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace memlane::lang {

/// The types of a built-in fn's arguments, and what the checker makes of a call.
enum class BuiltinKind : std::uint8_t {
  fold,     ///< numbers of one type, at least `arguments`: one operation after the other
  number,   ///< numbers of one type: an operation
  integer,  ///< integers of one type: an operation
  real,     ///< a number, widened to double if it is an integer: an operation
  test,     ///< an integer: a bool
  random,   ///< numbers of one type: a draw
  extreme,  ///< the name of a type: a literal
  rounding, ///< an exact number: a whole one
  shuffle,  ///< of a warp: a number, an integer
  vote,     ///< of a warp: a bool
  combine,  ///< of a warp: a number
  matching, ///< of a warp: an integer
};
/// An operation of a warp. A program may have a fn of its name.
constexpr bool is_of_warp(BuiltinKind kind) { return kind >= BuiltinKind::shuffle; }

/// Where a built-in fn has a meaning.
enum class BuiltinPlace : std::uint8_t {
  code,     ///< words only
  formulas, ///< exact numbers only: claims and `-D` values
  both,
};

/// How CUDA C++ calls a function of reals.
enum class CudaReals : std::uint8_t {
  overloaded, ///< one name serves float and double
  suffixed,   ///< `sqrtf` for float: the double's result, rounded, would be another one
  by_double,  ///< float is computed as double, too, and rounded
};

struct Builtin {
  std::string_view name;
  ir::Opcode op; ///< what a call does that is one operation
  BuiltinKind kind;
  std::size_t arguments;
  BuiltinPlace place;
  std::string_view usage;   ///< `min(a, b, …)`
  std::string_view meaning; ///< a few words
  /// The function of CUDA C++, or of the emitted file, that a call becomes: of integers and of
  /// reals. Empty: there is none, or a name is not enough.
  std::string_view cuda = {}, cuda_reals = {};
  CudaReals cuda_form = CudaReals::overloaded;
};

std::span<const Builtin> builtins();
/// Null: no call is this operation.
const Builtin* find_builtin(ir::Opcode op);
/// Null: there is none of that name, in code or in formulas.
const Builtin* find_builtin(std::string_view name, bool formula);

} // namespace memlane::lang
