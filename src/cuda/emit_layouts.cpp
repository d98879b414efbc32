// Layouts: from indices to words, by the formulas of machine/layout.hpp.
#include "emitter.hpp"

#include <fmt/format.h>

namespace memlane::cuda {

using namespace lang;

bool Emitter::has_rows(SymbolId root) const {
  const std::string& layout = symbol_of(root).layout;
  return layout.empty() || layout == "rows";
}

bool Emitter::turns_rows(SymbolId root) const {
  const std::string& layout = symbol_of(root).layout;
  return layout == "random_shift" || layout == "random_permute";
}

Code Emitter::row_length(SymbolId root) {
  const ArraySymbol& symbol = symbol_of(root);
  if (symbol.extents.size() > 1) return expr(symbol.extents.back());
  return {machine_letter("w"), Code::primary, ir::Scalar::int32};
}

/// The function from indices to the word of an element, or from its number.
std::string Emitter::word_function(SymbolId root, bool flat) {
  const ArraySymbol& symbol = symbol_of(root);
  const std::size_t rank = symbol.extents.size();
  std::vector<std::pair<std::string, std::string>> formals;
  if (flat || rank == 1) {
    formals.emplace_back("int", outer_name(rank == 1 ? "i" : "number"));
    if (symbol.layout_word && rank > 1) {
      return function_for(symbol.name + "_word_of", "int", formals, [&] {
        std::string rest = formals[0].second, arguments;
        for (std::size_t k = rank; k-- > 0;) {
          const std::string extent = bracketed(expr(symbol.extents[k]), Code::unary);
          const std::string index = k == 0 ? rest : fmt::format("{} % {}", rest, extent);
          arguments = index + (arguments.empty() ? "" : ", ") + arguments;
          rest += " / " + extent;
        }
        return fmt::format("{}({})", word_function(root, false), arguments);
      });
    }
  } else if (!symbol.layout_word) {
    for (const char* name : {"i", "j", "k"})
      if (formals.size() < rank) formals.emplace_back("int", outer_name(name));
  }
  if (symbol.layout_word) {
    formals.clear();
    for (const SymbolId index : symbol.layout_indices) {
      formals.emplace_back("int", declare(index));
      substituted_[index] = {names_[index], Code::primary, ir::Scalar::int32};
    }
    return function_for(symbol.name + "_word", "int", formals,
                        [&] { return expr(*symbol.layout_word).text; });
  }
  return function_for(symbol.name + (flat && rank > 1 ? "_word_of" : "_word"), "int", formals, [&] {
    const Code length = row_length(root);
    const std::string by = bracketed(length, Code::unary);
    if (flat || rank == 1) {
      const std::string at = formals[0].second;
      return word_body(symbol, fmt::format("{} / {}", at, by), fmt::format("{} % {}", at, by), at);
    }
    std::string row = formals[0].second;
    if (rank == 3)
      row = fmt::format("({} * {} + {})", row, bracketed(expr(symbol.extents[1]), Code::unary),
                        formals[1].second);
    return word_body(symbol, row, formals.back().second, "");
  });
}

/// The layouts' own formulas: row and column of an element to its word.
std::string Emitter::word_body(const ArraySymbol& array, const std::string& row,
                               const std::string& column, const std::string& number) {
  const SymbolId root = SymbolId(&array - checked_.arrays.data());
  const Code length = row_length(root);
  const std::string by = bracketed(length, Code::unary);
  if (array.layout == "padded") {
    const Code spare = expr(array.layout_arguments[0]);
    if (number.empty())
      return fmt::format("{} * ({}) + {}", row, added(length, spare).text, column);
    return added({number, Code::primary}, multiplied({row, Code::product}, spare)).text;
  }
  std::string turn = row;
  if (turns_rows(root)) {
    const std::string table = fresh_name(array.name + "_turns");
    function_->captures.insert({Capture::turns, table, root});
    turn = fmt::format(fmt::runtime(array.layout == "random_shift" ? "{0}[{1}]" : "{0}[{1} % {2}]"),
                       table, row, machine_letter("w"));
  }
  return fmt::format("{0} * {1} + ({2} + {3}) % {1}", row, by, column, turn);
}

std::string Emitter::elements_in(const EmittedArray& array) {
  Code all = known(1);
  for (const auto& extent : array.extents) all = multiplied(all, extent());
  return all.text;
}

std::string Emitter::elements_of(SymbolId root) {
  Code all = known(1);
  for (const TExpr& extent : symbol_of(root).extents) all = multiplied(all, expr(extent));
  return all.text;
}

/// Words that the array occupies.
std::string Emitter::words_of(SymbolId root) {
  const ArraySymbol& symbol = symbol_of(root);
  const std::string elements = elements_of(root);
  if (has_rows(root)) return elements;
  if (symbol.layout_word) return std::to_string(words_now(root));
  Code rows = known(1);
  const Code length = row_length(root);
  const bool matrix = symbol.extents.size() > 1;
  for (std::size_t k = 0; matrix && k + 1 < symbol.extents.size(); ++k)
    rows = multiplied(rows, expr(symbol.extents[k]));
  if (symbol.layout == "padded") {
    const Code spare = expr(symbol.layout_arguments[0]);
    if (matrix) return multiplied(rows, added(length, spare)).text;
    const Code all = expr(symbol.extents[0]);
    const Code full = {
        fmt::format("{} / {}", bracketed(all, Code::unary), bracketed(length, Code::unary)),
        Code::product};
    return added(all, multiplied(full, spare)).text;
  }
  if (matrix) return multiplied(rows, length).text;
  helpers_.insert("ceil_div");
  return fmt::format("ceil_div({}, {}) * {}", exact(symbol.extents[0]).text, length.text,
                     bracketed(length, Code::unary));
}

/// The same under the parameters of the emission; -1 if they do not tell.
std::int64_t Emitter::words_now(SymbolId root) {
  const ArraySymbol& symbol = symbol_of(root);
  std::int64_t elements = 1, last = 1;
  for (const TExpr& extent : symbol.extents) {
    const auto value = values_.integer(extent);
    if (!value) return -1;
    elements *= last = *value;
  }
  const std::int64_t length = symbol.extents.size() > 1 ? last : request_.machine.width;
  if (has_rows(root)) return elements;
  if (symbol.layout == "padded") {
    const auto spare = values_.integer(symbol.layout_arguments[0]);
    return spare ? elements + elements / length * *spare : -1;
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
