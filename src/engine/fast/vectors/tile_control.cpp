// Structured control as in src/engine/lanes.cpp, for all warps of a tile. Code without an active
// lane is skipped.
#include "fast/launch_run.hpp"
#include "tile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace memlane::fast {

using ir::ControlOpcode;
using ir::Instruction;
using ir::Opcode;

/// Of all loops.
std::int64_t Tile::executed_rounds() const {
  const SparedWork& rounds = launch_.fast.work.iterations;
  return rounds.total - rounds.skipped;
}

Tile::Frame& Tile::push(bool loop) {
  if (frames_.size() == depth_) frames_.emplace_back();
  Frame& frame = frames_[depth_++];
  frame.loop = loop;
  frame.divergent = false;
  frame.rounds = frame.remembered = frame.spins = 0;
  frame.window = 1;
  frame.before = executed_rounds();
  frame.watched = false;
  frame.next_watch = extrapolator_.first_watch();
  frame.serial = ++serials_ | (std::uint32_t{1} << 31);
  values_.sets().set_none(frame.done);
  values_.sets().set_none(frame.pending);
  return frame;
}

void Tile::control(const Instruction& in) {
  const LaneSets& sets = values_.sets();
  bool jumps = false;
  switch (static_cast<ControlOpcode>(in.op)) {
  case ControlOpcode::if_: {
    Frame& frame = push(false);
    if (mask_.active > 0) sets.split(mask_, values_[in.a], mask_, frame.pending);
    // An `else` without code is no second path.
    const auto other = static_cast<std::size_t>(in.immediate);
    const bool has_other = at(other).op == Opcode::else_ && at(other + 1).op != Opcode::endif;
    frame.divergent = has_other && diverges(frame.pending, frame);
    jumps = mask_.active == 0;
    break;
  }
  case ControlOpcode::else_: {
    Frame& frame = frames_[depth_ - 1];
    std::swap(frame.done, mask_);
    std::swap(mask_, frame.pending);
    sets.set_none(frame.pending);
    jumps = mask_.active == 0;
    break;
  }
  case ControlOpcode::endif: {
    Frame& frame = frames_[--depth_];
    sets.unite(mask_, frame.done);
    sets.unite(mask_, frame.pending);
    break;
  }
  case ControlOpcode::loop: push(true); break;
  case ControlOpcode::while_:
    leave_loop(&values_[in.a]);
    jumps = mask_.active == 0;
    break;
  case ControlOpcode::break_: leave_loop(nullptr, in.immediate); break;
  case ControlOpcode::endloop:
    extrapolator_.loop_ends(depth_);
    sets.unite(mask_, frames_[--depth_].done);
    break;
  case ControlOpcode::exit: jumps = mask_.active == 0; break;
  case ControlOpcode::again: jumps = mask_.active > 0; break;
  }
  pc_ = jumps ? static_cast<std::size_t>(in.immediate) : pc_ + 1;
}

// The active lanes without `stay` leave the innermost loop and `further` around it; with nullptr
// all do.
void Tile::leave_loop(const Register* stay, std::int64_t further) {
  const LaneSets& sets = values_.sets();
  std::size_t depth = depth_ - 1;
  while (!frames_[depth].loop || further-- > 0) --depth;
  if (mask_.active == 0) return;
  if (!stay) {
    sets.unite(frames_[depth].done, mask_);
    sets.set_none(mask_);
    return;
  }
  sets.split(mask_, *stay, mask_, other_);
  sets.unite(frames_[depth].done, other_);
}

/// At an `again` of a loop that may wait for another warp. False: execution has halted.
bool Tile::may_go_on() {
  Frame& frame = frames_[depth_ - 1];
  ++frame.spins;
  if (launch_.fast.timing_only) return true;
  const auto why = [&](std::string_view waits) {
    return fmt::format("a loop of kernel {} {} for another warp", launch_.kernel.name, waits);
  };
  if (launch_.facts.only_looks[pc_] && repeats(frame))
    return launch_.fast.refuse(why("waits"), at(pc_).span);
  return frame.spins < launch_.fast.most_rounds || launch_.fast.spin(why("may wait"), at(pc_).span);
}

