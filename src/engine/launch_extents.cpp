// Shared arrays whose extents use `threads`: each launch computes their size and placement.
#include "lanes.hpp"
#include "memory.hpp"
#include "wraps.hpp"

#include <fmt/format.h>

namespace memlane {

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
    state.table_bytes = array.layout == ir::Layout::function ? 8 * state.elements : 0;
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
