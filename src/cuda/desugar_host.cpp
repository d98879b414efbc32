// main, verify and memory as host code.
#include "desugar.hpp"
#include "emit_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace memlane::cuda {

using namespace lang;

/// Whether main's kernels may run again on what they left: nothing that they wrote decides where
/// they go and what they touch.
bool Desugarer::repeatable() {
  std::set<SymbolId> written, read;
  bool decides = false;
  for (const TFunction& function : checked_.functions) {
    if (function.kind != FunctionKind::kernel) continue;
    written.insert(written_in(function).begin(), written_in(function).end());
    each_reached(function, [&](const TFunction& reached) {
      const auto is_data = [&](const TExpr& part) {
        return part.kind == TExprKind::element ||
               (part.kind == TExprKind::variable && variable(part.symbol).data);
      };
      each_statement(reached.body, [&](const TStatement& s) {
        const bool control = s.kind == TStatementKind::if_ || s.kind == TStatementKind::while_;
        if (control && contains(*s.value, is_data)) decides = true;
        for (const std::vector<TExpr>* list : {&s.indices, &s.expressions})
          for (const TExpr& e : *list) decides = decides || contains(e, is_data);
        each_expression(s, [&](const TExpr& e) {
          each_part(e, [&](const TExpr& part) {
            if (part.kind != TExprKind::element) return;
            read.insert(root_of(part.symbol));
            for (const TExpr& index : part.operands) decides = decides || contains(index, is_data);
          });
        });
        if (s.kind == TStatementKind::assign_element && s.assign_op != AssignOp::set)
          read.insert(root_of(s.symbol));
      });
    });
  }
  if (!decides) return true;
  return std::none_of(written.begin(), written.end(), [&](SymbolId id) {
    return checked_.array(id).kind == ArrayKind::formal ||
           (checked_.array(id).kind == ArrayKind::memory && read.count(id) > 0);
  });
}

/// The members of the class that hold a run: parameters, arrays, main's variables that verify sees.
void Desugarer::members() {
  Block& out = file_.members;
  const auto add = [&](const std::string& type, const std::string& own, Span place = {}) {
    out.push_back(construct(type, own, braces("", {}), comments_.behind(place)));
  };
  const auto add_object = [&](const std::string& type, const std::string& own, Span place = {}) {
    out.push_back(declare_array(type, own, {}, {}, comments_.behind(place)));
  };
  for (std::size_t i = 0; i < checked_.params.size(); ++i) {
    const ParamSymbol& param = checked_.params[i];
    if (fixed_params_.count(SymbolId(i)) > 0) continue;
    add_comments(comments_.above(param.span), out);
    add(scalar_name(param.type), names_.top(param.name), param.span);
  }
  for (std::size_t i = 0; i < checked_.consts.size(); ++i) {
    const ConstSymbol& of = checked_.consts[i];
    if (fixed_consts_.count(SymbolId(i)) == 0 && of.extents.empty())
      add(scalar_name(of.type), names_.top(of.name), of.span);
  }
  for (std::size_t k = 0; k < checked_.arrays.size(); ++k) {
    const ArraySymbol& array = checked_.arrays[k];
    const bool memory = array.kind == ArrayKind::memory;
    if (!array.used || (!memory && array.kind != ArrayKind::shared)) continue;
    if (has_row_offsets(SymbolId(k))) add_object("RowOffsets", row_offsets(SymbolId(k)).text);
    if (!memory) continue;
    const std::string type = names_.declared_type(array.span, array.element);
    add_object(array.element.is_record() ? type + "_memory" : "Memory<" + type + ">",
               names_.top(array.name), array.span);
  }
  for (const SymbolId id : member_arrays_) {
    const ArraySymbol& array = checked_.array(id);
    const std::string word =
        array.element.is_record() ? names_.type(array.element) : word_name(array.element.scalar);
    add_object("std::vector<" + word + ">", names_.local(array.name));
  }
  for (const SymbolId id : member_variables_)
    add(names_.type(variable(id).type), declare_variable(id));
}

/// The commands that give parameters and constants their values, each behind what it needs.
class Desugarer::RunValues {
public:
  RunValues(Desugarer& of, Block& out) : of_(of), out_(out) {}