/// At an `again` of a loop that only looks: whether the round has changed nothing. Asked seldom.
bool Tile::repeats(const Frame& frame) {
  const auto& live = launch_.facts.live_behind[pc_];
  const auto asks = [](std::int64_t spins) { return spins >= 64 && (spins & (spins - 1)) == 0; };
  if (asks(frame.spins)) {
    looked_ = {frame.serial, mask_.active, std::move(looked_.registers)};
    looked_.registers.resize(live.size());
    for (std::size_t k = 0; k < live.size(); ++k)
      copy_register(values_[live[k]], values_.shape(), looked_.registers[k]);
    return false;
  }
  if (!asks(frame.spins - 1) || looked_.loop != frame.serial || looked_.active != mask_.active)
    return false;
  for (std::size_t k = 0; k < live.size(); ++k)
    if (!same_values(values_[live[k]], looked_.registers[k], values_.shape())) return false;
  return true;
}

/// At an `again`: of rounds that would repeat the last ones, only the steps with data are executed.
/// False: execution has halted.
bool Tile::next_round() {
  Frame& frame = frames_[depth_ - 1];
  ++frame.rounds;
  if (frame.rounds + 1 < frame.next_watch && !frame.watched && !extrapolator_.watching())
    return true;
  const std::int64_t since = frame.rounds - frame.remembered;
  // Every round is executed, where a later one may wait for something else, too.
  if (launch_.run.executions || launch_.keyed || launch_.followed) return true;
  if (recorder_.recording() || launch_.fast.unsure) return true;
  if (extrapolator_.watches(pc_, depth_)) return since < 2 * frame.window || extrapolate(frame);
  if (extrapolator_.watching()) {
    extrapolator_.inner_round();
    return true;
  }
  if (frame.watched) { // the watch was in vain: a longer window may be regular
    frame.watched = false;
    const bool longer = extrapolator_.wanted() > frame.window;
    remember(frame, longer ? extrapolator_.wanted() : 1);
    if (longer) frame.next_watch = std::min(frame.next_watch, frame.rounds + frame.window);
  } else if (!extrapolator_.worth_it(pc_)) {
    frame.next_watch = INT64_MAX;
  } else if (since == frame.window && frame.rounds >= frame.next_watch) {
    watch(frame);
  } else if (since >= frame.window && frame.rounds >= frame.next_watch - 1) {
    remember(frame, 1);
  }
  return true;
}

void Tile::remember(Frame& frame, std::int64_t window) {
  extrapolator_.remember(depth_);
  frame.remembered = frame.rounds;
  frame.window = window;
}

void Tile::watch(Frame& frame) {
  frame.next_watch = frame.rounds * 2; // if this watch fails
  frame.watched = true;
  sealed_ = log_->entries.size();
  foralls_before_ = foralls_;
  const std::int64_t inner = executed_rounds() - frame.before - frame.rounds;
  extrapolator_.watch({pc_, depth_, frame.window, sealed_, frame.rounds, inner}, mask_);
}

bool Tile::extrapolate(Frame& frame) {
  frame.watched = false;
  frame.window = 1;
  const LoopExtrapolator::Rounds rounds = extrapolator_.extrapolate(mask_);
  if (rounds.learned) frame.next_watch = frame.rounds + 2;
  if (rounds.times == 0) return launch_.fast.halted == Halted::no;
  frame.next_watch = frame.rounds + 3;
  const std::uint32_t foralls = foralls_ - foralls_before_;
  auto& entries = log_->entries;
  if (entries.size() > rounds.first_log) {
    const auto length = static_cast<std::uint32_t>(entries.size() - rounds.first_log);
    entries.push_back(
        {Ask::repeat, false, false, static_cast<std::uint32_t>(log_->repeats.size())});
    log_->repeats.push_back({length, rounds.times});
  }
  sealed_ = entries.size();
  if (!launch_.fast.timing_only) return repeat_rounds(rounds.times);
  foralls_ += static_cast<std::uint32_t>(rounds.times) * foralls;
  return true;
}

