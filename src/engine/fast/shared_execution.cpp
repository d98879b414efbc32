#include "shared_execution.hpp"

#include <map>
#include <utility>

namespace memlane::fast {

namespace {

/// Bytes of the blocks of a launch that are kept, and what one has beside its logs.
constexpr std::int64_t most_kept = std::int64_t{1} << 26, bytes_of_block = 1024;

/// The blocks of a launch, for timelines after the first.
class KeptBlocks {
public:
  KeptBlocks(LaunchRun& launch, const TakeBlock& take)
      : launch_(launch), take_(take), alike_(launch.execute_alike) {}

  bool take(std::int64_t block, ExecutedBlock& executed) {
    if (!take_(block, executed)) return false;
    if (alike_ && !kept_.empty()) return true;
    bytes_ += launch_.logged + bytes_of_block;
    if (bytes_ > most_kept) return give_up();
    kept_[block] = executed;
    return true;
  }

  /// Blocks that are alike ask the same, so that one of them does for all.
  void give(std::int64_t block, ExecutedBlock& executed) const {
    executed = alike_ ? kept_.begin()->second : kept_.at(block);
    executed.loads.of = {}; // bounds of another latency
  }
  bool alike() const { return alike_; }

  bool give_up() {
    launch_.fast.unshared = true;
    return launch_.fast.halt(Halted::unsure);
  }

private:
  LaunchRun& launch_;
  const TakeBlock& take_;
  bool alike_;
  std::map<std::int64_t, ExecutedBlock> kept_;
  std::int64_t bytes_ = 0;
};

/// The launch on another machine.
class LaunchElsewhere final : public TimedLaunch {
public:
  LaunchElsewhere(TimedRun& of_run, const LaunchRun& launch, const MachineSpec& on, bool alike)
      : TimedLaunch(of_run, on, launch.shape, launch.code, launch.tile_warps),
        limits_(*launch.run.budget.limits) {
    ordered = launch.ordered;
    if (alike) execute_alike = [](std::int64_t) { return true; };
  }

private:
  bool ask() override {
    const Stop asked = limits_.check ? limits_.check() : Stop::none;
    if (asked == Stop::none) return true;
    timed.stop = asked;
    return timed.halt(Halted::asked);
  }

  const Limits& limits_;
};

bool time_elsewhere(LaunchRun& launch, KeptBlocks& kept, const AlsoTimed& also) {
  TimedRun run;
  LaunchElsewhere there(run, launch, *also.machine, kept.alike());
  LaunchTally& tally = launch.elsewhere.emplace_back(empty_tally(*also.machine, launch.shape));
  const TakeBlock give = [&](std::int64_t block, ExecutedBlock& executed) {
    kept.give(block, executed);
    return true;
  };
  const Cycles limit = reference::last_time(*launch.run.budget.limits, *also.time);
  if (run_timeline(there, give, limit, tally)) return true;
  if (run.halted != Halted::asked) return kept.give_up();
  launch.fast.stop = run.stop;
  return launch.fast.halt(Halted::asked);
}

/// Executes the blocks of a launch for their counts. Their steps are forgotten at once.
class UntimedLaunch {
public:
  UntimedLaunch(LaunchRun& launch, BlockSource& blocks, const TakeBlock& take)
      : launch_(launch), blocks_(blocks), take_(take) {}

  bool run(LaunchTally& tally) {
    std::int64_t barriers = 0;
    for (std::int64_t block = 0; block < launch_.shape.blocks; ++block) {
      launch_.blocks_done = block;
      const bool alike = block > 0 && launch_.execute_alike;
      if (!launch_.poll()) return false;
      if (!alike) barriers = 0;
      if (!(alike ? launch_.execute_alike(block) : execute(block, barriers))) return false;
      tally.barriers += barriers;
    }
    return true;
  }

private:
  /// Counts its barriers.
  bool execute(std::int64_t block, std::int64_t& barriers) {
    if (take_) {
      ExecutedBlock executed;
      if (!take_(block, executed)) return false;
      for (; !executed.present().last; ++barriers) executed.advance();
      return true;
    }
    if (!blocks_.start(block)) return false;
    for (Interval interval; !interval.last; barriers += interval.last ? 0 : 1) {
      if (!blocks_.advance(interval)) return false;
      while (interval.partial) {
        for (StepLog& log : interval.tiles)
          log.drop(static_cast<std::uint32_t>(log.entries.size()));
        if (!launch_.poll() || !blocks_.extend(interval)) return false;
      }
    }
    BlockLoads unused;
    return blocks_.finish(unused);
  }

