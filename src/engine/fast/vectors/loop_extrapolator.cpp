#include "loop_extrapolator.hpp"

#include "fast/launch_run.hpp"

#include <algorithm>
#include <cstring>

namespace memlane::fast {

using ir::Instruction;
using ir::Opcode;
using reference::saturating_multiply;

LoopExtrapolator::LoopExtrapolator(LaunchRun& launch, Values& values)
    : StepRecorder(launch, values), with_data_(!launch.fast.timing_only) {}

bool LoopExtrapolator::worth_it(std::size_t pc) {
  if (!with_data_) return true;
  Loop& loop = loops_[pc];
  if (loop.written.empty()) {
    const std::vector<Instruction>& code = launch_.kernel.code;
    loop.written.resize(static_cast<std::size_t>(launch_.kernel.registers));
    for (auto at = static_cast<std::size_t>(code[pc].immediate); at < pc; ++at)
      if (code[at].d >= 0) loop.written[static_cast<std::size_t>(code[at].d)] = true;
  }
  constexpr std::int64_t tries = 4, rounds = 16; // a watch costs about as much as so many rounds
  return loop.watches < tries || loop.rounds >= rounds * loop.watches;
}

bool LoopExtrapolator::written_in(const Loop& loop, ir::Register r) const {
  return r >= 0 && loop.written[static_cast<std::size_t>(r)];
}

/// With data no words of vectors: if the loop writes them, they count as data.
void LoopExtrapolator::keep(ir::Register r, Register& copy) const {
  if (with_data_ && values_[r].form == Form::vector) {
    copy.form = Form::vector;
  } else {
    copy_register(values_[r], values_.shape(), copy);
  }
}

void LoopExtrapolator::remember(std::size_t depth) {
  if (before_.size() <= depth) before_.resize(depth + 1);
  std::vector<Register>& registers = before_[depth];
  registers.resize(static_cast<std::size_t>(launch_.kernel.registers) + 1);
  for (ir::Register r = -1; r < launch_.kernel.registers; ++r)
    keep(r, registers[static_cast<std::size_t>(r + 1)]);
}

void LoopExtrapolator::watch(const Watched& loop, const Mask& mask) {
  loop_ = loop;
  wanted_ = loop.window;
  active_ = mask.active;
  inner_rounds_ = 0;
  most_ = INT64_MAX;
  const std::vector<Register>& before = before_[loop.depth];
  shifts_.assign(before.size(), std::nullopt);
  head_.resize(before.size());
  for (ir::Register r = -1; r < launch_.kernel.registers; ++r) {
    const auto at = static_cast<std::size_t>(r + 1);
    if (with_data_ && !written_in(loops_[loop.pc], r)) {
      shifts_[at] = 0;
      continue;
    }
    shifts_[at] = difference(before[at], values_[r], mask);
    keep(r, head_[at]);
  }
  if (with_data_) {
    Loop& of = loops_[loop.pc];
    ++of.watches;
    for (const ir::Register r : of.data) shift(r) = std::nullopt;
    held_.assign(static_cast<std::size_t>(launch_.kernel.registers), false);
    start_steps(window_);
  }
  head_shifts_ = shifts_;
  const std::vector<ir::Register>& live = launch_.facts.live_behind[loop.pc];
  watching_ =
      with_data_ || std::all_of(live.begin(), live.end(), [&](ir::Register r) { return shift(r); });
  if (watching_) before_totals_ = totals();
}

void LoopExtrapolator::follow(const Instruction& in, const Mask& mask) {
  using ir::OpcodeGroup;
  const auto pc = static_cast<std::size_t>(&in - launch_.kernel.code.data());
  switch (ir::group_of(in.op)) {
  case OpcodeGroup::control:
    if (!still(in.a)) forget();
    return;
  case OpcodeGroup::check:
    if (keeps_holding(in, mask)) return;
    if (!with_data_ || all_known(in)) return forget();
    return add_computation(in, pc, mask, false);
  case OpcodeGroup::access:
    if (in.op == Opcode::defer || !same_stages(in)) return forget();
    if (with_data_) return follow_access(in, pc, mask);
    if (in.op == Opcode::load) shift(in.d) = 0; // it is no address, and decides nothing
    return;
  case OpcodeGroup::own:
    if (in.op == Opcode::local_new) return forget();
    if (in.op != Opcode::local_store) break;
    return with_data_ ? add_computation(in, pc, mask, false) : forget();
  case OpcodeGroup::value:
  case OpcodeGroup::arithmetic:
  case OpcodeGroup::comparison: break;
  case OpcodeGroup::warp:
    if (!still(in.b)) return forget(); // a later round may ask an inactive lane
    break;
  case OpcodeGroup::parallel:
    if (with_data_) add_parallel(in, pc, mask);
    return;
  case OpcodeGroup::drain:
    if (with_data_) forget();
    return;
  case OpcodeGroup::draw: // these have no result here
  case OpcodeGroup::snapshot:
  case OpcodeGroup::call:
  case OpcodeGroup::print:
  case OpcodeGroup::launch:
  case OpcodeGroup::end: return;
  }
  if (in.d < 0) return;
  const Shift by = result(in, mask);
  // Where some lanes keep what they had, they keep its shift, too.
  const bool all = mask.active == active_ || launch_.facts.writes_all[pc];
  const bool known = by && (all || shift(in.d) == by);
  if (with_data_) add_computation(in, pc, mask, known);
  shift(in.d) = known ? by : std::nullopt;
}

/// Whether all operands grow by a known number.
bool LoopExtrapolator::all_known(const Instruction& in) {
  return shift(in.a) && shift(in.b) && shift(in.c);
}

void LoopExtrapolator::follow_access(const Instruction& in, std::size_t pc, const Mask& mask) {
  if (ir::is_atomic(in.op)) return forget();
  add_access(in, pc, mask);
  if (in.op == Opcode::load) shift(in.d) = std::nullopt;
}

LoopExtrapolator::State LoopExtrapolator::touched(ir::Register r) {
  if (!shift(r)) return State::data;
  if (*shift(r) != 0) return State::known;
  held_[static_cast<std::size_t>(r)] = true;
  return State::ready;
}

/// What the steps write is not there any more in the next round.
void LoopExtrapolator::writes(ir::Register r) {
  if (held_[static_cast<std::size_t>(r)]) forget();
}

/// What the steps of a window may still take.
std::int64_t LoopExtrapolator::bytes_left() const {
  constexpr std::int64_t most = std::int64_t{1} << 20;
  return std::min(most, launch_.run.budget.limits->memory / 16) - window_.bytes -
         static_cast<std::int64_t>(window_.steps.size() * sizeof(DataSteps::Step));
}

Shift LoopExtrapolator::difference(const Register& from, const Register& to, const Mask& mask) {
  const Shape& shape = values_.shape();
  if (from.form == Form::uniform && to.form == Form::uniform)
    return to.value.integer() - from.value.integer();
  if (from.form != Form::vector && to.form != Form::vector) {
    const Rows &x = as_rows(from, uniform_rows_[0]), &y = as_rows(to, uniform_rows_[1]);
    if (!x.same(y)) return {};
    const std::int64_t by = y.base(0) - x.base(0);
    for (int k = 1; k < shape.warps; ++k)
      if (y.base(k) - x.base(k) != by) return {};
    return by;
  }
  if (with_data_ || from.form != to.form || from.type != to.type) return {};
  return with_type(from.type, [&](auto word) -> Shift {
    using T = decltype(word);
    const T *x = from.words<T>(), *y = to.words<T>();
    Shift by;
    bool same = true;
    each_active(mask, [&](int i) {
      if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, std::uint8_t>) {
        same &= std::memcmp(x + i, y + i, sizeof(T)) == 0;
        by = 0;
      } else {
        std::int64_t step = 0; // without data, a register may hold anything
        same &= !__builtin_sub_overflow(std::int64_t{y[i]}, std::int64_t{x[i]}, &step);
        same &= !by || *by == step;
        by = step;
      }
    });
    return same ? by : std::nullopt;
  });
}