// Threads' own arrays, and constant tables: no requests.

using ir::Instruction;
using ir::Opcode;

bool Tile::local(const Instruction& in) {
  if (in.op == Opcode::local_new) return new_local(in);
  LocalWords& array = locals_[static_cast<std::size_t>(in.immediate)];
  const Register& index = values_[in.a];
  if (!within(index, 0, array.elements - 1, mask_)) return refuse();
  const int lanes = values_.shape().lanes();
  const std::uint8_t* active = values_.sets().lanes(mask_);
  const ir::Scalar type = launch_.kernel.locals[static_cast<std::size_t>(in.immediate)].type;
  const bool loads = in.op == Opcode::local_load;
  if (!loads && !values_.fits(values_[in.b], type, mask_)) return refuse();
  const Shape part = values_.sets().part(mask_);
  const auto* at = values_.words<std::int64_t>(index, 0, part);
  with_type(type, [&](auto word) {
    using T = decltype(word);
    auto* words = reinterpret_cast<T*>(array.words.data());
    const T* from = loads ? nullptr : values_.words<T>(values_[in.b], 1, part);
    T* to = loads ? make_vector<T>(values_.out(), values_.shape()) : nullptr;
    for (int i = 0; i < part.lanes(); ++i) {
      if (!active[i]) continue;
      T& element = words[at[i] * lanes + i];
      if (loads) {
        to[i] = element;
      } else {
        element = from[i];
      }
    }
  });
  if (loads) values_.commit(in.d, type, mask_, launch_.facts.writes_all[pc_]);
  return true;
}

bool Tile::new_local(const Instruction& in) {
  LocalWords& array = locals_[static_cast<std::size_t>(in.immediate)];
  const Register& size = values_[in.a];
  // Threads whose arrays differ in size are left to the reference engine.
  if (size.form != Form::uniform || size.value.integer() < 0) return refuse();
  const std::int64_t elements = size.value.integer();
  const bool first = array.words.empty();
  if (!mask_.whole && !first && array.elements != elements) return refuse();
  const std::int64_t lanes = values_.shape().lanes();
  if (elements > array.elements &&
      !launch_.take_bytes(elements - array.elements, 8 * lanes / together_))
    return refuse();
  const ir::Scalar type = launch_.kernel.locals[static_cast<std::size_t>(in.immediate)].type;
  const std::int64_t bytes = elements * lanes * ir::size_of(type);
  array.elements = elements;
  if (mask_.whole || first) {
    array.words.assign(static_cast<std::size_t>(bytes), 0);
    return true;
  }
  const std::uint8_t* active = values_.sets().lanes(mask_);
  with_type(type, [&](auto word) {
    using T = decltype(word);
    auto* words = reinterpret_cast<T*>(array.words.data());
    for (std::int64_t e = 0; e < elements; ++e)
      for (std::int64_t i = 0; i < lanes; ++i)
        if (active[i]) words[e * lanes + i] = T{};
  });
  return true;
}

bool Tile::lookup(const Instruction& in) {
  const ir::Table& table = launch_.run.program.tables[static_cast<std::size_t>(in.immediate)];
  const Register& index = values_[in.a];
  if (!within(index, 0, static_cast<std::int64_t>(table.values.size()) - 1, mask_)) return refuse();
  if (index.form == Form::uniform) {
    make_uniform(values_.out(), table.values[static_cast<std::size_t>(index.value.integer())]);
  } else {
    const Shape part = values_.sets().part(mask_);
    const std::uint8_t* active = values_.sets().lanes(mask_);
    const auto* at = values_.words<std::int64_t>(index, 0, part);
    with_type(table.type, [&](auto word) {
      using T = decltype(word);
      T* to = make_vector<T>(values_.out(), values_.shape());
      for (int i = 0; i < part.lanes(); ++i)
        if (active[i]) to[i] = to_word<T>(table.values[static_cast<std::size_t>(at[i])]);
    });
  }
  values_.commit(in.d, table.type, mask_, launch_.facts.writes_all[pc_]);
  return true;
}

} // namespace memlane::fast