  LaunchRun& launch_;
  BlockSource& blocks_;
  const TakeBlock& take_;
};

} // namespace

void SharedObserver::executed(const Execution& execution) {
  own_.executions()->executed(execution);
  for (const AlsoTimed& also : also_) also.observer->executions()->executed(execution);
}

void SharedObserver::accessed(const WarpAccess& access) {
  own_.executions()->accessed(access);
  for (const AlsoTimed& also : also_) also.observer->executions()->accessed(access);
}

void SharedObserver::run_begins() {
  own_.run_begins();
  for (AlsoTimed& also : also_) {
    also.observer->run_begins();
    also.time = Cycles{0};
  }
}

void SharedObserver::concurrent_begins(std::int64_t stage) {
  own_.concurrent_begins(stage);
  for (const AlsoTimed& also : also_) also.observer->concurrent_begins(stage);
}

void SharedObserver::concurrent_ends() {
  own_.concurrent_ends();
  for (const AlsoTimed& also : also_) also.observer->concurrent_ends();
}

void SharedObserver::launch_begins(std::int64_t launch, const LaunchShape& shape,
                                   std::string_view kernel) {
  own_.launch_begins(launch, shape, kernel);
  for (const AlsoTimed& also : also_) also.observer->launch_begins(launch, shape, kernel);
}

bool run_timelines(LaunchRun& launch, BlockSource& blocks, const TakeBlock& take, Cycles limit,
                   LaunchTally& tally) {
  if (is_untimed(launch.machine)) {
    if (!UntimedLaunch(launch, blocks, take).run(tally)) return false;
    launch.elsewhere.assign(launch.fast.also.size(), tally);
    return true;
  }
  if (launch.fast.also.empty())
    return take ? run_timeline(launch, take, limit, tally)
                : run_timeline(launch, blocks, take, limit, tally);
  const TakeBlock execute = [&](std::int64_t block, ExecutedBlock& executed) {
    return take ? take(block, executed) : execute_block(blocks, block, executed);
  };
  KeptBlocks kept(launch, execute);
  const TakeBlock own = [&](std::int64_t block, ExecutedBlock& executed) {
    return kept.take(block, executed);
  };
  if (!run_timeline(launch, own, limit, tally)) return false;
  for (const AlsoTimed& also : launch.fast.also)
    if (!time_elsewhere(launch, kept, also)) return false;
  return true;
}

namespace {

/// How long requests were on their way, and which of them were the first to ask for a group,
/// differs from machine to machine.
void keep_timed(const std::vector<Tally>& timed, std::vector<Tally>& into) {
  for (std::size_t mp = 0; mp < into.size(); ++mp)
    for (std::size_t site = 0; site < into[mp].requests.size(); ++site) {
      const bool known = site < timed[mp].requests.size();
      const PortTally from = known ? timed[mp].requests[site].port : PortTally{};
      PortTally& port = into[mp].requests[site].port;
      port.flown = from.flown;
      port.reused = from.reused;
      port.reused_extra = from.reused_extra;
    }
}

} // namespace

void tell_others(std::span<AlsoTimed> also, std::vector<LaunchTally>& elsewhere,
                 const LaunchTally& own, std::int64_t stage, std::int64_t number) {
  for (std::size_t k = 0; k < elsewhere.size(); ++k) {
    LaunchTally& tally = elsewhere[k];
    keep_timed(std::exchange(tally.multiprocessors, own.multiprocessors), tally.multiprocessors);
    tally.stage = stage;
    *also[k].time += tally.time;
    also[k].observer->launch_ends(number, tally);
  }
}

} // namespace memlane::fast
