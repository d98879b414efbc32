// A program as a whole: what is fixed in its file, what is made in which order.
#include "desugar.hpp"

#include "memlane/support/machine_names.hpp"

#include <algorithm>

namespace memlane::cuda {

using namespace lang;

Desugarer::Desugarer(const EmitRequest& request, const ir::Program& lowered)
    : request_(request), checked_(request.checked), lowered_(lowered),
      values_(request.checked, request.bindings, lowered),
      names_(request.checked, request.bindings.letters), comments_(request.sources),
      hazards_(request.checked), fences_(request.checked) {}

void Desugarer::unsupported(Span span, const std::string& what, std::vector<std::string> help) {
  errors_.push_back(error_at(span, "emit-cuda cannot write " + what, std::move(help)));
}

void Desugarer::fix(const TExpr& expr) { values_.add_parameters(expr, fixed_params_); }

/// The rounds of a `forall sync` have to be known: those of its ranges and of the loops around it.
void Desugarer::fix_sync(const TFunction& function) {
  std::set<SymbolId> variables;
  each_statement(function.body, [&](const TStatement& s) {
    if (s.kind != TStatementKind::forall || s.forall_kind != ForallKind::sync) return;
    for (const TRange& range : s.ranges) {
      for (const TExpr* bound : {&range.lo, &range.hi}) {
        fix(*bound);
        each_part(*bound, [&](const TExpr& part) {
          if (part.kind == TExprKind::variable) variables.insert(part.symbol);
        });
      }
    }
  });
  each_statement(function.body, [&](const TStatement& s) {
    if (s.kind != TStatementKind::for_ || variables.count(s.symbol) == 0) return;
    for (const TExpr& e : s.expressions) fix(e);
  });
}

/// Parameters that the text depends on: extents of arrays in shared memory and registers, tables,
/// rounds.
void Desugarer::choose_fixed() {
  for (const ArraySymbol& array : checked_.arrays) {
    if (array.kind != ArrayKind::shared) continue;
    for (const TExpr& extent : array.extents) fix(extent);
    for (const TExpr& argument : array.layout_arguments) fix(argument);
    for (const TExpr& size : array.layout_sizes) fix(size);
    if (array.layout_word) fix(*array.layout_word);
  }
  for (const ConstSymbol& constant : checked_.consts) {
    if (constant.extents.empty()) continue;
    for (const TExpr& extent : constant.extents) fix(extent);
    for (const TExpr& value : constant.values) fix(value);
  }
  const auto fix_extents = [&](const TStatement& s) {
    if (s.kind != TStatementKind::declare_array) return;
    for (const TExpr& extent : checked_.array(s.symbol).extents) fix(extent);
  };
  for (const TFunction& function : checked_.functions) {
    if (function.kind != FunctionKind::kernel) continue;
    each_reached(function, [&](const TFunction& reached) { fix_sync(reached); });
    each_statement_of(function, [&](const TStatement& s) {
      fix_extents(s);
      each_expression(s, [&](const TExpr& e) {
        each_part(e, [&](const TExpr& part) { each_statement(part.block, fix_extents); });
      });
    });
  }
  know_fixed();
}

/// Constants are fixed that depend on fixed parameters alone.
void Desugarer::know_fixed() {
  for (std::size_t i = 0; i < checked_.consts.size(); ++i) {
    std::set<SymbolId> needed;
    for (const TExpr& value : checked_.consts[i].values) values_.add_parameters(value, needed);
    if (std::includes(fixed_params_.begin(), fixed_params_.end(), needed.begin(), needed.end()))
      fixed_consts_.insert(SymbolId(i));
  }
  values_.know_only(fixed_params_, fixed_consts_);
}

/// main's variables that verify looks at live as long as the program.
void Desugarer::find_members() {
  std::set<SymbolId> variables, arrays;
  for (const TFunction& function : checked_.functions) {
    const bool verify = function.kind == FunctionKind::verify;
    const auto note = [&](const TExpr& e) {
      each_part(e, [&](const TExpr& part) {
        if (part.kind == TExprKind::variable) used_variables_.insert(part.symbol);
        if (part.kind == TExprKind::element || part.kind == TExprKind::atomic)
          used_arrays_.insert(root_array(checked_, part.symbol));
        if (verify && part.kind == TExprKind::variable) variables.insert(part.symbol);
        if (verify && part.kind == TExprKind::element) arrays.insert(part.symbol);
      });
    };
    each_statement(function.body, [&](const TStatement& s) {
      each_expression(s, note);
      each_passed(checked_, s, [&](SymbolId, const ArraySlice& slice) {
        used_arrays_.insert(root_array(checked_, slice.array));
        if (verify) arrays.insert(slice.array);
      });
    });
  }
  if (checked_.main < 0) return;
  for (const TStatement& s : checked_.function(checked_.main).body) {
    if (s.kind == TStatementKind::assign_variable && s.declaration && variables.count(s.symbol))
      member_variables_.insert(s.symbol);
    if (s.kind == TStatementKind::declare_array && arrays.count(s.symbol))
      member_arrays_.insert(s.symbol);
  }
}

Result<File> Desugarer::run() {
  for (std::int32_t file = 0; file < request_.sources.count(); ++file)
    comments_.leave_out_head(file);
  choose_fixed();
  find_members();
  find_hazards();
  host_part();
  top_level_shared();
  record_types();
  tables();
  for (const WrittenFn& fn : fns_) {
    file_.fns.push_back(fn.function);
    file_.fns.back().name = fn.name.text;
    const std::string host = fn.function.of_warp ? "" : "__host__ ";
    file_.fns.back().result = host + "__device__ inline " + fn.function.result;
  }
  file_.constants = constants(needs_of(file_).letters);
  if (!errors_.empty()) return errors_;
  return std::move(file_);
}

// --- What stands before the kernels: constants, types, tables, shared arrays.

namespace {

std::string meaning_of(const std::string& letter) {
  if (letter == "w") return "// threads of a warp";
  if (letter == "p") return "// threads of a block, where a launch does not say";
  if (letter == "d" || letter == "k")
    return "// multiprocessors of the machine this was emitted for";
  return {};
}

} // namespace

/// Letters that the file mentions, fixed parameters and constants, in an order in which each is
/// known where it is used.
Block Desugarer::constants(const std::set<std::string>& letters) {
  FunctionContext nowhere;
  context_ = &nowhere;
  Block fixed, all;
  const auto add = [&](ir::Scalar type, const std::string& name, Expr value, Span place) {
    fixed.push_back(declare("constexpr " + scalar_name(type), names_.top(name), std::move(value),
                            comments_.behind(place)));
  };
  for (const SymbolId id : fixed_params_) {
    const ParamSymbol& param = checked_.param(id);
    TExpr itself;
    itself.kind = TExprKind::param, itself.symbol = id;
    if (const auto value = values_.value(itself))
      add(param.type, param.name, value_literal(param.type, *value), param.span);
  }
  for (const SymbolId id : fixed_consts_) {
    const ConstSymbol& of = checked_.constant(id);
    // A claim's constant need not be a number of C++.
    if (of.extents.empty() && values_.value(of.values[0]))
      add(of.type, of.name, constant(of.values[0]), of.span);
  }
  context_ = nullptr;
  std::set<std::string> mentioned = letters;
  Needs needs;
  add_needs(fixed, needs);
  mentioned.insert(needs.letters.begin(), needs.letters.end());
  for (const auto& [letter, value] : request_.bindings.letters) {
    if (mentioned.count(names_.top(letter)) == 0) continue;
    const bool wide = value > INT32_MAX || find_machine_name(letter)->wide;
    all.push_back(declare(wide ? "constexpr long long" : "constexpr int", names_.top(letter),
                          literal(std::to_string(value), ir::Scalar::int64), meaning_of(letter)));
  }
  all.insert(all.end(), fixed.begin(), fixed.end());
  return all;
}

void Desugarer::record_types() {
  for (const TypeDecl& type : checked_.program.types) {
    if (!type.alias || !names_.mentions_type(type.name.text)) continue;
    const std::string& alias = type.alias->text;
    const bool basic = alias == "int" || alias == "float" || alias == "double" || alias == "bool";
    file_.aliases.emplace_back(names_.top(type.name.text), alias == "long" ? "long long"
                                                           : basic         ? alias
                                                                           : names_.top(alias));
  }
  for (const RecordType& record : checked_.records) {
    file_.records.push_back({names_.top(record.name), {}});
    for (const RecordField& field : record.fields)
      file_.records.back().fields.push_back(
          {scalar_name(field.type), word_name(field.type), names_.field(field.name), field.name});
  }
}

/// Tables of constants as functions: so they are at hand on both sides.
void Desugarer::tables() {
  for (const ConstSymbol& table : checked_.consts) {
    if (table.extents.empty()) continue;
    std::int64_t words = 1;
    for (const TExpr& extent : table.extents) words *= values_.integer(extent).value_or(1);
    std::vector<Expr> values;
    for (std::int64_t i = 0; i < words; ++i) {
      const auto value = values_.value(table.values[table.list ? std::size_t(i) : 0]);
      values.push_back(value ? value_literal(table.type, *value) : integer(0));
    }
    const std::string type = scalar_name(table.type);
    Function function;
    function.result = "__host__ __device__ inline " + type;
    function.name = names_.top(table.name);
    function.parameters = {{"long long", "i"}};
    function.body = {declare_array("constexpr " + type, "words", literal("", ir::Scalar::int32),
                                   braces("", std::move(values))),
                     simple(Statement::return_, indexed(named("words"), named("i")))};
    function.comment = comments_.behind(table.span);
    file_.tables.push_back(std::move(function));
  }
}

/// Shared arrays of the program's top level, for all kernels that have room for static ones.
void Desugarer::top_level_shared() {
  FunctionContext nowhere;
  context_ = &nowhere;
  for (const SymbolId id : static_shared_) {
    const ArraySymbol& array = checked_.array(id);
    if (!array.top_level) continue;
    const std::size_t first = file_.shared.size();
    declare_shared(id, names_.top(array.name), file_.shared);
    file_.shared[first].comment = comments_.behind(array.span);
  }
  context_ = nullptr;
}

// --- What functions do: which others they call, which arrays they write.

void Desugarer::each_reached(const TFunction& function,
                             const std::function<void(const TFunction&)>& visit) const {
  visit(function);
  each_statement(function.body, [&](const TStatement& s) {
    if (s.kind == TStatementKind::call) each_reached(checked_.function(s.symbol), visit);
  });
}

/// Those of the procs that it calls, too.
void Desugarer::each_statement_of(const TFunction& function,
                                  const std::function<void(const TStatement&)>& visit) const {
  each_reached(function, [&](const TFunction& reached) { each_statement(reached.body, visit); });
}

void Desugarer::each_launch(const std::function<void(const TStatement&)>& visit) const {
  for (const SymbolId id : {checked_.main, checked_.verify}) {
    if (id < 0) continue;
    each_statement_of(checked_.function(id), [&](const TStatement& s) {
      if (s.kind == TStatementKind::launch) visit(s);
    });
  }
}

/// Finds the hazards of all kernels before any is written, since they share procs.
void Desugarer::find_hazards() {
  std::set<SymbolId> kernels;
  each_launch([&](const TStatement& s) {
    if (!kernels.insert(s.symbol).second) return;
    const TFunction& kernel = checked_.function(s.symbol);
    hazards_.analyze(kernel, errors_);
    std::vector<const TFunction*> all;
    each_reached(kernel, [&](const TFunction& reached) { all.push_back(&reached); });
    fences_.analyze(all, !on_dmm() && sizes_of_launches(kernel).blocks != 1);
  });
}

/// Arrays that a function writes, its formals among them.
const std::set<SymbolId>& Desugarer::written_in(const TFunction& function) {
  const auto found = written_.find(&function);
  if (found != written_.end()) return found->second;
  std::set<SymbolId> written;
  each_statement(function.body, [&](const TStatement& s) {
    for (const ElementAccess& access : effects_of(s).accesses)
      if (access.writes) written.insert(root_array(checked_, access.array));
    if (s.kind != TStatementKind::call && s.kind != TStatementKind::launch) return;
    const std::set<SymbolId>& inside = written_in(checked_.function(s.symbol));
    each_passed(checked_, s, [&](SymbolId formal, const ArraySlice& slice) {
      if (inside.count(formal) > 0) written.insert(root_array(checked_, slice.array));
    });
    for (const SymbolId id : inside)
      if (checked_.array(id).kind != ArrayKind::formal) written.insert(id);
  });
  return written_[&function] = written;
}

} // namespace memlane::cuda
