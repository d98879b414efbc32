// Where lanes wait for others: barriers of the block, and operations of the warp that name the
// lanes that take part (PTX ISA 9.0, sections 9.7.13.1, 9.7.13.2 and 9.7.9.6).
#include "run_warp.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace memlane::ptx {

/// The path stands behind the barrier. True: it goes on.
bool WarpRun::barrier(const Step& step) {
  if (round_.open) end_round(RoundEvent::counts);
  const std::uint32_t lanes = warp_.mask;
  const bool aligned = step.op->opcode == Opcode::bar || step.op->words.has(Word::aligned);
  if (aligned && lanes != live_ && !parted_ && !fail(FaultKind::parted_barrier, step, lanes))
    return false;
  const int lane = std::countr_zero(lanes);
  BarrierWait wait;
  if (step.a >= 0) wait.number = source<std::uint32_t>(warp_, step.a)[lane];
  if (step.b >= 0) wait.threads = source<std::uint32_t>(warp_, step.b)[lane];
  if (wait.number >= barriers_of_block)
    return fail(FaultKind::stuck_barrier, step, lanes,
                "there is no barrier " + std::to_string(wait.number));
  if (step.op->words.has(Word::arrive)) {
    if (warp_.memories->barriers)
      warp_.memories->barriers->arrived[wait.number] +=
          lanes == live_ ? warp_lanes : std::popcount(lanes);
    return true;
  }
  wait.lanes = lanes;
  wait.reduces = step.op->words.has(Word::red);
  if (wait.reduces) {
    const std::uint32_t p = *source<std::uint32_t>(warp_, step.e);
    wait.votes = (step.e_negated ? ~p : p) & lanes;
  }
  if (lanes != now().lanes) {
    // A guarded barrier: its lanes wait for themselves, the others for them.
    Path one = now();
    one.parent = current_;
    one.meets = one.at;
    one.lanes = lanes;
    one.begins_call = false;
    add_path(one);
    current_ = static_cast<std::int32_t>(paths_.size()) - 1;
  }
  now().state = Path::State::at_barrier;
  now().barrier = wait;
  now().waits_at = &step;
  current_ = -1;
  return false;
}

void WarpRun::open(std::uint32_t number, const BarrierVotes& votes) {
  for (std::size_t k = 0; k < paths_.size(); ++k) {
    Path& path = paths_[k];
    if (path.state != Path::State::at_barrier || path.barrier.number != number) continue;
    path.state = Path::State::goes;
    if (!path.barrier.reduces) continue;
    current_ = static_cast<std::int32_t>(k);
    select_frame();
    warp_.mask = path.lanes;
    const Step& step = *path.waits_at;
    const Words& words = step.op->words;
    if (words.has(Word::popc))
      for_lanes<std::uint32_t>(warp_, step.d,
                               [&](int) { return static_cast<std::uint32_t>(votes.count); });
    else
      set_predicate(warp_, step.d, (words.has(Word::and_) ? votes.all : votes.any) ? all_lanes : 0);
  }
  current_ = -1;
  if (parted_) join_paths();
}

/// Paths that stand at the same place become one.
void WarpRun::join_paths() {
  const auto joins = [](const Path& a, const Path& b) {
    return a.state == Path::State::goes && b.state == Path::State::goes && a.children == 0 &&
           b.children == 0 && a.at == b.at && a.meets == b.meets && a.parent == b.parent &&
           a.activation == b.activation && !b.begins_call;
  };
  for (std::size_t k = 0; k < paths_.size(); ++k)
    for (std::size_t other = paths_.size(); other-- > k + 1;) {
      if (!joins(paths_[k], paths_[other])) continue;
      paths_[k].lanes |= std::exchange(paths_[other].lanes, 0);
      finish(static_cast<std::int32_t>(other));
    }
}

bool WarpRun::part_lanes() {
  bool parts = false;
  for (std::size_t k = 0; k < paths_.size(); ++k) {
    Path one = paths_[k];
    // A function that was called returns with all its lanes at once.
    if (one.children == 0 || (one.begins_call && one.parent >= 0)) continue;
    std::uint32_t lanes = one.lanes;
    for (const Path& other : paths_)
      if (other.parent == static_cast<std::int32_t>(k) && other.state != Path::State::done)
        lanes &= ~other.lanes;
    if (lanes == 0) continue;
    paths_[k].lanes &= ~lanes;
    one.lanes = lanes;
    one.children = 0;
    one.begins_call = one.skipped = false;
    add_path(one);
    parts = parted_ = true;
  }
  return parts;
}

void WarpRun::fail_barrier() {
  for (const Path& path : paths_)
    if (path.state == Path::State::at_barrier) {
      fail(FaultKind::stuck_barrier, *path.waits_at, path.barrier.lanes);
      return;
    }
}

