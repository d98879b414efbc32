#include "blocks_together.hpp"

#include "machine_rules.hpp"

#include <algorithm>
#include <utility>

namespace memlane::fast {

namespace {

/// The vectors of so many lanes fit a cache near the processor.
constexpr std::int64_t lanes_together = 1024;
/// Likewise the shared arrays of all blocks, in bytes.
constexpr std::int64_t shared_together = std::int64_t{1} << 19;
/// Logs of all blocks, in bytes: longer ones are not worth to be kept.
constexpr std::int64_t most_logged_together = std::int64_t{1} << 27;

} // namespace

std::int64_t BlocksTogether::most(const LaunchRun& launch, std::size_t threads) {
  const MachineSpec& machine = launch.run.machine;
  const bool alone = launch.ordered || launch.followed || launch.keyed || launch.run.executions ||
                     !launch.fast.together || reference::writes_exclusively(machine);
  if (alone || launch.warps_of_block > 1) return 1;
  const SharedPlaces places(launch.kernel, launch.run.memory, machine);
  std::int64_t bytes = 1;
  for (std::size_t k = 0; k < launch.kernel.shared.size(); ++k) {
    // Where they lie in one memory, a block's words have the banks of another's.
    if ((places.address(1, k) - places.address(0, k)) % machine.width != 0) return 1;
    const ArrayState& array =
        launch.run.memory.arrays[static_cast<std::size_t>(launch.kernel.shared[k])];
    bytes = reference::saturating_add(bytes, reference::saturating_multiply(array.elements, 9));
  }
  const std::int64_t lanes = launch.fast.tile_lanes > 0 ? launch.fast.tile_lanes : lanes_together;
  const std::int64_t most =
      std::max<std::int64_t>(1, std::min({lanes / machine.width, shared_together / bytes,
                                          static_cast<std::int64_t>(WordOwners::most_blocks)}));
  // As many groups for each thread, of about the same size.
  const std::int64_t blocks = launch.shape.blocks, parts = static_cast<std::int64_t>(threads);
  const std::int64_t groups = ((blocks - 1) / most / parts + 1) * parts;
  return std::max<std::int64_t>(1, (blocks - 1) / groups + 1);
}

BlocksTogether::BlocksTogether(LaunchRun& launch)
    : launch_(launch), tile_(launch),
      places_(launch.kernel, launch.run.memory, launch.run.machine) {
  shared_words_.resize(launch.kernel.shared.size());
}

bool BlocksTogether::execute(std::int64_t first, std::span<ExecutedBlock* const> executed) {
  const InPhase phase(launch_.run.budget.clock, EnginePhase::execution);
  members_.resize(executed.size());
  for (std::size_t k = 0; k < executed.size(); ++k) members_[k] = {executed[k], {}, {}};
  if (!start(first)) return false;
  for (;;) {
    log_.clear();
    const Tile::Halt halt = tile_.run(log_, SIZE_MAX);
    if (halt == Tile::Halt::halted) return false;
    if (launch_.logged > most_logged_together) return launch_.fast.halt(Halted::refused);
    log_.fold();
    const bool last = halt == Tile::Halt::end;
    if (!end_intervals(last)) return false;
    if (last) return finish();
  }
}

bool BlocksTogether::start(std::int64_t first) {
  launch_.own_bytes = launch_.tile_bytes = launch_.logged = 0;
  launch_.stages = {};
  launch_.tally.clear(members_.size());
  launch_.fast.blocks_together = true;
  launch_.fast.work.blocks.add({std::ssize(members_), std::ssize(members_)});
  launch_.bound_steps(std::ssize(members_));
  entries_ = 0;
  latest_ = nullptr;
  if (!make_shared_arrays(first)) return false;
  for (std::size_t k = 0; k < launch_.arrays.size(); ++k) {
    ArrayView& view = launch_.arrays[k];
    if (view.blocks) view.blocks->tell_apart(true);
    if (!view.tracked) continue;
    Unproven& unproven = launch_.fast.unproven[{&launch_.kernel, static_cast<std::int32_t>(k)}];
    view.watches =
        &watches_
             .try_emplace(k, static_cast<int>(launch_.run.machine.width), view.elements, unproven)
             .first->second;
    view.watches->begin(members_.size());
  }
  tile_.start_blocks(first, static_cast<int>(members_.size()));
  return true;
}

bool BlocksTogether::make_shared_arrays(std::int64_t first) {
  const auto blocks = static_cast<std::int64_t>(members_.size());
  for (std::size_t k = 0; k < shared_words_.size(); ++k) {
    ArrayView& view = launch_.arrays[static_cast<std::size_t>(launch_.kernel.shared[k])];
    const std::int64_t bytes = ir::size_of(view.type), all = view.elements * blocks;
    view.unit = UnitId::shared;
    view.base = places_.address(first, k);
    view.of_block = true;
    if (launch_.fast.timing_only) continue;
    if (!launch_.take_bytes(view.elements, bytes)) return launch_.fast.halt(Halted::refused);
    shared_words_[k].resize(static_cast<std::size_t>(all * bytes));
    view.data = shared_words_[k].data();
    view.written.assign(static_cast<std::size_t>(all), 0);
    view.unwritten = all;
  }
  return true;
}

/// Of the blocks that have come to a barrier, or to their end.
bool BlocksTogether::end_intervals(bool last) {
  for (std::size_t k = 0; k < members_.size(); ++k) {
    Member& member = members_[k];
    const std::array<std::int64_t, 2> more = member.log.append(log_, k);
    for (std::size_t unit = 0; unit < 2; ++unit) member.stages[unit] += more[unit];
    if (tile_.active(static_cast<int>(k)) > 0) close(k, last);
  }
  const std::size_t pc = tile_.pc();
  const Span at = launch_.kernel.code[pc].span;
  for (auto& [array, watches] : watches_)
    for (std::size_t k = 0; k < members_.size(); ++k)
      if (tile_.active(static_cast<int>(k)) > 0 &&
          !launch_.act_on(watches.next_interval(k, pc), static_cast<std::int32_t>(array), at))
        return false;
  return !launch_.fast.unsure || launch_.fast.halt(Halted::unsure);
}

void BlocksTogether::close(std::size_t place, bool last) {
  ++launch_.fast.work.intervals.total;
  Member& member = members_[place];
  const auto warp = static_cast<std::int64_t>(place);
  BlockLoads& loads = member.executed->loads;
  launch_.add_interval(launch_.chains.take_of(warp, warp + 1), member.stages, loads.of);
  for (std::size_t unit = 0; unit < 2; ++unit)
    loads.stages[unit] += std::exchange(member.stages[unit], 0);
  entries_ += static_cast<std::int64_t>(member.log.entries.size());
  const bool again = latest_ && latest_->last == last && latest_->tiles[0] == member.log;
  if (!again) {
    latest_ = std::make_shared<Interval>();
    latest_->tiles.push_back(std::move(member.log));
    latest_->last = last;
  }
  member.log.clear();
  member.executed->again(latest_);
}

bool BlocksTogether::finish() {
  if (!reference::deals_statically(launch_.run.machine))
    for (std::size_t k = 0; k < members_.size(); ++k)
      launch_.tally.add_to(members_[k].executed->loads.requests, static_cast<int>(k));
  launch_.logged = entries_ * static_cast<std::int64_t>(sizeof(Entry)) /
                   static_cast<std::int64_t>(members_.size());
  for (ArrayView& view : launch_.arrays) {
    view.of_block = false;
    view.watches = nullptr;
    if (!view.blocks) continue;
    if (!view.blocks->close_block()) return launch_.fast.halt(Halted::refused);
    view.blocks->tell_apart(false);
  }
  return true;
}

} // namespace memlane::fast
