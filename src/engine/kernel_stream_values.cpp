// What an observer of values learns from the warps of a launch.
#include "kernel_stream.hpp"

namespace memlane {

void KernelStream::report_arrays(Block& block) {
  std::vector<ArrayView> arrays;
  if (run_.budget.stop != Stop::none) return; // not all of them were made
  for (const std::int32_t number : kernel_->shared) {
    const auto index = static_cast<std::size_t>(number);
    const View& view = block.views[index];
    const ArrayState& state = run_.memory.arrays[index];
    arrays.push_back({number, view.unit, view.base, state.elements, &state.extents,
                      &state.placement,
                      [words = view.words,
                       written = view.written](std::int64_t element) -> std::optional<ir::Value> {
                        if (!(*written)[static_cast<std::size_t>(element)]) return std::nullopt;
                        return words->get(element);
                      }});
  }
  run_.values->block_memory_made(block.id, arrays);
}

void KernelStream::report_registers(const Block& block, Warp& warp) {
  const auto lanes = static_cast<std::size_t>(warp.lanes.lanes());
  const std::int64_t threads = std::min(run_.machine.width, shape_.threads - warp.first_thread);
  run_.values->before_step({{block.id, warp.number},
                            kernel_,
                            static_cast<std::size_t>(warp.lanes.pc()),
                            warp.lanes.row(0),
                            lanes,
                            static_cast<std::size_t>(threads)});
}

void KernelStream::report_values(const Block& block, Warp& warp) {
  const ir::Instruction& in = at(warp.pending.site);
  const ir::Value* const read = in.op == ir::Opcode::load ? warp.lanes.row(in.d) : nullptr;
  std::vector<LaneValue> values;
  values.reserve(warp.pending.lanes.size());
  for (const LaneAccess& lane : warp.pending.lanes)
    values.push_back({lane.lane, lane.element, read ? read[lane.lane] : lane.value});
  run_.values->transferred({block.id, warp.number}, static_cast<std::int32_t>(in.immediate),
                           values);
}

} // namespace memlane
