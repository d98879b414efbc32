#include "kernel_stream.hpp"

#include "execution_order.hpp"
#include "machine_rules.hpp"

#include "memlane/ir/flow.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane {

using ir::Instruction;
using ir::Opcode;
using ir::Value;

std::int64_t shared_words(const ir::Function& kernel, const Memory& memory) {
  std::int64_t words = 0;
  for (std::int32_t array : kernel.shared)
    words += memory.arrays[static_cast<std::size_t>(array)].all_words();
  return words;
}

KernelStream::KernelStream(const RunState& run, const ir::Function& kernel,
                           const LaunchShape& shape, std::vector<Value> formals,
                           std::int64_t launch)
    : run_(run), kernel_(&kernel), shape_(shape), launch_(launch), formals_(std::move(formals)),
      sites_(kernel.code.size()), places_(kernel, run.memory, run.machine) {
  const std::vector<SiteInfo>& sites = shape.kernel->sites;
  for (std::size_t site = 0; site < sites.size(); ++site) sites_[sites[site].instruction] = site;
  run_.races.begin_launch({&kernel, launch, run.launch.at}, run.launch.independent);
}

Status KernelStream::start(std::int64_t id, Tally& tally) {
  tally.executed.resize(kernel_->code.size());
  tally.silent.resize(kernel_->statements.size());
  Block& block = blocks_[id];
  block.id = id;
  block.phase = run_.races.phases().begin(id);
  const UnitId memory_unit = run_.machine.global ? UnitId::global : UnitId::shared;
  block.views.resize(run_.program.arrays.size());
  for (std::size_t k = 0; k < block.views.size(); ++k) {
    ArrayState& state = run_.memory.arrays[k];
    block.views[k] = {&state.words, nullptr, &state.shadow, state.base, memory_unit};
  }
  if (make_shared(block)) make_warps(block, tally);
  ++changes_;
  ++started_;
  if (run_.values) report_arrays(block);
  return Done{};
}

void KernelStream::make_warps(Block& block, Tally& tally) {
  const std::int64_t width = run_.machine.width;
  const std::int64_t count = (shape_.threads + width - 1) / width;
  block.warps.reserve(static_cast<std::size_t>(count));
  for (std::int64_t number = 0; number < count; ++number) {
    Warp& warp = block.warps.emplace_back(Lanes(run_.program, *kernel_, static_cast<int>(width)));
    warp.number = number;
    warp.first_thread = number * width;
    Specials specials;
    specials.thread = warp.first_thread;
    specials.threads = shape_.threads;
    specials.block = block.id;
    specials.blocks = shape_.blocks;
    specials.warp = number;
    specials.warps = count;
    // The last warp may have fewer threads than lanes; the other lanes are never active.
    const std::int64_t active = std::min(width, shape_.threads - warp.first_thread);
    warp.lanes.restart(specials, static_cast<int>(active));
    warp.lanes.count_in(&tally);
    if (hoists()) {
      warp.reads.follow_all();
      warp.pieces.emplace(several());
    }
    if (run_.executions || several() || hoists())
      warp.lanes.before_each([this, &block, &warp] { before_each(block, warp); });
    if (tells_operators()) warp.lanes.stop_at_operators();
    warp.lanes.after_each_round([this, &warp] { return round_ends(warp); });
    for (std::size_t f = 0; f < kernel_->formals.size(); ++f)
      std::fill_n(warp.lanes.row(kernel_->formals[f]), width, formals_[f]);
    warp.iterations.resize(static_cast<std::size_t>(width));
    warp.request.addresses.resize(static_cast<std::size_t>(width));
  }
}

/// The instruction that the warp's lanes are about to execute.
WarpInstruction KernelStream::present(Warp& warp) {
  const auto at = static_cast<std::size_t>(warp.lanes.pc());
  const Instruction& in = kernel_->original(at);
  return {in, warp.lanes.pc(), warp.lanes.mask(),
          [&warp, &in](int lane) { return warp.lanes.row(in.a)[lane].integer(); },
          !kernel_->originals.empty() && kernel_->originals[at].depends_on_data};
}

void KernelStream::before_each(const Block& block, Warp& warp) {
  if (hoists()) {
    const WarpInstruction now = present(warp);
    if (warp.pieces->ends_before(now)) end_piece(warp);
    warp.pieces->execute(now, warp.reads);
  } else if (several()) {
    warp.reads.pass(present(warp));
  }
  if (run_.executions)
    run_.executions->executed({{block.id, warp.number},
                               static_cast<std::size_t>(warp.lanes.pc()),
                               warp.lanes.mask(),
                               shape_.kernel});
}

