#include "lanes.hpp"

#include "memlane/ir/arithmetic.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane {

using ir::Instruction;
using ir::Opcode;
using ir::OpcodeGroup;
using ir::Value;

Lanes::Lanes(const ir::Program& program, const ir::Function& function, int lanes)
    : program_(&program), function_(&function), lanes_(lanes) {
  const auto n = static_cast<std::size_t>(lanes);
  registers_.resize((static_cast<std::size_t>(function.registers) + 1) * n);
  mask_.resize(n);
  locals_.resize(function.locals.size());
}

void Lanes::restart(const Specials& specials, int active) {
  specials_ = specials;
  pc_ = 0;
  active_ = active;
  frames_.clear();
  divergent_frames_ = 0;
  std::fill(mask_.begin(), mask_.end(), std::uint8_t{0});
  std::fill_n(mask_.begin(), active, std::uint8_t{1});
}

void Lanes::inherit(const Lanes& other) {
  std::copy_n(other.registers_.begin(), std::min(registers_.size(), other.registers_.size()),
              registers_.begin());
  std::copy_n(other.locals_.begin(), std::min(locals_.size(), other.locals_.size()),
              locals_.begin());
}

Lanes::State Lanes::state() const {
  const auto waiting = static_cast<std::ptrdiff_t>(2 * frames_.size() * mask_.size());
  return {pc_, registers_, mask_, {waiting_.begin(), waiting_.begin() + waiting}, locals_};
}

bool Lanes::is_in(const State& state) const {
  if (pc_ != state.pc || mask_ != state.mask) return false;
  if (2 * frames_.size() * mask_.size() != state.waiting.size()) return false;
  return registers_ == state.registers &&
         std::equal(state.waiting.begin(), state.waiting.end(), waiting_.begin()) &&
         locals_ == state.locals;
}

std::int64_t Lanes::bytes_of_state() const {
  return static_cast<std::int64_t>(registers_.size() * sizeof(Value) +
                                   mask_.size() * (1 + 2 * frames_.size())) +
         bytes_;
}

void Lanes::fail(int lane, std::string message, std::vector<std::string> help) {
  fault_ = {instruction().span, lane, std::move(message), std::move(help), false, {}, {}};
}

namespace {

/// Instructions that affect more than registers: the caller executes them.
bool is_event(Opcode op) { return !ir::effects(op).empty(); }

} // namespace

/// Called before the instruction is executed.
void Lanes::count(const Instruction& in) {
  Executions& executed = tally_->executed[pc_];
  executed.warps += 1;
  executed.threads += active_;
  if (executed_) executed_();
  if (in.mark == ir::StatementMark::none || in.mark == ir::StatementMark::ends) return;
  const auto depth =
      static_cast<std::size_t>(function_->statements[static_cast<std::size_t>(in.statement)].depth);
  if (performed_.size() <= depth) performed_.resize(depth + 1);
  performed_[depth] = in.mark == ir::StatementMark::performs;
}

/// Called behind a statement's last instruction: an execution that performed nothing is silent.
void Lanes::end_statement(const Instruction& in) {
  const auto statement = static_cast<std::size_t>(in.statement);
  const auto depth = static_cast<std::size_t>(function_->statements[statement].depth);
  if (active_ > 0 && !performed_[depth]) tally_->silent[statement] += 1;
}

