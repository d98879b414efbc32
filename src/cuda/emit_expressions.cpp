// Expressions: the language's own meaning in C++, and no more brackets than a person would write.
#include "emitter.hpp"

#include <fmt/format.h>

#include <cmath>

namespace memlane::cuda {

using namespace lang;
using enum ir::Opcode;

namespace {

bool is_cpp_wider(ir::Scalar a, ir::Scalar b) { return a > b; }

/// Whether the value may be rounded: then the conversion stands in the text, for what is around it
/// may be wider still.
bool rounds(ir::Scalar from, ir::Scalar to) {
  return (ir::is_integer(from) && to == ir::Scalar::float32) ||
         (from == ir::Scalar::int64 && to == ir::Scalar::float64);
}

} // namespace

std::string Emitter::text(const TExpr& e, Code::Level level) { return bracketed(expr(e), level); }

Code Emitter::literal(ir::Scalar type, ir::Value value) {
  if (type == ir::Scalar::boolean) return {value.truth() ? "true" : "false", Code::primary, type};
  if (ir::is_integer(type)) {
    const std::int64_t v = value.integer();
    if (v == INT64_MIN) return {"LLONG_MIN", Code::primary, type};
    if (type == ir::Scalar::int32 && v == INT32_MIN) return {"INT_MIN", Code::primary, type};
    const bool small = v >= -INT32_MAX && v <= INT32_MAX;
    return {std::to_string(v) + (small ? "" : "ll"), v < 0 ? Code::unary : Code::primary,
            small ? ir::Scalar::int32 : type, small};
  }
  const double v = value.real();
  const char* suffix = type == ir::Scalar::float32 ? "f" : "";
  if (std::isnan(v) || std::isinf(v)) {
    const std::string huge = type == ir::Scalar::float32 ? "HUGE_VALF" : "HUGE_VAL";
    if (std::isinf(v))
      return {(v < 0 ? "-" : "") + huge, v < 0 ? Code::unary : Code::primary, type};
    return {fmt::format("({0} - {0})", huge), Code::primary, type};
  }
  std::string digits =
      type == ir::Scalar::float32 ? fmt::format("{}", static_cast<float>(v)) : fmt::format("{}", v);
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return {digits + suffix, std::signbit(v) ? Code::unary : Code::primary, type};
}

/// Of exactly this C++ type, for overloads and where the arithmetic's width matters.
Code Emitter::exact(Code code, ir::Scalar type, const TExpr* e) {
  if (code.type == type) return code;
  if (code.literal && type == ir::Scalar::int64 && e && e->kind == TExprKind::literal) {
    code.text += "ll";
    return {code.text, code.level, type};
  }
  const std::string name = scalar_name(type);
  if (name.find(' ') != std::string::npos)
    return {fmt::format("({}){}", name, bracketed(code, Code::unary)), Code::unary, type};
  return {fmt::format("{}({})", name, code.text), Code::primary, type};
}

Code Emitter::exact(const TExpr& e) { return exact(expr(e), e.type.scalar, &e); }

Code Emitter::expr(const TExpr& e) {
  switch (e.kind) {
  case TExprKind::literal: return literal(e.type.scalar, e.value);
  case TExprKind::param:
  case TExprKind::constant:
  case TExprKind::letter:
  case TExprKind::special:
  case TExprKind::index_number:
  case TExprKind::variable: return symbol(e);
  case TExprKind::element:
  case TExprKind::initial: return element(e);
  case TExprKind::lookup: {
    if (draws_in_several(e.operands)) return in_order(e);
    const ConstSymbol& table = checked_.consts[std::size_t(e.symbol)];
    EmittedArray array;
    for (const TExpr& extent : table.extents)
      array.extents.push_back([this, &extent] { return expr(extent); });
    std::vector<Code> indices;
    for (const TExpr& index : e.operands) indices.push_back(expr(index));
    return {fmt::format("{}({})", top_name(table.name), number(array, indices).text), Code::primary,
            table.type};
  }
  case TExprKind::operation: return operation(e);
  case TExprKind::comparison: return comparison(e);
  case TExprKind::logical_not:
    return {"!" + text(e.operands[0], Code::unary), Code::unary, ir::Scalar::boolean};
  case TExprKind::logical_and:
  case TExprKind::logical_or: return logical(e);
  case TExprKind::conditional: {
    const Code yes = expr(e.operands[1]), no = expr(e.operands[2]);
    const std::string condition = text(e.operands[0], Code::disjunction);
    const ir::Scalar type = e.type.is_record() ? e.type.scalar : std::max(yes.type, no.type);
    return {fmt::format("{} ? {} : {}", condition, bracketed(yes, Code::conditional), no.text),
            Code::conditional, type};
  }
  case TExprKind::convert: {
    const Code inner = expr(e.operands[0]);
    // Widening is C++'s own, where it happens at all; narrowing and rounding are written.
    const bool to_bool = e.type.scalar == ir::Scalar::boolean;
    if (!to_bool && !is_cpp_wider(inner.type, e.type.scalar) && !rounds(inner.type, e.type.scalar))
      return inner;
    if (to_bool) return {bracketed(inner, Code::relation) + " != 0", Code::equality, e.type.scalar};
    return exact(inner, e.type.scalar);
  }
  case TExprKind::is_pow2: helpers_.insert("is_pow2"); return call("is_pow2", e);
  case TExprKind::random: return random(e);
  case TExprKind::fn_call: return e.symbol < 0 ? bound_parts(e) : fn_call(e);
  case TExprKind::record: {
    std::string fields;
    if (draws_in_several(e.operands)) return in_order(e);
    for (const TExpr& operand : e.operands)
      fields += (fields.empty() ? "" : ", ") + exact(operand).text;
    return {fmt::format("{}{{{}}}", type_name(e.type), fields), Code::primary};
  }
  case TExprKind::field: {
    const RecordType& record = checked_.records[std::size_t(e.operands[0].type.record)];
    const RecordField& field = record.fields[std::size_t(e.symbol)];
    const TExpr& whole = e.operands[0];
    if (whole.kind == TExprKind::element || whole.kind == TExprKind::initial) {
      // Only the field's own word is read.
      const EmittedArray array = resolve(whole.symbol);
      const std::string at = word(array, whole.operands).text;
      if (symbol_of(array.root).kind == ArrayKind::local)
        return {fmt::format("{}[{}].{}", array.base, at, top_name(field.name)), Code::primary,
                field.type};
      const char* form = whole.kind == TExprKind::initial ? "{}.{}.initial({})" : "{}.{}[{}]";
      return {fmt::format(fmt::runtime(form), array.base, top_name(field.name), at), Code::primary,
              field.type};
    }
    return {fmt::format("{}.{}", text(whole, Code::primary), top_name(field.name)), Code::primary,
            field.type};
  }
  case TExprKind::floor: // of claims
  case TExprKind::ceiling:
  case TExprKind::count:
  case TExprKind::fn_count:
  case TExprKind::padding:
  case TExprKind::layout: break;
  }
  return known(0);
}

Code Emitter::symbol(const TExpr& e) {
  const auto named = [&](const std::string& name, bool fixed, ir::Scalar type) -> Code {
    if (!fixed && function_) function_->captures.insert({Capture::scalar, name, -1});
    return {name, Code::primary, type};
  };
  switch (e.kind) {
  case TExprKind::param: {
    const ParamSymbol& param = checked_.params[std::size_t(e.symbol)];
    const bool fixed = fixed_params_.count(e.symbol) > 0;
    return named(top_name(param.name), fixed, fixed ? param.type : kernel_type(e));
  }
  case TExprKind::constant: {
    const ConstSymbol& constant = checked_.consts[std::size_t(e.symbol)];
    const bool fixed = fixed_consts_.count(e.symbol) > 0;
    return named(top_name(constant.name), fixed, fixed ? constant.type : kernel_type(e));
  }
  case TExprKind::letter: {
    letters_.insert(e.text);
    const auto value = values_.integer(e);
    const bool wide = e.type.scalar == ir::Scalar::int64;
    if (!value) return known(0);
    return {top_name(e.text), Code::primary, wide ? ir::Scalar::int64 : ir::Scalar::int32};
  }
  case TExprKind::special: {
    if (e.special == ir::Special::threads && !launched_threads_.empty())
      return {launched_threads_, Code::primary, ir::Scalar::int32};
    if (function_->host) { // one thread does it all
      const bool one = e.special == ir::Special::threads || e.special == ir::Special::blocks ||
                       e.special == ir::Special::warps;
      return {one ? "1" : "0", Code::primary, ir::Scalar::int32, true};
    }
    function_->specials.insert(e.special);
    return {std::string(ir::name_of(e.special)), Code::primary, ir::Scalar::int32};
  }
  case TExprKind::index_number: return {"index", Code::primary, ir::Scalar::int32};
  default: break;
  }
  if (const auto found = substituted_.find(e.symbol); found != substituted_.end())
    return found->second;
  return {names_[e.symbol], Code::primary,
          narrow_.count(e.symbol) > 0 ? ir::Scalar::int32 : e.type.scalar};
}

Code Emitter::call(const std::string& function, const TExpr& e) {
  std::string arguments;
  for (const TExpr& operand : e.operands) {
    // A word of memory has a type of its own on the host, from which a template takes no number.
    const bool word = function_->host && reads_arrays(operand) &&
                      (operand.kind == TExprKind::element || operand.kind == TExprKind::field ||
                       operand.kind == TExprKind::conditional);
    const std::string argument = exact(operand).text;
    arguments += arguments.empty() ? "" : ", ";
    const std::string type = scalar_name(operand.type.scalar);
    const bool one_word = type.find(' ') == std::string::npos;
    arguments += !word
                     ? argument
                     : fmt::format(fmt::runtime(one_word ? "{}({})" : "({})({})"), type, argument);
  }
  return {fmt::format("{}({})", function, arguments), Code::primary, e.type.scalar};
}

} // namespace memlane::cuda
