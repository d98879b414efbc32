#include "memlane/engine/replay_races.hpp"

#include "races.hpp"

#include <fmt/format.h>

#include <map>
#include <tuple>

namespace memlane {

struct ReplayRaces::State {
  std::int64_t width = 1;
  bool one_memory = false; ///< shared addresses are the same words for all blocks
  Phases phases;
  std::map<std::int64_t, std::uint32_t> phase_of; ///< phases of this launch's blocks
  Shadow global;
  std::map<std::int64_t, Shadow> shared; ///< keyed by block
  std::vector<Span> places;              ///< indexed by Access::site
  std::map<std::tuple<std::int32_t, std::uint32_t, std::uint32_t>, std::uint32_t> site_of;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> told; ///< places in counts.pairs
  RaceCounts counts;
  bool concurrent = false;            ///< the launch is in a `concurrent`
  bool independent = false;           ///< and not its first
  std::vector<std::int64_t> launches; ///< numbers of those that Phases::launch_of counts

  std::uint32_t phase(std::int64_t block) {
    const auto [at, is_new] = phase_of.try_emplace(block, 0);
    if (is_new) at->second = phases.begin(block);
    return at->second;
  }

  std::uint32_t site(Span span) {
    const auto [at, is_new] = site_of.try_emplace(std::tuple(span.file, span.begin, span.end),
                                                  static_cast<std::uint32_t>(places.size()));
    if (is_new) places.push_back(span);
    return at->second;
  }

  Shadow& shadow(const Dispatch& dispatch) {
    if (dispatch.request->unit == UnitId::global) return global;
    return shared[one_memory ? 0 : dispatch.warp.block];
  }

  std::string who(const Access& access) const {
    const std::string thread =
        fmt::format("thread {} of block {}", access.thread, phases.block_of(access.phase));
    if (launches.size() == 1) return thread;
    return fmt::format("launch {}, {}", launches[phases.launch_of(access.phase)], thread);
  }

  void tell(const Shadow::Found& found, const Access& access, const Request& request,
            std::int64_t address) {
    ++counts.races;
    const auto [pair, fresh] =
        told.try_emplace({found.earlier.site, access.site}, counts.pairs.size());
    if (!fresh) {
      ++counts.pairs[pair->second].races;
      return;
    }
    const AccessKind earlier = kind_of(found.earlier, found.earlier_writes);
    const char* const memory = request.unit == UnitId::global ? "global" : "shared";
    Diagnostic race =
        error_at(request.span, fmt::format("race at {} address {}: {} {} what {} {}", memory,
                                           address, who(access), verb_of(request.kind),
                                           who(found.earlier), past_of(earlier)));
    if (const Span there = places[found.earlier.site]; there.known()) {
      race.notes.push_back(
          note_at(there, fmt::format("{} {} it here", who(found.earlier), verb_of(earlier))));
    }
    counts.pairs.push_back({std::move(race), memory, "", request.kind, earlier, 1});
  }
};

ReplayRaces::ReplayRaces(const MachineSpec& machine) : state_(std::make_unique<State>()) {
  state_->width = machine.width;
  state_->one_memory = !machine.global.has_value();
}

ReplayRaces::~ReplayRaces() = default;

void ReplayRaces::concurrent_begins(std::int64_t) { state_->concurrent = true; }
void ReplayRaces::concurrent_ends() { state_->concurrent = state_->independent = false; }

void ReplayRaces::launch_begins(std::int64_t launch, const LaunchShape&, std::string_view) {
  state_->phases.begin_launch(state_->independent);
  if (!state_->independent) state_->launches.clear();
  state_->launches.push_back(launch);
  state_->independent = state_->concurrent;
  state_->phase_of.clear();
  state_->shared.clear(); // a DMM's addresses of shared arrays are those of other launches
}

// All lanes are checked before any is recorded: lanes of one request do not race with each other.
void ReplayRaces::dispatched(const Dispatch& dispatch) {
  const Request& request = *dispatch.request;
  Shadow& shadow = state_->shadow(dispatch);
  Access access;
  access.phase = state_->phase(dispatch.warp.block);
  access.warp = static_cast<std::uint32_t>(dispatch.warp.warp);
  access.site = state_->site(request.span);
  const auto each_lane = [&](auto act) {
    for (std::size_t lane = 0; lane < request.addresses.size(); ++lane) {
      if (request.addresses[lane] < 0) continue;
      access.thread = static_cast<std::uint32_t>(dispatch.warp.warp * state_->width) +
                      static_cast<std::uint32_t>(lane);
      for (std::int64_t word = 0; word < request.words_of_lane; ++word)
        act(request.addresses[lane] + word);
    }
  };
  const bool write = writes(request.kind);
  access.atomic = request.kind == AccessKind::atomic;
  each_lane([&](std::int64_t address) {
    Shadow::Found found;
    for (std::size_t plane = 0; plane < access_planes && found.conflict == Conflict::none; ++plane)
      if (may_race(access, plane))
        found = shadow.find(state_->phases, address, access, write, plane);
    if (found.conflict != Conflict::none) state_->tell(found, access, request, address);
  });
  each_lane([&](std::int64_t address) { shadow.record(state_->phases, address, access, write); });
}

void ReplayRaces::released(std::int64_t, std::int64_t block) {
  state_->phase_of[block] = state_->phases.begin(block);
}

const RaceCounts& ReplayRaces::counts() const { return state_->counts; }

} // namespace memlane