void KernelStream::end_piece(Warp& warp) {
  warp.pieces->end(warp.reads, [&](const IssueOrder::Issued& step, std::int32_t instruction) {
    warp.issued.push_back({step, instruction});
  });
}

/// The step, or the first wait for reads that are needed before it.
Step KernelStream::after_waits(Warp& warp, const Step& step) {
  const std::int64_t before = warp.requests - (step.kind == StepKind::request ? 1 : 0);
  warp.waits = warp.reads.take_waits(before);
  if (warp.waits.empty()) return step;
  std::reverse(warp.waits.begin(), warp.waits.end());
  warp.held = step;
  warp.holding = true;
  return next_wait(warp);
}

Step KernelStream::next_wait(Warp& warp) {
  warp.awaited = std::move(warp.waits.back().awaited);
  const std::int32_t instruction = warp.waits.back().instruction;
  warp.waits.pop_back();
  return {StepKind::wait, nullptr, 0, OperationClass::other, instruction, warp.awaited};
}

Result<Step> KernelStream::next(WarpRef ref) {
  if (run_.budget.stop != Stop::none) return Step{StepKind::stop};
  Block& block = blocks_.at(ref.block);
  Warp& warp = block.warps[static_cast<std::size_t>(ref.warp)];
  if (!warp.waits.empty()) return next_wait(warp);
  if (warp.holding) {
    warp.holding = false;
    return warp.held;
  }
  Result<Step> found = advance(block, warp);
  if (!found || found->kind == StepKind::stop) return found;
  if (warp.reads.unclear() >= 0)
    return error_at(kernel_->original(static_cast<std::size_t>(warp.reads.unclear())).span,
                    "data decides here which reads later steps wait for: the time of this run "
                    "depends on it",
                    {"run it without --timing-only: then the data is computed, too"});
  if (run_.values) report_registers(block, warp);
  const std::int64_t counted = warp.lanes.take_counted();
  if (hoists()) {
    if (found->kind == StepKind::barrier || found->kind == StepKind::end) {
      end_piece(warp);
      warp.pieces->complete_reads(warp.reads);
    }
    return found;
  }
  if (several()) return after_waits(warp, *found);
  if (counted == 0 || tells_operators()) return found;
  warp.held = *found;
  warp.holding = true;
  return Step{StepKind::compute, nullptr, counted, OperationClass::other};
}

Step KernelStream::operation(std::size_t at) const {
  return {StepKind::compute, nullptr, 1, shape_.kernel->instructions[at].operation};
}

Result<Step> KernelStream::advance(Block& block, Warp& warp) {
  Step step;
  for (;;) {
    if (warp.draining) {
      drain_one(block, warp, step);
      if (warp.draining) return step;
    }
    const Lanes::Halt halt = warp.lanes.run(run_.budget);
    if (halt == Lanes::Halt::stop) return Step{StepKind::stop};
    if (halt == Lanes::Halt::operated) return operation(warp.lanes.operated());
    if (halt == Lanes::Halt::fault) return diagnostic(block, warp, warp.lanes.fault());
    if (warp.lanes.instruction().op == Opcode::end) {
      warp.ended = true;
      return Step{};
    }
    const ir::Instruction& in = warp.lanes.instruction();
    const bool is_step = event(block, warp, step);
    if (!warp.lanes.fault().message.empty()) return diagnostic(block, warp, warp.lanes.fault());
    warp.lanes.resume();
    if (is_step) return step;
    // A call of a fn is an operator; an atomic's is part of its request.
    if (in.counted && !ir::is_atomic(in.op) && tells_operators())
      return operation(static_cast<std::size_t>(warp.lanes.pc()) - 1);
  }
}