Lanes::Halt Lanes::run(Budget& budget) {
  for (;;) {
    const Instruction& in = function_->code[pc_];
    if (in.op == Opcode::end) return Halt::event;
    const bool operates = stops_at_operators_ && in.counted && active_ > 0;
    if (active_ > 0 && in.op != Opcode::endloop) { // a label takes no step
      if (!budget.step(in.span)) return Halt::stop;
      counted_ += in.counted && !ir::is_atomic(in.op) ? 1 : 0; // an atomic's is part of its request
      if (tally_) count(in);
    }
    const bool ends = tally_ && in.mark == ir::StatementMark::ends;
    if (ir::is_control(in.op)) {
      if (in.op == Opcode::again && active_ > 0 && round_ends_ && round_ends_()) return Halt::fault;
      control(in);
      if (ends) end_statement(in); // an `endif` has united its lanes
      if (operates) return halt_behind(in);
      continue;
    }
    if (ends) end_statement(in);
    if (active_ == 0) { // no active lane
      ++pc_;
      continue;
    }
    if (is_event(in.op)) return Halt::event;
    if (!execute(in, budget)) return budget.stop == Stop::none ? Halt::fault : Halt::stop;
    ++pc_;
    if (operates) return halt_behind(in);
  }
}

std::optional<Lanes::Halt> Lanes::run_one(std::int32_t pc, Budget& budget) {
  pc_ = static_cast<std::size_t>(pc);
  const Instruction& in = instruction();
  if (is_event(in.op)) return Halt::event;
  if (!execute(in, budget)) return budget.stop == Stop::none ? Halt::fault : Halt::stop;
  ++pc_;
  return {};
}

bool Lanes::execute(const Instruction& in, Budget& budget) {
  if (ir::computes(in.op)) return compute(in);
  if (ir::group_of(in.op) == OpcodeGroup::warp) return of_warp(in);
  return ir::group_of(in.op) == OpcodeGroup::own ? local(in, budget) : check(in);
}

bool Lanes::compute(const Instruction& in) {
  Value* d = row(in.d);
  if (in.op == Opcode::constant) {
    each_active([&](int i) { d[i] = Value::of(in.immediate); });
    return true;
  }
  if (in.op == Opcode::special) return special(in);
  const ir::RowOutcome outcome =
      ir::apply_rows(in.op, in.type, static_cast<ir::Scalar>(in.immediate),
                     {d, row(in.a), row(in.b), row(in.c), mask_.data(), lanes_});
  if (outcome.trap) fail(outcome.lane, outcome.trap);
  return !outcome.trap;
}

bool Lanes::special(const Instruction& in) {
  std::int64_t first = 0, step = 0;
  switch (static_cast<ir::Special>(in.immediate)) {
  case ir::Special::thread: first = specials_.thread, step = 1; break;
  case ir::Special::threads: first = specials_.threads; break;
  case ir::Special::block: first = specials_.block; break;
  case ir::Special::blocks: first = specials_.blocks; break;
  case ir::Special::lane: step = 1; break;
  case ir::Special::warp: first = specials_.warp; break;
  case ir::Special::warps: first = specials_.warps; break;
  case ir::Special::index: first = specials_.index, step = 1; break;
  }
  Value* d = row(in.d);
  each_active([&](int i) { d[i] = Value::of(first + step * i); });
  return true;
}

bool Lanes::check(const Instruction& in) {
  const Value *a = row(in.a), *b = row(in.b), *c = row(in.c);
  const auto first_bad = [&](auto is_bad) {
    for (int i = 0; i < lanes_; ++i)
      if (mask_[static_cast<std::size_t>(i)] && is_bad(i)) return i;
    return -1;
  };
  int bad = -1;
  switch (static_cast<ir::CheckOpcode>(in.op)) {
  case ir::CheckOpcode::bound:
    bad = first_bad([&](int i) { return a[i].integer() < 0 || a[i].integer() >= b[i].integer(); });
    if (bad >= 0) bound_fault(in, bad);
    break;
  case ir::CheckOpcode::slice:
    bad = first_bad([&](int i) {
      return a[i].integer() < 0 || a[i].integer() > b[i].integer() ||
             b[i].integer() > c[i].integer();
    });
    if (bad >= 0) bound_fault(in, bad);
    break;
  case ir::CheckOpcode::assert_:
    asserted_ = true;
    bad = first_bad([&](int i) { return !a[i].truth(); });
    if (bad >= 0) assert_fault(in, bad);
    break;
  case ir::CheckOpcode::trap:
    bad = first_bad([](int) { return true; });
    if (bad >= 0) fail(bad, program_->messages[static_cast<std::size_t>(in.immediate)]);
    break;
  }
  return bad < 0;
}

