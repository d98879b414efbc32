// Warps that follow a script: what each one does is written down before the run.
#pragma once

#include "support/machines.hpp"

#include "memlane/count/derive.hpp"
#include "memlane/engine/run.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace memlane::test {

using Lanes = std::vector<std::int64_t>;

/// One step of a warp, owning its request.
struct Act {
  StepKind kind = StepKind::request;
  Request request;
  std::int64_t count = 0;
  OperationClass operation = OperationClass::other;
  std::vector<std::uint32_t> awaited = {};
  std::int32_t instruction = -1; ///< of a wait
};

inline Act access(AccessKind kind, Lanes addresses, UnitId unit) {
  Act act;
  act.request.unit = unit;
  act.request.kind = kind;
  act.request.addresses = std::move(addresses);
  return act;
}
inline Act read(Lanes addresses, UnitId unit = UnitId::global) {
  return access(AccessKind::read, std::move(addresses), unit);
}
inline Act write(Lanes addresses, UnitId unit = UnitId::global) {
  return access(AccessKind::write, std::move(addresses), unit);
}
inline Act atomic(Lanes addresses, UnitId unit = UnitId::global) {
  return access(AccessKind::atomic, std::move(addresses), unit);
}
inline Act barrier() { return {StepKind::barrier, {}}; }
inline Act compute(std::int64_t count, OperationClass operation = OperationClass::other) {
  return {StepKind::compute, {}, count, operation};
}
/// For earlier requests of the warp: 1 is the latest; none given: all of them.
inline Act wait(std::vector<std::uint32_t> awaited = {}) {
  return {StepKind::wait, {}, 0, OperationClass::other, std::move(awaited)};
}
inline Act stop() { return {StepKind::stop, {}}; }

/// The acts of each (block, warp); a warp without any ends at once.
using Script = std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Act>>;

/// Tests run without asserts too.
inline void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

/// Numbers the sites of its requests: they are told apart by unit, direction and place.
inline std::map<std::tuple<UnitId, AccessKind, std::int32_t, std::uint32_t>, std::size_t>
number_sites(Script& script) {
  std::map<std::tuple<UnitId, AccessKind, std::int32_t, std::uint32_t>, std::size_t> sites;
  for (auto& [warp, acts] : script)
    for (Act& act : acts) {
      Request& of = act.request;
      of.site = sites.try_emplace({of.unit, of.kind, of.span.file, of.span.begin}, sites.size())
                    .first->second;
    }
  return sites;
}

/// Follows a script, and checks that the machine asks only what it may ask.
class ScriptStream : public WarpStream {
public:
  explicit ScriptStream(Script script)
      : script_(std::move(script)), sites_(number_sites(script_)) {}

  Status start(std::int64_t block, Tally& tally) override {
    tally.executed.resize(1); // computation
    tallies_[block] = &tally;
    log.push_back("start " + std::to_string(block));
    return Done{};
  }
  Result<Step> next(WarpRef warp) override {
    require(!pending_[{warp.block, warp.warp}], "next before perform");
    const auto acts = script_.find({warp.block, warp.warp});
    std::size_t& at = position_[{warp.block, warp.warp}];
    if (acts == script_.end() || at == acts->second.size()) return Step{};
    const Act& act = acts->second[at++];
    bool active = false;
    for (const std::int64_t address : act.request.addresses) active = active || address >= 0;
    pending_[{warp.block, warp.warp}] = act.kind == StepKind::request && active;
    if (act.kind == StepKind::compute) {
      std::int64_t& operators = tallies_.at(warp.block)->executed[0].warps;
      if (__builtin_add_overflow(operators, act.count, &operators)) operators = INT64_MAX;
    }
    if (at == trap_at && warp.block == 0 && warp.warp == 0) return error_in("trap", "in next");
    return Step{act.kind, &act.request, act.count, act.operation, act.instruction, act.awaited};
  }
  Status perform(WarpRef warp) override {
    require(pending_[{warp.block, warp.warp}], "perform without a request");
    pending_[{warp.block, warp.warp}] = false;
    if (trap_in_perform) return error_in("trap", "in perform");
    return Done{};
  }
  void released(std::int64_t block) override { log.push_back("release " + std::to_string(block)); }
  void finish(std::int64_t block) override { log.push_back("finish " + std::to_string(block)); }