bool KernelStream::event(Block& block, Warp& warp, Step& step) {
  using ir::OpcodeGroup;
  const Opcode op = warp.lanes.instruction().op;
  switch (ir::group_of(op)) {
  case OpcodeGroup::access:
    if (op != Opcode::defer) return access(block, warp, step);
    defer(warp);
    return false;
  case OpcodeGroup::drain: warp.draining = true; return false;
  case OpcodeGroup::parallel: return parallel(warp, step);
  case OpcodeGroup::call: return false; // its executions are its count
  case OpcodeGroup::print:
    run_.printer.print(warp.lanes, [&](int lane) {
      return fmt::format("block {}, thread {}: ", block.id, warp.first_thread + lane);
    });
    return false;
  case OpcodeGroup::draw:
  case OpcodeGroup::snapshot:
  case OpcodeGroup::launch: warp.lanes.fail(0, "a kernel cannot do this: it is the host's"); break;
  case OpcodeGroup::end: // seen by the caller; the others are no events
  case OpcodeGroup::value:
  case OpcodeGroup::arithmetic:
  case OpcodeGroup::comparison:
  case OpcodeGroup::check:
  case OpcodeGroup::own:
  case OpcodeGroup::warp:
  case OpcodeGroup::control: break;
  }
  return false;
}

bool KernelStream::parallel(Warp& warp, Step& step) {
  switch (static_cast<ir::ParallelOpcode>(warp.lanes.instruction().op)) {
  case ir::ParallelOpcode::barrier:
    step = {StepKind::barrier, nullptr, 0};
    warp.at_barrier = true;
    return true;
  case ir::ParallelOpcode::forall:
    warp.forall = ++warp.foralls;
    warp.rounds = 0;
    return false;
  case ir::ParallelOpcode::iteration: set_iterations(warp); return false;
  case ir::ParallelOpcode::endforall: warp.forall = 0; return false;
  }
  return false;
}

void KernelStream::set_iterations(Warp& warp) {
  ++warp.rounds;
  const Value* a = warp.lanes.row(warp.lanes.instruction().a);
  for (int i = 0; i < warp.lanes.lanes(); ++i)
    if (warp.lanes.is_active(i)) warp.iterations[static_cast<std::size_t>(i)] = a[i].integer();
}

/// Appends the element and, for stores, the value of every active lane. False, with a fault, if an
/// element is outside the array.
bool KernelStream::collect(Warp& warp, std::vector<LaneAccess>& into) {
  const Instruction& in = warp.lanes.instruction();
  const auto array = static_cast<std::size_t>(in.immediate);
  const std::int64_t elements = run_.memory.arrays[array].elements;
  const Value *a = warp.lanes.row(in.a), *b = warp.lanes.row(in.b);
  for (int i = 0; i < warp.lanes.lanes(); ++i) {
    if (!warp.lanes.is_active(i)) continue;
    const std::int64_t element = a[i].integer();
    if (element < 0 || element >= elements) { // `bound` has checked each index separately
      warp.lanes.fail(i, fmt::format("element {} is outside array {} (0..{})", element,
                                     run_.program.arrays[array].name, elements));
      return false;
    }
    into.push_back({i, element, b[i], warp.iterations[static_cast<std::size_t>(i)]});
  }
  return true;
}

bool KernelStream::access(Block& block, Warp& warp, Step& step) {
  warp.pending.site = static_cast<std::uint32_t>(warp.lanes.pc());
  warp.pending.forall = warp.forall;
  warp.pending.deferred = false;
  warp.pending.lanes.clear();
  if (!collect(warp, warp.pending.lanes)) return false;
  make_request(block, warp, step);
  return true;
}

void KernelStream::defer(Warp& warp) {
  Deferred entry;
  entry.site = static_cast<std::uint32_t>(warp.lanes.pc());
  entry.forall = warp.forall;
  entry.first = warp.deferred_lanes.size();
  if (!collect(warp, warp.deferred_lanes)) return;
  entry.last = warp.deferred_lanes.size();
  entry.reads = warp.reads.of(warp.lanes.instruction().b, warp.lanes.mask());
  warp.queue.push_back(entry);
}

/// Makes the next deferred store a request, or ends the drain.
void KernelStream::drain_one(Block& block, Warp& warp, Step& step) {
  if (warp.drained == warp.queue.size()) {
    warp.queue.clear();
    warp.deferred_lanes.clear();
    warp.drained = 0;
    warp.draining = false;
    return;
  }
  const Deferred& entry = warp.queue[warp.drained++];
  warp.pending.site = entry.site;
  warp.pending.forall = entry.forall;
  warp.pending.deferred = true;
  for (const std::int64_t number : entry.reads)
    warp.reads.need(number, static_cast<std::int32_t>(entry.site));
  warp.pending.lanes.assign(warp.deferred_lanes.begin() + static_cast<std::ptrdiff_t>(entry.first),
                            warp.deferred_lanes.begin() + static_cast<std::ptrdiff_t>(entry.last));
  make_request(block, warp, step);
}