void WarpRun::execute_together(const Step& step, std::uint32_t lanes) {
  warp_.mask = lanes;
  if (!step.together) return; // bar.warp
  if (Fault fault; unwritten_.any() && !unwritten_.pass(now().activation, step, warp_, fault)) {
    report(warp_, *fault.step, fault);
    state_ = WarpState::faulted;
    return;
  }
  warp_.inactive_source = 0;
  step.together(warp_, step);
  if (warp_.inactive_source == 0) return;
  if (!fail(FaultKind::inactive, step, warp_.inactive_source)) return;
  // CUDA leaves the value undefined. Sums of the last warp's lanes that are in use, which are
  // common, are right on GPUs: as if the other lanes had 0.
  warp_.mask = warp_.inactive_source;
  if (step.d >= 0) for_lanes<std::uint32_t>(warp_, step.d, [](int) { return 0U; });
  warp_.mask = lanes;
}

/// The path stands behind an operation whose mask names lanes. True: all of them are here, it is
/// executed, and the path goes on.
bool WarpRun::together(const Step& step) {
  const std::uint32_t lanes = warp_.mask;
  const Place place = step.together ? step.members : step.a;
  const std::uint32_t members =
      place < 0 ? lanes : source<std::uint32_t>(warp_, place)[std::countr_zero(lanes)];
  if ((members & live_) == lanes) {
    execute_together(step, lanes);
    return state_ == WarpState::runs;
  }
  if ((lanes & ~members) != 0) {
    // Lanes may have masks of their own, such as those of match.any: each set by itself.
    const auto* const row = source<std::uint32_t>(warp_, place);
    bool own = true;
    for (int l = 0; l < warp_lanes; ++l)
      own = own && ((lanes >> l & 1) == 0 || (row[l] >> l & 1) != 0);
    if (!own) {
      if (!fail(FaultKind::absent, step, lanes & ~members)) return false;
      execute_together(step, lanes);
      return state_ == WarpState::runs;
    }
    std::vector<std::pair<std::int32_t, std::uint32_t>> parts;
    for (std::uint32_t left = lanes; left != 0;) {
      const std::uint32_t wanted = row[std::countr_zero(left)];
      std::uint32_t same = 0;
      for (int l = 0; l < warp_lanes; ++l)
        if ((left >> l & 1) != 0 && row[l] == wanted) same |= std::uint32_t{1} << l;
      parts.emplace_back(now().at - 1, same);
      left &= ~same;
    }
    part(now().at, parts);
    return false;
  }
  // Lanes that are on other ways may come to it.
  if (lanes != now().lanes) {
    const Part those[] = {{now().at - 1, lanes}};
    part(now().at, those);
    return false;
  }
  now().state = Path::State::at_mask;
  now().members = members;
  now().waits_at = &step;
  current_ = -1;
  return false;
}

/// No path can go on. Those that wait for lanes at an operation of the warp do, if all lanes are
/// there, or if none of them can come any more. False: nothing has changed.
bool WarpRun::resolve_masks() {
  const auto waits = [](const Path& path) { return path.state == Path::State::at_mask; };
  const auto first = std::find_if(paths_.begin(), paths_.end(), waits);
  if (first == paths_.end()) return false;
  const auto meets = [&](const Path& a, const Path& b) {
    // Barriers of a warp meet wherever they are; values are exchanged at one operation.
    return waits(b) && a.members == b.members &&
           (a.waits_at == b.waits_at || (!a.waits_at->together && !b.waits_at->together)) &&
           (a.activation == b.activation || !a.waits_at->together);
  };
  const auto go_on = [&](const Path& from, std::uint32_t lanes) {
    const Path chosen = from;
    for (std::size_t k = 0; k < paths_.size(); ++k) {
      if (!meets(chosen, paths_[k])) continue;
      current_ = static_cast<std::int32_t>(k);
      paths_[k].state = Path::State::goes;
      paths_[k].skipped = false;
    }
    select_frame();
    execute_together(*chosen.waits_at, lanes);
    current_ = -1;
  };
  for (const Path& path : paths_) {
    if (!waits(path)) continue;
    std::uint32_t lanes = 0;
    for (const Path& other : paths_)
      if (meets(path, other)) lanes |= other.lanes;
    if ((path.members & live_ & ~lanes) != 0) continue;
    go_on(path, lanes);
    return state_ != WarpState::faulted;
  }
  // Lanes that wait at a barrier of the block may come when it has opened.
  for (const Path& path : paths_)
    if (path.state == Path::State::at_barrier) return false;
  const Path& path = *first;
  if (!fail(FaultKind::absent, *path.waits_at, path.lanes)) return false;
  std::uint32_t lanes = 0;
  for (const Path& other : paths_)
    if (meets(path, other)) lanes |= other.lanes;
  go_on(path, lanes);
  return state_ != WarpState::faulted;
}

} // namespace memlane::ptx