Totals LoopExtrapolator::totals() const {
  return {launch_.tally.numbers(), launch_.sums(), launch_.chains};
}

namespace {

/// now + times * (now - before), if it is far from the end of its type.
bool grow(std::int64_t before, std::int64_t& now, std::int64_t times) {
  constexpr std::int64_t most = std::int64_t{1} << 61;
  const std::int64_t more = saturating_multiply(now - before, times);
  if (more > most || now > most) return false;
  now += more;
  return true;
}

/// `before` is used up.
bool repeat(TileChains& before, TileChains& chains, std::int64_t times) {
  const std::int64_t rounds = chains.round - before.round;
  if (rounds > 0 || chains.round < 0) { // else the loop is inside one round of a forall
    before.end_round();
    chains.end_round();
  }
  bool fits = true;
  for (std::size_t unit = 0; unit < chains.of.size(); ++unit)
    fits = fits && chains.of[unit].repeat(before.of[unit], rounds, times);
  return fits && grow(before.round, chains.round, times);
}

} // namespace

bool LoopExtrapolator::multiply_totals(std::int64_t times) {
  const Totals& before = before_totals_;
  std::int64_t steps = launch_.run.budget.steps;
  SparedWork& iterations = launch_.fast.work.iterations;
  const std::int64_t iterations_so_far = iterations.total;
  bool fits = grow(before.sums.steps, steps, times) &&
              grow(before.sums.iterations, iterations.total, times) &&
              grow(before.sums.shared_stages, launch_.stages[0], times) &&
              grow(before.sums.memory_stages, launch_.stages[1], times);
  launch_.tally.since(before.tally,
                      [&](BlockTally::Kind, int, std::int64_t earlier, std::int64_t& now) {
                        fits = fits && grow(earlier, now, times);
                      });
  fits = fits && repeat(before_totals_.chains, launch_.chains, times);
  iterations.skipped += iterations.total - iterations_so_far;
  if (with_data_) {
    launch_.run.budget.steps = steps;
    return fits && steps <= launch_.run.budget.limits->steps;
  }
  launch_.fast.skipped_steps += steps - launch_.run.budget.steps;
  return fits && launch_.fast.skipped_steps < most_long;
}

