// Replays recorded intervals.
#include "fast/launch_run.hpp"
#include "tile.hpp"

namespace memlane::fast {

/// Whether an interval begins here with all warps of the block in this tile.
bool Tile::may_record() const {
  return pc_ > 0 && at(pc_ - 1).op == ir::Opcode::barrier && deferred_.empty() && forall_ == 0 &&
         values_.shape().warps == launch_.warps_of_block && !launch_.fast.timing_only &&
         !launch_.fast.unsure && !launch_.run.executions;
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
  launch_.fast.work.intervals.skipped += 1;
  launch_.fast.work.iterations.add({recorded.sums.iterations, recorded.sums.iterations});
  std::vector<std::int64_t>& numbers = launch_.tally.numbers();
  for (const auto& [place, more] : recorded.tally) numbers[place] += more;
  return budget.steps <= budget.limits->steps &&
         launch_.add_stages(UnitId::shared, recorded.sums.shared_stages, recorded.sums.logged) &&
         launch_.add_stages(UnitId::global, recorded.sums.memory_stages, 0);
}

bool Tile::replay_access(const Recorded::Step& step, const Register& elements) {
  const ir::Instruction& in = at(pc_);
  const Requests requests{pc_, 0, &elements, nullptr, &mask_};
  ArrayView& array = launch_.arrays[static_cast<std::size_t>(in.immediate)];
  if (step.kind == Recorded::Kind::store) return write_words(requests, array, values_[in.b]);
  if (!written(requests, array) || !read_words(requests, array)) return false;
  values_.commit(in.d, array.type, mask_, launch_.facts.writes_all[pc_]);
  return true;
}

Tile::Halt Tile::replay(const Recorded& recorded) {
  if (!count_replay(recorded)) return refuse(), Halt::halted;
  *log_ = recorded.log; // replayed steps log nothing
  std::uint32_t mask = 0;
  for (const Recorded::Step& step : recorded.steps) {
    if (step.kind == Recorded::Kind::set) {
      copy_register(recorded.values[step.value], values_.shape(), values_[step.target]);
      continue;
    }
    if (!launch_.poll()) return Halt::halted;
    if (step.mask != mask) {
      mask_ = recorded.masks[step.mask];
      mask = step.mask;
    }
    pc_ = step.pc;
    const bool done = step.kind == Recorded::Kind::execute
                          ? execute(at(pc_))
                          : replay_access(step, recorded.values[step.value]);
    if (!done) return Halt::halted;
  }
  values_.sets().set_all(mask_);
  longest_ = recorded.longest;
  foralls_ += recorded.foralls;
  pc_ = recorded.end;
  if (at(pc_).op == ir::Opcode::end) return Halt::end;
  ++pc_;
  depth_ = 0;
  for (const bool loop : recorded.loops) push(loop);
  return Halt::barrier;
}

} // namespace memlane::fast
