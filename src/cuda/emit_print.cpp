// Lines that host code prints, to standard error as the simulator does.
#include "emitter.hpp"

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

void Emitter::emit_print(const TStatement& s, Writer& out) {
  const std::string comment = comments_.behind(s.span);
  if (!function_->host)
    return unsupported(s.span, "a `print` in a kernel",
                       {"a line for each thread would be in the measured time: print in main"});
  std::string format = format_text(s.texts[0]), arguments;
  const auto add = [&](ir::Scalar type, const std::string& value) {
    format += format_of(type);
    arguments += ", " + value + (type == ir::Scalar::boolean ? " ? \"true\" : \"false\"" : "");
  };
  for (std::size_t k = 0; k < s.expressions.size(); ++k) {
    const TExpr& e = s.expressions[k];
    const std::string name = fresh_name(fmt::format("part{}", ++unnamed_));
    out.line(fmt::format("const {} {} = {};", type_name(e.type), name, text(e)));
    if (!e.type.is_record()) {
      add(e.type.scalar, name);
    } else {
      std::string before = "(";
      for (const RecordField& field : checked_.records[std::size_t(e.type.record)].fields) {
        format += std::exchange(before, ", ");
        add(field.type, fmt::format("{}.{}", name, top_name(field.name)));
      }
      format += ")";
    }
    format += format_text(s.texts[k + 1]);
  }
  out.line(fmt::format("if (!state.silent) std::fprintf(stderr, \"{}\\n\"{});", format, arguments),
           comment);
}

} // namespace memlane::cuda
