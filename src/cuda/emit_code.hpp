// Pieces of C++, and no more brackets than a person would write.
#pragma once

#include "memlane/ir/value.hpp"

#include <cstdint>
#include <string>

namespace memlane::cuda {

/// A piece of C++: how tightly it binds, and the type that C++ gives it.
struct Code {
  enum Level {
    conditional = 2, // and lambdas
    disjunction,
    conjunction,
    bit_or,
    bit_xor,
    bit_and,
    equality,
    relation,
    shift,
    sum,
    product,
    unary,
    primary
  };
  std::string text;
  Level level = primary;
  ir::Scalar type = ir::Scalar::int32;
  bool literal = false; ///< of an integer: takes any integer type
};

/// In brackets if it binds less tightly than what is around it.
std::string bracketed(const Code& code, Code::Level level);
inline std::string factor(const Code& code) { return bracketed(code, Code::unary); }
inline std::string term(const Code& code) { return bracketed(code, Code::product); }

/// A number that is known, and whether a piece is one.
Code known(std::int64_t value);
bool is_number(const Code& code, const char* number);

/// The lanes of a mask wait for each other; of an empty one, the whole warp.
std::string wait_call(const std::string& mask);

/// Sums and products without what changes nothing.
Code added(const Code& a, const Code& b);
Code multiplied(const Code& a, const Code& b);

} // namespace memlane::cuda
