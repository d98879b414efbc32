// Layouts of a program's arrays as placements (machine/layout.hpp), and the sizes of shared arrays
// that depend on the launch.
#include "lanes.hpp"
#include "memory.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane {

namespace {

using ir::farthest_word;

/// Whether words are all different and lie close together from 0 on, as those of most layouts do.
bool are_dense(const std::vector<std::int64_t>& words) {
  std::vector<bool> taken(4 * words.size());
  for (const std::int64_t word : words) {
    const auto at = static_cast<std::size_t>(word);
    if (word < 0 || at >= taken.size() || taken[at]) return false;
    taken[at] = true;
  }
  return true;
}

/// Checks that the words of a user-defined layout are not negative and that no two are equal.
Status check_words(const ir::Array& array, const std::vector<std::int64_t>& extents,
                   const std::vector<std::int64_t>& words) {
  if (are_dense(words)) return Done{};
  const auto name = [&](std::int64_t element) {
    return element_name(array.name, extents, element);
  };
  std::vector<std::int64_t> order(words.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  const auto word = [&](std::int64_t i) { return words[static_cast<std::size_t>(i)]; };
  std::sort(order.begin(), order.end(), [&](std::int64_t x, std::int64_t y) {
    return word(x) != word(y) ? word(x) < word(y) : x < y;
  });
  if (!order.empty() && word(order.front()) < 0)
    return error_at(array.span,
                    fmt::format("layout {} puts {} at word {}: words begin at 0", array.layout_name,
                                name(order.front()), word(order.front())));
  if (!order.empty() && word(order.back()) > farthest_word)
    return error_at(array.span,
                    fmt::format("layout {} puts {} at word {}, beyond any memory",
                                array.layout_name, name(order.back()), word(order.back())));
  for (std::size_t i = 1; i < order.size(); ++i)
    if (word(order[i - 1]) == word(order[i]))
      return error_at(array.span,
                      fmt::format("layout {} puts {} and {} at the same word {}", array.layout_name,
                                  name(order[i - 1]), name(order[i]), word(order[i])));
  return Done{};
}

std::int64_t elements_in(const std::vector<std::int64_t>& extents) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : extents) elements *= extent;
  return elements;
}

Result<Placement> place_by_function(const ir::Program& program, std::int32_t index,
                                    const std::vector<std::int64_t>& extents, std::int64_t threads,
                                    std::uint64_t seed, Budget& budget) {
  const ir::Array& array = program.arrays[static_cast<std::size_t>(index)];
  std::vector<std::int64_t> words(static_cast<std::size_t>(elements_in(extents)));
  const Status placed =
      for_elements(program, index, array.layout_function, extents, threads, seed, "layout", budget,
                   [&](std::int64_t first, const ir::Value* values, std::int64_t count) {
                     for (std::int64_t i = 0; i < count; ++i)
                       words[static_cast<std::size_t>(first + i)] = values[i].integer();
                   });
  if (!placed) return placed.errors();
  if (budget.stop != Stop::none) return Placement{};
  if (Status checked = check_words(array, extents, words); !checked) return checked.errors();
  return place_table(std::move(words));
}

} // namespace

Result<Placement> make_placement(const ir::Program& program, std::int32_t index,
                                 const std::vector<std::int64_t>& extents, std::int64_t threads,
                                 const MachineSpec& machine, std::uint64_t seed, Budget& budget) {
  const ir::Array& array = program.arrays[static_cast<std::size_t>(index)];
  const std::int64_t n = elements_in(extents);
  // Rows are those of the last dimension; a one-dimensional array has rows of w words.
  const std::int64_t row = extents.size() > 1 && n > 0 ? extents.back() : machine.width;
  const std::uint64_t stream = stream_of(Draws::layout, index, 0);
  switch (array.layout) {
  case LayoutKind::rows: return place_rows(n, row);
  case LayoutKind::padded: return place_padded(n, row, array.padding);
  case LayoutKind::diagonal: return place_diagonal(n, row);
  case LayoutKind::random_shift: return place_random_shift(n, row, seed, stream);
  case LayoutKind::random_permute: return place_random_permute(n, row, machine.width, seed, stream);
  case LayoutKind::swizzle: return place_swizzled(n, row, array.swizzle);
  case LayoutKind::bits: return place_mapped(n, row, array.bits);
  case LayoutKind::strides: {
    Result<StrideMap> map = ir::stride_map(array, extents);
    if (!map) return map.errors();
    return place_strided(n, row, std::move(*map));
  }
  case LayoutKind::function:
    return place_by_function(program, index, extents, threads, seed, budget);
  }
  return Placement{};
}

