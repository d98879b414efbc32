// main, verify and memory as host code.
#include "emit_parts.hpp"
#include "emitter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::gpu {

using namespace lang;

/// What a line of measurements says of the program, but for its parameters.
std::string Emitter::facts() const {
  return facts_json(request_.program, request_.sha256, "emitted", request_.replaced,
                    request_.machine);
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

int Emitter::lowered_array(const std::string& name) const {
  for (std::size_t i = 0; i < lowered_.arrays.size(); ++i)
    if (lowered_.arrays[i].name == name) return int(i);
  return -1;
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

std::string Emitter::extents_of(const ArraySymbol& array) {
  std::string extents;
  for (const TExpr& extent : array.extents) extents += (extents.empty() ? "" : ", ") + text(extent);
  return extents;
}

std::string Emitter::allocate_function() {
  FunctionText needs;
  needs.host = true;
  function_ = &needs;
  Writer out(2);
  for (std::size_t k = 0; k < checked_.arrays.size(); ++k) {
    const auto id = SymbolId(k);
    const ArraySymbol& array = checked_.arrays[k];
    const bool exists = (array.kind == ArrayKind::memory || array.kind == ArrayKind::shared);
    if (!exists || !array.used) continue;
    if (turns_rows(id)) {
      if (array.element.is_record()) {
        unsupported(array.span,
                    fmt::format("the layout {} of an array of records, where each field's rows are "
                                "turned by other random numbers",
                                array.layout),
                    {fmt::format("take another layout, as with --layout {}=diagonal", array.name),
                     "or an array a field"});
        continue;
      }
      const std::string stream = fmt::format("layout_stream({})", lowered_array(array.name));
      const std::string name = fresh_name(array.name + "_turns");
      const std::string length = row_length(id).text;
      out.line(array.layout == "random_shift"
                   ? fmt::format("{0}.set(random_shifts({1}, {{{2}}}, {3}), {3});", name, stream,
                                 extents_of(array), length)
                   : fmt::format("{}.set(random_permutation({}, {}), {});", name, stream,
                                 machine_letter("w"), length));
    }
    if (array.kind != ArrayKind::memory) continue;
    std::string place;
    if (!has_rows(id)) {
      const bool flat = array.extents.size() > 1;
      place = fmt::format(", [&](int number) {{ return {}(number); }}", word_function(id, flat));
    }
    out.line(fmt::format("{}.allocate(\"{}\", {{{}}}{});", top_name(array.name), array.name,
                         extents_of(array), place));
  }
  function_ = nullptr;
  return fmt::format("  void allocate() {{\n{}{}  }}\n", opening(needs, "  "), out.text());
}

void Emitter::fill_array(SymbolId id, Writer& out) {
  const ArraySymbol& array = symbol_of(id);
  const std::string name = top_name(array.name);
  struct Part {
    std::string target, lowered;
    ir::Scalar type;
    int field;
  };
  std::vector<Part> parts;
  if (array.element.is_record()) {
    const auto& fields = checked_.records[std::size_t(array.element.record)].fields;
    for (std::size_t f = 0; f < fields.size(); ++f)
      parts.push_back({name + "." + top_name(fields[f].name), array.name + "." + fields[f].name,
                       fields[f].type, int(f)});
  } else {
    parts.push_back({name, array.name, array.element.scalar, -1});
  }
  for (const Part& part : parts) {
    random_array_ = lowered_array(part.lowered);
    draw_source_ = {DrawSource::initial, id, std::max(part.field, 0)};
    drawn_.clear();
    const auto value_of = [&](const TExpr& e) {
      if (part.field < 0) return text(e);
      if (e.kind == TExprKind::record) {
        for (int before = 0; before < part.field; ++before) // their draws have numbers, too
          if (draws(e.operands[std::size_t(before)])) text(e.operands[std::size_t(before)]);
        return text(e.operands[std::size_t(part.field)]);
      }
      const auto& fields = checked_.records[std::size_t(array.element.record)].fields;
      return fmt::format("{}.{}", text(e, Code::primary),
                         top_name(fields[std::size_t(part.field)].name));
    };
    if (!array.initial_list) {
      out.open(fmt::format("for (int index = 0; index < {}.elements(); ++index)", part.target));
      out.line(fmt::format("{}.fill(index, {});", part.target, value_of(array.initial[0])));
      out.close();
      continue;
    }
    for (std::size_t i = 0; i < array.initial.size(); ++i)
      out.line(fmt::format("{}.fill({}, {});", part.target, i, value_of(array.initial[i])));
  }
  random_array_ = -1;
}

std::string Emitter::fill_function() {
  FunctionText needs;
  needs.host = true;
  function_ = &needs;
  Writer out(2);
  for (std::size_t k = 0; k < checked_.arrays.size(); ++k) {
    const ArraySymbol& array = checked_.arrays[k];
    if (array.kind == ArrayKind::memory && array.used && !array.initial.empty())
      fill_array(SymbolId(k), out);
  }
  function_ = nullptr;
  return fmt::format("  void fill() {{\n{}{}  }}\n", opening(needs, "  "), out.text());
}

std::string Emitter::host_function(const TFunction* function, const std::string& name,
                                   DrawSource::Kind source) {
  FunctionText needs;
  needs.host = true;
  function_ = &needs;
  draw_source_ = {source};
  drawn_.clear();
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
  const std::string run = host_function(of(checked_.main), "run", DrawSource::main);
  const std::string verify = host_function(of(checked_.verify), "verify", DrawSource::verify);
  std::string text = "namespace program {\n\nusing namespace harness;\n\n";
  for (const RecordType& record : checked_.records) text += record_memory(record);
  text += "struct Program {\n" + members + "\n" + sizes_function() + parameters_function() +
          allocate_function() + fill_function() + "\n" + host_procs_ + run + verify + "};\n\n";
  return text + "} // namespace program\n\nint main(int count, char** words) {\n"
                "  return harness::run<program::Program>(count, words);\n}\n";
}

/// An array of records in memory: one array a field.
std::string Emitter::record_memory(const RecordType& record) {
  const std::string name = top_name(record.name);
  std::string members, allocate, get, initial, put, device;
  for (const RecordField& field : record.fields) {
    const std::string own = top_name(field.name);
    const char* comma = get.empty() ? "" : ", ";
    members += fmt::format("  Memory<{}> {};\n", word_name(field.type), own);
    allocate +=
        fmt::format("    {}.allocate(its_name + \".{}\", extents, more...);\n", own, field.name);
    get += fmt::format("{}{}[i]", comma, own);
    initial += fmt::format("{}{}.initial(i)", comma, own);
    put += fmt::format("    {0}[i] = whole.{0};\n", own);
    device += fmt::format("{}{}.device()", comma, own);
  }
  const std::string first = top_name(record.fields.front().name);
  return fmt::format(
      "struct {0}_memory {{\n{1}"
      "  template <class... More>\n"
      "  void allocate(const std::string& its_name, std::initializer_list<long long> extents, "
      "More... more) {{\n{2}  }}\n"
      "  {0} operator[](long long i) {{ return {{{3}}}; }}\n"
      "  {0} initial(long long i) const {{ return {{{4}}}; }}\n"
      "  void put(long long i, const {0}& whole) {{\n{5}  }}\n"
      "  {0}_words device() {{ return {{{6}}}; }}\n"
      "  int words() const {{ return {7}.words(); }}\n}};\n\n",
      name, members, allocate, get, initial, put, device, first);
}

} // namespace memlane::gpu
