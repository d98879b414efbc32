// A program as a whole: what is fixed in its file, what is made in which order.
#include "desugar.hpp"

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
    each_reached(function, [&](const TFunction& reached) {
      fix_sync(reached);
      each_statement(reached.body, [&](const TStatement& s) {
        fix_extents(s);
        each_expression(s, [&](const TExpr& e) {
          each_part(e, [&](const TExpr& part) { each_statement(part.block, fix_extents); });
        });
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
        if (verify && part.kind == TExprKind::variable) variables.insert(part.symbol);
        if (verify && part.kind == TExprKind::element) arrays.insert(part.symbol);
      });
    };
    each_statement(function.body, [&](const TStatement& s) {
      each_expression(s, note);
      for (const TActual& actual : s.actuals)
        if (verify && actual.array) arrays.insert(actual.array->array);
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
    file_.fns.back().result = "__host__ __device__ inline " + fn.function.result;
  }
  file_.constants = constants(needs_of(file_).letters);
  if (!errors_.empty()) return errors_;
  return std::move(file_);
}

} // namespace memlane::cuda
