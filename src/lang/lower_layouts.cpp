// Layouts of arrays: their numbers, or the function of a fn's word.
#include "lowering.hpp"

#include <fmt/format.h>

namespace memlane::lang {

/// Far beyond any padding that helps. Words of arrays stay below 2^60 with it.
static constexpr std::int64_t most_padding = std::int64_t{1} << 30;

void Lowering::bind_layout(const ArraySymbol& symbol, ir::Array& array) {
  array.layout_name = symbol.layout_name();
  array.layout = symbol.layout_kind();
  if (array.layout == LayoutKind::padded) {
    array.padding = constants_.require(symbol.layout_arguments[0]).integer();
    if (array.padding < 0 || array.padding > most_padding)
      constants_.errors().push_back(error_at(
          symbol.layout_arguments[0].span,
          fmt::format("a padding of {} words: give 0 to {}", array.padding, most_padding)));
  }
  if (array.layout == LayoutKind::swizzle) bind_swizzle(symbol, array);
  if (array.layout == LayoutKind::bits) bind_bits(symbol, array);
  if (array.layout == LayoutKind::strides) bind_strides(symbol, array);
  if (array.layout == LayoutKind::function) array.layout_function = layout_function(symbol, array);
}

void Lowering::bind_swizzle(const ArraySymbol& symbol, ir::Array& array) {
  const auto number = [&](std::size_t k) {
    return constants_.require(symbol.layout_arguments[k]).integer();
  };
  array.swizzle = {number(0), number(1), number(2)};
  if (const std::string problem = problem_of(array.swizzle); !problem.empty())
    constants_.errors().push_back(error_at(
        symbol.layout_arguments[0].span, "swizzle(B, M, S): " + problem,
        {"swizzle(5, 0, 5) takes the columns of a tile with rows of 32 words to 32 banks"}));
}

void Lowering::bind_bits(const ArraySymbol& symbol, ir::Array& array) {
  for (const TExpr& word : symbol.layout_arguments)
    array.bits.columns.push_back(constants_.require(word).integer());
  if (const std::string problem = problem_of(array.bits); !problem.empty())
    constants_.errors().push_back(
        error_at(symbol.layout_arguments[0].span, "bits(…): " + problem,
                 {"bits(1, 2, 4, 8) changes nothing, bits(1, 2, 5, 10) is swizzle(2, 0, 2)"}));
}

void Lowering::bind_strides(const ArraySymbol& symbol, ir::Array& array) {
  const std::size_t errors = constants_.errors().size();
  array.strides.sized = !symbol.layout_sizes.empty();
  std::size_t at = 0;
  const auto number = [&](const TExpr& e, std::int64_t least, const char* what) {
    const std::int64_t value = constants_.require(e).integer();
    if (value < least || value > ir::farthest_word)
      constants_.errors().push_back(
          error_at(e.span, fmt::format("a {} of {}: give {} to 2^48", what, value, least)));
    return value;
  };
  for (const std::size_t digits : symbol.layout_digits) {
    auto& dimension = array.strides.dimensions.emplace_back();
    for (std::size_t k = 0; k < digits; ++k, ++at) {
      StrideMap::Digit digit;
      if (array.strides.sized) digit.size = number(symbol.layout_sizes[at], 1, "size");
      digit.stride = number(symbol.layout_arguments[at], 0, "stride");
      dimension.push_back(digit);
    }
  }
  if (constants_.errors().size() > errors || !array.extent_functions.empty()) return;
  if (const auto map = ir::stride_map(array, array.extents); !map)
    for (Diagnostic error : map.errors()) {
      error.span = symbol.layout_arguments[0].span;
      constants_.errors().push_back(std::move(error));
    }
}

std::int32_t Lowering::layout_function(const ArraySymbol& symbol, const ir::Array& array) {
  return value_function(symbol.layout, symbol.span, [&](ir::Register result) {
    Operand rest = Operand::in(code().special(ir::Special::index));
    for (std::size_t k = symbol.layout_indices.size(); k-- > 0;) {
      const bool fixed = array.extent_functions.empty() || array.extent_functions[k] < 0;
      Operand extent =
          fixed || k == 0 ? Operand::of(array.extents[k]) : Operand::in(scalar(symbol.extents[k]));
      Operand index = k == 0 ? rest : code().integer(ir::Opcode::rem, rest, extent);
      if (k > 0) rest = code().integer(ir::Opcode::div, rest, extent);
      bind_variable(symbol.layout_indices[k], {code().reg(index)});
    }
    code().emit(ir::Opcode::move, ir::Scalar::int64, result, scalar(*symbol.layout_word));
  });
}

} // namespace memlane::lang
