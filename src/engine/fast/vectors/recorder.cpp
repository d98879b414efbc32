#include "recorder.hpp"

#include "fast/launch_run.hpp"
#include "tile.hpp"

#include <algorithm>

namespace memlane::fast {

using ir::Instruction;
using ir::Opcode;

bool Recorder::holds(const Recorded::Guard& guard) const {
  return same_closed_form(values_[guard.target], guard.value);
}

bool Recorder::begins_alike(const Recorded& recorded) const {
  const auto in_place = [&](const Recorded::Bank& b) {
    const ArrayView& array = launch_.arrays[static_cast<std::size_t>(b.array)];
    return array.base % launch_.run.machine.width == b.bank;
  };
  return std::all_of(recorded.guards.begin(), recorded.guards.end(),
                     [&](const auto& guard) { return holds(guard); }) &&
         std::all_of(recorded.banks.begin(), recorded.banks.end(), in_place);
}

void Recorder::hold(const Shape& shape) {
  if (shape.warps == warps_) return;
  warps_ = shape.warps;
  end_steps();
  places_.clear();
  bytes_ = 0;
}

const Recorded* Recorder::begin(std::size_t pc, std::uint32_t foralls) {
  end_steps();
  const auto [known, fresh] = places_.try_emplace(pc);
  Place& place = known->second;
  if (fresh) {
    const auto vain = launch_.fast.vain_recordings.find({&launch_.kernel, pc});
    place.given_up = vain != launch_.fast.vain_recordings.end() && vain->second >= most_in_vain;
  }
  if (place.given_up) return nullptr;
  for (const Recorded& recorded : place.recorded)
    if (begins_alike(recorded)) {
      ++place.replays;
      return &recorded;
    }
  ++place.times;
  if (place.times < 2) return nullptr; // most intervals do not repeat
  learn(place);
  if (worth_it(place, pc)) start(place, foralls);
  return nullptr;
}

/// The registers that kept the latest recording from being used vary.
void Recorder::learn(Place& place) {
  if (place.recorded.empty() || place.alternates) return;
  const std::size_t before = place.varies.size();
  for (const Recorded::Guard& guard : place.recorded.back().guards)
    if (!holds(guard)) place.varies.push_back(guard.target);
  if (place.varies.size() > before) {
    forget(place, place.recorded.size());
  } else {
    place.alternates = true; // its arrays lie in other banks
    place.varies.clear();
  }
}

bool Recorder::worth_it(Place& place, std::size_t pc) {
  const bool used = place.recordings < 4 || place.replays >= place.recordings;
  if (!used || bytes_left() < 0) {
    place.given_up = true;
    forget(place, place.recorded.size());
    if (place.replays == 0) ++launch_.fast.vain_recordings[{&launch_.kernel, pc}];
    return false;
  }
  if (place.recorded.size() == most_recorded) forget(place, 1);
  return true;
}

/// The oldest ones.
void Recorder::forget(Place& place, std::size_t count) {
  const auto end = place.recorded.begin() + static_cast<std::ptrdiff_t>(count);
  for (auto at = place.recorded.begin(); at != end; ++at) bytes_ -= at->bytes;
  place.recorded.erase(place.recorded.begin(), end);
}

/// What recordings may still take: in all at most a sixteenth of the memory limit.
std::int64_t Recorder::bytes_left() const {
  const std::int64_t most = std::min(most_bytes, launch_.run.budget.limits->memory / 16);
  const auto steps = static_cast<std::int64_t>(now_.steps.size() * sizeof(Recorded::Step));
  return most - bytes_ - (recording() ? now_.bytes + steps : 0);
}

void Recorder::start(Place& place, std::uint32_t foralls) {
  place_ = &place;
  ++place.recordings;
  now_ = {};
  start_steps(now_);
  for (const ir::Register r : place.varies) state(r) = State::data;
  tally_before_ = launch_.tally.numbers();
  sums_before_ = launch_.sums();
  foralls_before_ = foralls;
}

void Recorder::give_up() {
  if (!recording()) return;
  end_steps();
  if (place_->varies.empty()) {
    place_->given_up = true;
    forget(*place_, place_->recorded.size());
  } else {
    place_->varies.clear();
    place_->alternates = true;
  }
}

Recorder::State Recorder::touched(ir::Register r) {
  const Register& value = values_[r];
  if (value.form == Form::vector || (has_rows(value) && !value.rows.even)) return State::data;
  Recorded::Guard& guard = now_.guards.emplace_back();
  guard.target = r;
  copy_register(value, values_.shape(), guard.value);
  return State::ready;
}

void Recorder::follow(const Instruction& in, std::size_t pc, const Mask& mask) {
  using ir::OpcodeGroup;
  switch (ir::group_of(in.op)) {
  case OpcodeGroup::control:
  case OpcodeGroup::parallel:
    if (is_data(in.a)) give_up();
    return;
  case OpcodeGroup::access: return in.op == Opcode::defer ? give_up() : access(in, pc, mask);
  case OpcodeGroup::value:
    if (in.op == Opcode::special && static_cast<ir::Special>(in.immediate) == ir::Special::block)
      return give_up();
    return compute(in, pc, mask);
  case OpcodeGroup::arithmetic:
  case OpcodeGroup::comparison:
  case OpcodeGroup::own: return compute(in, pc, mask);
  case OpcodeGroup::check: return in.op == Opcode::trap ? give_up() : compute(in, pc, mask);
  case OpcodeGroup::call: return;
  case OpcodeGroup::warp:
  case OpcodeGroup::draw:
  case OpcodeGroup::drain:
  case OpcodeGroup::snapshot:
  case OpcodeGroup::print:
  case OpcodeGroup::launch:
  case OpcodeGroup::end: return give_up();
  }
}

void Recorder::compute(const Instruction& in, std::size_t pc, const Mask& mask) {
  const bool keeps_lanes = in.d >= 0 && !mask.whole && !launch_.facts.writes_all[pc];
  // Arrays of threads are not registers.
  bool known =
      in.op != Opcode::local_new && in.op != Opcode::local_load && in.op != Opcode::local_store;
  for (const ir::Register r : {in.a, in.b, in.c, keeps_lanes ? in.d : -1})
    if (is_data(r)) known = false;
  add_computation(in, pc, mask, known);
}

void Recorder::access(const Instruction& in, std::size_t pc, const Mask& mask) {
  const auto index = static_cast<std::int32_t>(in.immediate);
  const ArrayView& array = launch_.arrays[static_cast<std::size_t>(index)];
  if (array.blocks) return give_up(); // its words must be noted for other blocks
  if (array.unit == UnitId::global && launch_.machine.has_own_ports()) return give_up();
  if (ir::is_atomic(in.op)) return give_up();
  if (is_data(in.a)) return give_up(); // its stages differ from time to time
  const std::int64_t bank = array.base % launch_.run.machine.width;
  const bool noted = std::any_of(now_.banks.begin(), now_.banks.end(),
                                 [&](const auto& b) { return b.array == index; });
  if (!noted) now_.banks.push_back({index, bank});
  add_access(in, pc, mask);
}

void Recorder::end(std::size_t pc, std::uint32_t foralls, std::vector<bool> loops,
                   const Chains& longest, const StepLog& log) {
  for (const ir::Register r : launch_.facts.live_behind[pc])
    if (state(r) == State::known) make_ready(r);
  now_.log = log;
  if (launch_.fast.unsure) return give_up();
  launch_.tally.since(tally_before_,
                      [&](BlockTally::Kind kind, int block, std::int64_t before, std::int64_t now) {
                        if (now != before) now_.tally.push_back({kind, block, now - before});
                      });
  now_.sums = launch_.sums() - sums_before_;
  now_.foralls = foralls - foralls_before_;
  now_.end = pc;
  now_.loops = std::move(loops);
  now_.longest = longest;
  now_.chains = launch_.chains;
  end_steps();
  now_.bytes += static_cast<std::int64_t>(now_.steps.size() * sizeof(Recorded::Step) +
                                          log.entries.size() * sizeof(Entry));
  bytes_ += now_.bytes;
  place_->recorded.push_back(std::move(now_));
}

// Replays recorded intervals and rounds.

/// Whether an interval begins here with all warps of the block in this tile, or of all its blocks.
bool Tile::may_record() const {
  return pc_ > 0 && at(pc_ - 1).op == ir::Opcode::barrier && deferred_.empty() && forall_ == 0 &&
         (together_ > 1 ? mask_.whole : values_.shape().warps == launch_.warps_of_block) &&
         !launch_.fast.timing_only && !launch_.fast.unsure && !launch_.run.executions &&
         !launch_.hoists;
}

std::vector<bool> Tile::loops_around() const {
  std::vector<bool> loops(depth_);
  for (std::size_t k = 0; k < depth_; ++k) loops[k] = frames_[k].loop;
  return loops;
}

/// Adds the counts of the whole interval: the replayed steps count nothing.
bool Tile::count_replay(const Recorded& recorded) {
  Budget& budget = launch_.run.budget;
  budget.steps += recorded.sums.steps;
  launch_.fast.work.intervals.skipped += together_;
  launch_.fast.work.iterations.add({recorded.sums.iterations, recorded.sums.iterations});
  for (const Recorded::Counted& counted : recorded.tally)
    launch_.tally.of(counted.kind)[counted.block] += counted.more;
  return budget.steps <= budget.limits->steps &&
         launch_.add_stages(UnitId::shared, recorded.sums.shared_stages, recorded.sums.logged) &&
         launch_.add_stages(UnitId::global, recorded.sums.memory_stages, 0);
}

bool Tile::replay_access(const DataSteps::Step& step, const Register& elements) {
  const ir::Instruction& in = at(pc_);
  const auto index = static_cast<std::int32_t>(in.immediate);
  const Requests requests{pc_, forall_, &elements, forall_ ? &iterations_ : &threads_, &mask_};
  ArrayView& array = launch_.arrays[static_cast<std::size_t>(index)];
  const bool write = step.kind == DataSteps::Kind::store;
  if (repeats_) { // a recorded interval has no races, and other blocks share nothing with it
    if (!within(elements, 0, array.elements - 1, mask_)) return refuse();
    const AccessKind kind = access_kind(in.op);
    if (array.blocks && !note_words(requests, *array.blocks, kind)) return false;
    if (array.tracked && !look_for_races(requests, array, index, kind)) return false;
  }
  if (write) return write_words(requests, array, values_[in.b]);
  if (!written(requests, array) || !read_words(requests, array)) return false;
  values_.commit(in.d, array.type, mask_, launch_.facts.writes_all[pc_]);
  return true;
}

/// Executes recorded steps, which log and count nothing. `mask`: the number of the present mask
/// among theirs.
bool Tile::replay_steps(const DataSteps& recorded, std::uint32_t& mask) {
  using Kind = DataSteps::Kind;
  for (const DataSteps::Step& step : recorded.steps) {
    if (step.kind == Kind::set) {
      copy_register(recorded.values[step.value], values_.shape(), values_[step.target]);
      continue;
    }
    if (!launch_.poll()) return false;
    pc_ = step.pc;
    if (step.kind == Kind::parallel) {
      const ir::Opcode op = at(pc_).op;
      if (op == ir::Opcode::forall) forall_ = ++foralls_;
      if (op == ir::Opcode::iteration)
        copy_register(recorded.values[step.value], values_.shape(), iterations_);
      if (op == ir::Opcode::endforall) forall_ = 0;
      continue;
    }
    if (step.mask != mask) {
      mask_ = recorded.masks[step.mask];
      mask = step.mask;
    }
    const bool done = step.kind == Kind::execute ? execute(at(pc_))
                                                 : replay_access(step, recorded.values[step.value]);
    if (!done) return false;
  }
  return true;
}

/// Rounds of the present loop whose counts are known.
bool Tile::repeat_rounds(std::int64_t times) {
  const std::size_t pc = pc_;
  const Mask mask = mask_;
  std::uint32_t number = UINT32_MAX;
  repeats_ = true;
  bool done = true;
  if (!extrapolator_.has_steps()) times = 0;
  for (; done && times > 0; --times) done = replay_steps(extrapolator_.next_repetition(), number);
  repeats_ = false;
  extrapolator_.end_repetitions();
  mask_ = mask;
  pc_ = pc;
  return done;
}

Tile::Halt Tile::replay(const Recorded& recorded) {
  if (!count_replay(recorded)) return refuse(), Halt::halted;
  *log_ = recorded.log;
  std::uint32_t mask = 0;
  if (!replay_steps(recorded, mask)) return Halt::halted;
  values_.sets().set_all(mask_);
  longest_ = recorded.longest;
  if (together_ > 1) launch_.chains = recorded.chains;
  foralls_ += recorded.foralls;
  pc_ = recorded.end;
  if (at(pc_).op == ir::Opcode::end) return Halt::end;
  ++pc_;
  depth_ = 0;
  for (const bool loop : recorded.loops) push(loop);
  return Halt::barrier;
}

} // namespace memlane::fast
