#include "support/catch.hpp"

#include "memlane/ir/arithmetic.hpp"

#include <cmath>
#include <limits>
#include <random>

using namespace memlane::ir;
using enum memlane::ir::Scalar;

namespace {

constexpr std::int64_t low = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t high = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

Outcome run(Opcode op, Scalar type, std::int64_t a, std::int64_t b = 0, std::int64_t c = 0) {
  return apply(op, type, Value::of(a), Value::of(b), Value::of(c), type);
}

Outcome real(Opcode op, Scalar type, double a, double b = 0) {
  return apply(op, type, Value::of(a), Value::of(b), {}, type);
}

} // namespace

TEST_CASE("integer arithmetic wraps and traps") {
  struct Row {
    Opcode op;
    Scalar type;
    std::int64_t a, b, c, expected;
  };
  const Row rows[] = {
      {Opcode::add, int32, high, 1, 0, low},
      {Opcode::add, int64, highest, 1, 0, lowest},
      {Opcode::sub, int32, low, 1, 0, high},
      {Opcode::sub, int64, lowest, 1, 0, highest},
      {Opcode::mul, int32, 65536, 65536, 0, 0},
      {Opcode::mul, int32, 46341, 46341, 0, -2147479015},
      {Opcode::mul, int64, highest, 2, 0, -2},
      {Opcode::div, int32, -7, 2, 0, -3},
      {Opcode::div, int32, low, -1, 0, low},
      {Opcode::div, int64, lowest, -1, 0, lowest},
      {Opcode::rem, int32, -7, 2, 0, -1},
      {Opcode::rem, int32, 7, -2, 0, 1},
      {Opcode::rem, int64, lowest, -1, 0, 0},
      {Opcode::mod, int32, -7, 2, 0, 1},
      {Opcode::mod, int32, -8, 2, 0, 0},
      {Opcode::mod, int32, 7, -2, 0, -1},
      {Opcode::mod, int64, lowest, -1, 0, 0},
      {Opcode::pow, int64, 2, 62, 0, std::int64_t{1} << 62},
      {Opcode::pow, int64, 2, 64, 0, 0},
      {Opcode::pow, int64, -3, 3, 0, -27},
      {Opcode::pow, int64, 0, 0, 0, 1},
      {Opcode::pow, int32, 2, 31, 0, low},
      {Opcode::pow, int64, 3, highest, 0, -6148914691236517205},
      {Opcode::neg, int32, low, 0, 0, low},
      {Opcode::neg, int64, lowest, 0, 0, lowest},
      {Opcode::bit_not, int32, 0, 0, 0, -1},
      {Opcode::bit_and, int32, -2, 7, 0, 6},
      {Opcode::bit_or, int64, 5, 10, 0, 15},
      {Opcode::bit_xor, int32, -1, 1, 0, -2},
      {Opcode::shl, int32, 1, 31, 0, low},
      {Opcode::shl, int32, 3, 31, 0, low},
      {Opcode::shl, int64, 1, 63, 0, lowest},
      {Opcode::shr, int32, -8, 1, 0, -4},
      {Opcode::shr, int64, lowest, 63, 0, -1},
      {Opcode::min, int32, -1, 1, 0, -1},
      {Opcode::max, int64, -1, 1, 0, 1},
      {Opcode::abs, int32, low, 0, 0, low},
      {Opcode::abs, int64, -5, 0, 0, 5},
      {Opcode::log2, int32, 1, 0, 0, 0},
      {Opcode::log2, int32, high, 0, 0, 30},
      {Opcode::log2, int64, highest, 0, 0, 62},
      {Opcode::ceil_div, int32, 7, 2, 0, 4},
      {Opcode::ceil_div, int32, -7, 2, 0, -3},
      {Opcode::ceil_div, int32, 8, 2, 0, 4},
      {Opcode::ceil_div, int32, -7, -2, 0, 4},
      {Opcode::ceil_div, int64, lowest, -1, 0, lowest},
      {Opcode::mulmod, int64, highest, highest, 1000000007, 737564071},
      {Opcode::mulmod, int64, -1, 5, 7, 2},
      {Opcode::mulmod, int64, lowest, lowest, highest, 1},
      {Opcode::invmod, int64, 3, 7, 0, 5},
      {Opcode::invmod, int64, -4, 7, 0, 5},
      {Opcode::invmod, int64, 5, 1, 0, 0},
      {Opcode::iterations, int64, 3, -2, 5, 21},
      {Opcode::iterations, int64, 3, 5, -2, 0},
      {Opcode::iterations, int64, 0, lowest, highest, 0},
      {Opcode::iterations, int64, 1, 0, std::int64_t{1} << 62, std::int64_t{1} << 62},
      {Opcode::eq, int32, 3, 3, 0, 1},
      {Opcode::ne, int32, 3, 3, 0, 0},
      {Opcode::lt, int64, lowest, highest, 0, 1},
      {Opcode::le, int32, 2, 2, 0, 1},
      {Opcode::is_pow2, int32, 64, 0, 0, 1},
      {Opcode::is_pow2, int32, 0, 0, 0, 0},
      {Opcode::is_pow2, int64, lowest, 0, 0, 0},
  };
  for (const Row& row : rows) {
    INFO(mnemonic(row.op) << " " << row.a << " " << row.b << " " << row.c);
    const Outcome outcome = run(row.op, row.type, row.a, row.b, row.c);
    CHECK(outcome.trap == nullptr);
    CHECK(outcome.value.integer() == row.expected);
  }
}

