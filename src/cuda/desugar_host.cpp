// main, verify and memory as host code.
#include "desugar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace memlane::cuda {

using namespace lang;

// --- main, verify, and the class that holds a run.

/// Whether main's kernels may run again on what they left: nothing that they wrote decides where
/// they go and what they touch.
bool Desugarer::repeatable() {
  std::set<SymbolId> written, read;
  bool decides = false;
  for (const TFunction& function : checked_.functions) {
    if (function.kind != FunctionKind::kernel) continue;
    written.insert(written_in(function).begin(), written_in(function).end());
    const auto is_data = [&](const TExpr& part) {
      return part.kind == TExprKind::element ||
             (part.kind == TExprKind::variable && variable(part.symbol).data);
    };
    each_statement_of(function, [&](const TStatement& s) {
      const bool control = s.kind == TStatementKind::if_ || s.kind == TStatementKind::while_;
      if (control && contains(*s.value, is_data)) decides = true;
      for (const TExpr& e : s.expressions) decides = decides || contains(e, is_data);
      for (const ElementAccess& access : effects_of(s).accesses) {
        if (access.reads) read.insert(root_array(checked_, access.array));
        for (const TExpr& index : access.indices) decides = decides || contains(index, is_data);
      }
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
    const std::string named_option = Names::option(param.name);
    const Expr source = string_literal(named_option), own = named(of_.names_.top(param.name));
    const auto option = [&](const char* what, std::vector<Expr> arguments) {
      out_.push_back(evaluate(call(member_of(named("options"), what), std::move(arguments))));
    };
    if (of_.fixed_params_.count(id) > 0) {
      std::vector<Expr> names{source};
      if (named_option != param.name) names.push_back(string_literal(param.name));
      option("fixed", std::move(names));
      return;
    }
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
    out.push_back(evaluate(call(
        member_of(named("options"), "require"),
        {expr(*param.where), string_literal(Names::option(param.name)), string_literal(written)})));
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
  file_.sizes.parameters = {{"Options&", "options"}};
}

// --- Memory: its arrays and their initial values.

int Desugarer::lowered_array(const std::string& name) const {
  for (std::size_t i = 0; i < lowered_.arrays.size(); ++i)
    if (lowered_.arrays[i].name == name) return int(i);
  return -1;
}

/// The random numbers that rotate the rows of an array: drawn once a run.
void Desugarer::allocate_offsets(SymbolId id, Block& out) {
  const ArraySymbol& array = checked_.array(id);
  if (array.element.is_record())
    return unsupported(
        array.span,
        fmt::format("the layout {} of an array of records, where each field's rows are rotated "
                    "by other random numbers",
                    array.layout),
        {fmt::format("take another layout, as with --layout {}=diagonal", array.name),
         "or an array a field"});
  const Expr stream = call("layout_stream", {integer(lowered_array(array.name))});
  const Expr length = row_length(id);
  Expr drawn = array.layout_kind() == LayoutKind::random_shift
                   ? call("random_shifts", {stream, braces("", exprs(array.extents)), length})
                   : call("random_permutation", {stream, machine_letter("w")});
  out.push_back(evaluate(call(member_of(row_offsets(id), "set"), {std::move(drawn), length})));
}

void Desugarer::allocate(Block& out) {
  for (std::size_t k = 0; k < checked_.arrays.size(); ++k) {
    const auto id = SymbolId(k);
    const ArraySymbol& array = checked_.array(id);
    const bool memory = array.kind == ArrayKind::memory;
    if (!array.used || (!memory && array.kind != ArrayKind::shared)) continue;
    if (has_row_offsets(id) && (memory || !sized_by_launch(id))) allocate_offsets(id, out);
    if (!memory || (has_row_offsets(id) && array.element.is_record())) continue;
    std::vector<Expr> arguments = {string_literal(array.name), braces("", exprs(array.extents))};
    if (!has_rows(id)) {
      Function place;
      place.parameters = {{"int", "number"}};
      place.body = {simple(Statement::return_,
                           call(word_function(id, array.extents.size() > 1), {named("number")}))};
      arguments.push_back(lambda(std::move(place)));
    }
    out.push_back(
        evaluate(call(member_of(named(names_.top(array.name)), "allocate"), std::move(arguments))));
  }
}

/// The initial values of an array; of records, field by field (-1: of no record).
void Desugarer::fill_array(SymbolId id, std::int32_t field, Block& out) {
  const ArraySymbol& array = checked_.array(id);
  Expr target = named(names_.top(array.name));
  std::string lowered = array.name;
  if (field >= 0) {
    const RecordField& of = checked_.fields(array.element)[std::size_t(field)];
    target = member_of(std::move(target), names_.field(of.name));
    lowered += "." + of.name;
  }
  random_array_ = lowered_array(lowered);
  const auto fill = [&](Expr index, const TExpr& e) {
    const bool whole = field < 0 || e.kind == TExprKind::record;
    Expr value = expr(whole && field >= 0 ? e.operands[std::size_t(field)] : e);
    if (!whole)
      value = member_of(std::move(value),
                        names_.field(checked_.fields(e.type)[std::size_t(field)].name));
    return evaluate(call(member_of(target, "fill"), {std::move(index), std::move(value)}));
  };
  if (array.initial_list) {
    for (std::size_t i = 0; i < array.initial.size(); ++i)
      out.push_back(fill(integer(std::int64_t(i)), array.initial[i]));
  } else {
    out.push_back(count_to("index", member_call(target, "elements"),
                           {fill(named("index"), array.initial[0])}));
  }
  random_array_ = -1;
}

void Desugarer::fill(Block& out) {
  for (std::size_t k = 0; k < checked_.arrays.size(); ++k) {
    const ArraySymbol& array = checked_.arrays[k];
    if (array.kind != ArrayKind::memory || !array.used || array.initial.empty()) continue;
    if (!array.element.is_record()) fill_array(SymbolId(k), -1, out);
    if (array.element.is_record())
      for (std::size_t field = 0; field < checked_.fields(array.element).size(); ++field)
        fill_array(SymbolId(k), std::int32_t(field), out);
  }
}

} // namespace memlane::cuda