bool Lanes::local(const Instruction& in, Budget& budget) {
  if (in.op == Opcode::local_new) return new_local(in, budget);
  if (in.op == Opcode::lookup) return lookup(in);
  Local& array = locals_[static_cast<std::size_t>(in.immediate)];
  Value *d = row(in.d), *a = row(in.a), *b = row(in.b);
  for (int i = 0; i < lanes_; ++i) {
    if (!mask_[static_cast<std::size_t>(i)]) continue;
    const std::int64_t element = a[i].integer();
    const std::int64_t size = array.sizes.empty() ? 0 : array.sizes[static_cast<std::size_t>(i)];
    if (element < 0 || element >= size) {
      fail(i,
           fmt::format("index {} is outside array {} (0..{})", element,
                       function_->locals[static_cast<std::size_t>(in.immediate)].name, size),
           remedies_for_index(size));
      return false;
    }
    Value& word = array.values[static_cast<std::size_t>(element * lanes_ + i)];
    if (in.op == Opcode::local_load) {
      d[i] = word;
    } else {
      word = b[i];
    }
  }
  return true;
}

bool Lanes::new_local(const Instruction& in, Budget& budget) {
  Local& array = locals_[static_cast<std::size_t>(in.immediate)];
  const Value* a = row(in.a);
  std::int64_t most = 0;
  for (int i = 0; i < lanes_; ++i) {
    if (!mask_[static_cast<std::size_t>(i)]) continue;
    if (a[i].integer() < 0) {
      fail(i, fmt::format("array {} cannot have {} elements",
                          function_->locals[static_cast<std::size_t>(in.immediate)].name,
                          a[i].integer()));
      return false;
    }
    most = std::max(most, a[i].integer());
  }
  const auto held = static_cast<std::int64_t>(array.values.size());
  const std::int64_t word = lanes_ * static_cast<std::int64_t>(sizeof(Value));
  if (most > INT64_MAX / word) return budget.reserve(INT64_MAX, in.span);
  if (most * lanes_ > held) {
    const std::int64_t more = most * word - held * static_cast<std::int64_t>(sizeof(Value));
    if (!budget.reserve(more, in.span)) return false;
    bytes_ += more;
    array.values.resize(static_cast<std::size_t>(most * lanes_));
  }
  array.sizes.resize(mask_.size());
  each_active([&](int i) {
    array.sizes[static_cast<std::size_t>(i)] = a[i].integer();
    for (std::int64_t e = 0; e < a[i].integer(); ++e)
      array.values[static_cast<std::size_t>(e * lanes_ + i)] = {};
  });
  return true;
}

bool Lanes::lookup(const Instruction& in) {
  const ir::Table& table = program_->tables[static_cast<std::size_t>(in.immediate)];
  Value *d = row(in.d), *a = row(in.a);
  const auto size = static_cast<std::int64_t>(table.values.size());
  for (int i = 0; i < lanes_; ++i) {
    if (!mask_[static_cast<std::size_t>(i)]) continue;
    if (a[i].integer() < 0 || a[i].integer() >= size) {
      fail(i,
           fmt::format("index {} is outside table {} (0..{})", a[i].integer(), table.name, size));
      return false;
    }
    d[i] = table.values[static_cast<std::size_t>(a[i].integer())];
  }
  return true;
}

// Structured control flow of lanes under a mask: where they diverge and where they reconverge.
//
// A lane is either active or waits in exactly one frame of the stack: as `done` (it has executed
// the then-path, or has left the loop) or as `pending` (it will execute the else-path). So `break`
// only moves active lanes: no frame inside its loop holds them.

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
