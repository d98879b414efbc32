// Array names, slices and element accesses: from indices to an element's row-major number.
#include "lowering.hpp"

#include <cassert>

namespace memlane::lang {

using enum ir::Opcode;

ArrayRef Lowering::resolve(SymbolId id) {
  if (auto found = arrays_.find(id); found != arrays_.end()) return found->second;
  if (auto found = global_arrays_.find(id); found != global_arrays_.end()) {
    ArrayRef ref = found->second;
    if (program_.arrays[static_cast<std::size_t>(ref.roots[0])].space != ir::Space::shared)
      return ref;
    for (auto root : ref.roots) code().share(root);
    for (std::size_t k = 0; k < ref.extents.size(); ++k)
      if (!ref.extents[k].known)
        ref.extents[k] =
            Operand::in(code().launch_extent(ref.roots[0], static_cast<std::int32_t>(k)));
    return ref;
  }
  // A view at top level is resolved where it is used.
  const ArraySymbol& symbol = checked_.array(id);
  assert(symbol.kind == ArrayKind::view && symbol.target);
  ArrayRef ref = slice(*symbol.target);
  ref.name = symbol.name;
  return ref;
}

std::int64_t Lowering::bound_site(const ArrayRef& ref, std::size_t dimension,
                                  std::size_t dimensions) {
  ir::BoundSite site{ref.name, static_cast<int>(dimension), static_cast<int>(dimensions)};
  const auto [known, fresh] =
      bound_sites_.try_emplace({site.array, site.dimension, site.dimensions},
                               static_cast<std::int64_t>(program_.bounds.size()));
  if (fresh) program_.bounds.push_back(std::move(site));
  return known->second;
}

Operand Lowering::operand(const TExpr& expr) {
  if (auto value = constants_.fold(expr)) return Operand::of(value->integer());
  return Operand::in(scalar(expr));
}

Operand Lowering::checked_index(const ArrayRef& ref, const TExpr& index, std::size_t dimension,
                                std::size_t dimensions, Operand bound) {
  Operand at = operand(index);
  if (at.known && bound.known && at.value >= 0 && at.value < bound.value) return at;
  code().at(index.span);
  ir::Register a = code().reg(at);
  code().emit(ir::Opcode::bound, ir::Scalar::int64, -1, a, code().reg(bound), -1,
              bound_site(ref, dimension, dimensions));
  return at;
}

Operand Lowering::number(const ArrayRef& ref, const std::vector<TExpr>& indices) {
  Operand at = Operand::of(0);
  for (std::size_t k = 0; k < indices.size(); ++k) {
    Operand i = checked_index(ref, indices[k], k, indices.size(), ref.extents[k]);
    at = code().integer(add, code().integer(mul, at, ref.extents[k]), i);
  }
  return code().integer(add, ref.offset, at);
}

ArrayRef Lowering::slice(const ArraySlice& slice) {
  ArrayRef base = resolve(slice.array);
  if (slice.whole) return base;
  Operand at = Operand::of(0);
  for (std::size_t k = 0; k < slice.lead.size(); ++k) {
    const auto own = evaluation(slice.lead[k]);
    Operand i = checked_index(base, slice.lead[k], k, base.extents.size(), base.extents[k]);
    at = code().integer(add, code().integer(mul, at, base.extents[k]), i);
  }
  if (slice.range.empty()) {
    ArrayRef ref = base;
    ref.extents.erase(ref.extents.begin(),
                      ref.extents.begin() + static_cast<std::ptrdiff_t>(slice.lead.size()));
    for (const auto& extent : ref.extents) at = code().integer(mul, at, extent);
    ref.offset = code().integer(add, base.offset, at);
    return ref;
  }
  Operand last = base.extents.back();
  Operand lo = evaluate_bound(slice.range[0]);
  Operand hi = evaluate_bound(slice.range[1]);
  bool fits = lo.known && hi.known && last.known && 0 <= lo.value && lo.value <= hi.value &&
              hi.value <= last.value;
  if (!fits) {
    code().at(slice.span);
    ir::Register a = code().reg(lo), b = code().reg(hi), c = code().reg(last);
    code().emit(ir::Opcode::slice, ir::Scalar::int64, -1, a, b, c,
                bound_site(base, base.extents.size() - 1, base.extents.size()));
  }
  ArrayRef ref = base;
  ref.offset =
      code().integer(add, base.offset, code().integer(add, code().integer(mul, at, last), lo));
  ref.extents = {code().integer(sub, hi, lo)};
  return ref;
}

ir::Register Lowering::load(const ArrayRef& ref, std::size_t field, Operand number,
                            const TExpr& expr) {
  code().at(expr.span);
  ir::Register a = code().reg(number);
  ir::Register d = code().fresh();
  auto root = static_cast<std::size_t>(ref.roots[field]);
  if (ref.local) {
    code().emit(local_load, fields(expr.type)[field], d, a, -1, -1, ref.roots[field]);
    return d;
  }
  auto& array = program_.arrays[root];
  if (expr.kind == TExprKind::initial) array.snapshot = true;
  auto op = expr.kind == TExprKind::initial ? ir::Opcode::initial : ir::Opcode::load;
  code().emit(op, array.type, d, a, -1, -1, ref.roots[field]);
  return d;
}

void Lowering::store(const ArrayRef& ref, std::size_t field, Operand number, ir::Register value,
                     ir::Scalar type) {
  ir::Register a = code().reg(number);
  if (ref.local && forall_registers_ > 0) program_.threads_matter = true; // likewise
  auto op = ref.local ? local_store : deferring_ ? defer : ir::Opcode::store;
  code().emit(op, type, -1, a, value, -1, ref.roots[field]);
}

} // namespace memlane::lang
