// Layouts: from indices to words, by the formulas of machine/layout.hpp; the words of an array.
#include "desugar.hpp"

#include <algorithm>

namespace memlane::cuda {

using namespace lang;

bool Desugarer::has_rows(SymbolId root) const {
  return checked_.array(root).layout_kind() == LayoutKind::rows;
}

bool Desugarer::has_row_offsets(SymbolId root) const {
  const LayoutKind layout = checked_.array(root).layout_kind();
  return layout == LayoutKind::random_shift || layout == LayoutKind::random_permute;
}

bool Desugarer::is_swizzled(SymbolId root) const {
  const LayoutKind layout = checked_.array(root).layout_kind();
  return layout == LayoutKind::swizzle || layout == LayoutKind::bits;
}

bool Desugarer::is_strided(SymbolId root) const {
  return checked_.array(root).layout_kind() == LayoutKind::strides;
}

Expr Desugarer::row_length(SymbolId root) {
  const ArraySymbol& symbol = checked_.array(root);
  return symbol.extents.size() > 1 ? expr(symbol.extents.back()) : machine_letter("w");
}

/// The random numbers that rotate the rows: a member of the run. Arrays of several kernels may have
/// one name.
Expr Desugarer::row_offsets(SymbolId root) {
  const std::string& name = checked_.array(root).name;
  int number = 1;
  for (SymbolId id{}; id < root; ++id)
    if (checked_.array(id).name == name && has_row_offsets(id)) ++number;
  Expr offsets =
      named(names_.fresh(name + "_offsets" + (number > 1 ? std::to_string(number) : "")));
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
    if (symbol.layout_word || (flat && is_strided(root)))
      return returning(word_of_number(root, formals[0].text));
    if (is_strided(root)) return returning(strided(root, formals));
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
  if (symbol.layout_kind() == LayoutKind::padded) {
    const Expr spare = expr(symbol.layout_arguments[0]);
    return number ? sum(*number, product(row, spare)) : row * sum(length, spare) + column;
  }
  if (is_swizzled(root)) return swizzled(root, number ? *number : row * length + column);
  Expr rotation = row;
  if (symbol.layout_kind() == LayoutKind::random_shift) rotation = indexed(row_offsets(root), row);
  if (symbol.layout_kind() == LayoutKind::random_permute)
    rotation = indexed(row_offsets(root), row % machine_letter("w"));
  return row * length + (column + rotation) % length;
}

/// The map of `bits` as terms of shifted bits where the program has numbers, else bit by bit.
Expr Desugarer::mapped(SymbolId root, const Expr& number) {
  const std::vector<TExpr>& arguments = checked_.array(root).layout_arguments;
  BitMap map;
  for (const TExpr& e : arguments)
    if (e.kind == TExprKind::literal) map.columns.push_back(e.value.integer());
  const Expr count = integer(std::int64_t(arguments.size()));
  Expr result = binary(binary(number, ">>", count), "<<", count); // the bits that stay
  const auto add = [&](Expr term) { result = binary(std::move(result), "^", std::move(term)); };
  if (map.columns.size() < arguments.size()) {
    for (std::size_t j = 0; j < arguments.size(); ++j)
      add(binary(binary(number, ">>", integer(std::int64_t(j))), "&", integer(1)) *
          expr(arguments[j]));
    return result;
  }
  const std::vector<ShiftedBits> terms = shifted_bits(map);
  for (const ShiftedBits& term : terms)
    if (term.shift == 0 && term.mask == map.tile() - 1) result = number;
  for (const auto& [shift, mask] : terms) {
    if (shift == 0 && mask == map.tile() - 1) continue;
    const Expr shifted = shift == 0  ? number
                         : shift > 0 ? binary(number, ">>", integer(shift))
                                     : binary(number, "<<", integer(-shift));
    add(binary(shifted, "&", integer(mask)));
  }
  return result;
}

/// The sum of the digits of all indices, each with its stride.
Expr Desugarer::strided(SymbolId root, const std::vector<Expr>& indices) {
  const ArraySymbol& symbol = checked_.array(root);
  Expr word = integer(0);
  std::size_t at = 0;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    Expr rest = indices[k];
    for (std::size_t digit = 1; digit <= symbol.layout_digits[k]; ++digit, ++at) {
      const bool last = digit == symbol.layout_digits[k];
      const Expr size = last ? integer(1) : expr(symbol.layout_sizes[at]);
      word = sum(std::move(word),
                 product(last ? rest : rest % size, expr(symbol.layout_arguments[at])));
      rest = last ? rest : rest / size;
    }
  }
  return word;
}

/// i xor ((i >> S) & ((1 << B) - 1) << M), with the mask as a number where the program has numbers.
Expr Desugarer::swizzled(SymbolId root, const Expr& number) {
  if (checked_.array(root).layout_kind() == LayoutKind::bits) return mapped(root, number);
  const std::vector<TExpr>& arguments = checked_.array(root).layout_arguments;
  const auto is_number = [](const TExpr& e) { return e.kind == TExprKind::literal; };
  Expr mask =
      binary(binary(integer(1), "<<", expr(arguments[0])) - integer(1), "<<", expr(arguments[1]));
  if (is_number(arguments[0]) && is_number(arguments[1]))
    mask = integer(Swizzle{arguments[0].value.integer(), arguments[1].value.integer(), 0}.mask());
  return binary(number, "^",
                binary(binary(number, ">>", expr(arguments[2])), "&", std::move(mask)));
}

/// Words of a tile of a swizzle or a map of bits, whose multiple is the footprint.
Expr Desugarer::swizzle_tile(SymbolId root) {
  const std::vector<TExpr>& arguments = checked_.array(root).layout_arguments;
  if (checked_.array(root).layout_kind() == LayoutKind::bits)
    return integer(std::int64_t{1} << arguments.size());
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
  if (is_strided(root)) {
    std::vector<Expr> last;
    for (const TExpr& extent : symbol.extents) last.push_back(expr(extent) - integer(1));
    return sum(strided(root, last), integer(1));
  }
  const Expr length = row_length(root);
  const bool padded = symbol.layout_kind() == LayoutKind::padded;
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

std::int64_t Desugarer::strided_words_now(const ArraySymbol& symbol) {
  StrideMap map;
  std::size_t at = 0;
  for (std::size_t k = 0; k < symbol.extents.size(); ++k) {
    for (std::size_t digit = 0; digit < symbol.layout_digits[k]; ++digit, ++at) {
      const TExpr& sized =
          symbol.layout_sizes.empty() ? symbol.extents[k] : symbol.layout_sizes[at];
      const auto size = values_.integer(sized), by = values_.integer(symbol.layout_arguments[at]);
      if (!size || !by) return -1;
      map.digits.push_back({*size, *by});
    }
  }
  return map.footprint();
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
  if (symbol.layout_kind() == LayoutKind::padded) {
    const auto spare = values_.integer(symbol.layout_arguments[0]);
    return spare ? elements + elements / length * *spare : -1;
  }
  if (symbol.layout_kind() == LayoutKind::bits) {
    const std::int64_t tile = std::int64_t{1} << symbol.layout_arguments.size();
    return (elements + tile - 1) / tile * tile;
  }
  if (is_strided(root)) return strided_words_now(symbol);
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
