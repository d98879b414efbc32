// Expressions: the language's own meaning in C++, and no more brackets than a person would write.
#include "emitter.hpp"

#include <fmt/format.h>

#include <cmath>

namespace memlane::gpu {

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

Code unsupported_code() { return {"0", Code::primary, ir::Scalar::int32, true}; }

std::string bracketed(const Code& code, Code::Level level) {
  return code.level < level ? "(" + code.text + ")" : code.text;
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
  case TExprKind::ceiling: break;
  }
  return unsupported_code();
}

Code Emitter::symbol(const TExpr& e) {
  const auto named = [&](const std::string& name, bool fixed, ir::Scalar type) -> Code {
    if (!fixed && function_) function_->captures.insert({Capture::scalar, name, -1});
    return {name, Code::primary, type};
  };
  switch (e.kind) {
  case TExprKind::param: {
    const ParamSymbol& param = checked_.params[std::size_t(e.symbol)];
    return named(top_name(param.name), fixed_params_.count(e.symbol) > 0, param.type);
  }
  case TExprKind::constant: {
    const ConstSymbol& constant = checked_.consts[std::size_t(e.symbol)];
    return named(top_name(constant.name), fixed_consts_.count(e.symbol) > 0, constant.type);
  }
  case TExprKind::letter: {
    letters_.insert(e.text);
    const auto value = values_.integer(e);
    const bool wide = e.type.scalar == ir::Scalar::int64;
    if (!value) return unsupported_code();
    return {top_name(e.text), Code::primary, wide ? ir::Scalar::int64 : ir::Scalar::int32};
  }
  case TExprKind::special: {
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
  return {names_[e.symbol], Code::primary, e.type.scalar};
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

Code Emitter::binary(const char* op, Code::Level level, const TExpr& e) {
  Code left = expr(e.operands[0]);
  const Code right = expr(e.operands[1]);
  // The arithmetic is done in the node's type: one operand at least has to be of it.
  const bool shifts = level == Code::shift;
  if ((shifts || right.type != e.type.scalar) && left.type != e.type.scalar)
    left = exact(left, e.type.scalar, &e.operands[0]);
  const auto next = Code::Level(level + 1);
  // Where the rules of binding are little known, brackets help.
  const bool rare = level <= Code::bit_and || level == Code::shift;
  const auto side = [&](const Code& code, bool right_side) {
    if (rare) return bracketed(code, code.level == level && !right_side ? level : Code::unary);
    return bracketed(code, right_side ? next : level);
  };
  return {fmt::format("{} {} {}", side(left, false), op, side(right, true)), level, e.type.scalar};
}

namespace {

/// Whether a person would expect this to go beyond the range of its type, as hashes do.
bool expects_overflow(const TExpr& e) {
  if (e.kind != TExprKind::operation || !ir::is_integer(e.type.scalar)) return false;
  if (e.op != add && e.op != sub && e.op != mul) return false;
  const std::int64_t large = e.op == mul ? std::int64_t{1} << 14 : std::int64_t{1} << 29;
  for (const TExpr& operand : e.operands) {
    const bool number = operand.kind == TExprKind::literal && ir::is_integer(operand.type.scalar);
    if (number && (operand.value.integer() >= large || operand.value.integer() <= -large))
      return true;
    if (expects_overflow(operand)) return true;
  }
  return false;
}

} // namespace

/// The language's integers wrap around; C++'s unsigned ones do.
Code Emitter::wrapping(const char* op, const TExpr& e) {
  const bool wide = e.type.scalar == ir::Scalar::int64;
  const auto side = [&](const TExpr& operand) {
    const Code code = expr(operand);
    if (operand.kind == TExprKind::literal && operand.value.integer() >= 0)
      return std::to_string(operand.value.integer()) + (wide ? "ull" : "u");
    return wide ? fmt::format("(unsigned long long){}",
                              bracketed(exact(code, ir::Scalar::int64), Code::unary))
                : fmt::format("unsigned({})", code.text);
  };
  const std::string both = side(e.operands[0]) + " " + op + " " + side(e.operands[1]);
  return wide ? Code{fmt::format("(long long)({})", both), Code::unary, e.type.scalar}
              : Code{fmt::format("int({})", both), Code::primary, e.type.scalar};
}

Code Emitter::power(const TExpr& e) {
  if (ir::is_real(e.type.scalar)) {
    const std::string both = fmt::format("pow(double({}), double({}))", expr(e.operands[0]).text,
                                         expr(e.operands[1]).text);
    return e.type.scalar == ir::Scalar::float32
               ? Code{"float(" + both + ")", Code::primary, e.type.scalar}
               : Code{both, Code::primary, e.type.scalar};
  }
  const std::optional<std::int64_t> base = values_.integer(e.operands[0]);
  Code made;
  if (base == 2 &&
      (e.operands[0].kind == TExprKind::literal || e.operands[0].kind == TExprKind::convert)) {
    helpers_.insert("two_to");
    made = {fmt::format("two_to({})", expr(e.operands[1]).text), Code::primary, ir::Scalar::int64};
  } else {
    helpers_.insert("power");
    made = {fmt::format("power({}, {})", expr(e.operands[0]).text, expr(e.operands[1]).text),
            Code::primary, ir::Scalar::int64};
  }
  return e.type.scalar == ir::Scalar::int64 ? made : exact(made, e.type.scalar);
}

Code Emitter::operation(const TExpr& e) {
  const ir::Scalar type = e.type.scalar;
  const bool real = ir::is_real(type);
  if (draws_in_several(e.operands)) return in_order(e);
  const auto helper = [&](const char* name) {
    helpers_.insert(name);
    return call(name, e);
  };
  const auto by_double = [&](const char* name) {
    const std::string made = fmt::format("{}(double({}))", name, expr(e.operands[0]).text);
    return Code{type == ir::Scalar::float32 ? "float(" + made + ")" : made, Code::primary, type};
  };
  switch (e.op) {
  case add: return expects_overflow(e) ? wrapping("+", e) : binary("+", Code::sum, e);
  case sub: return expects_overflow(e) ? wrapping("-", e) : binary("-", Code::sum, e);
  case mul: return expects_overflow(e) ? wrapping("*", e) : binary("*", Code::product, e);
  case ir::Opcode::div:
    return !real && values_.may_overflow(e) ? helper("quotient_of") : binary("/", Code::product, e);
  case rem:
    if (!real)
      return values_.may_overflow(e) ? helper("remainder_of") : binary("%", Code::product, e);
    return {fmt::format("{}(fmod(double({}), double({})))", scalar_name(type),
                        expr(e.operands[0]).text, expr(e.operands[1]).text),
            Code::primary, type};
  case ir::Opcode::mod: return helper(real ? "real_mod" : "mod");
  case ir::Opcode::pow: return power(e);
  case neg: {
    const Code inner = exact(e.operands[0]);
    // Two signs side by side would be another operator.
    const bool sign = !inner.text.empty() && inner.text[0] == '-';
    return {"-" + (sign ? "(" + inner.text + ")" : bracketed(inner, Code::unary)), Code::unary,
            type};
  }
  case bit_not:
    return {(type == ir::Scalar::boolean ? "!" : "~") +
                bracketed(exact(e.operands[0]), Code::unary),
            Code::unary, type};
  case bit_and: return binary("&", Code::bit_and, e);
  case bit_or: return binary("|", Code::bit_or, e);
  case bit_xor: return binary("^", Code::bit_xor, e);
  case shl: return binary("<<", Code::shift, e);
  case shr: return binary(">>", Code::shift, e);
  case ir::Opcode::min: return real ? helper("least") : call("min", e);
  case ir::Opcode::max: return real ? helper("greatest") : call("max", e);
  case ir::Opcode::abs:
    if (real) return call("fabs", e);
    helpers_.insert("magnitude");
    return call(fmt::format("magnitude<{}>", scalar_name(type)), e);
  case ir::Opcode::log2:
    if (real) return by_double("log2");
    helpers_.insert("floor_log2");
    return {fmt::format("floor_log2({})", expr(e.operands[0]).text), Code::primary,
            ir::Scalar::int32};
  case ceil_div:
    if (!real) return helper("ceil_div");
    return {fmt::format("{}(ceil(double({}) / double({})))", scalar_name(type),
                        expr(e.operands[0]).text, expr(e.operands[1]).text),
            Code::primary, type};
  case mulmod:
  case invmod: {
    Code made = helper(e.op == mulmod ? "mulmod" : "invmod");
    made.type = ir::Scalar::int64;
    return type == ir::Scalar::int64 ? made : exact(made, type);
  }
  case ir::Opcode::sqrt: return by_double("sqrt");
  case ir::Opcode::sin: return by_double("sin");
  case ir::Opcode::cos: return by_double("cos");
  case ir::Opcode::exp: return by_double("exp");
  default: break;
  }
  unsupported(e.span, fmt::format("the operation {}", ir::mnemonic(e.op)), {});
  return unsupported_code();
}

Code Emitter::comparison(const TExpr& e) {
  const TExpr &a = e.operands[0], &b = e.operands[1];
  if (draws_in_several(e.operands)) return in_order(e);
  const bool equality = e.op == eq || e.op == ne;
  const char* op = e.op == eq ? "==" : e.op == ne ? "!=" : e.op == lt ? "<" : "<=";
  if (a.type.is_record()) {
    return {fmt::format("{}({} == {})", e.op == ne ? "!" : "", text(a, Code::relation),
                        text(b, Code::relation)),
            e.op == ne ? Code::unary : Code::primary, ir::Scalar::boolean};
  }
  Code left = expr(a), right = expr(b);
  const ir::Scalar type = a.type.scalar;
  if (ir::is_real(type) && left.type != type && right.type != type) left = exact(left, type, &a);
  const Code::Level level = equality ? Code::equality : Code::relation;
  // As it was written: the checker turns > and >= round.
  if (a.span.known() && a.span.file == b.span.file && b.span.end <= a.span.begin && !equality) {
    std::swap(left, right);
    op = e.op == lt ? ">" : ">=";
  }
  return {fmt::format("{} {} {}", bracketed(left, Code::sum), op, bracketed(right, Code::sum)),
          level, ir::Scalar::boolean};
}

Code Emitter::logical(const TExpr& e) {
  const bool both = e.kind == TExprKind::logical_and;
  const Code left = expr(e.operands[0]), right = expr(e.operands[1]);
  const Code::Level own = both ? Code::conjunction : Code::disjunction;
  const auto side = [&](const Code& code) {
    if (code.level == own) return code.text; // both are associative
    return bracketed(code, Code::bit_or);
  };
  return {fmt::format("{} {} {}", side(left), both ? "&&" : "||", side(right)), own,
          ir::Scalar::boolean};
}

} // namespace memlane::gpu