void KernelStream::make_request(const Block& block, Warp& warp, Step& step) {
  const Instruction& in = at(warp.pending.site);
  const auto array = static_cast<std::size_t>(in.immediate);
  const View& view = block.views[array];
  const ArrayState& state = run_.memory.arrays[array];
  Request& request = warp.request;
  request.unit = view.unit;
  request.kind = access_kind(in.op);
  request.uses_old = ir::is_atomic(in.op) && in.d >= 0;
  request.words_of_lane = state.words_of_element;
  request.span = in.span;
  request.site = sites_[warp.pending.site];
  request.forall = warp.forall;
  request.round = warp.forall == 0 ? 0 : warp.rounds - 1;
  std::fill(request.addresses.begin(), request.addresses.end(), -1);
  for (const LaneAccess& lane : warp.pending.lanes)
    request.addresses[static_cast<std::size_t>(lane.lane)] = view.base + state.word(lane.element);
  const bool gets = returns(request.kind, request.uses_old);
  std::int64_t number = warp.requests;
  if (hoists())
    number = warp.pieces->request(request.unit, gets, static_cast<std::int32_t>(warp.pending.site),
                                  warp.reads);
  if (gets && (several() || hoists())) warp.reads.read(in.d, warp.lanes.mask(), number);
  ++warp.requests;
  if (run_.executions)
    run_.executions->accessed({{block.id, warp.number},
                               &shape_.kernel->sites[request.site],
                               request.unit,
                               request.addresses});
  step = {StepKind::request, &request, 0};
}

Access KernelStream::access_of(const Block& block, const Warp& warp, const LaneAccess& lane) const {
  return {block.phase,
          static_cast<std::uint32_t>(warp.number),
          static_cast<std::uint32_t>(warp.first_thread + lane.lane),
          warp.pending.site,
          warp.pending.forall,
          at(warp.pending.site).racy,
          ir::is_atomic(at(warp.pending.site).op),
          lane.iteration};
}

