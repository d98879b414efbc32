#include "ordered_stream.hpp"

#include "execution_order.hpp"

#include "memlane/ir/flow.hpp"

#include <algorithm>
#include <utility>

namespace memlane {

void OrderedStream::Values::block_memory_made(std::int64_t, std::span<const ArrayView> arrays) {
  views.assign(arrays.begin(), arrays.end());
}

void OrderedStream::Values::transferred(WarpRef, std::int32_t array,
                                        std::span<const LaneValue> values) {
  latest.array = array;
  latest.values.assign(values.begin(), values.end());
}

void OrderedStream::Values::before_step(const WarpRegisters& registers) {
  latest.registers = registers;
  std::size_t rows = 0;
  for (const ir::Variable& variable : registers.kernel->variables)
    rows = std::max(rows, static_cast<std::size_t>(variable.reg) + 1);
  latest.rows.assign(registers.first, registers.first + rows * registers.lanes);
}

RunState OrderedStream::with_values(const RunState& run) {
  RunState own = run;
  if (own.values) own.values = &values_;
  return own;
}

OrderedStream::OrderedStream(const RunState& run, const ir::Function& kernel,
                             const LaunchShape& shape, std::vector<ir::Value> formals,
                             std::int64_t launch)
    : run_(run), inner_(with_values(run), kernel, shape, std::move(formals), launch), shape_(shape),
      launch_(launch), order_(execution_order(run.options, shape.blocks, {launch, -1, 0, 0})) {
  inner_.execute_in_order();
}

Status OrderedStream::start(std::int64_t block, Tally& tally) {
  while (blocks_.count(block) == 0) {
    const std::int64_t next = order_[executed_++];
    if (Status done = execute(next); !done) return done;
  }
  Block& own = blocks_.at(block);
  tally += own.tally;
  if (run_.values) run_.values->block_memory_made(block, own.views);
  return Done{};
}

Status OrderedStream::execute(std::int64_t id) {
  Block& block = blocks_[id];
  block.warps.resize(static_cast<std::size_t>((shape_.threads - 1) / run_.machine.width + 1));
  if (Status started = inner_.start(id, block.tally); !started) return started;
  block.views = values_.views;
  const auto over = [](const Warp& warp) { return warp.over; };
  for (std::int64_t interval = 0; run_.budget.stop == Stop::none; ++interval) {
    if (Status done = execute_interval(block, id, interval); !done) return done;
    if (std::all_of(block.warps.begin(), block.warps.end(), over)) break;
    inner_.released(id);
  }
  for (ArrayView& view : block.views) { // the memory behind the inner ones is gone now
    Contents& contents = block.contents[view.array];
    contents.resize(static_cast<std::size_t>(view.elements));
    view.value = [&contents](std::int64_t element) {
      return contents[static_cast<std::size_t>(element)];
    };
  }
  inner_.finish(id);
  return Done{};
}

/// What the words have that were written since the latest barrier.
void OrderedStream::note_contents(Block& block) {
  auto& words = block.at_barrier.emplace_back();
  for (const ArrayView& view : block.views)
    for (auto word = block.written.lower_bound({view.array, 0});
         word != block.written.end() && word->first == view.array; ++word)
      words[*word] = view.value(word->second);
  block.written.clear();
}

void OrderedStream::released(std::int64_t id) {
  if (!run_.values) return;
  Block& block = blocks_.at(id);
  for (const auto& [word, value] : block.at_barrier[block.barriers++])
    block.contents.at(word.first)[static_cast<std::size_t>(word.second)] = value;
}

Status OrderedStream::execute_interval(Block& block, std::int64_t id, std::int64_t interval) {
  const auto warps = static_cast<std::int64_t>(block.warps.size());
  for (const std::int64_t warp :
       execution_order(run_.options, warps, {launch_, id, -1, interval})) {
    if (block.warps[static_cast<std::size_t>(warp)].over) continue;
    if (Status done = execute_warp(block, {id, warp}); !done) return done;
    if (run_.budget.stop != Stop::none) break;
  }
  if (run_.values) note_contents(block);
  return Done{};
}

/// Up to its next barrier or its end.
Status OrderedStream::execute_warp(Block& block, WarpRef ref) {
  Warp& warp = block.warps[static_cast<std::size_t>(ref.warp)];
  for (;;) {
    const Result<Step> step = inner_.next(ref);
    if (!step) return step.errors();
    if (step->kind == StepKind::request)
      if (Status performed = inner_.perform(ref); !performed) return performed;
    issue(warp, inner_.take_issued(ref));
    if (!record(block, ref, *step)) return Done{};
    warp.over = step->kind == StepKind::end;
    if (step->kind == StepKind::barrier || warp.over || step->kind == StepKind::stop) return Done{};
  }
}

/// Pieces have ended: their steps go to the machine in this order.
void OrderedStream::issue(Warp& warp, std::vector<KernelStream::IssuedStep> issued) {
  if (issued.empty()) return;
  for (auto& [one, instruction] : issued) {
    if (!one.awaited.empty()) {
      Recorded& wait = warp.steps.emplace_back();
      wait.step.kind = StepKind::wait;
      wait.step.instruction = instruction;
      wait.awaited = std::move(one.awaited);
      wait.observed = warp.observed.size();
      if (run_.values) warp.observed.emplace_back();
    }
    const auto found =
        std::lower_bound(warp.piece.begin(), warp.piece.end(), one.number,
                         [](const Recorded& a, std::int64_t b) { return a.number < b; });
    // An operator that is not counted is no step of the machine.
    if (found != warp.piece.end() && found->number == one.number)
      warp.steps.push_back(std::move(*found));
  }
  warp.piece.clear();
}

/// False if the run has no memory left for it.
bool OrderedStream::record(Block& block, WarpRef ref, const Step& step) {
  Warp& warp = block.warps[static_cast<std::size_t>(ref.warp)];
  const bool in_piece = run_.machine.schedule == Schedule::hoisted &&
                        (step.kind == StepKind::request || step.kind == StepKind::compute);
  Recorded recorded{step, {}, warp.observed.size(), warp.addresses.size()};
  if (in_piece) recorded.number = inner_.number_of_step(ref);
  recorded.awaited.assign(step.awaited.begin(), step.awaited.end());
  auto bytes = static_cast<std::int64_t>(sizeof recorded + step.awaited.size_bytes());
  if (step.request) {
    const Request& asked = *step.request;
    warp.addresses.insert(warp.addresses.end(), asked.addresses.begin(), asked.addresses.end());
    bytes += static_cast<std::int64_t>(asked.addresses.size() * sizeof asked.addresses[0]);
    recorded.request.unit = asked.unit;
    recorded.request.kind = asked.kind;
    recorded.request.uses_old = asked.uses_old;
    recorded.request.words_of_lane = asked.words_of_lane;
    recorded.request.span = asked.span;
    recorded.request.site = asked.site;
    recorded.request.forall = asked.forall;
    recorded.request.round = asked.round;
  }
  if (run_.values) {
    if (step.request && step.request->kind != AccessKind::read)
      for (const LaneValue& lane : values_.latest.values)
        block.written.insert({values_.latest.array, lane.element});
    warp.observed.push_back(std::exchange(values_.latest, {}));
    bytes += static_cast<std::int64_t>(warp.observed.back().rows.size() * sizeof(ir::Value) +
                                       warp.observed.back().values.size() * sizeof(LaneValue));
  }
  (in_piece ? warp.piece : warp.steps).push_back(std::move(recorded));
  block.bytes += bytes;
  return run_.budget.reserve(bytes, step.request ? step.request->span : Span{});
}

Result<Step> OrderedStream::next(WarpRef ref) {
  if (run_.budget.stop != Stop::none) return Step{StepKind::stop, nullptr, 0};
  Warp& warp = blocks_.at(ref.block).warps[static_cast<std::size_t>(ref.warp)];
  const Recorded& recorded = warp.steps[warp.next++];
  Step step = recorded.step;
  step.awaited = recorded.awaited;
  if (step.request) {
    warp.request = recorded.request;
    const auto first = warp.addresses.begin() + static_cast<std::ptrdiff_t>(recorded.address);
    warp.request.addresses.assign(first, first + static_cast<std::ptrdiff_t>(run_.machine.width));
    step.request = &warp.request;
  }
  if (run_.values) {
    Observed& observed = warp.observed[recorded.observed];
    if (observed.registers.kernel) {
      observed.registers.first = observed.rows.data();
      run_.values->before_step(observed.registers);
    }
  }
  return step;
}

Status OrderedStream::perform(WarpRef ref) {
  if (!run_.values) return Done{};
  Block& block = blocks_.at(ref.block);
  const Warp& warp = block.warps[static_cast<std::size_t>(ref.warp)];
  const Recorded& recorded = warp.steps[warp.next - 1];
  const Observed& observed = warp.observed[recorded.observed];
  const auto own = block.contents.find(observed.array);
  if (own != block.contents.end() && recorded.request.kind != AccessKind::read)
    for (const LaneValue& lane : observed.values)
      own->second[static_cast<std::size_t>(lane.element)] = lane.value;
  run_.values->transferred(ref, observed.array, observed.values);
  return Done{};
}

std::unique_ptr<WarpStream> kernel_stream(const RunState& run, const ir::Function& kernel,
                                          const LaunchShape& shape, std::vector<ir::Value> formals,
                                          std::int64_t launch) {
  if (ir::has_atomics(kernel) || run.machine.schedule == Schedule::hoisted)
    return std::make_unique<OrderedStream>(run, kernel, shape, std::move(formals), launch);
  return std::make_unique<KernelStream>(run, kernel, shape, std::move(formals), launch);
}

void OrderedStream::finish(std::int64_t block) {
  const auto own = blocks_.find(block);
  run_.budget.bytes -= own->second.bytes;
  blocks_.erase(own);
}

} // namespace memlane
