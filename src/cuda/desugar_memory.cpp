// Memory as host code: its arrays and their initial values.
#include "desugar.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cuda {

using namespace lang;

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
  Expr drawn = array.layout_kind() == ir::Layout::random_shift
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
    target = member_of(std::move(target), names_.top(of.name));
    lowered += "." + of.name;
  }
  random_array_ = lowered_array(lowered);
  const auto fill = [&](Expr index, const TExpr& e) {
    const bool whole = field < 0 || e.kind == TExprKind::record;
    Expr value = expr(whole && field >= 0 ? e.operands[std::size_t(field)] : e);
    if (!whole)
      value =
          member_of(std::move(value), names_.top(checked_.fields(e.type)[std::size_t(field)].name));
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