  KernelInfo kernel(const MachineSpec& machine, const Sources& sources) const {
    KernelInfo kernel;
    kernel.instructions.resize(instructions);
    kernel.instructions[0].counted = true;
    for (std::size_t k = 1; k < instructions; ++k)
      kernel.instructions[k].line = {0, static_cast<std::int32_t>(k)};
    kernel.all_statements = false;
    kernel.sites.resize(sites_.size());
    for (const auto& [request, number] : sites_) {
      const auto& [unit, kind, file, begin] = request;
      SiteInfo& site = kernel.sites[number];
      site.unit = !machine.global ? UnitId::shared : !machine.shared ? UnitId::global : unit;
      site.kind = kind;
      if (begin > 0) site.line = {file, sources.begin({file, begin, begin}).line};
    }
    return kernel;
  }

  /// Instructions of waits have the line of their number.
  static constexpr std::size_t instructions = 8;
  std::vector<std::string> log;
  std::size_t trap_at = 0; ///< warp 0 of block 0 traps at this step, counted from 1
  bool trap_in_perform = false;

private:
  Script script_;
  std::map<std::tuple<UnitId, AccessKind, std::int32_t, std::uint32_t>, std::size_t> sites_;
  std::map<std::int64_t, Tally*> tallies_; ///< by block
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> position_;
  std::map<std::pair<std::int64_t, std::int64_t>, bool> pending_;
};

/// Keeps what an observer is told of dispatches.
struct Recorder : TimeObserver {
  struct Entry {
    std::int64_t time, block, warp, completion;
    bool operator==(const Entry&) const = default;
  };
  std::vector<Entry> entries;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::size_t> places;
  void completes(std::int64_t, WarpRef warp, std::int64_t number, Cycles completion) override {
    const auto found = places.find({warp.block, warp.warp, number});
    require(found != places.end() && entries[found->second].completion == Dispatch::unknown.value,
            "no request that completes");
    entries[found->second].completion = completion.value;
  }
  void dispatched(const Dispatch& dispatch) override {
    places[{dispatch.warp.block, dispatch.warp.warp, dispatch.number}] = entries.size();
    entries.push_back(
        {dispatch.time.value, dispatch.warp.block, dispatch.warp.warp, dispatch.completion.value});
  }
};

struct ScriptOutcome {
  Counts counts;
  Stop stop = Stop::none;
  Diagnostics errors;
};

/// Lines are those of `sources`.
inline ScriptOutcome run_script(const MachineSpec& machine, const LaunchShape& shape,
                                ScriptStream& stream, std::int64_t number, Cycles start,
                                const Limits& limits, const Sources& sources,
                                TimeObserver& observer) {
  LaunchOutcome outcome = run_launch(machine, shape, stream, number, start, limits, &observer);
  LaunchSums sums(stream.kernel(machine, sources), machine);
  sums.add(outcome.tally);
  return {sums.counts(), outcome.stop, std::move(outcome.errors)};
}

inline ScriptOutcome run(const MachineSpec& machine, LaunchShape shape, const Script& script,
                         const Limits& limits = {}) {
  ScriptStream stream(script);
  TimeObserver observer;
  return run_script(machine, shape, stream, 0, {0}, limits, Sources{}, observer);
}
inline std::int64_t time_of(const MachineSpec& machine, LaunchShape shape, const Script& script) {
  const ScriptOutcome outcome = run(machine, shape, script);
  require(outcome.stop == Stop::none, "the launch did not come to its end");
  return outcome.counts.time.value;
}

inline std::int64_t explained(const UnitCounts& unit) {
  return unit.busy + unit.idle_latency + unit.idle_barrier + unit.idle_drain + unit.idle_empty;
}

/// Thread i of `threads` reads (or writes) address(i), or nothing where it is negative: a request
/// for each warp, behind what the script has.
template <class F>
void add_access(Script& script, std::int64_t threads, std::int64_t width, bool writes, F&& address,
                std::int64_t block = 0, UnitId unit = UnitId::global) {
  for (std::int64_t warp = 0; warp * width < threads; ++warp) {
    Lanes lanes;
    for (std::int64_t i = warp * width; i < (warp + 1) * width; ++i) {
      lanes.push_back(i < threads ? address(i) : -1);
    }
    script[{block, warp}].push_back(writes ? write(lanes, unit) : read(lanes, unit));
  }
}
inline void add_barrier(Script& script, std::int64_t threads, std::int64_t width,
                        std::int64_t block = 0) {
  for (std::int64_t warp = 0; warp * width < threads; ++warp) {
    script[{block, warp}].push_back(barrier());
  }
}

} // namespace memlane::test
