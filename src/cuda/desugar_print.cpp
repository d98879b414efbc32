// Lines that programs print: host code to standard error, as the simulator does; kernels by the
// device's printf, which has standard output alone.
#include "desugar.hpp"

#include <fmt/format.h>

#include <utility>

namespace memlane::cuda {

using namespace lang;

namespace {

/// A piece of printf's format, within quotes.
std::string format_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    if (c == '%') escaped += '%';
    // Three octal digits end by themselves, whatever follows.
    if (static_cast<unsigned char>(c) < 0x20 || c == '\x7f' || c == '?')
      escaped += fmt::format("\\{:03o}", c);
    else
      escaped += c;
  }
  return escaped;
}

std::string format_of(ir::Scalar type) {
  switch (type) {
  case ir::Scalar::boolean: return "%s";
  case ir::Scalar::int32: return "%d";
  case ir::Scalar::int64: return "%lld";
  case ir::Scalar::float32: return "%.9g";
  case ir::Scalar::float64: return "%.17g";
  }
  return {};
}

} // namespace

/// A `print` that is left out still draws its random numbers, which later ones depend on.
void Desugarer::draw_printed(const TStatement& s, Block& out) {
  for (const TExpr& e : s.expressions) {
    const bool draws =
        contains(e, [](const TExpr& part) { return part.kind == TExprKind::random; });
    if (draws) keep(out, names_.type(e.type), numbered("part"), expr(e));
  }
}

void Desugarer::print_line(const TStatement& s, Block& out) {
  const std::string comment = comments_.behind(s.span);
  const bool host = context_->host;
  if (!request_.prints) return draw_printed(s, out);
  std::string format = format_text(s.texts[0]);
  std::vector<Expr> arguments = {{}};
  if (host) {
    arguments.insert(arguments.begin(), named("stderr"));
  } else {
    format = "block %d, thread %d: " + format;
    arguments.push_back(call("int", {named("blockIdx.x")}));
    arguments.push_back(call("int", {named("threadIdx.x")}));
  }
  const auto add = [&](ir::Scalar type, Expr value) {
    format += format_of(type);
    if (type == ir::Scalar::boolean)
      value = choose(std::move(value), string_literal("true"), string_literal("false"), type);
    arguments.push_back(std::move(value));
  };
  for (std::size_t k = 0; k < s.expressions.size(); ++k) {
    const TExpr& e = s.expressions[k];
    const std::string own = numbered("part");
    const Expr value = keep(out, names_.type(e.type), own, expr(e));
    if (!e.type.is_record()) {
      add(e.type.scalar, value);
    } else {
      std::string before = "(";
      for (const RecordField& field : checked_.fields(e.type)) {
        format += std::exchange(before, ", ");
        add(field.type, member_of(value, names_.top(field.name)));
      }
      format += ")";
    }
    format += format_text(s.texts[k + 1]);
  }
  arguments[host ? 1 : 0] = literal("\"" + format + "\\n\"", ir::Scalar::int32);
  if (!host) return out.push_back(evaluate(call("printf", std::move(arguments)), comment));
  out.push_back(brief_if(unary("!", named("state.silent")),
                         evaluate(call("std::fprintf", std::move(arguments))), comment));
}

} // namespace memlane::cuda
