// Structured control flow of lanes under a mask: where they diverge and where they reconverge.
//
// A lane is either active or waits in exactly one frame of the stack: as `done` (it has executed
// the then-path, or has left the loop) or as `pending` (it will execute the else-path). So `break`
// only moves active lanes: no frame inside its loop holds them.
#include "lanes.hpp"

#include <algorithm>

namespace memlane {

using ir::ControlOpcode;
using ir::Instruction;

void Lanes::control(const Instruction& in) {
  const auto target = static_cast<std::size_t>(in.immediate);
  bool jumps = false;
  switch (static_cast<ControlOpcode>(in.op)) {
  case ControlOpcode::if_:
    enter_if(in);
    jumps = active_ == 0;
    break;
  case ControlOpcode::else_:
    enter_else();
    jumps = active_ == 0;
    break;
  case ControlOpcode::endif: leave_if(); break;
  case ControlOpcode::loop: push(true); break;
  case ControlOpcode::while_:
    leave_loop(row(in.a));
    jumps = active_ == 0;
    break;
  case ControlOpcode::break_: leave_loop(nullptr, in.immediate); break;
  case ControlOpcode::endloop: {
    const std::uint8_t* left = done(frames_.size() - 1);
    for (std::size_t i = 0; i < mask_.size(); ++i) mask_[i] |= left[i];
    pop();
    recount();
    break;
  }
  case ControlOpcode::exit: jumps = active_ == 0; break;
  case ControlOpcode::again: jumps = active_ > 0; break;
  }
  pc_ = jumps ? target : pc_ + 1;
}

void Lanes::push(bool loop) {
  frames_.push_back({loop, false, false, 0});
  const std::size_t needed = 2 * frames_.size() * mask_.size();
  if (waiting_.size() < needed) waiting_.resize(needed);
  std::fill_n(done(frames_.size() - 1), 2 * mask_.size(), std::uint8_t{0});
}

void Lanes::pop() {
  divergent_frames_ -= frames_.back().divergent ? 1 : 0;
  frames_.pop_back();
}

void Lanes::recount() {
  active_ = static_cast<int>(std::count(mask_.begin(), mask_.end(), std::uint8_t{1}));
}

void Lanes::enter_if(const Instruction& in) {
  push(false);
  std::uint8_t* other = pending(frames_.size() - 1);
  const ir::Value* a = row(in.a);
  const int before = active_;
  for (std::size_t i = 0; i < mask_.size(); ++i) {
    const std::uint8_t holds = a[i].truth() ? 1 : 0;
    other[i] = mask_[i] & (holds ^ 1);
    mask_[i] &= holds;
  }
  recount();
  if (active_ > 0 && active_ < before) {
    frames_.back().divergent = true;
    frames_.back().serial = ++serials_;
    ++divergent_frames_;
  }
}

void Lanes::enter_else() {
  std::uint8_t* through = done(frames_.size() - 1);
  std::uint8_t* other = pending(frames_.size() - 1);
  for (std::size_t i = 0; i < mask_.size(); ++i) {
    through[i] = mask_[i];
    mask_[i] = other[i];
    other[i] = 0;
  }
  frames_.back().in_else = true;
  recount();
}

// Also ends an `if` without an else-path, whose other lanes are still pending.
void Lanes::leave_if() {
  const std::uint8_t* through = done(frames_.size() - 1);
  const std::uint8_t* other = pending(frames_.size() - 1);
  for (std::size_t i = 0; i < mask_.size(); ++i) mask_[i] |= through[i] | other[i];
  pop();
  recount();
}

// The active lanes for which `stay` is false leave the innermost loop and the `further` loops
// around it; all active lanes if `stay` is null.
void Lanes::leave_loop(const ir::Value* stay, std::int64_t further) {
  std::size_t depth = frames_.size() - 1;
  while (!frames_[depth].loop || further-- > 0) --depth;
  std::uint8_t* left = done(depth);
  for (std::size_t i = 0; i < mask_.size(); ++i) {
    const bool goes = mask_[i] && !(stay && stay[i].truth());
    left[i] |= goes ? 1 : 0;
    if (goes) mask_[i] = 0;
  }
  recount();
}

} // namespace memlane
