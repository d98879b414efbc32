// Arrays: from indices to words, by the layouts of machine/layout.hpp.
#include "desugar.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cuda {

using namespace lang;

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
  if (array.whole && symbol.layout_kind() == ir::Layout::padded && indices.size() > 1) {
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
  const std::string own = names_.top(of.name);
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
  return indexed(array.base, std::move(at), e.type.scalar);
}

/// The array of one field, of a shared array of records at top level.
std::string Desugarer::shared_field(const ArraySymbol& array, const RecordField& field) const {
  return names_.local(fmt::format("{}_{}", array.name, field.name));
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

} // namespace memlane::cuda
