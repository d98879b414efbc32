#include "memlane/ir/value.hpp"

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

} // namespace memlane::ir