void LoopExtrapolator::move(Register& r, std::int64_t by, const Mask& mask) {
  if (by == 0) return;
  if (r.form == Form::uniform) {
    r.value = ir::Value::of(r.value.integer() + by);
  } else if (has_rows(r)) {
    r.rows.first += by;
    for (std::int64_t& base : r.rows.bases) base += by;
  } else {
    with_type(r.type, [&](auto word) {
      using T = decltype(word);
      T* words = r.words<T>();
      each_active(mask, [&](int i) { words[i] = static_cast<T>(words[i] + static_cast<T>(by)); });
    });
  }
}

LoopExtrapolator::Rounds LoopExtrapolator::extrapolate(const Mask& mask) {
  const Rounds none{0, loop_.first_log, false};
  forget();
  if (mask.active != active_ || most_ < 1) return none;
  const std::vector<ir::Register>& live = launch_.facts.live_behind[loop_.pc];
  for (const ir::Register r : live) {
    const Shift by = head_shifts_[static_cast<std::size_t>(r + 1)];
    if (with_data_ && !by && !shift(r)) continue;
    if (with_data_ && by && !shift(r)) { // it grew by the same twice, by chance
      loops_[loop_.pc].data.push_back(r);
      return {0, loop_.first_log, true};
    }
    if (!by || shift(r) != by) return none;
    if (with_data_ && !written_in(loops_[loop_.pc], r)) continue;
    if (difference(head_[static_cast<std::size_t>(r + 1)], values_[r], mask) != by) return none;
  }
  const std::int64_t times = std::min(most_, most_long);
  for (const ir::Register r : live) {
    std::int64_t by = 0;
    if (shift(r) && __builtin_mul_overflow(*shift(r), times, &by)) return none;
  }
  if (!multiply_totals(times)) {
    if (with_data_) {
      launch_.fast.halt(Halted::refused);
    } else {
      launch_.fast.too_large(launch_.kernel.code[loop_.pc].span);
    }
    return none;
  }
  if (!launch_.add_stages(UnitId::shared, 0, 0) || !launch_.add_stages(UnitId::global, 0, 0)) {
    launch_.fast.halt(Halted::refused);
    return none;
  }
  for (const ir::Register r : live) {
    if (!shift(r)) continue;
    Register& last = with_data_ ? head_[static_cast<std::size_t>(r + 1)] : values_[r];
    if (with_data_) copy_register(values_[r], values_.shape(), last);
    move(last, *shift(r) * times, mask);
  }
  if (with_data_) loops_[loop_.pc].rounds += times * loop_.window;
  return {times, loop_.first_log, false};
}

const DataSteps& LoopExtrapolator::next_repetition() {
  for (std::size_t k = 0; k < window_.values.size(); ++k)
    move(window_.values[k], window_.shifts[k], window_.masks.front());
  return window_;
}

void LoopExtrapolator::end_repetitions() {
  for (const ir::Register r : launch_.facts.live_behind[loop_.pc])
    if (shift(r))
      copy_register(head_[static_cast<std::size_t>(r + 1)], values_.shape(), values_[r]);
}

} // namespace memlane::fast
