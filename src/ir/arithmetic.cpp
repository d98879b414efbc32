#include "memlane/ir/arithmetic.hpp"

#include "memlane/ir/operations.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

namespace memlane::ir {

std::string_view name_of(Scalar type) {
  switch (type) {
  case Scalar::boolean: return "bool";
  case Scalar::int32: return "int";
  case Scalar::int64: return "long";
  case Scalar::float32: return "float";
  case Scalar::float64: return "double";
  }
  return "";
}

namespace {

// Only some versions of {fmt} end a whole number with ".0"; removes it.
std::string without_point_zero(std::string text) {
  if (text.size() > 2 && text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

// The sign of a NaN means nothing and differs between processors.
template <class Real>
std::string real_text(Real value) {
  if (value != value) return "nan";
  return without_point_zero(fmt::format("{}", value));
}

} // namespace

std::string to_string(Scalar type, Value value) {
  switch (type) {
  case Scalar::boolean: return value.truth() ? "true" : "false";
  case Scalar::int32:
  case Scalar::int64: return std::to_string(value.integer());
  case Scalar::float32: return real_text(static_cast<float>(value.real()));
  case Scalar::float64: return real_text(value.real());
  }
  return "";
}

namespace {

template <Opcode op>
RowOutcome rows_of(Scalar type, Scalar from, const Rows& rows) {
  for (int i = 0; i < rows.lanes; ++i) {
    if (!rows.mask[i]) continue;
    const Outcome outcome = operations::one(op, type, rows.a[i], rows.b[i], rows.c[i], from);
    if (outcome.trap) return {i, outcome.trap};
    rows.d[i] = outcome.value;
  }
  return {};
}

} // namespace

Outcome apply(Opcode op, Scalar type, Value a, Value b, Value c, Scalar from) {
  return operations::one(op, type, a, b, c, from);
}

RowOutcome apply_rows(Opcode op, Scalar type, Scalar from, const Rows& rows) {
  switch (op) {
#define MEMLANE_ROWS(name, mnemonic, operands, effects, group)                                     \
  case Opcode::name: return rows_of<Opcode::name>(type, from, rows);
    MEMLANE_OPCODES(MEMLANE_ROWS)
#undef MEMLANE_ROWS
  }
  return {};
}

namespace {

__extension__ using Wide = __int128;

/// The power, or a number beyond long if the power is.
Wide exact_power(std::int64_t base, std::int64_t exponent) {
  Wide result = 1;
  for (std::int64_t k = 0; k < exponent; ++k) {
    if (base == 0 || base == 1) return base;
    if (base == -1) return exponent % 2 == 0 ? 1 : -1;
    result *= base;
    if (result > INT64_MAX || result < INT64_MIN) return result;
  }
  return result;
}

/// The exact result of an operation that can wrap around; nothing for others.
std::optional<Wide> exact(Opcode op, Wide a, std::int64_t b) {
  if (op == Opcode::convert) return a;
  if (group_of(op) != OpcodeGroup::arithmetic) return {};
  switch (static_cast<ArithmeticOpcode>(op)) {
  case ArithmeticOpcode::add: return a + b;
  case ArithmeticOpcode::sub: return a - b;
  case ArithmeticOpcode::mul: return a * b;
  case ArithmeticOpcode::neg: return -a;
  case ArithmeticOpcode::abs: return a < 0 ? -a : a;
  case ArithmeticOpcode::shl: return a * (Wide{1} << b);
  case ArithmeticOpcode::pow: return exact_power(static_cast<std::int64_t>(a), b);
  case ArithmeticOpcode::div:
  case ArithmeticOpcode::ceil_div: return b == -1 ? std::optional(-a) : std::nullopt;
  case ArithmeticOpcode::rem:
  case ArithmeticOpcode::mod:
  case ArithmeticOpcode::bit_not:
  case ArithmeticOpcode::bit_and:
  case ArithmeticOpcode::bit_or:
  case ArithmeticOpcode::bit_xor:
  case ArithmeticOpcode::shr:
  case ArithmeticOpcode::min:
  case ArithmeticOpcode::max:
  case ArithmeticOpcode::log2:
  case ArithmeticOpcode::mulmod:
  case ArithmeticOpcode::invmod:
  case ArithmeticOpcode::iterations:
  case ArithmeticOpcode::sqrt:
  case ArithmeticOpcode::sin:
  case ArithmeticOpcode::cos:
  case ArithmeticOpcode::exp: break;
  }
  return {};
}

} // namespace

std::optional<Wrap> wrap_of(Opcode op, Scalar type, Scalar from, Value a, Value b, Value result,
                            Span span) {
  if (!is_integer(type) || !is_integer(from)) return {};
  const auto whole = exact(op, a.integer(), b.integer());
  if (!whole || *whole == result.integer()) return {};
  Wrap wrap{span, type == Scalar::int64, {}, 0};
  if (*whole >= INT64_MIN && *whole <= INT64_MAX) wrap.exact = static_cast<std::int64_t>(*whole);
  return wrap;
}

std::string text(const Wrap& wrap, const Sources& sources) {
  return fmt::format("{} wrapped around; {}", source_on_one_line(sources.text(wrap.span)),
                     wrap.of_longs ? "a long has 64 bits" : "use long");
}

Diagnostic wrapped_extent(Span extent, const std::string& array, const Wrap& wrap,
                          const Sources& sources) {
  std::vector<std::string> help;
  if (wrap.exact)
    help.push_back(fmt::format("{} is {}, which does not fit an int",
                               source_on_one_line(sources.text(wrap.span)), *wrap.exact));
  return error_at(extent, fmt::format("extent {} of {}: {}", wrap.made, array, text(wrap, sources)),
                  std::move(help));
}

} // namespace memlane::ir
