// Arrays: from indices to words, by the layouts of machine/layout.hpp.
#include "emitter.hpp"

#include <fmt/format.h>

namespace memlane::gpu {

using namespace lang;

namespace {

bool is_number(const Code& code, const char* number) { return code.literal && code.text == number; }

std::string in_brackets(const Code& code, Code::Level level) {
  return code.level < level ? "(" + code.text + ")" : code.text;
}

Code known(std::int64_t value) {
  return {std::to_string(value), Code::primary, ir::Scalar::int32, true};
}

Code added(const Code& a, const Code& b) {
  if (is_number(a, "0")) return b;
  if (is_number(b, "0")) return a;
  const ir::Scalar type = std::max(a.type, b.type);
  // What is added may be a difference, and a sum in brackets is no clearer.
  const Code::Level right = b.text.find(" - ") == std::string::npos ? Code::sum : Code::product;
  return {fmt::format("{} + {}", in_brackets(a, Code::sum), in_brackets(b, right)), Code::sum,
          type};
}

Code multiplied(const Code& a, const Code& b) {
  if (is_number(a, "0") || is_number(b, "0")) return known(0);
  if (is_number(a, "1")) return b;
  if (is_number(b, "1")) return a;
  return {fmt::format("{} * {}", in_brackets(a, Code::product), in_brackets(b, Code::unary)),
          Code::product, std::max(a.type, b.type)};
}

} // namespace

bool Emitter::has_rows(SymbolId root) const {
  const std::string& layout = symbol_of(root).layout;
  return layout.empty() || layout == "rows";
}

bool Emitter::turns_rows(SymbolId root) const {
  const std::string& layout = symbol_of(root).layout;
  return layout == "random_shift" || layout == "random_permute";
}

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
  if (!lead.empty() && !is_number(at, "0")) at = multiplied(at, array.extents.back()());
  array.offset = added(array.offset, added(at, expr(slice.range[0])));
  const TExpr &lo = slice.range[0], &hi = slice.range[1];
  array.extents = {[this, &lo, &hi]() -> Code {
    const Code from = expr(lo), to = expr(hi);
    if (is_number(from, "0")) return to;
    return {fmt::format("{} - {}", in_brackets(to, Code::sum), in_brackets(from, Code::product)),
            Code::sum, std::max(from.type, to.type)};
  }};
  array.whole = false;
  return array;
}

/// The row-major number of an element in the root.
Code Emitter::number(const EmittedArray& array, const std::vector<Code>& indices) {
  Code at = known(0);
  for (std::size_t k = 0; k < indices.size(); ++k)
    at = added(is_number(at, "0") ? at : multiplied(at, array.extents[k]()), indices[k]);
  return added(array.offset, at);
}

Code Emitter::row_length(SymbolId root) {
  const ArraySymbol& symbol = symbol_of(root);
  if (symbol.extents.size() > 1) return expr(symbol.extents.back());
  return {machine_letter("w"), Code::primary, ir::Scalar::int32};
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
  const bool flat = !array.whole && indices.size() == 1;
  return {fmt::format("{}({})", word_function(array.root, flat), arguments), Code::primary,
          ir::Scalar::int32};
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
          const std::string extent = in_brackets(expr(symbol.extents[k]), Code::unary);
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
    const std::string by = in_brackets(length, Code::unary);
    if (flat || rank == 1) {
      const std::string at = formals[0].second;
      return word_body(symbol, fmt::format("{} / {}", at, by), fmt::format("{} % {}", at, by), at);
    }
    std::string row = formals[0].second;
    if (rank == 3)
      row = fmt::format("({} * {} + {})", row, in_brackets(expr(symbol.extents[1]), Code::unary),
                        formals[1].second);
    return word_body(symbol, row, formals.back().second, "");
  });
}

/// The layouts' own formulas: row and column of an element to its word.
std::string Emitter::word_body(const ArraySymbol& array, const std::string& row,
                               const std::string& column, const std::string& number) {
  const SymbolId root = SymbolId(&array - checked_.arrays.data());
  const Code length = row_length(root);
  const std::string by = in_brackets(length, Code::unary);
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
        fmt::format("{} / {}", in_brackets(all, Code::unary), in_brackets(length, Code::unary)),
        Code::product};
    return added(all, multiplied(full, spare)).text;
  }
  if (matrix) return multiplied(rows, length).text;
  helpers_.insert("ceil_div");
  return fmt::format("ceil_div({}, {}) * {}", exact(symbol.extents[0]).text, length.text,
                     in_brackets(length, Code::unary));
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

} // namespace memlane::gpu
