#include "fast/block_run.hpp"

#include "block_run.hpp"
#include "counted_launch.hpp"
#include "execution_order.hpp"

#include <algorithm>
#include <utility>

namespace memlane::fast {

BlockRunner::BlockRunner(LaunchRun& launch, bool pauses)
    : launch_(launch), tile_(launch), pauses_(pauses),
      places_(launch.kernel, launch.run.memory, launch.run.machine) {
  shared_words_.resize(launch_.kernel.shared.size());
  tallies_.resize(static_cast<std::size_t>(launch_.run.machine.multiprocessors));
  view_memory();
}

void BlockRunner::view_memory() {
  const RunState& run = launch_.run;
  const Shape shape{launch_.tile_warps, static_cast<int>(run.machine.width)};
  launch_.arrays.resize(run.program.arrays.size());
  for (std::size_t k = 0; k < launch_.arrays.size(); ++k) {
    ArrayView& view = launch_.arrays[k];
    ArrayState& state = run.memory.arrays[k];
    const auto index = static_cast<std::int32_t>(k);
    const bool shared = run.program.arrays[k].space == ir::Space::shared;
    view.data = state.words.data();
    view.type = run.program.arrays[k].type;
    view.elements = state.elements;
    view.base = state.base;
    view.words = state.words_of_element;
    view.placement = &state.placement;
    view.unit = run.machine.global ? UnitId::global : UnitId::shared;
    view.tracked = launch_.facts.written[k] && !launch_.fast.timing_only;
    if (!shared && !launch_.fast.timing_only && (shared_with_others(k) || counts_alone(launch_)))
      view.blocks = &launch_.fast.shared_block_words()
                         .try_emplace(index, state.elements)
                         .first->second.notes_of(launch_.fast.runner);
    if (!view.tracked) continue;
    FastRun& fast = launch_.fast;
    RaceWords& words = fast.race_words.try_emplace(index, state.elements).first->second;
    words.hold(state.elements);
    Unproven& unproven = fast.unproven[{&launch_.kernel, index}];
    view.watch = &watches_.try_emplace(index, shape, words, unproven).first->second;
  }
}

/// Whether blocks that are not ordered to the present one may write the memory array, or read what
/// it writes: blocks of this launch, and of the others of its `concurrent`.
bool BlockRunner::shared_with_others(std::size_t array) const {
  const std::vector<bool>* const together = launch_.run.launch.written_together;
  if (together) return (*together)[array];
  return launch_.shape.blocks > 1 && launch_.facts.written[array];
}

bool BlockRunner::make_shared_arrays() {
  for (std::size_t k = 0; k < shared_words_.size(); ++k) {
    const auto index = static_cast<std::size_t>(launch_.kernel.shared[k]);
    ArrayView& view = launch_.arrays[index];
    const std::int64_t bytes = ir::size_of(view.type);
    view.unit = UnitId::shared;
    view.base = places_.address(block_, k);
    if (launch_.fast.timing_only) continue;
    if (!launch_.take_bytes(view.elements, bytes)) return launch_.fast.halt(Halted::refused);
    shared_words_[k].resize(static_cast<std::size_t>(view.elements * bytes));
    view.data = shared_words_[k].data();
    view.written.assign(static_cast<std::size_t>(view.elements), 0);
    view.unwritten = view.elements;
  }
  return true;
}

bool BlockRunner::start(std::int64_t block) {
  block_ = block;
  pc_ = 0;
  foralls_ = 0;
  states_.clear();
  interval_ = 0;
  launch_.own_bytes = launch_.tile_bytes = 0;
  launch_.stages = {};
  launch_.logged = 0;
  launch_.bound_steps(1);
  launch_.tally.clear();
  for (auto& [array, watch] : watches_) watch.begin_block();
  loads_ = {};
  return make_shared_arrays();
}

bool BlockRunner::advance(Interval& interval) {
  const InPhase phase(launch_.run.budget.clock, EnginePhase::execution);
  const auto tiles = static_cast<std::size_t>((launch_.warps_of_block + launch_.tile_warps - 1) /
                                              launch_.tile_warps);
  interval.tiles.resize(tiles);
  for (StepLog& log : interval.tiles) log.clear();
  begin_interval();
  if (tiles > 1) return advance_tiles(interval) && close_interval();
  if (pc_ == 0) tile_.start(block_, 0, launch_.tile_warps);
  return run_tile(interval);
}

bool BlockRunner::extend(Interval& interval) {
  const InPhase phase(launch_.run.budget.clock, EnginePhase::execution);
  return run_tile(interval);
}

bool BlockRunner::run_tile(Interval& interval) {
  constexpr std::size_t entries = 1 << 14; // most entries of a part
  if (pauses_) launch_.logged = 0;
  StepLog& log = interval.tiles[0];
  const std::size_t most = pauses_ ? log.entries.size() + entries : SIZE_MAX;
  const Tile::Halt halt = tile_.run(log, most);
  if (halt == Tile::Halt::halted) return false;
  pc_ = tile_.pc();
  interval.partial = halt == Tile::Halt::pause;
  interval.last = halt == Tile::Halt::end;
  if (interval.partial) return true;
  note_chains();
  return close_interval();
}

// The tiles of a block reach the same barriers: control around a barrier is uniform, unless
// accesses race.
bool BlockRunner::advance_tiles(Interval& interval) {
  const bool first = states_.empty();
  states_.resize(interval.tiles.size());
  std::size_t end = 0;
  std::uint32_t foralls = 0;
  bool any = false;
  if (launch_.ordered || order_.size() != states_.size())
    order_ = execution_order(launch_.run.options, static_cast<std::int64_t>(states_.size()),
                             {launch_.number, block_, -1, interval_});
  ++interval_;
  for (const std::int64_t tile : order_) {
    const auto k = static_cast<std::size_t>(tile);
    const std::int64_t first_warp = static_cast<std::int64_t>(k) * launch_.tile_warps;
    const auto warps =
        std::min<std::int64_t>(launch_.tile_warps, launch_.warps_of_block - first_warp);
    tile_.start(block_, first_warp, static_cast<int>(warps));
    if (!first) tile_.resume(states_[k], pc_, foralls_);
    const Tile::Halt halt = tile_.run(interval.tiles[k], SIZE_MAX);
    if (halt == Tile::Halt::halted) return false;
    note_chains();
    const bool last = halt == Tile::Halt::end;
    if (std::exchange(any, true) &&
        (tile_.pc() != end || last != interval.last || tile_.foralls() != foralls))
      return launch_.fast.halt(Halted::refused);
    end = tile_.pc();
    foralls = tile_.foralls();
    interval.last = last;
    if (last) continue;
    const std::int64_t before = states_[k].bytes();
    tile_.save(states_[k]);
    if (!launch_.take_tile_bytes(states_[k].bytes() - before))
      return launch_.fast.halt(Halted::refused);
  }
  pc_ = end;
  foralls_ = foralls;
  return true;
}

void BlockRunner::begin_interval() {
  longest_ = {};
  stages_before_ = launch_.stages;
  for (auto& [array, watch] : watches_) watch.begin_interval(pc_);
}

/// Notes those of the tile that has reached the end of the interval.
void BlockRunner::note_chains() {
  const Chains& chains = tile_.longest_chains();
  for (std::size_t unit = 0; unit < chains.size(); ++unit)
    for (std::size_t k = 0; k < chains[unit].size(); ++k)
      longest_[unit][k] = std::max(longest_[unit][k], chains[unit][k]);
}

bool BlockRunner::close_interval() {
  ++launch_.fast.work.intervals.total;
  launch_.add_interval(
      longest_, {launch_.stages[0] - stages_before_[0], launch_.stages[1] - stages_before_[1]},
      loads_);
  const Span at = launch_.kernel.code[pc_].span;
  for (auto& [array, watch] : watches_)
    if (!launch_.act_on(watch.end_interval(), array, at)) return false;
  return !launch_.fast.unsure || launch_.fast.halt(Halted::unsure);
}

bool BlockRunner::finish(BlockLoads& loads) {
  const MachineSpec& machine = launch_.run.machine;
  loads.of = loads_;
  loads.stages = launch_.stages;
  launch_.tally.add_to(tallies_[static_cast<std::size_t>(block_ % machine.multiprocessors)]);
  if (!reference::deals_statically(machine)) launch_.tally.add_to(loads.requests);
  for (std::size_t k = 0; k < launch_.arrays.size(); ++k)
    if (BlockNotes* blocks = launch_.arrays[k].blocks; blocks && !blocks->close_block())
      return launch_.fast.halt(Halted::refused);
  return true;
}

bool BlockRunner::execute(std::int64_t first, std::span<ExecutedBlock* const> executed) {
  if (executed.size() == 1) return execute_block(*this, first, *executed[0]);
  if (!together_) together_ = std::make_unique<BlocksTogether>(launch_);
  if (!together_->execute(first, executed)) return false;
  launch_.tally.add_each_to(tallies_, first);
  return true;
}

void BlockRunner::close() {
  if (launch_.run.launch.written_together) return; // later launches of its stage conflict with it
  for (auto& [array, words] : launch_.fast.block_words) words.clear();
}

} // namespace memlane::fast
