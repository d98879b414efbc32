// Arrays: elements, views and slices; declarations in statements.
#include "desugar.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cuda {

using namespace lang;

// --- From indices to words.

ArrayRef Desugarer::resolve(SymbolId id) {
  if (const auto found = arrays_.find(id); found != arrays_.end()) return found->second;
  const ArraySymbol& symbol = checked_.array(id);
  if (symbol.kind == ArrayKind::view) return slice(*symbol.target);
  ArrayRef array;
  array.root = id;
  array.base = named(names_.top(symbol.name));
  array.extents = exprs(symbol.extents);
  array.base.symbol = id;
  if (symbol.kind == ArrayKind::memory || context_->dynamic_shared) {
    array.base.role = Role::array;
  } else {
    static_shared_.insert(id);
    if (symbol.element.is_record()) array.base.role = Role::record_array;
  }
  return array;
}

ArrayRef Desugarer::slice(const ArraySlice& slice) {
  ArrayRef array = resolve(slice.array);
  if (slice.whole) return array;
  array.whole = false;
  Expr at = integer(0);
  for (std::size_t k = 0; k < slice.lead.size(); ++k)
    at = sum(product(std::move(at), array.extents[k]), expr(slice.lead[k]));
  array.extents.erase(array.extents.begin(),
                      array.extents.begin() + std::ptrdiff_t(slice.lead.size()));
  for (const Expr& extent : array.extents) at = product(std::move(at), extent);
  if (!slice.range.empty()) {
    Expr low = expr(slice.range[0]), high = expr(slice.range[1]);
    at = sum(std::move(at), low);
    array.extents = {low.is(0) ? high : high - low};
  }
  array.offset = sum(array.offset, std::move(at));
  return array;
}

/// The row-major number of an element in the root.
Expr Desugarer::number(const ArrayRef& array, const std::vector<Expr>& indices) {
  Expr at = integer(0);
  for (std::size_t k = 0; k < indices.size(); ++k)
    at = sum(product(std::move(at), array.extents[k]), indices[k]);
  return sum(array.offset, std::move(at));
}

Expr Desugarer::word(const ArrayRef& array, const std::vector<TExpr>& indices) {
  return placed(array, exprs(indices));
}

Expr Desugarer::placed(const ArrayRef& array, const std::vector<Expr>& indices) {
  if (array.pointer || has_rows(array.root)) return number(array, indices);
  const ArraySymbol& symbol = checked_.array(array.root);
  if (array.whole && symbol.layout_kind() == LayoutKind::padded && indices.size() > 1) {
    Expr row = number(array, {indices.begin(), indices.end() - 1});
    Expr pitch = sum(row_length(array.root), expr(symbol.layout_arguments[0]));
    return sum(product(std::move(row), std::move(pitch)), indices.back());
  }
  if (array.whole) return call(word_function(array.root, false), indices);
  return call(word_function(array.root, true), {number(array, indices)});
}

/// A field of an element, or the whole. In memory each field is an array of its own.
Expr Desugarer::place(const ArrayRef& array, SymbolId id, std::int32_t field, Expr at) {
  const Type element = checked_.array(id).element;
  if (!element.is_record() || field < 0) return indexed(array.base, std::move(at), element.scalar);
  const RecordField& of = checked_.fields(element)[std::size_t(field)];
  const std::string own = names_.field(of.name);
  if (checked_.array(array.root).kind == ArrayKind::local)
    return member_of(indexed(array.base, std::move(at)), own, of.type);
  return indexed(member_of(array.base, own), std::move(at), of.type);
}

/// The assignment of a value that is computed to the place of an assignment.
Statement Desugarer::store(const ArrayRef& array, const TStatement& s, Expr at, Expr value) {
  const bool put = checked_.array(s.symbol).element.is_record() && s.field < 0 &&
                   checked_.array(array.root).kind != ArrayKind::local;
  if (put) return evaluate(call(member_of(array.base, "put"), {std::move(at), std::move(value)}));
  return assign(place(array, s.symbol, s.field, std::move(at)), std::move(value));
}

