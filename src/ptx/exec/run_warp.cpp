#include "run_warp.hpp"

#include <algorithm>
#include <bit>

namespace memlane::ptx {

void WarpRun::start(const Image& image, const Code& kernel, std::uint32_t lanes, Memories& memories,
                    StepCount* const* counts) {
  image_ = &image;
  counts_ = counts;
  warp_ = {};
  warp_.memories = &memories;
  for (Activation& one : calls_) one.used = false;
  paths_.clear();
  unwritten_.clear();
  specials_.resize(static_cast<std::size_t>(image.special_bytes()) + 64);
  const auto begin = reinterpret_cast<std::uintptr_t>(specials_.data());
  warp_.base[in_specials] = specials_.data() + ((64 - begin % 64) % 64);
  live_ = lanes;
  state_ = WarpState::runs;
  executed_ = 0;
  round_.open = parted_ = false;
  current_ = -1;
  enter(kernel, lanes, -1);
}

void WarpRun::select_frame() {
  Activation& running = activation();
  selected_ = now().activation;
  const auto begin = reinterpret_cast<std::uintptr_t>(running.frame.data());
  warp_.base[0] = running.frame.data() + ((64 - begin % 64) % 64);
  warp_.scratch = running.code->frame.bytes;
  warp_.base[in_constants] = const_cast<std::uint8_t*>(running.code->constants.data());
  warp_.memories->params = running.params.data();
  warp_.memories->param_bytes = running.code->param_bytes;
  warp_.memories->local_base = running.local_base;
  warp_.memories->stack = running.stack.data();
  if (warp_.memories->reads) warp_.memories->reads->enter(now().activation);
}

WarpState WarpRun::go(std::int64_t steps) {
  if (live_ == 0 || paths_.empty()) return state_ = WarpState::ended;
  state_ = WarpState::runs;
  while (state_ == WarpState::runs) {
    if (paths_.empty() || live_ == 0) {
      paths_.clear();
      return state_ = WarpState::ended;
    }
    if (!pick()) {
      if (state_ != WarpState::runs) return state_;
      continue;
    }
    if (!run_path(steps)) break;
    if (steps <= 0 && state_ == WarpState::runs) {
      // Other lanes of the warp may have to do something first.
      if (!paths_.empty() && current_ >= 0 && current_ < static_cast<std::int32_t>(paths_.size()))
        now().skipped = true;
      state_ = WarpState::yields;
    }
  }
  return state_;
}

/// Chooses the path that goes on: the one that parted last, unless it has had its turn. False: none
/// can at once; `state_` says whether the warp has to wait.
bool WarpRun::pick() {
  bool skipped = false;
  for (auto k = static_cast<std::int32_t>(paths_.size()); k-- > 0;) {
    const Path& path = paths_[static_cast<std::size_t>(k)];
    if (path.state != Path::State::goes || path.children > 0) continue;
    if (path.skipped) {
      skipped = true;
      continue;
    }
    current_ = k;
    if (selected_ != path.activation) select_frame();
    return true;
  }
  if (skipped) {
    for (Path& path : paths_) path.skipped = false;
    return false;
  }
  if (resolve_masks()) return false;
  if (state_ != WarpState::faulted) state_ = WarpState::at_barrier;
  return false;
}

/// The steps of the chosen path, until it ends, parts, calls or waits. False: the warp stops, in
/// `state_`.
bool WarpRun::run_path(std::int64_t& steps) {
  const Step* const code = activation().code->steps.data();
  StepCount* const counts = activation().counts;
  const AwaitedReads* const reads = counts ? warp_.memories->reads : nullptr;
  std::int32_t at = now().at;
  const std::int32_t meets = now().meets;
  const std::uint32_t lanes = now().lanes;
  if (lanes == 0) {
    finish(current_);
    return true;
  }
  for (; steps > 0; --steps) {
    if (at == meets) {
      now().at = at;
      finish(current_);
      return true;
    }
    const Step& step = code[at];
    std::uint32_t mask = lanes;
    if (step.guard >= 0) {
      const std::uint32_t p = predicate(warp_, step.guard);
      mask &= step.guard_negated ? ~p : p;
    }
    warp_.mask = mask;
    ++executed_;
    if (unwritten_.any() && !pass_unwritten(step, lanes)) return false;
    if (reads && reads->any()) pass_reads(step, counts[at], lanes);
    if (counts && mask != 0) {
      StepCount& count = counts[at];
      ++count.warps;
      count.threads += mask == all_lanes ? warp_lanes : std::popcount(mask);
      warp_.counted += count.counted ? 1 : 0;
      if (count.operation >= 0) operate(count.operation);
      warp_.count = &count;
    }
    if (step.run) {
      if (mask != 0) {
        step.run(warp_, step);
        if (warp_.faulted && !take_unwritten(step)) {
          state_ = WarpState::faulted;
          return false;
        }
        if (unwritten_.any() && step.op->opcode == Opcode::st)
          unwritten_.stored(now().activation, step, warp_);
      }
      ++at;
      continue;
    }
    if (step.op->opcode == Opcode::bra && (mask == lanes || mask == 0)) {
      at = mask == 0 ? at + 1 : step.target;
      if (!step.may_wait || mask == 0) continue;
      now().at = at;
      if (!waits_in_vain()) continue;
      now().skipped = true;
      state_ = WarpState::yields;
      return false;
    }
    now().at = at;
    if (!control(step)) {
      --steps;
      return state_ == WarpState::runs;
    }
    // The path goes on.
    at = now().at;
  }
  now().at = at;
  return true;
}

/// A step with a unit of operations. Those of another class before it are told.
void WarpRun::operate(std::int8_t operation) {
  if (warp_.operation != operation) {
    if (warp_.operated > 0) warp_.memories->observer->operates(warp_);
    warp_.operation = operation;
    warp_.operated = 0;
  }
  ++warp_.operated;
}

/// Before a step of the path's lanes: tells which reads, or which steps, it needs.
void WarpRun::pass_reads(const Step& step, const StepCount& count, std::uint32_t lanes) {
  AwaitedReads& reads = *warp_.memories->reads;
  const auto needed = reads.pass(step, !count.counted, lanes, warp_.mask);
  if (reads.follows_all())
    warp_.memories->observer->executes(warp_, step, count, needed);
  else if (!needed.empty())
    warp_.memories->observer->needs(warp_, count, needed);
}

/// Before a step of the path's lanes. False: it uses words of shared memory that nothing has
/// written.
bool WarpRun::pass_unwritten(const Step& step, std::uint32_t lanes) {
  Fault fault;
  const std::int32_t activation = now().activation;
  if (unwritten_.pass_guard(activation, step, lanes, fault) &&
      (warp_.mask == 0 || step.together || unwritten_.pass(activation, step, warp_, fault)))
    return true;
  report(warp_, *fault.step, fault);
  state_ = WarpState::faulted;
  return false;
}

/// The step has a fault. True: it has only loaded words of shared memory that nothing has written,
/// or updated them.
bool WarpRun::take_unwritten(const Step& step) {
  LaneAddresses& lanes = warp_.memories->unwritten;
  if (lanes.mask == 0) return false;
  unwritten_.load(now().activation, step, lanes, *warp_.memories->shared_words);
  lanes.mask = 0;
  warp_.faulted = false;
  return true;
}

/// A step that is more than a handler. True: the same path goes on with the same lanes, at its
/// `at`.
bool WarpRun::control(const Step& step) {
  Path& path = now();
  switch (step.op->opcode) {
  case Opcode::bra:
    if (step.ends && activation().depth == 0) {
      // Lanes that return early are not waited for at barriers.
      ++path.at;
      end_lanes(warp_.mask);
      return false;
    }
    branch(step);
    return false;
  case Opcode::brx:
    if (warp_.mask == 0) {
      ++path.at;
      return true;
    }
    branch_indexed(step);
    return false;
  case Opcode::ret:
  case Opcode::exit:
    ++path.at;
    if (warp_.mask == 0) return true;
    if (step.op->opcode == Opcode::exit || activation().depth == 0)
      end_lanes(warp_.mask);
    else
      // They wait at the call, which the function's first path ends.
      for (Path& one : paths_)
        if (one.activation == path.activation) one.lanes &= ~warp_.mask;
    return false;
  case Opcode::call:
    ++path.at;
    if (warp_.mask == 0) return true;
    return call(step);
  case Opcode::trap:
    ++path.at;
    return warp_.mask == 0 || fail(FaultKind::trapped, step, warp_.mask);
  case Opcode::nanosleep:
    ++path.at;
    yield();
    return false;
  case Opcode::mbarrier: { // a wait
    ++path.at;
    if (warp_.mask == 0) return true;
    const bool over = is_phase_over(warp_, step);
    if (warp_.faulted) state_ = WarpState::faulted;
    if (warp_.faulted || over) return !warp_.faulted;
    yield(); // others may arrive first
    return false;
  }
  case Opcode::bar:
  case Opcode::barrier:
    ++path.at;
    if (warp_.mask == 0) return true;
    return step.op->words.has(Word::warp) ? together(step) : barrier(step);
  case Opcode::membar:
  case Opcode::fence:
    ++path.at;
    if (warp_.mask != 0 && warp_.memories->observer) warp_.memories->observer->fences(warp_, step);
    return true;      // an interpreter's memory is in order
  case Opcode::mov: { // a clock
    ++path.at;
    const auto time = static_cast<std::uint64_t>(executed_);
    const auto special = static_cast<Special>(step.op->a.index);
    const bool upper = special == Special::clock_hi || special == Special::globaltimer_hi;
    if (bits_of(step.op->type) == 64)
      for_lanes<std::uint64_t>(warp_, step.d, [=](int) { return time; });
    else
      for_lanes<std::uint32_t>(warp_, step.d, [=](int) {
        return static_cast<std::uint32_t>(upper ? time >> 32 : time);
      });
    return true;
  }
  default: ++path.at; return !step.together || warp_.mask == 0 || together(step);
  }
}

/// True: faults of this kind are allowed.
bool WarpRun::fail(FaultKind kind, const Step& step, std::uint32_t lanes, std::string detail) {
  if (report(warp_, step,
             {kind, std::countr_zero(lanes), Space::generic, 0, 0, &step, std::move(detail)}))
    return true;
  state_ = WarpState::faulted;
  return false;
}

// --- paths

void WarpRun::add_path(const Path& path) {
  if (path.parent >= 0) ++paths_[static_cast<std::size_t>(path.parent)].children;
  paths_.push_back(path);
}

/// The path's lanes have come to where it ends, or none are left.
void WarpRun::finish(std::int32_t number) {
  Path& path = paths_[static_cast<std::size_t>(number)];
  path.state = Path::State::done;
  const std::int32_t parent = path.parent;
  if (parent >= 0) --paths_[static_cast<std::size_t>(parent)].children;
  if (path.begins_call) {
    const std::int32_t ended = path.activation;
    if (parent >= 0) leave(ended, paths_[static_cast<std::size_t>(parent)]);
  }
  while (!paths_.empty() && paths_.back().state == Path::State::done) paths_.pop_back();
  current_ = -1;
}

/// The path waits at `meets` for its parts; parts that begin there need no path.
void WarpRun::part(std::int32_t meets, std::span<const Part> parts) {
  Path one = now();
  one.children = 0;
  one.begins_call = false;
  one.skipped = false;
  one.meets = meets;
  std::int32_t parent = current_;
  // A path that ends there anyway becomes one of its parts: a loop that lanes leave one after the
  // other needs no more paths than one that they leave together.
  const bool replaces = now().meets == meets && !now().begins_call;
  if (replaces) {
    parent = now().parent;
    now().lanes = 0;
    now().at = meets;
  } else {
    now().at = meets;
  }
  one.parent = parent;
  bool first = replaces;
  const std::int32_t from = current_;
  for (const auto& [at, lanes] : parts) {
    if (at == meets || lanes == 0) continue;
    one.at = at;
    one.lanes = lanes;
    if (first)
      paths_[static_cast<std::size_t>(from)] = one;
    else
      add_path(one);
    first = false;
  }
  current_ = -1;
}

void WarpRun::branch(const Step& step) {
  const std::uint32_t taken = warp_.mask, others = now().lanes & ~taken;
  const Part parts[] = {{now().at + 1, others}, {step.target, taken}};
  part(step.meets, parts);
}

void WarpRun::branch_indexed(const Step& step) {
  const auto& targets = activation().code->function->targets[static_cast<std::size_t>(step.target)];
  const auto* const index = source<std::uint32_t>(warp_, step.a);
  std::vector<Part> parts;
  std::uint32_t left = warp_.mask;
  if (const std::uint32_t others = now().lanes & ~left; others != 0)
    parts.emplace_back(now().at + 1, others);
  while (left != 0) {
    const std::uint32_t n = index[std::countr_zero(left)];
    std::uint32_t same = 0;
    for (int l = 0; l < warp_lanes; ++l)
      if ((left >> l & 1) != 0 && index[l] == n) same |= std::uint32_t{1} << l;
    left &= ~same;
    // Beyond the list, PTX does not say where lanes go: here to its last label.
    const std::int32_t target = targets[std::min<std::size_t>(n, targets.size() - 1)];
    const auto known = std::find_if(parts.begin(), parts.end(),
                                    [&](const auto& part) { return part.first == target; });
    if (known != parts.end())
      known->second |= same;
    else
      parts.emplace_back(target, same);
  }
  if (parts.size() == 1)
    now().at = parts[0].first;
  else
    part(step.meets, parts);
}

void WarpRun::end_lanes(std::uint32_t lanes) {
  live_ &= ~lanes;
  for (Path& path : paths_) path.lanes &= live_;
}

} // namespace memlane::ptx