TEST_CASE("operations without a result say why") {
  const auto why = [](Outcome outcome) { return std::string(outcome.trap ? outcome.trap : ""); };
  for (Opcode op : {Opcode::div, Opcode::rem, Opcode::mod, Opcode::ceil_div}) {
    CHECK(why(run(op, int32, 5, 0)) == "division by zero");
    CHECK(why(real(op, float64, 5.0, 0.0)) == "division by zero");
    CHECK(why(real(op, float32, 5.0, -0.0)) == "division by zero");
  }
  for (std::int64_t distance : {std::int64_t{-1}, std::int64_t{32}, highest})
    CHECK(why(run(Opcode::shl, int32, 1, distance)) ==
          "shift of an int by less than 0 or more than 31 bits");
  CHECK(why(run(Opcode::shr, int64, 1, 64)) ==
        "shift of a long by less than 0 or more than 63 bits");
  CHECK(why(run(Opcode::pow, int64, 2, -1)) == "negative power of an integer");
  CHECK(why(run(Opcode::log2, int32, 0)) == "log2 of an integer below 1");
  CHECK(why(run(Opcode::mulmod, int64, 1, 1, 0)) == "mulmod with a modulus below 1");
  CHECK(why(run(Opcode::invmod, int64, 6, 9)) == "invmod of numbers with a common factor");
  CHECK(why(run(Opcode::invmod, int64, 0, 9)) == "invmod of numbers with a common factor");
  CHECK(why(run(Opcode::invmod, int64, 1, -9)) == "invmod with a modulus below 1");
  for (std::int64_t others : {std::int64_t{1}, std::int64_t{1} << 62})
    CHECK(why(run(Opcode::iterations, int64, others, lowest, highest)) ==
          "a forall of more than 2^62 iterations");
  CHECK(why(run(Opcode::sqrt, int32, 4)) == "this operation is not defined for integers");
  CHECK(why(real(Opcode::shl, float64, 4.0, 1.0)) == "this operation is not defined for reals");
}

TEST_CASE("min and max of reals do not depend on the order of their operands") {
  for (Scalar type : {float32, float64}) {
    for (Opcode op : {Opcode::min, Opcode::max}) {
      CHECK(real(op, type, std::nan(""), 1.0).value.real() == 1.0);
      CHECK(real(op, type, 1.0, std::nan("")).value.real() == 1.0);
      CHECK(std::isnan(real(op, type, std::nan(""), std::nan("")).value.real()));
      const bool least = op == Opcode::min;
      CHECK(std::signbit(real(op, type, 0.0, -0.0).value.real()) == least);
      CHECK(std::signbit(real(op, type, -0.0, 0.0).value.real()) == least);
    }
  }
  CHECK(to_string(float64, Value::of(-std::nan(""))) == "nan");
  CHECK(to_string(float32, Value::of(std::nan(""))) == "nan");
}

