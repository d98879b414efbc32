// Arrays and views that statements declare.
#include "desugar.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cuda {

using namespace lang;

/// The words of a shared array; of records, an array for each field. Gives the fields' arrays.
std::vector<Expr> Desugarer::declare_shared(SymbolId id, const std::string& own, Block& out) {
  const ArraySymbol& symbol = checked_.array(id);
  const Expr words = static_size(words_of(id), id);
  const auto one = [&](const std::string& type, const std::string& name) {
    out.push_back(declare_array("__shared__ volatile " + type, name, words, {}));
  };
  std::vector<Expr> fields;
  if (!symbol.element.is_record()) one(names_.declared_type(symbol.span, symbol.element), own);
  if (symbol.element.is_record()) {
    for (const RecordField& field : checked_.fields(symbol.element)) {
      fields.push_back(named(symbol.top_level ? shared_field(symbol, field)
                                              : fmt::format("{}_{}", own, field.name)));
      one(word_name(field.type), fields.back().text);
    }
  }
  return fields;
}

void Desugarer::declare_shared_statement(const TStatement& s, ArrayRef& array, Block& out) {
  const std::string comment = comments_.behind(s.span);
  const Type element = checked_.array(s.symbol).element;
  std::string& own = array.base.text;
  if (context_->dynamic_shared) { // taken once, where the kernel begins
    while (context_->shared_names.try_emplace(own, s.symbol).first->second != s.symbol) own += "_";
    array.base.role = Role::array, array.base.symbol = s.symbol;
    if (!comment.empty()) add_comments({comment}, out);
    return;
  }
  std::vector<Expr> fields = declare_shared(s.symbol, own, out);
  if (element.is_record())
    out.push_back(construct(fmt::format("const {}_words", names_.type(element)), own,
                            braces("", std::move(fields))));
  out.back().comment = comment;
}

void Desugarer::declare_array_statement(const TStatement& s, Block& out) {
  const ArraySymbol& symbol = checked_.array(s.symbol);
  ArrayRef array;
  array.root = s.symbol;
  array.base = named(names_.local(symbol.name));
  for (const TExpr& extent : symbol.extents) {
    const std::string own = fmt::format("{}_extent{}", symbol.name, array.extents.size() + 1);
    const bool invariant = !context_->host || is_invariant(extent);
    array.extents.push_back(
        invariant ? expr(extent)
                  : keep(out, names_.type(extent.type), names_.fresh(own), expr(extent)));
  }
  if (symbol.kind == ArrayKind::shared)
    declare_shared_statement(s, array, out);
  else
    declare_local_array(s, array, out);
  arrays_[s.symbol] = std::move(array);
}

/// Registers of a thread, or the host's memory.
void Desugarer::declare_local_array(const TStatement& s, const ArrayRef& array, Block& out) {
  const std::string comment = comments_.behind(s.span);
  const ArraySymbol& symbol = checked_.array(s.symbol);
  const bool is_bool = !symbol.element.is_record() && symbol.element.scalar == ir::Scalar::boolean;
  const std::string word =
      is_bool ? "unsigned char" : names_.declared_type(symbol.span, symbol.element);
  Expr elements = integer(1);
  for (const Expr& extent : array.extents) elements = product(std::move(elements), extent);
  const bool sized_later = std::any_of(symbol.extents.begin(), symbol.extents.end(),
                                       [&](const TExpr& e) { return !values_.integer(e); });
  if (context_->host && member_arrays_.count(s.symbol) > 0)
    out.push_back(evaluate(call(member_of(array.base, "assign"), {elements, braces("", {})})));
  else if (context_->host && (!context_->in_fn || sized_later))
    out.push_back(construct(fmt::format("std::vector<{}>", word), array.base.text, elements));
  else
    out.push_back(
        declare_array(word, array.base.text, static_size(elements, s.symbol), braces("", {})));
  out.back().comment = comment;
  if (symbol.initial_list) {
    for (std::size_t i = 0; i < symbol.initial.size(); ++i)
      out.push_back(assign(indexed(array.base, integer(std::int64_t(i))), expr(symbol.initial[i])));
  } else if (!symbol.initial.empty()) {
    out.push_back(count_to("index", elements,
                           {assign(indexed(array.base, named("index")), expr(symbol.initial[0]))}));
  }
}

void Desugarer::declare_view(const TStatement& s, Block& out) {
  const std::string comment = comments_.behind(s.span);
  const ArraySymbol& view = checked_.array(s.symbol);
  const ArraySlice target = drawn_first(*view.target, out);
  ArrayRef array = slice(target);
  const auto fix = [&](Expr& code, const char* what) {
    if (code.kind == Expr::integer) return;
    const std::string own = names_.fresh(fmt::format("{}_{}", view.name, what));
    code = keep(out, scalar_name(code.type), own, code, comment);
  };
  fix(array.offset, "first");
  if (!target.range.empty() && !(is_invariant(target.range[0]) && is_invariant(target.range[1])))
    fix(array.extents.back(), "extent"); // as it is now
  arrays_[s.symbol] = array;
}

} // namespace memlane::cuda
