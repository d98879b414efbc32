#include "emit_code.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cuda {

bool is_number(const Code& code, const char* number) { return code.literal && code.text == number; }

std::string bracketed(const Code& code, Code::Level level) {
  return code.level < level ? "(" + code.text + ")" : code.text;
}

Code known(std::int64_t value) {
  return {std::to_string(value), Code::primary, ir::Scalar::int32, true};
}

Code added(const Code& a, const Code& b) {
  if (is_number(a, "0")) return b;
  if (is_number(b, "0")) return a;
  const ir::Scalar type = std::max(a.type, b.type);
  // What is added may be a difference, and a sum in brackets is no clearer.
  const Code::Level right = b.text.find(" - ") == std::string::npos ? Code::sum : Code::product;
  return {fmt::format("{} + {}", bracketed(a, Code::sum), bracketed(b, right)), Code::sum, type};
}

Code multiplied(const Code& a, const Code& b) {
  if (is_number(a, "0") || is_number(b, "0")) return known(0);
  if (is_number(a, "1")) return b;
  if (is_number(b, "1")) return a;
  return {fmt::format("{} * {}", bracketed(a, Code::product), bracketed(b, Code::unary)),
          Code::product, std::max(a.type, b.type)};
}

std::string wait_call(const std::string& mask) { return fmt::format("__syncwarp({});", mask); }

} // namespace memlane::cuda
