#include "tile.hpp"

#include "fast/launch_run.hpp"

#include "memlane/ir/arithmetic.hpp"

#include <algorithm>

namespace memlane::fast {

using ir::Instruction;
using ir::Opcode;
using ir::Scalar;

const Instruction& Tile::at(std::size_t site) const { return launch_.kernel.code[site]; }
bool Tile::refuse() { return launch_.fast.halt(Halted::refused); }

namespace {

Specials specials_of(const LaunchRun& launch, std::int64_t block) {
  Specials specials;
  specials.threads = launch.shape.threads;
  specials.block = block;
  specials.blocks = launch.shape.blocks;
  specials.warps = launch.warps_of_block;
  return specials;
}

} // namespace

void Tile::start(std::int64_t block, std::int64_t first_warp, int warps) {
  const std::int64_t width = launch_.run.machine.width;
  Specials specials = specials_of(launch_, block);
  specials.thread = first_warp * width;
  specials.warp = first_warp;
  begin(specials, warps, std::min(warps * width, launch_.shape.threads - specials.thread));
}

void Tile::start_blocks(std::int64_t first, int blocks) {
  Specials specials = specials_of(launch_, first);
  specials.together = blocks;
  begin(specials, blocks, launch_.shape.threads);
}

/// `threads`: of the tile, or of each block in it.
void Tile::begin(const Specials& specials, int warps, std::int64_t threads) {
  const auto width = static_cast<int>(launch_.run.machine.width);
  block_ = specials.block;
  first_warp_ = specials.warp;
  together_ = static_cast<int>(specials.together);
  values_.start({warps, width}, threads, launch_.kernel.registers, specials);
  recorder_.hold(values_.shape());
  for (std::size_t f = 0; f < launch_.kernel.formals.size(); ++f)
    make_uniform(values_[launch_.kernel.formals[f]], launch_.formals[f]);
  values_.sets().set_all(mask_);
  pc_ = 0;
  depth_ = 0;
  forall_ = foralls_ = 0;
  extrapolator_.forget();
  threads_.form = Form::rows;
  threads_.rows.first = specials.thread;
  threads_.rows.warp_step = together_ > 1 ? 0 : width;
  threads_.rows.lane_step = 1;
  locals_.assign(launch_.kernel.locals.size(), {});
  deferred_.clear();
  updates_ = 0;
  if (launch_.followed) steps_.emplace(launch_.machine, warps, static_cast<int>(threads / width));
  stages_.resize(static_cast<std::size_t>(warps));
  start_chains(warps);
  addresses_.resize(static_cast<std::size_t>(width));
}

std::int64_t TileState::bytes() const {
  std::int64_t lanes = 0;
  for (const auto& [r, value] : registers) lanes += value.room;
  return lanes * 8;
}

void Tile::save(TileState& state) {
  state.loops = loops_around();
  const auto& live = launch_.facts.live_behind[pc_ - 1];
  state.registers.resize(live.size());
  for (std::size_t k = 0; k < live.size(); ++k) {
    state.registers[k].first = live[k];
    copy_register(values_[live[k]], values_.shape(), state.registers[k].second);
  }
  state.locals = std::move(locals_);
  state.deferred = std::move(deferred_);
  state.updates = updates_;
  state.steps = std::move(steps_);
}

void Tile::resume(TileState& state, std::size_t pc, std::uint32_t foralls) {
  // Registers that are constant throughout are in no state: the code begins with them.
  for (pc_ = 0; at(pc_).op == Opcode::constant || at(pc_).op == Opcode::special; ++pc_)
    values_.compute(at(pc_), mask_, true);
  for (auto& [r, value] : state.registers) copy_register(value, values_.shape(), values_[r]);
  for (const bool loop : state.loops) push(loop);
  locals_ = std::move(state.locals);
  deferred_ = std::move(state.deferred);
  updates_ = state.updates;
  steps_ = std::move(state.steps);
  pc_ = pc;
  foralls_ = foralls;
}

void Tile::start_chains(std::int64_t warps) {
  TileChains& chains = launch_.chains;
  chains.round = -1;
  if (chains.warps == warps) return; // each tile leaves them empty
  chains.warps = warps;
  chains.of.fill(reference::RequestChains(warps, reference::useful_doublings(launch_.run.machine)));
}

/// At a barrier or the end. Those of blocks that are executed together are taken by their runner.
void Tile::end_chains() {
  if (together_ == 1) {
    longest_ = launch_.chains.take();
  } else {
    launch_.chains.end_part();
  }
}

/// What the lanes of a mask execute.
TileInstruction Tile::followed(const Instruction& in, std::size_t site, const Mask& mask) const {
  const ir::Function& kernel = launch_.kernel;
  TileInstruction now{in,
                      static_cast<std::int32_t>(site),
                      values_.sets().lanes(mask),
                      values_.sets().counts(mask),
                      mask.whole,
                      {},
                      !kernel.originals.empty() && kernel.originals[site].depends_on_data};
  if (in.op == Opcode::local_load || in.op == Opcode::local_store ||
      (in.op == Opcode::select && !now.depends_on_data))
    now.element = [this, &in](int warp, int lane) {
      return value_at(values_[in.a], values_.shape(), warp, lane).integer();
    };
  return now;
}

/// Before the active lanes execute the instruction. False: execution has halted.
bool Tile::follow_warps(const Instruction& in) {
  const Instruction& original = launch_.kernel.original(pc_);
  return steps_->execute(followed(original, pc_, mask_), in.counted && !ir::is_atomic(in.op),
                         *log_) ||
         launch_.fast.refuse("data decides which reads later steps wait for", original.span);
}

/// At a barrier or at the end. Without data, what was read says which instructions depend on data.
bool Tile::end_steps() {
  const bool keeps_reads = !launch_.kernel.originals.empty();
  for (Deferred& entry : deferred_)
    if (!keeps_reads) entry.reads.clear();
  return !steps_ || steps_->end_interval(keeps_reads, *log_) || refuse();
}

/// Among KernelInfo::sites.
std::int32_t Tile::number_of_site(std::size_t site) const {
  const KernelInfo& kernel = *launch_.shape.kernel;
  return static_cast<std::int32_t>(&kernel.site_of(site) - kernel.sites.data());
}

/// The warps make their next request. False: execution has halted.
bool Tile::begin_request(const Requests& requests) {
  if (!steps_) return true;
  const Instruction& in = at(requests.site);
  const SiteInfo& site = launch_.shape.kernel->site_of(requests.site);
  const WarpSteps::OwnRequest own{launch_.arrays[static_cast<std::size_t>(in.immediate)].unit,
                                  static_cast<std::int32_t>(requests.site),
                                  number_of_site(requests.site),
                                  memlane::returns(site.kind, site.uses_old),
                                  in.d,
                                  {}};
  return steps_->request(own, followed(in, requests.site, *requests.mask), *log_) || refuse();
}

/// Whether the warp gets something from its request: this matters only where others may be on
/// their way.
bool Tile::returns(std::size_t site) const {
  const Instruction& in = at(site);
  return launch_.several && memlane::returns(access_kind(in.op), ir::is_atomic(in.op) && in.d >= 0);
}

/// Warp by warp, to an observer that wants executions.
void Tile::tell_executed() {
  const auto width = static_cast<std::size_t>(values_.shape().width);
  const std::uint8_t* lanes = values_.sets().lanes(mask_);
  const std::int32_t* counts = values_.sets().counts(mask_);
  for (int k = 0; k < mask_.end; ++k, lanes += width)
    if (counts[k] > 0)
      launch_.run.executions->executed(
          {{block_, first_warp_ + k}, pc_, {lanes, width}, launch_.shape.kernel});
}

// Inline: called for each instruction.
inline void Tile::count_executed() {
  BlockTally& tally = launch_.tally;
  std::int64_t *const warps = tally.warps(pc_), *const threads = tally.threads(pc_);
  if (together_ == 1 || mask_.whole) {
    warps[every_block] += together_ == 1 ? mask_.active_warps : 1;
    threads[every_block] += together_ == 1 ? mask_.active : launch_.shape.threads;
    return;
  }
  for (int k = 0; k < mask_.end; ++k) {
    const std::int32_t active = mask_.counts[static_cast<std::size_t>(k)];
    warps[k] += active > 0 ? 1 : 0;
    threads[k] += active;
  }
}

inline bool Tile::count_step(const Instruction& in) {
  Budget& budget = launch_.run.budget;
  budget.steps += mask_.active_warps;
  if (budget.steps > launch_.most_steps) return refuse();
  count_executed();
  if (launch_.run.executions) tell_executed();
  // An atomic's operator is part of its request.
  const bool operates = in.counted && !ir::is_atomic(in.op);
  if (steps_ && !follow_warps(in)) return false;
  if (operates && launch_.costs) log_computation();
  return launch_.poll();
}

/// Notes which warps perform something in a statement that may perform nothing.
void Tile::follow_statement(const Instruction& in) {
  const auto& statement = launch_.kernel.statements[static_cast<std::size_t>(in.statement)];
  const auto depth = static_cast<std::size_t>(statement.depth);
  if (performed_.size() <= depth) performed_.resize(depth + 1);
  std::vector<std::uint8_t>& performed = performed_[depth];
  const std::int32_t* counts = values_.sets().counts(mask_);
  switch (in.mark) {
  case ir::StatementMark::begins: performed.assign(stages_.size(), 0); break;
  case ir::StatementMark::performs:
    for (std::size_t k = 0; k < performed.size(); ++k) performed[k] |= counts[k] > 0 ? 1 : 0;
    break;
  case ir::StatementMark::ends:
    for (std::size_t k = 0; k < performed.size(); ++k)
      if (counts[k] > 0 && performed[k] == 0)
        ++launch_.tally.silent(in.statement)[block_of(static_cast<int>(k))];
    break;
  case ir::StatementMark::none: break;
  }
}

void Tile::log_computation() {
  auto& entries = log_->entries;
  Ask ask = Ask::compute;
  std::uint32_t one = 1;
  if (!launch_.machine.operations.empty()) {
    const OperationClass operation = launch_.shape.kernel->instructions[pc_].operation;
    if (!launch_.machine.unit_of(operation)) return;
    ask = Ask::operate;
    one = Operators{operation, 1}.amount();
  }
  if (mask_.active_warps == values_.shape().warps) {
    const bool more = ask == Ask::compute && !launch_.hoists && entries.size() > sealed_ &&
                      entries.back().ask == ask && !entries.back().each &&
                      entries.back().amount < most_amount;
    if (more) {
      ++entries.back().amount;
    } else {
      entries.push_back({ask, false, false, one});
    }
    if (steps_) steps_->logged(*log_);
    return;
  }
  const std::int32_t* counts = values_.sets().counts(mask_);
  for (std::size_t k = 0; k < stages_.size(); ++k)
    stages_[k] = static_cast<std::uint16_t>(counts[k] > 0 ? one : 0);
  log_->add_each(ask, stages_.data(), stages_.size());
}

Tile::Halt Tile::run(StepLog& log, std::size_t most) {
  log_ = &log;
  sealed_ = 0;
  if (steps_) steps_->begin(log);
  extrapolator_.forget();
  if (may_record())
    if (const Recorded* recorded = recorder_.begin(pc_, foralls_)) return replay(*recorded);
  for (;;) {
    const Instruction& in = at(pc_);
    if (in.op == Opcode::end) {
      if (!end_steps()) return Halt::halted;
      end_chains();
      if (recorder_.recording()) recorder_.end(pc_, foralls_, loops_around(), longest_, log);
      return Halt::end;
    }
    if (mask_.active > 0 && in.op != Opcode::endloop && !count_step(in)) return Halt::halted;
    if (extrapolator_.watching() && mask_.active > 0) extrapolator_.follow(in, mask_);
    if (recorder_.recording() && mask_.active > 0) recorder_.follow(in, pc_, mask_);
    const bool ends = in.mark == ir::StatementMark::ends;
    if (in.mark != ir::StatementMark::none && !ends && mask_.active > 0) follow_statement(in);
    if (ir::is_control(in.op)) {
      recorder_.mask_changes();
      extrapolator_.mask_changes();
      if (in.op == Opcode::again && mask_.active > 0) {
        ++launch_.fast.work.iterations.total;
        if (launch_.facts.may_spin[pc_] && !may_go_on()) return Halt::halted;
        if (!next_round()) return Halt::halted;
      }
      if (in.op == Opcode::again && log.entries.size() >= most) {
        recorder_.give_up();
        control(in);
        return Halt::pause;
      }
      control(in);
      if (ends && mask_.active > 0) follow_statement(in); // an `endif`: all its lanes again
      continue;
    }
    if (mask_.active > 0) {
      if (ends) follow_statement(in);
      if (in.op == Opcode::barrier) {
        // Lanes of a block that wait in a frame are missing here: so no frame holds some of them.
        if (!meets()) return refuse(), Halt::halted;
        if (!end_steps()) return Halt::halted;
        end_chains();
        if (!mask_.whole) recorder_.give_up();
        if (recorder_.recording()) recorder_.end(pc_, foralls_, loops_around(), longest_, log);
        ++pc_;
        return Halt::barrier;
      }
      if (!execute(in)) return Halt::halted;
      if (extrapolator_.watching()) extrapolator_.fits(in, mask_);
    }
    ++pc_;
  }
}

bool Tile::execute(const Instruction& in) {
  using ir::OpcodeGroup;
  switch (ir::group_of(in.op)) {
  case OpcodeGroup::value:
  case OpcodeGroup::arithmetic:
  case OpcodeGroup::comparison: {
    const bool writes_all = launch_.facts.writes_all[pc_];
    if (!launch_.facts.takes[pc_] || !(writes_all || mask_.whole))
      return values_.compute(in, mask_, writes_all) || refuse();
    take_value(values_[in.a], values_[in.d]);
    make_uniform(values_[in.a], {}); // nothing reads it, but it is copied with the others
    return true;
  }
  case OpcodeGroup::access:
    if (ir::is_atomic(in.op)) return atomic(in);
    return in.op == Opcode::load ? load(in) : in.op == Opcode::store ? store(in) : defer(in);
  case OpcodeGroup::drain: return drain();
  case OpcodeGroup::own: return in.op == Opcode::lookup ? lookup(in) : local(in);
  case OpcodeGroup::parallel: return change_forall(in);
  case OpcodeGroup::call: return true; // its executions are its count
  case OpcodeGroup::check: return check(in) || refuse();
  case OpcodeGroup::print: // its lines stand in the order of the warps
    return launch_.fast.refuse("a kernel prints", in.span);
  case OpcodeGroup::warp: return of_warp(in) || refuse();
  case OpcodeGroup::draw: // host code only, or done by the caller
  case OpcodeGroup::snapshot:
  case OpcodeGroup::control:
  case OpcodeGroup::launch:
  case OpcodeGroup::end: return refuse();
  }
  return refuse();
}

bool Tile::change_forall(const Instruction& in) {
  switch (static_cast<ir::ParallelOpcode>(in.op)) {
  case ir::ParallelOpcode::forall:
    if (!meets()) return refuse();
    forall_ = ++foralls_;
    launch_.chains.end_part();
    return true;
  case ir::ParallelOpcode::iteration:
    copy_register(values_[in.a], values_.shape(), iterations_, mask_.end);
    launch_.chains.next_round_of_forall();
    return true;
  case ir::ParallelOpcode::endforall:
    forall_ = 0;
    launch_.chains.end_part();
    return true;
  case ir::ParallelOpcode::barrier: break; // it ends what is executed at once
  }
  return refuse();
}

/// Whether all active lanes' integers are from `least` to `most`.
bool Tile::within(const Register& r, std::int64_t least, std::int64_t most, const Mask& mask) {
  const auto holds = [=](std::int64_t x) { return x >= least && x <= most; };
  if (r.form == Form::uniform) return holds(r.value.integer());
  const LaneSets& sets = values_.sets();
  const Shape part = sets.part(mask);
  const std::uint8_t* some = sets.lanes_if_some(mask);
  if (has_rows(r)) {
    const Extent all = extent_of(r.rows, part);
    if (holds(all.least) && holds(all.most)) return true;
    if (!some) return false;
    const Extent one = across(r.rows, part.width);
    for (int k = 0; k < part.warps; ++k) {
      const std::int64_t base = r.rows.base(k);
      if (holds(base + one.least) && holds(base + one.most)) continue;
      const std::uint8_t* const active = some + k * part.width;
      int first = 0, last = part.width - 1;
      while (first < last && active[first] == 0) ++first;
      while (first < last && active[last] == 0) --last;
      const bool line = r.form == Form::rows; // what is between its ends is between their values
      for (int j = first; j <= last; j += line ? std::max(last - first, 1) : 1)
        if (active[j] != 0 && !holds(r.rows.at(k, j))) return false;
    }
    return true;
  }
  if (r.type == Scalar::int32 && least == 0 && most < INT64_MAX)
    return each_below(r.words<std::int32_t>(), part, some, most + 1);
  const auto* words = values_.words<std::int64_t>(r, 0, part);
  bool all = true;
  for (int i = 0; i < part.lanes(); ++i) all &= (some && !some[i]) || holds(words[i]);
  return all;
}

/// Whether a < b, or a <= b, in all active lanes.
bool Tile::in_order(const Register& a, const Register& b, bool strictly) {
  const std::int64_t apart = strictly ? 1 : 0;
  if (b.form == Form::uniform && b.value.integer() > INT64_MIN)
    return within(a, INT64_MIN, b.value.integer() - apart, mask_);
  if (a.form == Form::uniform && a.value.integer() < INT64_MAX)
    return within(b, a.value.integer() + apart, INT64_MAX, mask_);
  const Shape& shape = values_.shape();
  if (has_rows(a) && has_rows(b) && rows_fit(a.rows, shape, Scalar::int64) &&
      rows_fit(b.rows, shape, Scalar::int64) &&
      add_rows(b.rows, a.rows, -1, shape, scratch_.rows)) {
    set_form_of_rows(scratch_);
    return within(scratch_, apart, INT64_MAX, mask_);
  }
  const Shape part = values_.sets().part(mask_);
  const std::uint8_t* some = values_.sets().lanes_if_some(mask_);
  const auto* x = values_.words<std::int64_t>(a, 0, part);
  const auto* y = values_.words<std::int64_t>(b, 1, part);
  bool all = true;
  for (int i = 0; i < part.lanes(); ++i)
    all &= (some && !some[i]) || (strictly ? x[i] < y[i] : x[i] <= y[i]);
  return all;
}

bool Tile::check(const Instruction& in) {
  const Register &a = values_[in.a], &b = values_[in.b], &c = values_[in.c];
  const Register& zero = values_[-1];
  switch (static_cast<ir::CheckOpcode>(in.op)) {
  case ir::CheckOpcode::bound:
    if (b.form == Form::uniform && b.value.integer() > 0)
      return within(a, 0, b.value.integer() - 1, mask_);
    return in_order(zero, a, false) && in_order(a, b, true);
  case ir::CheckOpcode::slice:
    return in_order(zero, a, false) && in_order(a, b, false) && in_order(b, c, false);
  case ir::CheckOpcode::trap: return false;
  case ir::CheckOpcode::assert_: break;
  }
  if (a.form == Form::uniform) return a.value.truth();
  const Shape part = values_.sets().part(mask_);
  const auto* holds = values_.words<std::uint8_t>(a, 0, part);
  const std::uint8_t* active = values_.sets().lanes(mask_);
  bool all = true;
  for (int i = 0; i < part.lanes(); ++i) all &= !active[i] || holds[i];
  return all;
}

} // namespace memlane::fast