Expr Desugarer::element(const TExpr& e) {
  const ArrayRef array = resolve(e.symbol);
  Expr at = word(array, e.operands);
  if (e.kind == TExprKind::initial)
    return call(member_of(array.base, "initial"), {std::move(at)}, e.type.scalar);
  Expr made = indexed(array.base, std::move(at), e.type.scalar);
  made.source = source_of(e.span);
  return made;
}

/// The array of one field, of a shared array of records at top level.
std::string Desugarer::shared_field(const ArraySymbol& array, const RecordField& field) const {
  return names_.fresh(fmt::format("{}_{}", array.name, field.name));
}

/// A constant where C++ needs one, and its value where the expression is none for C++.
Expr Desugarer::constant(const TExpr& e) {
  const bool simple = !contains(e, [](const TExpr& part) {
    if (ir::is_real(part.type.scalar)) return true;
    using enum ir::Opcode;
    switch (part.kind) {
    case TExprKind::literal:
    case TExprKind::param:
    case TExprKind::constant:
    case TExprKind::letter:
    case TExprKind::convert:
    case TExprKind::conditional:
    case TExprKind::comparison:
    case TExprKind::logical_and:
    case TExprKind::logical_or:
    case TExprKind::logical_not:
    case TExprKind::is_pow2: return false;
    case TExprKind::operation:
      return part.op == min || part.op == max || part.op == ir::Opcode::abs || part.op == mulmod ||
             part.op == invmod;
    default: return true;
    }
  });
  const auto value = simple ? std::nullopt : values_.value(e);
  return value ? value_literal(e.type.scalar, *value) : expr(e);
}

// --- Arrays and views that statements declare.

/// The type of an array's words; compilers warn of arrays that nothing reads.
std::string Desugarer::typed_words(SymbolId id, const std::string& type) const {
  return used_arrays_.count(id) == 0 ? "[[maybe_unused]] " + type : type;
}

/// The words of a shared array; of records, an array for each field. Gives the fields' arrays.
std::vector<Expr> Desugarer::declare_shared(SymbolId id, const std::string& own, Block& out) {
  const ArraySymbol& symbol = checked_.array(id);
  const Expr words = static_size(words_of(id), id);
  const auto one = [&](const std::string& type, const std::string& name) {
    out.push_back(declare_array(typed_words(id, "__shared__ volatile " + type), name, words, {}));
  };
  std::vector<Expr> fields;
  if (!symbol.element.is_record()) one(names_.declared_type(symbol.span, symbol.element), own);
  if (symbol.element.is_record()) {
    for (const RecordField& field : checked_.fields(symbol.element)) {
      fields.push_back(named(symbol.top_level ? shared_field(symbol, field)
                                              : names_.fresh(own + "_" + field.name)));
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
  const std::string word = element_name(symbol);
  Expr elements = integer(1);
  for (const Expr& extent : array.extents) elements = product(std::move(elements), extent);
  const bool sized_later = std::any_of(symbol.extents.begin(), symbol.extents.end(),
                                       [&](const TExpr& e) { return !values_.integer(e); });
  if (context_->host && member_arrays_.count(s.symbol) > 0)
    out.push_back(evaluate(call(member_of(array.base, "assign"), {elements, braces("", {})})));
  else if (context_->host && (!context_->in_fn || sized_later))
    out.push_back(construct(fmt::format("std::vector<{}>", word), array.base.text, elements));
  else
    out.push_back(declare_array(typed_words(s.symbol, word), array.base.text,
                                static_size(elements, s.symbol), braces("", {})));
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
    fix(array.extents.back(), "extent"); // the view keeps the extent it has now
  arrays_[s.symbol] = array;
}

} // namespace memlane::cuda
