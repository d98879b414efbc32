// main, verify and memory as host code.
#include "emit_parts.hpp"
#include "emitter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cuda {

using namespace lang;

/// What a line of measurements says of the program, without its parameters.
std::string Emitter::facts() const {
  return facts_json(request_.program, request_.sha256, "emitted", request_.replaced,
                    request_.machine, request_.problem);
}

/// Whether main's kernels may run again on what they left: nothing that they wrote decides where
/// they go and what they touch.
bool Emitter::repeatable() {
  std::set<SymbolId> written, read;
  bool decides = false;
  const auto root = [&](SymbolId id) {
    while (symbol_of(id).kind == ArrayKind::view) id = symbol_of(id).target->array;
    return id;
  };
  for (const TFunction& function : checked_.functions) {
    if (function.kind != FunctionKind::kernel) continue;
    written.insert(written_in(function).begin(), written_in(function).end());
    each_reached(function, [&](const TFunction& reached) {
      const auto is_data = [&](const TExpr& part) {
        return part.kind == TExprKind::element ||
               (part.kind == TExprKind::variable &&
                checked_.variables[std::size_t(part.symbol)].data);
      };
      each_statement(reached.body, [&](const TStatement& s) {
        const bool control = s.kind == TStatementKind::if_ || s.kind == TStatementKind::while_;
        if (control && contains(*s.value, is_data)) decides = true;
        for (const std::vector<TExpr>* list : {&s.indices, &s.expressions})
          for (const TExpr& e : *list) decides = decides || contains(e, is_data);
        each_expression(s, [&](const TExpr& e) {
          each_part(e, [&](const TExpr& part) {
            if (part.kind != TExprKind::element) return;
            read.insert(root(part.symbol));
            for (const TExpr& index : part.operands) decides = decides || contains(index, is_data);
          });
        });
        if (s.kind == TStatementKind::assign_element && s.assign_op != AssignOp::set)
          read.insert(root(s.symbol));
      });
    });
  }
  if (!decides) return true;
  return std::none_of(written.begin(), written.end(), [&](SymbolId id) {
    return symbol_of(id).kind == ArrayKind::formal ||
           (symbol_of(id).kind == ArrayKind::memory && read.count(id) > 0);
  });
}

std::string Emitter::host_members() {
  Writer out;
  out.line(fmt::format("static constexpr const char* facts =\n      R\"json({})json\";", facts()));
  out.line(fmt::format("static constexpr bool repeatable = {};", repeatable()));
  out.gap();
  for (std::size_t i = 0; i < checked_.params.size(); ++i) {
    const ParamSymbol& param = checked_.params[i];
    if (fixed_params_.count(SymbolId(i)) > 0) continue;
    for (const std::string& comment : comments_.above(param.span)) out.line(comment);
    out.line(fmt::format("{} {}{{}};", scalar_name(param.type), top_name(param.name)),
             comments_.behind(param.span));
  }
  for (std::size_t i = 0; i < checked_.consts.size(); ++i) {
    const ConstSymbol& constant = checked_.consts[i];
    if (fixed_consts_.count(SymbolId(i)) > 0 || !constant.extents.empty()) continue;
    out.line(fmt::format("{} {}{{}};", scalar_name(constant.type), top_name(constant.name)),
             comments_.behind(constant.span));
  }
  for (std::size_t id = 0; id < checked_.arrays.size(); ++id) {
    const ArraySymbol& array = checked_.arrays[id];
    if ((array.kind == ArrayKind::memory || array.kind == ArrayKind::shared) && array.used &&
        turns_rows(SymbolId(id)))
      out.line(fmt::format("Turns {};", fresh_name(array.name + "_turns")));
    if (array.kind != ArrayKind::memory || !array.used) continue;
    const std::string type =
        array.element.is_record()
            ? type_name(array.element) + "_memory"
            : fmt::format("Memory<{}>", declared_type(array.span, array.element));
    out.line(fmt::format("{} {};", type, top_name(array.name)), comments_.behind(array.span));
  }
  for (const SymbolId member : members_) {
    if (member >= 0) {
      const VariableSymbol& variable = checked_.variables[std::size_t(member)];
      out.line(fmt::format("{} {}{{}};", type_name(variable.type), declare(member)));
    } else {
      const ArraySymbol& array = symbol_of(-2 - member);
      std::string name = array.name;
      while (top_names_.count(name) > 0 || top_name(name) != name) name += "_";
      const bool is_bool =
          !array.element.is_record() && array.element.scalar == ir::Scalar::boolean;
      out.line(fmt::format("std::vector<{}> {};",
                           is_bool ? "unsigned char" : type_name(array.element), name));
    }
  }
  return out.text();
}