/// Two threads that write one word in the pending request.
std::optional<Diagnostic> KernelStream::find_double_write(const Block& block,
                                                          const Warp& warp) const {
  std::vector<std::pair<std::int64_t, int>> written; // element, lane
  for (const LaneAccess& lane : warp.pending.lanes) written.emplace_back(lane.element, lane.lane);
  std::sort(written.begin(), written.end());
  const auto twice =
      std::adjacent_find(written.begin(), written.end(),
                         [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice == written.end()) return std::nullopt;
  const Instruction& in = at(warp.pending.site);
  const auto array = static_cast<std::size_t>(in.immediate);
  return error_at(
      in.span,
      fmt::format("threads {} and {} of block {} write {} in one request, and writes on an MMM are "
                  "exclusive (CREW)",
                  warp.first_thread + twice->second, warp.first_thread + (twice + 1)->second,
                  block.id,
                  element_name(run_.program.arrays[array].name, run_.memory.arrays[array].extents,
                               twice->first)),
      {"let one thread write it: if thread == 0 { … }",
       "on a dmm, umm, hmm or agpu it is a concurrent write: the highest thread's value remains"});
}

// All lanes are checked before any is recorded: lanes of one request do not race with each other.
std::optional<Diagnostic> KernelStream::find_races(Block& block, Warp& warp) {
  const Instruction& in = at(warp.pending.site);
  const auto array = static_cast<std::int32_t>(in.immediate);
  const bool write = ir::writes_memory(in.op);
  if (write && !ir::is_atomic(in.op) && reference::writes_exclusively(run_.machine))
    if (auto twice = find_double_write(block, warp)) return twice;
  Shadow& shadow = *block.views[static_cast<std::size_t>(array)].shadow;
  const bool paths = !warp.pending.deferred && warp.lanes.divergent_frames() > 0;
  for (const LaneAccess& lane : warp.pending.lanes) {
    const Access access = access_of(block, warp, lane);
    const std::int64_t before = run_.races.counts().races;
    if (auto race = run_.races.check(shadow, array, lane.element, access, write)) return race;
    if (!paths) continue;
    const bool told = run_.races.counts().races != before;
    if (auto race = run_.races.check_paths(warp.lanes, warp.paths, array, lane.element, access,
                                           write, told))
      return race;
  }
  for (const LaneAccess& lane : warp.pending.lanes)
    shadow.record(run_.races.phases(), lane.element, access_of(block, warp, lane), write);
  return std::nullopt;
}

Status KernelStream::perform(WarpRef ref) {
  Block& block = blocks_.at(ref.block);
  Warp& warp = block.warps[static_cast<std::size_t>(ref.warp)];
  if (run_.options && run_.options->timing_only) { // the arrays have no contents
    const Instruction& in = at(warp.pending.site);
    if (ir::has_operand(in, 'd'))
      for (const LaneAccess& lane : warp.pending.lanes) warp.lanes.row(in.d)[lane.lane] = {};
    return Done{};
  }
  if (auto race = find_races(block, warp)) return *race;
  const Status transferred = transfer(block, warp);
  if (transferred && run_.values) report_values(block, warp);
  return transferred;
}

/// Whether it changes the word.
bool KernelStream::store(const View& view, const LaneAccess& lane) {
  const Value before = view.words->get(lane.element);
  view.words->set(lane.element, lane.value);
  bool changes = !(view.words->get(lane.element) == before);
  if (view.written) {
    std::uint8_t& written = (*view.written)[static_cast<std::size_t>(lane.element)];
    changes = changes || written == 0;
    written = 1;
  }
  return changes;
}

// In lane order: if lanes write the same word, the value of the highest lane remains.
Status KernelStream::transfer(Block& block, Warp& warp) {
  const Instruction& in = at(warp.pending.site);
  const auto array = static_cast<std::size_t>(in.immediate);
  const View& view = block.views[array];
  if (ir::is_atomic(in.op)) return update(block, warp);
  if (ir::writes_memory(in.op)) {
    for (const LaneAccess& lane : warp.pending.lanes) changes_ += store(view, lane) ? 1 : 0;
    return Done{};
  }
  warp.repeats.reads(warp.pending.site, warp.pending.lanes.front().element);
  Value* d = warp.lanes.row(in.d);
  for (const LaneAccess& lane : warp.pending.lanes) {
    if (view.written && !(*view.written)[static_cast<std::size_t>(lane.element)]) {
      Fault fault = unwritten(block, static_cast<std::int32_t>(array), lane);
      fault.span = in.span;
      return diagnostic(block, warp, fault);
    }
    d[lane.lane] = view.words->get(lane.element);
  }
  return Done{};
}

/// One lane after the other: each gets what the one before has left.
Status KernelStream::update(Block& block, Warp& warp) {
  const Instruction& in = at(warp.pending.site);
  const auto array = static_cast<std::size_t>(in.immediate);
  const View& view = block.views[array];
  Value *old = warp.lanes.row(in.d), *expected = warp.lanes.row(in.c);
  warp.repeats.reads(warp.pending.site, warp.pending.lanes.front().element);
  std::vector<LaneAccess>& lanes = warp.pending.lanes;
  for (const std::int64_t k : execution_order(
           run_.options, static_cast<std::int64_t>(lanes.size()),
           {launch_, block.id, warp.number, static_cast<std::int64_t>(warp.updates++)})) {
    LaneAccess& lane = lanes[static_cast<std::size_t>(k)];
    if (view.written && !(*view.written)[static_cast<std::size_t>(lane.element)]) {
      Fault fault = unwritten(block, static_cast<std::int32_t>(array), lane);
      fault.span = in.span;
      return diagnostic(block, warp, fault);
    }
    const Value before = view.words->get(lane.element);
    lane.value = updated(in, before, lane.value, expected[lane.lane]);
    changes_ += store(view, lane) ? 1 : 0;
    old[lane.lane] = before;
  }
  return Done{};
}

Diagnostic KernelStream::diagnostic(const Block& block, const Warp& warp,
                                    const Fault& fault) const {
  const std::int64_t thread = warp.first_thread + fault.lane;
  std::string place =
      fmt::format(" in thread {} of block {}, kernel {}", thread, block.id, kernel_->name);
  Diagnostic error = fault.diagnostic(run_.sources, place);
  error.thread = {thread, std::move(place)};
  return error;
}

void KernelStream::released(std::int64_t id) {
  Block& block = blocks_.at(id);
  block.phase = run_.races.phases().begin(id);
  for (Warp& warp : block.warps) {
    if (warp.at_barrier) warp.repeats.passes_barrier();
    warp.at_barrier = false;
  }
}

void KernelStream::finish(std::int64_t id) {
  const Block& block = blocks_.at(id);
  note_left(block);
  run_.budget.bytes -= block.bytes;
  for (const Warp& warp : block.warps)
    run_.budget.bytes -= warp.lanes.bytes() + warp.repeats.bytes();
  blocks_.erase(id);
  ++changes_;
}

} // namespace memlane
