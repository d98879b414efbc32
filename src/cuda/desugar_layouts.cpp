// Layouts: from indices to words, by the formulas of machine/layout.hpp.
#include "desugar.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cuda {

using namespace lang;

bool Desugarer::has_rows(SymbolId root) const {
  return checked_.array(root).layout_kind() == ir::Layout::rows;
}

bool Desugarer::has_row_offsets(SymbolId root) const {
  const ir::Layout layout = checked_.array(root).layout_kind();
  return layout == ir::Layout::random_shift || layout == ir::Layout::random_permute;
}

bool Desugarer::is_swizzled(SymbolId root) const {
  return checked_.array(root).layout_kind() == ir::Layout::swizzle;
}

Expr Desugarer::row_length(SymbolId root) {
  const ArraySymbol& symbol = checked_.array(root);
  return symbol.extents.size() > 1 ? expr(symbol.extents.back()) : machine_letter("w");
}

/// The random numbers that rotate the rows.
Expr Desugarer::row_offsets(SymbolId root) {
  Expr offsets = named(names_.fresh(checked_.array(root).name + "_offsets"));
  offsets.role = Role::row_offsets, offsets.symbol = root;
  return offsets;
}

/// The function from indices to the word of an element, or from its number.
Expr Desugarer::word_function(SymbolId root, bool flat) {
  const ArraySymbol& symbol = checked_.array(root);
  const std::size_t rank = symbol.extents.size();
  flat = flat && rank > 1;
  Function function;
  function.result = "int", function.name = symbol.name + (flat ? "_word_of" : "_word");
  const auto returning = [](Expr value) {
    return Block{simple(Statement::return_, std::move(value))};
  };
  if (symbol.layout_word && !flat) {
    for (const SymbolId index : symbol.layout_indices)
      function.parameters.push_back({"int", declare_variable(index, ir::Scalar::int32)});
    return function_for(std::move(function), [&] { return returning(expr(*symbol.layout_word)); });
  }
  std::vector<Expr> formals;
  for (const char* wish : {"i", "j", "k"}) {
    if (formals.size() == (flat ? 1 : rank)) break;
    formals.push_back(named(names_.local(flat ? "number" : wish)));
    function.parameters.push_back({"int", formals.back().text});
  }
  return function_for(std::move(function), [&] {
    if (symbol.layout_word) return returning(word_of_number(root, formals[0].text));
    const Expr by = row_length(root), first = formals[0];
    if (flat || rank == 1) return returning(word_body(root, first / by, first % by, first));
    const Expr row = rank == 3 ? first * expr(symbol.extents[1]) + formals[1] : first;
    return returning(word_body(root, row, formals.back(), {}));
  });
}

/// A fn's word of the element with a row-major number.
Expr Desugarer::word_of_number(SymbolId root, const std::string& number) {
  std::vector<Expr> indices;
  Expr rest = named(number);
  const auto& extents = checked_.array(root).extents;
  for (std::size_t k = extents.size(); k-- > 0;) {
    const Expr extent = expr(extents[k]);
    indices.insert(indices.begin(), k == 0 ? rest : rest % extent);
    rest = rest / extent;
  }
  return call(word_function(root, false), std::move(indices));
}

/// The layouts' own formulas: row and column of an element to its word.
Expr Desugarer::word_body(SymbolId root, Expr row, Expr column, std::optional<Expr> number) {
  const ArraySymbol& symbol = checked_.array(root);
  const Expr length = row_length(root);
  if (symbol.layout_kind() == ir::Layout::padded) {
    const Expr spare = expr(symbol.layout_arguments[0]);
    return number ? sum(*number, product(row, spare)) : row * sum(length, spare) + column;
  }
  if (is_swizzled(root)) return swizzled(root, number ? *number : row * length + column);
  Expr rotation = row;
  if (symbol.layout_kind() == ir::Layout::random_shift) rotation = indexed(row_offsets(root), row);
  if (symbol.layout_kind() == ir::Layout::random_permute)
    rotation = indexed(row_offsets(root), row % machine_letter("w"));
  return row * length + (column + rotation) % length;
}

