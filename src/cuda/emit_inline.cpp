// Procs whose bodies stand where they are called.
#include "emitter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cuda {

using namespace lang;

bool Emitter::must_inline(const TStatement& s) {
  const TFunction& proc = checked_.functions[std::size_t(s.symbol)];
  bool inlined = !function_->host && !function_->mask.empty() && meetings_.has_waits(proc);
  each_reached(proc, [&](const TFunction& reached) {
    each_statement(reached.body, [&](const TStatement& inner) {
      if (dynamic_shared_ && inner.kind == TStatementKind::declare_array &&
          symbol_of(inner.symbol).kind == ArrayKind::shared)
        inlined = true;
    });
  });
  for (const TActual& actual : s.actuals) {
    if (!actual.array) continue;
    const EmittedArray array = resolve(actual.array->array);
    inlined = inlined || (!array.pointer && !has_rows(array.root));
  }
  return inlined;
}

/// The proc's body where it is called. Its names may be those of the caller, which the actuals
/// mention: then they get others.
void Emitter::inline_call(const TStatement& s, Writer& out) {
  const TFunction& proc = checked_.functions[std::size_t(s.symbol)];
  out.open("", fmt::format("// {}", proc.name));
  std::vector<std::pair<SymbolId, EmittedArray>> arrays;
  std::vector<std::pair<SymbolId, std::string>> values;
  std::set<std::string> callers;
  for (std::size_t k = 0; k < s.actuals.size(); ++k) {
    const SymbolId formal = proc.formals[k].symbol;
    if (s.actuals[k].value) {
      values.emplace_back(formal, text(*s.actuals[k].value));
      add_words(values.back().second, callers);
      continue;
    }
    arrays.emplace_back(formal, slice(*s.actuals[k].array));
    EmittedArray& array = arrays.back().second;
    for (auto& extent : array.extents) {
      extent = [now = extent()] { return now; };
      add_words(extent().text, callers);
    }
    add_words(array.offset.text, callers);
    callers.insert(array.base);
  }
  const auto own_name = [&](std::string name) {
    while (callers.count(name) > 0) name += "_";
    return name;
  };
  const auto declare_as = [&](SymbolId variable, const std::string& value) {
    const std::string name = declare(variable);
    if (value == name) return;
    names_[variable] = own_name(name);
    out.line(fmt::format("const {} {} = {};",
                         type_name(checked_.variables[std::size_t(variable)].type),
                         names_[variable], value));
  };
  for (auto& [formal, array] : arrays) {
    const ArraySymbol& symbol = symbol_of(formal);
    if (!array.offset.literal) {
      const std::string first = own_name(fresh_name(symbol.name + "_first"));
      out.line(fmt::format("const int {} = {};", first, array.offset.text));
      array.offset = {first, Code::primary, ir::Scalar::int32};
    }
    for (std::size_t d = 0; d < symbol.extent_names.size(); ++d) {
      const SymbolId name = symbol.extent_names[d];
      if (name < 0) continue;
      values_.bind_floor(name, 0);
      declare_as(name, array.extents[d]().text);
      array.extents[d] = [own = Code{names_[name], Code::primary,
                                     checked_.variables[std::size_t(name)].type.scalar}] {
        return own;
      };
    }
  }
  for (const auto& [formal, value] : values) declare_as(formal, value);
  for (const auto& [formal, array] : arrays) arrays_[formal] = array;
  block(proc.body, out);
  out.close();
}

} // namespace memlane::cuda
