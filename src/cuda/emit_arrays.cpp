// Arrays: from indices to words, by the layouts of machine/layout.hpp.
#include "emitter.hpp"

#include <fmt/format.h>

namespace memlane::cuda {

using namespace lang;

void Emitter::capture_array(SymbolId root) {
  if (!function_) return;
  function_->captures.insert({Capture::array, top_name(symbol_of(root).name), root});
}

EmittedArray Emitter::resolve(SymbolId id) {
  if (const auto found = arrays_.find(id); found != arrays_.end()) return found->second;
  const ArraySymbol& symbol = symbol_of(id);
  if (symbol.kind == ArrayKind::view) return slice(*symbol.target);
  EmittedArray array;
  array.root = id;
  array.base = top_name(symbol.name);
  for (const TExpr& extent : symbol.extents)
    array.extents.push_back([this, &extent] { return expr(extent); });
  if (symbol.kind == ArrayKind::memory || dynamic_shared_)
    capture_array(id);
  else
    static_shared_.insert(id);
  if (symbol.kind == ArrayKind::shared && !dynamic_shared_ && symbol.element.is_record())
    function_->records.insert(id);
  return array;
}

/// The array of one field, of a shared array of records at top level.
std::string Emitter::shared_field(const ArraySymbol& array, const RecordField& field) const {
  return outer_name(fmt::format("{}_{}", array.name, field.name));
}

std::string Emitter::shared_fields(const ArraySymbol& array) const {
  std::string fields;
  for (const RecordField& field : checked_.records[std::size_t(array.element.record)].fields)
    fields += (fields.empty() ? "" : ", ") + shared_field(array, field);
  return fields;
}

EmittedArray Emitter::slice(const ArraySlice& slice) {
  EmittedArray array = resolve(slice.array);
  if (slice.whole) return array;
  std::vector<Code> lead;
  for (const TExpr& index : slice.lead) lead.push_back(expr(index));
  Code at = known(0);
  for (std::size_t k = 0; k < lead.size(); ++k)
    at = added(k == 0 ? known(0) : multiplied(at, array.extents[k]()), lead[k]);
  array.whole = false;
  if (slice.range.empty()) {
    array.extents.erase(array.extents.begin(), array.extents.begin() + std::ptrdiff_t(lead.size()));
    for (const auto& extent : array.extents)
      if (!is_number(at, "0")) at = multiplied(at, extent());
    array.offset = added(array.offset, at);
    return array;
  }
  if (!lead.empty() && !is_number(at, "0")) at = multiplied(at, array.extents.back()());
  array.offset = added(array.offset, added(at, expr(slice.range[0])));
  const TExpr &lo = slice.range[0], &hi = slice.range[1];
  array.extents = {[this, &lo, &hi]() -> Code {
    const Code from = expr(lo), to = expr(hi);
    if (is_number(from, "0")) return to;
    return {fmt::format("{} - {}", bracketed(to, Code::sum), bracketed(from, Code::product)),
            Code::sum, std::max(from.type, to.type)};
  }};
  return array;
}

/// The row-major number of an element in the root.
Code Emitter::number(const EmittedArray& array, const std::vector<Code>& indices) {
  Code at = known(0);
  for (std::size_t k = 0; k < indices.size(); ++k)
    at = added(is_number(at, "0") ? at : multiplied(at, array.extents[k]()), indices[k]);
  return added(array.offset, at);
}

Code Emitter::word(const EmittedArray& array, const std::vector<TExpr>& indices) {
  std::vector<Code> codes;
  for (const TExpr& index : indices) codes.push_back(expr(index));
  return placed(array, codes);
}

Code Emitter::placed(const EmittedArray& array, const std::vector<Code>& indices) {
  if (array.pointer || has_rows(array.root)) return number(array, indices);
  const ArraySymbol& symbol = symbol_of(array.root);
  if (array.whole && symbol.layout == "padded" && indices.size() > 1) {
    const std::vector<Code> leading(indices.begin(), indices.end() - 1);
    const Code row = number(array, leading);
    const Code pitch = added(row_length(array.root), expr(symbol.layout_arguments[0]));
    return added(multiplied(row, pitch), indices.back());
  }
  std::string arguments;
  if (!array.whole) {
    arguments = number(array, indices).text;
  } else {
    for (const Code& index : indices) arguments += (arguments.empty() ? "" : ", ") + index.text;
  }
  return {fmt::format("{}({})", word_function(array.root, !array.whole), arguments), Code::primary,
          ir::Scalar::int32};
}

Code Emitter::element(const TExpr& e) {
  if (draws_in_several(e.operands)) return in_order(e);
  const EmittedArray array = resolve(e.symbol);
  const std::string at = word(array, e.operands).text;
  const ir::Scalar type = e.type.scalar;
  if (e.kind == TExprKind::initial)
    return {fmt::format("{}.initial({})", array.base, at), Code::primary, type};
  return {fmt::format("{}[{}]", array.base, at), Code::primary, type};
}

/// The text of a constant where C++ needs one, and its value where the text is none for C++.
std::string Emitter::constant_text(const TExpr& e) {
  const bool simple = !contains(e, [](const TExpr& part) {
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
    case TExprKind::is_pow2: return ir::is_real(part.type.scalar);
    case TExprKind::operation:
      return ir::is_real(part.type.scalar) || part.op == ir::Opcode::min ||
             part.op == ir::Opcode::max || part.op == ir::Opcode::abs ||
             part.op == ir::Opcode::mulmod || part.op == ir::Opcode::invmod;
    default: return true;
    }
  });
  if (simple) return expr(e).text;
  const auto value = values_.value(e);
  if (!value) return expr(e).text;
  return literal(e.type.scalar, *value).text;
}

} // namespace memlane::cuda