/// i xor ((i >> S) & ((1 << B) - 1) << M), with the mask as a number where the program has numbers.
Expr Desugarer::swizzled(SymbolId root, const Expr& number) {
  const std::vector<TExpr>& arguments = checked_.array(root).layout_arguments;
  const auto is_number = [](const TExpr& e) { return e.kind == TExprKind::literal; };
  Expr mask =
      binary(binary(integer(1), "<<", expr(arguments[0])) - integer(1), "<<", expr(arguments[1]));
  if (is_number(arguments[0]) && is_number(arguments[1]))
    mask = integer(Swizzle{arguments[0].value.integer(), arguments[1].value.integer(), 0}.mask());
  return binary(number, "^",
                binary(binary(number, ">>", expr(arguments[2])), "&", std::move(mask)));
}

/// Words of a swizzle's tile, whose multiple is the footprint.
Expr Desugarer::swizzle_tile(SymbolId root) {
  const std::vector<TExpr>& arguments = checked_.array(root).layout_arguments;
  return binary(integer(1), "<<", sum(expr(arguments[0]), expr(arguments[1])));
}

Expr Desugarer::elements_of(SymbolId root) {
  Expr all = integer(1);
  for (const TExpr& extent : checked_.array(root).extents)
    all = product(std::move(all), expr(extent));
  return all;
}

/// Words that the array occupies.
Expr Desugarer::words_of(SymbolId root) {
  const ArraySymbol& symbol = checked_.array(root);
  if (has_rows(root)) return elements_of(root);
  if (symbol.layout_word) return integer(words_now(root));
  if (is_swizzled(root)) {
    const Expr tile = swizzle_tile(root);
    return (sum(elements_of(root), tile) - integer(1)) / tile * tile;
  }
  const Expr length = row_length(root);
  const bool padded = symbol.layout_kind() == ir::Layout::padded;
  const Expr spare = padded ? expr(symbol.layout_arguments[0]) : integer(0);
  if (symbol.extents.size() > 1) {
    Expr rows = integer(1);
    for (std::size_t k = 0; k + 1 < symbol.extents.size(); ++k)
      rows = product(std::move(rows), expr(symbol.extents[k]));
    return product(std::move(rows), sum(length, spare));
  }
  const Expr all = expr(symbol.extents[0]);
  if (padded) return sum(all, product(all / length, spare));
  return call("ceil_div", {exact(symbol.extents[0]), length}) * length;
}

/// A size that C++ needs at compile time: a number where functions would compute it.
Expr Desugarer::static_size(Expr words, SymbolId root) {
  Needs needs;
  add_needs({evaluate(words)}, needs);
  return needs.called.empty() ? words : integer(words_now(root));
}

/// The words of an array under the parameters of the emission; -1 if they do not tell.
std::int64_t Desugarer::words_now(SymbolId root) {
  const ArraySymbol& symbol = checked_.array(root);
  std::int64_t elements = 1, last = 1;
  for (const TExpr& extent : symbol.extents) {
    const auto value = values_.integer(extent);
    if (!value) return -1;
    elements *= last = *value;
  }
  const std::int64_t length = symbol.extents.size() > 1 ? last : request_.machine.width;
  if (has_rows(root)) return elements;
  if (symbol.layout_kind() == ir::Layout::padded) {
    const auto spare = values_.integer(symbol.layout_arguments[0]);
    return spare ? elements + elements / length * *spare : -1;
  }
  if (is_swizzled(root)) {
    Swizzle swizzle;
    std::int64_t* const parts[] = {&swizzle.bits, &swizzle.base, &swizzle.shift};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto value = values_.integer(symbol.layout_arguments[k]);
      if (!value) return -1;
      *parts[k] = *value;
    }
    return problem_of(swizzle).empty()
               ? (elements + swizzle.tile() - 1) / swizzle.tile() * swizzle.tile()
               : -1;
  }
  if (!symbol.layout_word) return (elements + length - 1) / length * length;
  std::int64_t words = 0;
  for (std::int64_t element = 0; element < elements; ++element) {
    std::int64_t rest = element;
    for (std::size_t k = symbol.layout_indices.size(); k-- > 0;) {
      const std::int64_t extent = *values_.integer(symbol.extents[k]);
      values_.bind(symbol.layout_indices[k],
                   std::optional<ir::Value>(ir::Value::of(k == 0 ? rest : rest % extent)));
      rest /= extent;
    }
    const auto at = values_.integer(*symbol.layout_word);
    if (!at) return -1;
    words = std::max(words, *at + 1);
  }
  return words;
}

} // namespace memlane::cuda
