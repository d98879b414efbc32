#include "memlane/lang/ast.hpp"

namespace memlane::lang {

std::string_view spelling(BinaryOp op) {
  switch (op) {
  case BinaryOp::add: return "+";
  case BinaryOp::sub: return "-";
  case BinaryOp::bit_or: return "|";
  case BinaryOp::bit_xor: return "xor";
  case BinaryOp::mul: return "*";
  case BinaryOp::div: return "/";
  case BinaryOp::rem: return "%";
  case BinaryOp::bit_and: return "&";
  case BinaryOp::shl: return "<<";
  case BinaryOp::shr: return ">>";
  case BinaryOp::pow: return "^";
  }
  return "";
}

std::string_view spelling(CompareOp op) {
  switch (op) {
  case CompareOp::eq: return "==";
  case CompareOp::ne: return "!=";
  case CompareOp::lt: return "<";
  case CompareOp::le: return "<=";
  case CompareOp::gt: return ">";
  case CompareOp::ge: return ">=";
  }
  return "";
}

} // namespace memlane::lang