  void param(SymbolId id) {
    const ParamSymbol& param = of_.checked_.param(id);
    if (!params_.insert(id).second) return;
    const Expr source = string_literal(param.name), own = named(of_.names_.top(param.name));
    const auto option = [&](const char* what, std::vector<Expr> arguments) {
      out_.push_back(evaluate(call(member_of(named("options"), what), std::move(arguments))));
    };
    if (of_.fixed_params_.count(id) > 0) return option("fixed", {source});
    const auto& given = of_.request_.bindings.params;
    const auto is_it = [&](const auto& value) { return value.name == param.name; };
    if (std::any_of(given.begin(), given.end(), is_it)) {
      const auto& constants = of_.lowered_.constants;
      const auto value = std::find_if(constants.begin(), constants.end(), [&](const auto& one) {
        return one.param && one.name == param.name;
      });
      out_.push_back(assign(own, value_literal(param.type, value->value)));
    } else {
      needed_by(param.value);
      out_.push_back(assign(own, of_.expr(param.value)));
    }
    option("take", {source, own});
  }

  void constant(SymbolId id) {
    const ConstSymbol& constant = of_.checked_.constant(id);
    if (of_.fixed_consts_.count(id) > 0 || !constants_.insert(id).second) return;
    needed_by(constant.values[0]);
    out_.push_back(assign(named(of_.names_.top(constant.name)), of_.expr(constant.values[0])));
  }

private:
  void needed_by(const TExpr& e) {
    each_part(e, [&](const TExpr& part) {
      if (part.kind == TExprKind::param) param(part.symbol);
      if (part.kind == TExprKind::constant) constant(part.symbol);
    });
  }

  Desugarer& of_;
  Block& out_;
  std::set<SymbolId> params_, constants_;
};

/// Takes the parameters from the command line and computes what depends on them.
void Desugarer::sizes(Block& out) {
  RunValues values(*this, out);
  for (std::size_t i = 0; i < checked_.params.size(); ++i) values.param(SymbolId(i));
  for (std::size_t i = 0; i < checked_.consts.size(); ++i)
    if (checked_.consts[i].extents.empty()) values.constant(SymbolId(i));
  for (const ParamSymbol& param : checked_.params) {
    if (!param.where) continue;
    std::string written(request_.sources.text(param.where->span));
    std::replace(written.begin(), written.end(), '\n', ' ');
    out.push_back(
        evaluate(call(member_of(named("options"), "require"),
                      {expr(*param.where), string_literal(param.name), string_literal(written)})));
  }
}

Function Desugarer::host_function(const std::string& name, const std::function<void(Block&)>& add) {
  FunctionContext own{true};
  context_ = &own;
  Function function;
  function.result = "void", function.name = name;
  add(function.body);
  open(function, {});
  context_ = nullptr;
  return function;
}

/// main or verify, by the name of the harness.
Function Desugarer::host_function(const std::string& name, SymbolId id) {
  Function function = host_function(name, [&](Block& body) {
    if (id >= 0) block(checked_.function(id).body, body);
  });
  if (id >= 0) function.comments = comments_.above(checked_.function(id).span);
  return function;
}

void Desugarer::host_part() {
  file_.facts = facts_json(request_.program, request_.sha256, "emitted", request_.replaced,
                           request_.machine, request_.problem);
  file_.repeatable = repeatable();
  for (const ParamSymbol& param : checked_.params)
    file_.parameters.emplace_back(param.name, names_.top(param.name));
  host_function("", [&](Block&) {
    for (std::size_t k = 0; k < checked_.arrays.size(); ++k) {
      const ArraySymbol& array = checked_.arrays[k];
      if (array.kind != ArrayKind::memory || !array.used) continue;
      for (Expr& extent : exprs(array.extents)) extents_.push_back(std::move(extent));
      extents_.push_back(elements_of(SymbolId(k)));
    }
  });
  members();
  file_.run = host_function("run", checked_.main);
  file_.verify = host_function("verify", checked_.verify);
  file_.fill = host_function("fill", [&](Block& out) { fill(out); });
  file_.allocate = host_function("allocate", [&](Block& out) { allocate(out); });
  file_.sizes = host_function("sizes", [&](Block& out) { sizes(out); });
  file_.sizes.parameters = {{"Options&", file_.sizes.body.empty() ? "" : "options"}};
}

} // namespace memlane::cuda
