// The shared arrays of a launch's blocks, and what observers of values and `print` show of its
// warps.
#include "kernel_stream.hpp"
#include "machine_rules.hpp"

#include <fmt/format.h>

namespace memlane {

bool KernelStream::make_shared(Block& block) {
  const std::size_t count = kernel_->shared.size();
  block.shared.resize(count);
  block.written.resize(count);
  block.shadows.resize(count);
  if (run_.machine.global && reference::deals_statically(run_.machine))
    block.multiprocessor = block.id % run_.machine.multiprocessors;
  for (std::size_t k = 0; k < count; ++k)
    if (!make_array(block, k)) return false;
  return true;
}

/// A volatile array starts without any word, a kept one with those that earlier blocks have left.
bool KernelStream::make_array(Block& block, std::size_t number) {
  const auto index = static_cast<std::size_t>(kernel_->shared[number]);
  const ir::Array& array = run_.program.arrays[index];
  const std::int64_t n = run_.memory.arrays[index].elements;
  View& view = block.views[index];
  view = {nullptr, nullptr, &block.shadows[number], places_.address(block.id, number),
          UnitId::shared};
  if (is_kept(array, run_.machine)) {
    KeptWords* const kept = kept_words(block, kernel_->shared[number], n);
    if (!kept) return false;
    view.words = &kept->words;
    view.written = &kept->written;
    return true;
  }
  const std::int64_t bytes = n * ir::size_of(array.type);
  if (!run_.budget.reserve(bytes, array.span)) return false;
  block.bytes += bytes;
  block.shared[number] = Words(array.type, n);
  block.written[number].assign(static_cast<std::size_t>(n), 0);
  view.words = &block.shared[number];
  view.written = &block.written[number];
  return true;
}

/// Null: they do not fit the limit of memory.
KeptWords* KernelStream::kept_words(const Block& block, std::int32_t array, std::int64_t elements) {
  const ir::Array& declared = run_.program.arrays[static_cast<std::size_t>(array)];
  const auto [found, fresh] = run_.memory.kept.try_emplace({*block.multiprocessor, array});
  KeptWords& kept = found->second;
  if (!fresh) return &kept;
  if (!run_.budget.reserve(elements * ir::size_of(declared.type), declared.span)) return nullptr;
  kept.words = Words(declared.type, elements);
  kept.written.assign(static_cast<std::size_t>(elements), 0);
  return &kept;
}

/// A read of a shared word before its write: what a GPU, whose shared memory is not erased, might
/// have found there.
Fault KernelStream::unwritten(const Block& block, std::int32_t array,
                              const LaneAccess& lane) const {
  const auto index = static_cast<std::size_t>(array);
  const ir::Array& declared = run_.program.arrays[index];
  Fault fault;
  fault.lane = lane.lane;
  fault.message =
      fmt::format("{} is read before anything was written to it",
                  element_name(declared.name, run_.memory.arrays[index].extents, lane.element));
  if (!block.multiprocessor) return fault;
  const auto launch = run_.memory.left.writer(*block.multiprocessor, array, lane.element);
  if (!launch) {
    fault.help = {"no earlier block or launch had left a value there"};
    return fault;
  }
  fault.help = {*launch == launch_
                    ? "an earlier block of this launch had left a value there, but a block starts "
                      "with erased shared memory"
                    : fmt::format("launch {} had left a value there, but a block starts with "
                                  "erased shared memory",
                                  *launch)};
  if (run_.machine.model == Model::agpu)
    fault.help.emplace_back(declared.top_level
                                ? "an AGPU with --set volatile=false keeps it"
                                : "an AGPU with --set volatile=false keeps the arrays that are "
                                  "declared at the program's top level");
  return fault;
}

void KernelStream::note_left(const Block& block) {
  if (!block.multiprocessor) return;
  for (std::size_t k = 0; k < block.written.size(); ++k)
    run_.memory.left.note(*block.multiprocessor, kernel_->shared[k], launch_, block.written[k],
                          run_.budget);
}

// What an observer of values learns from the warps of a launch.

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
                            shape_.kernel,
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

void Printer::print(Lanes& lanes, const std::function<std::string(int lane)>& where) {
  if (!show_ || lines_ > most_printed_lines) return;
  const ir::Instruction& in = lanes.instruction();
  const std::string& text = program_.messages[static_cast<std::size_t>(in.immediate)];
  const bool ends = in.a < 0; // its text ends with '\n'
  open_.resize(static_cast<std::size_t>(lanes.lanes()));
  for (int lane = 0; lane < lanes.lanes(); ++lane) {
    if (!lanes.is_active(lane)) continue;
    std::string& line = open_[static_cast<std::size_t>(lane)];
    line.append(text, 0, text.size() - (ends ? 1 : 0));
    if (!ends) line += to_string(in.type, lanes.row(in.a)[lane]);
    if (!ends) continue;
    if (lines_ < most_printed_lines) show_(lines_, where(lane) + line);
    if (lines_ == most_printed_lines)
      show_(lines_, "more lines than " + std::to_string(most_printed_lines) +
                        " are printed: the others are not shown");
    ++lines_;
    line.clear();
    if (lines_ > most_printed_lines) break;
  }
}

} // namespace memlane