// Shared arrays whose extents use `threads`: each launch computes their size and placement.

namespace {

/// The extent for a number of threads; 0 if the budget has stopped.
Result<std::int64_t> extent_of(const ir::Program& program, const ir::Array& array,
                               std::int32_t function, std::int64_t threads, const Sources& sources,
                               Budget& budget) {
  const ir::Function& code = program.functions[static_cast<std::size_t>(function)];
  Lanes lanes(program, code, 1);
  Specials specials;
  specials.threads = threads;
  lanes.restart(specials, 1);
  Lanes::Halt halt = lanes.run(budget);
  // Calls of fns are counted in kernels only.
  while (halt == Lanes::Halt::event && lanes.instruction().op == ir::Opcode::call) {
    lanes.resume();
    halt = lanes.run(budget);
  }
  if (halt == Lanes::Halt::stop) return 0;
  const auto where = fmt::format(" in an extent of {}, for {} threads", array.name, threads);
  if (halt == Lanes::Halt::fault)
    return error_at(lanes.fault().span, lanes.fault().text(where), lanes.fault().help);
  const auto register_of = [&](ir::Register r) { return lanes.row(r)[0]; };
  if (const auto wrap = find_wrap(code, code.code.size(), 0, register_of, false))
    return ir::wrapped_extent(code.span, array.name, *wrap, sources);
  const std::int64_t extent = lanes.row(0)[0].integer();
  if (extent >= 1) return extent;
  return error_at(code.span,
                  fmt::format("an extent of {} is {} in a launch of {} threads: extents are at "
                              "least 1",
                              array.name, extent, threads),
                  {"launch more threads, or take max(1, …) as the extent"});
}

Status size_array(const ir::Program& program, const ir::Array& array, std::int64_t threads,
                  const Sources& sources, Budget& budget, ArrayState& state) {
  state.elements = 1;
  for (std::size_t k = 0; k < array.extents.size(); ++k) {
    if (array.extent_functions[k] >= 0) {
      auto extent = extent_of(program, array, array.extent_functions[k], threads, sources, budget);
      if (!extent) return extent.errors();
      state.extents[k] = *extent;
    }
    if (__builtin_mul_overflow(state.elements, state.extents[k], &state.elements) ||
        state.elements > ir::most_elements)
      return error_at(array.span, fmt::format("array {} is larger than any memory in a launch of "
                                              "{} threads",
                                              array.name, threads));
  }
  return Done{};
}

} // namespace

Status size_arrays(const ir::Program& program, const ir::Function& kernel, std::int64_t threads,
                   const MachineSpec& machine, std::uint64_t seed, const Sources& sources,
                   Budget& budget, Memory& memory) {
  for (const std::int32_t index : kernel.shared) {
    const ir::Array& array = program.arrays[static_cast<std::size_t>(index)];
    ArrayState& state = memory.arrays[static_cast<std::size_t>(index)];
    if (array.extent_functions.empty() || state.sized_for == threads) continue;
    state.sized_for = -1;
    Status sized = size_array(program, array, threads, sources, budget, state);
    if (!sized || budget.stop != Stop::none) return sized;
    // A user-defined layout is stored as a table of words.
    budget.bytes -= state.table_bytes;
    state.table_bytes = array.layout == LayoutKind::function ? 8 * state.elements : 0;
    if (!budget.reserve(state.table_bytes, array.span)) {
      state.table_bytes = 0;
      return Done{};
    }
    auto placement = make_placement(program, index, state.extents, threads, machine, seed, budget);
    if (!placement) return placement.errors();
    if (budget.stop != Stop::none) return Done{};
    state.placement = std::move(*placement);
    state.sized_for = threads;
  }
  return Done{};
}

} // namespace memlane
