#include "step_recorder.hpp"

#include "fast/launch_run.hpp"

#include <algorithm>

namespace memlane::fast {

using ir::Instruction;

bool same_closed_form(const Register& a, const Register& b) {
  if (a.form != b.form || a.form == Form::vector) return false;
  if (a.form == Form::uniform) return a.value == b.value;
  return a.rows.even && b.rows.even && a.rows.first == b.rows.first &&
         a.rows.warp_step == b.rows.warp_step && a.rows.same(b.rows);
}

namespace {

bool same_lanes(const Mask& a, const Mask& b) {
  return a.whole == b.whole && (a.whole || (a.active == b.active && a.lanes == b.lanes));
}

} // namespace

void StepRecorder::start_steps(DataSteps& steps) {
  steps_ = &steps;
  steps.steps.clear();
  steps.values.clear();
  steps.shifts.clear();
  steps.masks.clear();
  steps.bytes = 0;
  values_.sets().set_all(steps.masks.emplace_back());
  mask_known_ = false;
  states_.assign(static_cast<std::size_t>(launch_.kernel.registers), State::untouched);
}

bool StepRecorder::is_data(ir::Register r) {
  if (r < 0) return false;
  if (state(r) == State::untouched) state(r) = touched(r);
  return state(r) == State::data;
}

void StepRecorder::make_ready(ir::Register r) {
  if (!recording() || r < 0 || is_data(r) || state(r) == State::ready) return;
  state(r) = State::ready;
  DataSteps::Step& step = steps_->steps.emplace_back();
  step.kind = DataSteps::Kind::set;
  step.target = r;
  step.value = value_of(r);
  writes(r);
}

std::uint32_t StepRecorder::value_of(ir::Register r) {
  constexpr std::size_t latest = 8; // accesses of a loop take turns
  const Register& value = values_[r];
  const std::int64_t shift = shift_of(r);
  auto& [steps, values, shifts, masks, bytes] = *steps_;
  for (std::size_t at = values.size(); at-- > 0 && at + latest >= values.size();)
    if (shifts[at] == shift && same_closed_form(values[at], value))
      return static_cast<std::uint32_t>(at);
  copy_register(value, values_.shape(), values.emplace_back());
  shifts.push_back(shift);
  bytes += sizeof(Register);
  if (value.form == Form::vector) bytes += 8 * values_.shape().lanes();
  return static_cast<std::uint32_t>(values.size() - 1);
}

std::uint32_t StepRecorder::mask_of(const Mask& mask) {
  if (mask.whole) return 0;
  std::vector<Mask>& masks = steps_->masks;
  if (!mask_known_ && !same_lanes(masks.back(), mask)) {
    masks.push_back(mask);
    steps_->bytes += static_cast<std::int64_t>(sizeof(Mask) + mask.lanes.size() +
                                               sizeof(std::int32_t) * mask.counts.size());
  }
  mask_known_ = true;
  return static_cast<std::uint32_t>(masks.size() - 1);
}

void StepRecorder::add(DataSteps::Kind kind, std::size_t pc, const Mask& mask,
                       std::uint32_t value) {
  if (!recording()) return;
  const std::uint32_t number = mask_of(mask);
  steps_->steps.push_back({kind, static_cast<std::uint32_t>(pc), number, value, -1});
  if (bytes_left() < 0) give_up();
}

void StepRecorder::add_computation(const Instruction& in, std::size_t pc, const Mask& mask,
                                   bool known) {
  if (!known) {
    const bool keeps_lanes = in.d >= 0 && !mask.whole && !launch_.facts.writes_all[pc];
    for (const ir::Register r : {in.a, in.b, in.c, keeps_lanes ? in.d : -1}) make_ready(r);
    add(DataSteps::Kind::execute, pc, mask);
    if (in.d >= 0) writes(in.d);
  }
  if (in.d >= 0) state(in.d) = known ? State::known : State::data;
}

void StepRecorder::add_access(const Instruction& in, std::size_t pc, const Mask& mask) {
  const bool write = ir::writes_memory(in.op);
  if (write) {
    make_ready(in.b);
  } else if (!mask.whole && !launch_.facts.writes_all[pc]) {
    make_ready(in.d);
  }
  if (!recording()) return;
  const std::uint32_t elements = value_of(in.a);
  add(write ? DataSteps::Kind::store : DataSteps::Kind::load, pc, mask, elements);
  if (write) return;
  state(in.d) = State::data;
  writes(in.d);
}

void StepRecorder::add_parallel(const Instruction& in, std::size_t pc, const Mask& mask) {
  const bool iterates = in.op == ir::Opcode::iteration;
  add(DataSteps::Kind::parallel, pc, mask, iterates ? value_of(in.a) : 0);
}

} // namespace memlane::fast
