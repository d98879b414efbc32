// Procs whose bodies stand where they are called.
#include "desugar.hpp"

#include <fmt/format.h>

namespace memlane::cuda {

using namespace lang;

bool Desugarer::must_inline(const TStatement& s) {
  const TFunction& proc = checked_.function(s.symbol);
  bool inlined = !context_->host && context_->mask && hazards_.has_syncs(proc);
  each_reached(proc, [&](const TFunction& reached) {
    each_statement(reached.body, [&](const TStatement& inner) {
      if (context_->dynamic_shared && inner.kind == TStatementKind::declare_array &&
          checked_.array(inner.symbol).kind == ArrayKind::shared)
        inlined = true;
    });
  });
  for (const TActual& actual : s.actuals) {
    if (!actual.array) continue;
    const ArrayRef array = resolve(actual.array->array);
    const ArraySymbol& root = checked_.array(array.root);
    // An array of records in memory is one array a field; a thread's or the host's own is not.
    const bool own_records = root.kind == ArrayKind::local && root.element.is_record();
    inlined = inlined || own_records || (!array.pointer && !has_rows(array.root));
  }
  return inlined;
}

/// The proc's body where it is called. Its names may be those of the caller, which the actuals
/// mention: then they get others.
void Desugarer::inline_call(const TStatement& s, Block& out) {
  const TFunction& proc = checked_.function(s.symbol);
  Block body;
  std::vector<Expr> values(s.actuals.size());
  std::vector<ArrayRef> arrays(s.actuals.size());
  std::set<std::string> callers;
  for (std::size_t k = 0; k < s.actuals.size(); ++k) {
    if (s.actuals[k].value) {
      values[k] = expr(*s.actuals[k].value);
      add_names(values[k], callers);
      continue;
    }
    arrays[k] = slice(*s.actuals[k].array);
    add_names(arrays[k].base, callers), add_names(arrays[k].offset, callers);
    for (const Expr& extent : arrays[k].extents) add_names(extent, callers);
  }
  const auto own_name = [&](std::string name) {
    while (callers.count(name) > 0) name += "_";
    return name;
  };
  // A value of the same name and type serves as it is; a conversion may leave the name alone.
  const auto declare_as = [&](SymbolId id, const Expr& value, bool same_type) {
    Expr& own = (declare_variable(id), variables_[id]);
    if (same_type && value.kind == Expr::name && value.text == own.text) return;
    own.text = own_name(own.text);
    keep(body, names_.type(variable(id).type), own.text, value);
  };
  for (std::size_t k = 0; k < s.actuals.size(); ++k) {
    if (s.actuals[k].value) continue;
    ArrayRef& array = arrays[k];
    const ArraySymbol& symbol = checked_.array(proc.formals[k].symbol);
    if (array.offset.kind != Expr::integer)
      array.offset =
          keep(body, "int", own_name(names_.fresh(symbol.name + "_first")), array.offset);
    for (std::size_t d = 0; d < symbol.extent_names.size(); ++d) {
      const SymbolId name = symbol.extent_names[d];
      if (name < 0) continue;
      values_.bind_at_least(name, 0);
      declare_as(name, array.extents[d], true);
      array.extents[d] = variables_[name];
    }
  }
  for (std::size_t k = 0; k < s.actuals.size(); ++k) {
    if (s.actuals[k].value)
      declare_as(proc.formals[k].symbol, values[k],
                 s.actuals[k].value->kind == TExprKind::variable);
    if (s.actuals[k].array) arrays_[proc.formals[k].symbol] = arrays[k];
  }
  block(proc.body, body);
  out.push_back(scope(std::move(body), fmt::format("// {}", proc.name)));
}

} // namespace memlane::cuda