/// Takes the parameters from the command line and computes what depends on them.
std::string Emitter::sizes_function() {
  FunctionText needs;
  needs.host = true;
  function_ = &needs;
  Writer out(2);
  std::set<SymbolId> done_params, done_consts;
  std::function<void(const TExpr&)> depends;
  const auto add_const = [&](SymbolId id) {
    const ConstSymbol& constant = checked_.consts[std::size_t(id)];
    if (fixed_consts_.count(id) > 0 || !done_consts.insert(id).second) return;
    depends(constant.values[0]);
    out.line(fmt::format("{} = {};", top_name(constant.name), text(constant.values[0])));
  };
  const auto add_param = [&](SymbolId id) {
    const ParamSymbol& param = checked_.params[std::size_t(id)];
    if (!done_params.insert(id).second) return;
    if (fixed_params_.count(id) > 0)
      return out.line(fmt::format("options.fixed(\"{}\");", param.name));
    const auto is_it = [&](const ParamValue& given) { return given.name == param.name; };
    const auto& given = request_.bindings.params;
    std::string value;
    if (std::any_of(given.begin(), given.end(), is_it)) {
      for (const ir::Constant& constant : lowered_.constants)
        if (constant.param && constant.name == param.name)
          value = literal(param.type, constant.value).text;
    } else {
      depends(param.value);
      value = text(param.value);
    }
    out.line(fmt::format("{} = {};", top_name(param.name), value));
    out.line(fmt::format("options.take(\"{}\", {});", param.name, top_name(param.name)));
  };
  depends = [&](const TExpr& e) {
    each_part(e, [&](const TExpr& part) {
      if (part.kind == TExprKind::param) add_param(part.symbol);
      if (part.kind == TExprKind::constant) add_const(part.symbol);
    });
  };
  for (std::size_t i = 0; i < checked_.params.size(); ++i) add_param(SymbolId(i));
  for (std::size_t i = 0; i < checked_.consts.size(); ++i)
    if (checked_.consts[i].extents.empty()) add_const(SymbolId(i));
  for (const ParamSymbol& param : checked_.params) {
    if (!param.where) continue;
    const Span span = param.where->span;
    std::string written =
        request_.sources.text(span.file).substr(span.begin, span.end - span.begin);
    std::string quoted;
    for (const char c : written)
      quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c == '\n' ? ' ' : c);
    out.line(fmt::format("options.require({}, \"{}\", \"{}\");", text(*param.where), param.name,
                         quoted));
  }
  function_ = nullptr;
  const std::string unused = out.empty() ? "" : " options";
  return fmt::format("  void sizes(Options&{}) {{\n{}{}  }}\n", unused, opening(needs, "  "),
                     out.text());
}

std::string Emitter::parameters_function() const {
  std::string body;
  for (const ParamSymbol& param : checked_.params)
    body += fmt::format("{}member(\"{}\", {})", body.empty() ? "" : " + \", \" + ", param.name,
                        top_name(param.name));
  return fmt::format("  std::string parameters() const {{ return \"{{\" + {} + \"}}\"; }}\n",
                     body.empty() ? "std::string()" : body);
}

std::string Emitter::host_function(const TFunction* function, const std::string& name) {
  FunctionText needs;
  needs.host = true;
  function_ = &needs;
  Writer out(2);
  std::string comments;
  if (function) {
    for (const std::string& comment : comments_.above(function->span))
      comments += "  " + comment + "\n";
    block(function->body, out);
  }
  function_ = nullptr;
  return fmt::format("{}  void {}() {{\n{}{}  }}\n", comments, name, opening(needs, "  "),
                     out.text());
}

std::string Emitter::host_part() {
  FunctionText needs;
  needs.host = true;
  function_ = &needs;
  for (std::size_t k = 0; k < checked_.arrays.size(); ++k) {
    const ArraySymbol& array = checked_.arrays[k];
    if (array.kind != ArrayKind::memory || !array.used) continue;
    for (const TExpr& extent : array.extents) extents_.insert(text(extent));
    extents_.insert(elements_of(SymbolId(k)));
  }
  function_ = nullptr;
  const auto of = [&](SymbolId id) {
    return id < 0 ? nullptr : &checked_.functions[std::size_t(id)];
  };
  const std::string members = host_members();
  const std::string run = host_function(of(checked_.main), "run");
  const std::string verify = host_function(of(checked_.verify), "verify");
  std::string text = "namespace program {\n\nusing namespace harness;\n\n";
  for (const RecordType& record : checked_.records) text += record_memory(record);
  text += "struct Program {\n" + members + "\n" + sizes_function() + parameters_function() +
          allocate_function() + fill_function() + "\n" + host_procs_ + run + verify + "};\n\n";
  return text + "} // namespace program\n\nint main(int count, char** words) {\n"
                "  return harness::run<program::Program>(count, words);\n}\n";
}

} // namespace memlane::cuda