TEST_CASE("reals round to their type after every step") {
  const double third = static_cast<double>(1.0f / 3.0f);
  CHECK(real(Opcode::div, float32, 1.0, 3.0).value.real() == third);
  CHECK(real(Opcode::div, float64, 1.0, 3.0).value.real() == 1.0 / 3.0);
  CHECK(real(Opcode::add, float32, 16777216.0, 1.0).value.real() == 16777216.0);
  CHECK(real(Opcode::sqrt, float32, 2.0).value.real() == static_cast<double>(std::sqrt(2.0f)));
  CHECK(real(Opcode::mod, float64, -7.5, 2.0).value.real() == 0.5);
  CHECK(real(Opcode::rem, float64, -7.5, 2.0).value.real() == -1.5);
  CHECK(std::isnan(real(Opcode::sqrt, float64, -1.0).value.real()));
  CHECK(std::isinf(real(Opcode::mul, float32, 3e38, 10.0).value.real()));
  CHECK(real(Opcode::lt, float64, 1.0, std::nan("")).value.truth() == false);
  std::mt19937 random(3);
  std::uniform_real_distribution<float> any(-1e6f, 1e6f);
  for (int i = 0; i < 1000; ++i) { // against the machine's own float arithmetic
    const float a = any(random), b = any(random);
    CHECK(real(Opcode::add, float32, double{a}, double{b}).value.real() == double{a + b});
    CHECK(real(Opcode::mul, float32, double{a}, double{b}).value.real() == double{a * b});
    CHECK(real(Opcode::div, float32, double{a}, double{b}).value.real() == double{a / b});
  }
}

TEST_CASE("inverses modulo m multiply to one") {
  std::mt19937_64 random(5);
  int found = 0;
  for (int i = 0; i < 500; ++i) {
    const auto m = static_cast<std::int64_t>(random() >> (1 + random() % 60)) + 2;
    const auto a = static_cast<std::int64_t>(random());
    const Outcome inverse = run(Opcode::invmod, int64, a, m);
    if (inverse.trap) continue;
    ++found;
    CHECK(run(Opcode::mulmod, int64, a, inverse.value.integer(), m).value.integer() == 1 % m);
  }
  CHECK(found > 100);
}

TEST_CASE("conversions") {
  const auto to = [](Scalar type, Scalar from, Value v) {
    return apply(Opcode::convert, type, v, {}, {}, from);
  };
  CHECK(to(int32, int64, Value::of(std::int64_t{1} << 32)).value.integer() == 0);
  CHECK(to(int32, int64, Value::of(high + 1)).value.integer() == low);
  CHECK(to(int32, float64, Value::of(-2.9)).value.integer() == -2);
  CHECK(to(int32, float64, Value::of(2147483647.9)).value.integer() == high);
  CHECK(to(int32, float64, Value::of(-2147483648.9)).value.integer() == low);
  CHECK(std::string(to(int32, float64, Value::of(2147483648.0)).trap) ==
        "conversion of a number that int cannot hold");
  CHECK(std::string(to(int64, float64, Value::of(0x1p63)).trap) ==
        "conversion of a number that long cannot hold");
  CHECK(to(int64, float64, Value::of(-0x1p63)).value.integer() == lowest);
  CHECK(std::string(to(int64, float32, Value::of(std::nan(""))).trap) ==
        "conversion of NaN to an integer");
  CHECK(to(float32, int64, Value::of((std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1))
            .value.real() == 0x1.000002p60); // rounded once, up
  CHECK(to(float64, boolean, Value::of(true)).value.real() == 1.0);
  CHECK(to(boolean, int32, Value::of(std::int64_t{-4})).value == Value::of(true));
  CHECK(to(float32, float64, Value::of(0.1)).value.real() == double{0.1f});
}

TEST_CASE("selection, copies and logic") {
  CHECK(apply(Opcode::select, int32, Value::of(true), Value::of(std::int64_t{4}),
              Value::of(std::int64_t{5}), int32)
            .value.integer() == 4);
  CHECK(apply(Opcode::move, float64, Value::of(0.5), {}, {}, int32).value.real() == 0.5);
  CHECK(apply(Opcode::logical_not, boolean, Value::of(false), {}, {}, boolean).value.truth());
  CHECK(apply(Opcode::bit_xor, boolean, Value::of(true), Value::of(true), {}, boolean).value.bits ==
        0);
}

TEST_CASE("values as a reader writes them") {
  CHECK(to_string(int32, Value::of(std::int64_t{-3})) == "-3");
  CHECK(to_string(boolean, Value::of(true)) == "true");
  CHECK(to_string(float32, Value::of(double{0.1f})) == "0.1");
  CHECK(to_string(float64, Value::of(double{0.1f})) == "0.10000000149011612");
  CHECK(to_string(float64, Value::of(2.0)) == "2");
  CHECK(to_string(int64, Value::of(lowest)) == "-9223372036854775808");
}
