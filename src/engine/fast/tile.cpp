#include "tile.hpp"

#include "memlane/ir/arithmetic.hpp"

#include <algorithm>

namespace memlane::fast {

using ir::Instruction;
using ir::Opcode;
using ir::Scalar;

void Tile::start(std::int64_t block, std::int64_t first_warp, int warps) {
  const auto width = static_cast<int>(launch_.run.machine.width);
  const Shape shape{warps, width};
  block_ = block;
  first_warp_ = first_warp;
  Specials specials;
  specials.thread = first_warp * width;
  specials.threads = launch_.shape.threads;
  specials.block = block;
  specials.blocks = launch_.shape.blocks;
  specials.warp = first_warp;
  specials.warps = launch_.warps_of_block;
  const std::int64_t threads =
      std::min<std::int64_t>(shape.lanes(), launch_.shape.threads - specials.thread);
  values_.start(shape, threads, launch_.kernel.registers, specials);
  for (std::size_t f = 0; f < launch_.kernel.formals.size(); ++f)
    make_uniform(values_[launch_.kernel.formals[f]], launch_.formals[f]);
  values_.sets().set_all(mask_);
  pc_ = 0;
  depth_ = 0;
  forall_ = foralls_ = 0;
  leap_.forget();
  threads_.form = Form::rows;
  threads_.rows.first = specials.thread;
  threads_.rows.warp_step = width;
  threads_.rows.lane_step = 1;
  locals_.assign(launch_.kernel.locals.size(), {});
  deferred_.clear();
  stages_.resize(static_cast<std::size_t>(warps));
  addresses_.resize(static_cast<std::size_t>(width));
}

void Tile::save(TileState& state) {
  state.loops.clear();
  for (std::size_t k = 0; k < depth_; ++k) state.loops.push_back(frames_[k].loop);
  const auto& live = launch_.facts.live_behind[pc_ - 1];
  state.registers.resize(live.size());
  for (std::size_t k = 0; k < live.size(); ++k) {
    state.registers[k].first = live[k];
    copy_register(values_[live[k]], values_.shape(), state.registers[k].second);
  }
  state.locals = std::move(locals_);
  state.deferred = std::move(deferred_);
}

void Tile::resume(TileState& state, std::size_t pc, std::uint32_t foralls) {
  for (auto& [r, value] : state.registers) copy_register(value, values_.shape(), values_[r]);
  for (const bool loop : state.loops) push(loop);
  locals_ = std::move(state.locals);
  deferred_ = std::move(state.deferred);
  pc_ = pc;
  foralls_ = foralls;
}

bool Tile::count_step(const Instruction& in) {
  Budget& budget = launch_.run.budget;
  budget.steps += mask_.active_warps;
  if (budget.steps > budget.limits->steps) return refuse();
  if (in.counted) {
    launch_.instructions += mask_.active_warps;
    if (launch_.costs) log_computation();
  }
  return launch_.poll();
}

void Tile::log_computation() {
  auto& entries = log_->entries;
  if (mask_.active_warps == values_.shape().warps) {
    const bool more = entries.size() > sealed_ && entries.back().ask == Ask::compute &&
                      !entries.back().each && entries.back().amount < most_amount;
    if (more) {
      ++entries.back().amount;
    } else {
      entries.push_back({Ask::compute, false, 1});
    }
    return;
  }
  const std::int32_t* counts = values_.sets().counts(mask_);
  for (std::size_t k = 0; k < stages_.size(); ++k) stages_[k] = counts[k] > 0 ? 1 : 0;
  log_->add_each(Ask::compute, stages_.data(), stages_.size());
}

namespace {

bool is_control(Opcode op) { return op >= Opcode::if_ && op <= Opcode::endloop; }

} // namespace

Tile::Halt Tile::run(StepLog& log, std::size_t most) {
  log_ = &log;
  sealed_ = 0;
  leap_.forget();
  for (;;) {
    const Instruction& in = at(pc_);
    if (in.op == Opcode::end) return Halt::end;
    if (mask_.active > 0 && in.op != Opcode::endloop && !count_step(in)) return Halt::halted;
    if (leap_.watching() && mask_.active > 0) leap_.follow(in, mask_);
    if (is_control(in.op)) {
      if (in.op == Opcode::again && mask_.active > 0 && launch_.fast.timing_only && !next_round())
        return Halt::halted;
      if (in.op == Opcode::again && log.entries.size() >= most) {
        control(in);
        return Halt::pause;
      }
      control(in);
      continue;
    }
    if (mask_.active > 0) {
      if (in.op == Opcode::barrier) {
        // Whatever is in a frame would not be here: so no frame holds lanes at a barrier.
        if (!mask_.whole) return refuse(), Halt::halted;
        ++pc_;
        return Halt::barrier;
      }
      if (!execute(in)) return Halt::halted;
      if (leap_.watching()) leap_.fits(in, mask_);
    }
    ++pc_;
  }
}

bool Tile::execute(const Instruction& in) {
  if (in.op < Opcode::load && in.op != Opcode::random)
    return values_.compute(in, mask_, launch_.facts.writes_all[pc_]) || refuse();
  switch (in.op) {
  case Opcode::load: return load(in);
  case Opcode::store: return store(in);
  case Opcode::defer: return defer(in);
  case Opcode::drain: return drain();
  case Opcode::local_new:
  case Opcode::local_load:
  case Opcode::local_store: return local(in);
  case Opcode::lookup: return lookup(in);
  case Opcode::forall:
    if (!mask_.whole) return refuse();
    forall_ = ++foralls_;
    return true;
  case Opcode::iteration: copy_register(values_[in.a], values_.shape(), iterations_); return true;
  case Opcode::endforall: forall_ = 0; return true;
  case Opcode::call: {
    const auto fn = static_cast<std::size_t>(in.immediate);
    const auto mp = static_cast<std::size_t>(block_ % launch_.run.machine.multiprocessors);
    launch_.fns.calls[fn] += mask_.active;
    launch_.fns.steps[mp][fn] += mask_.active_warps;
    return true;
  }
  case Opcode::bound:
  case Opcode::slice:
  case Opcode::assert_: return check(in) || refuse();
  case Opcode::print: // its lines stand in the order of the warps
    return launch_.fast.refuse("a kernel prints", in.span);
  default: return refuse();
  }
}

/// Whether a < b, or a <= b, in all active lanes.
bool Tile::in_order(const Register& a, const Register& b, bool strictly) {
  const Shape& shape = values_.shape();
  if (a.form == Form::uniform && b.form == Form::uniform)
    return strictly ? a.value.integer() < b.value.integer()
                    : a.value.integer() <= b.value.integer();
  const std::uint8_t* active = values_.sets().lanes(mask_);
  const auto holds = [&](std::int64_t x, std::int64_t y) { return strictly ? x < y : x <= y; };
  if (a.form != Form::vector && b.form != Form::vector) {
    // Differences in rows are greatest in the first or the last active lane of a warp.
    Rows of_a, of_b;
    const Rows &x = as_rows(a, of_a), &y = as_rows(b, of_b);
    const std::int32_t* counts = values_.sets().counts(mask_);
    const auto pair_holds = [&](int k, int j) { return holds(x.at(k, j), y.at(k, j)); };
    if (mask_.whole && values_.sets().no_missing() && x.even && y.even) {
      const int w = shape.width - 1, k = shape.warps - 1;
      return pair_holds(0, 0) && pair_holds(0, w) && pair_holds(k, 0) && pair_holds(k, w);
    }
    for (int k = 0; k < shape.warps; ++k) {
      if (counts[k] == 0) continue;
      const std::uint8_t* lanes = active + k * shape.width;
      int first = 0, last = shape.width - 1;
      while (!lanes[first]) ++first;
      while (!lanes[last]) --last;
      if (!pair_holds(k, first) || !pair_holds(k, last)) return false;
    }
    return true;
  }
  const auto* x = values_.words<std::int64_t>(a, 0);
  const auto* y = values_.words<std::int64_t>(b, 1);
  bool all = true;
  for (int i = 0; i < shape.lanes(); ++i) all &= !active[i] || holds(x[i], y[i]);
  return all;
}

bool Tile::check(const Instruction& in) {
  const Register &a = values_[in.a], &b = values_[in.b], &c = values_[in.c];
  const Register& zero = values_[-1];
  switch (in.op) {
  case Opcode::bound:
    if (a.form == Form::vector && a.type == Scalar::int32 && b.form == Form::uniform)
      return each_below(a.words<std::int32_t>(), values_.shape(),
                        values_.sets().lanes_if_some(mask_), b.value.integer());
    return in_order(zero, a, false) && in_order(a, b, true);
  case Opcode::slice:
    return in_order(zero, a, false) && in_order(a, b, false) && in_order(b, c, false);
  default: break;
  }
  if (a.form == Form::uniform) return a.value.truth();
  const auto* holds = values_.words<std::uint8_t>(a, 0);
  const std::uint8_t* active = values_.sets().lanes(mask_);
  bool all = true;
  for (int i = 0; i < values_.shape().lanes(); ++i) all &= !active[i] || holds[i];
  return all;
}

} // namespace memlane::fast
