#include "run_warp.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace memlane::ptx {

namespace {

/// A warp with more nested calls has lost its way.
constexpr std::size_t most_calls = 4096;

} // namespace

void WarpRun::start(const Image& image, const Code& kernel, std::uint32_t lanes, Memories& memories,
                    StepCount* const* counts) {
  image_ = &image;
  counts_ = counts;
  warp_ = {};
  warp_.memories = &memories;
  calls_.clear();
  paths_.clear();
  live_ = lanes;
  state_ = WarpState::runs;
  executed_ = 0;
  enter(kernel, lanes);
}

void WarpRun::enter(const Code& code, std::uint32_t lanes) {
  Activation& made = calls_.emplace_back();
  made.code = &code;
  made.first_path = paths_.size();
  made.lanes = lanes;
  if (counts_) made.counts = counts_[code.number];
  made.frame.resize(static_cast<std::size_t>(code.frame.bytes) + 64);
  made.params.resize(static_cast<std::size_t>(code.param_bytes) * warp_lanes);
  paths_.push_back({0, static_cast<std::int32_t>(code.steps.size()), lanes});
  select_frame();
}

void WarpRun::select_frame() {
  Activation& now = calls_.back();
  const auto begin = reinterpret_cast<std::uintptr_t>(now.frame.data());
  warp_.base[0] = now.frame.data() + ((64 - begin % 64) % 64);
  warp_.base[1] = const_cast<std::uint8_t*>(now.code->constants.data());
  warp_.memories->params = now.params.data();
  warp_.memories->param_bytes = now.code->param_bytes;
}

WarpState WarpRun::run(std::int64_t steps) {
  state_ = WarpState::runs;
  while (steps > 0) {
    if (calls_.empty() || live_ == 0) return state_ = WarpState::ended;
    Activation& now = calls_.back();
    Path& path = paths_.back();
    path.lanes &= live_;
    if (path.lanes == 0 || path.at == path.meets) {
      if (paths_.size() > now.first_path + 1) {
        paths_.pop_back();
        continue;
      }
      leave(now.lanes);
      continue;
    }
    const Step& step = now.code->steps[static_cast<std::size_t>(path.at)];
    std::uint32_t mask = path.lanes;
    if (step.guard >= 0) {
      const std::uint32_t p = predicate(warp_, step.guard);
      mask &= step.guard_negated ? ~p : p;
    }
    warp_.mask = mask;
    ++executed_;
    --steps;
    if (now.counts && mask != 0) {
      StepCount& count = now.counts[path.at];
      ++count.warps;
      count.threads += std::popcount(mask);
      warp_.counted += count.counted ? 1 : 0;
      warp_.count = &count;
    }
    if (step.run) {
      if (mask != 0) {
        step.run(warp_, step);
        if (warp_.memories->fault.kind != FaultKind::none) return state_ = WarpState::faulted;
      }
      ++paths_.back().at;
      continue;
    }
    if (!control(step)) return state_;
  }
  return state_ = WarpState::yields;
}

/// False: the warp stops here, in `state_`.
bool WarpRun::control(const Step& step) {
  Path& path = paths_.back();
  switch (step.op->opcode) {
  case Opcode::bra: branch(step); return true;
  case Opcode::brx: branch_indexed(step); return true;
  case Opcode::ret:
    if (calls_.size() > 1) {
      // Lanes that return wait at the function's end.
      const std::uint32_t back = warp_.mask;
      for (std::size_t k = calls_.back().first_path; k < paths_.size(); ++k)
        paths_[k].lanes &= ~back;
      if (paths_.back().lanes != 0) ++paths_.back().at;
      return true;
    }
    [[fallthrough]];
  case Opcode::exit:
    ++path.at;
    end_lanes(warp_.mask);
    return true;
  case Opcode::call:
    ++path.at;
    if (warp_.mask != 0) call(step);
    return state_ == WarpState::runs;
  case Opcode::trap:
    ++path.at;
    if (warp_.mask == 0) return true;
    warp_.memories->fault = {
        FaultKind::trapped, std::countr_zero(warp_.mask), Space::generic, 0, 0, &step};
    state_ = WarpState::faulted;
    return false;
  case Opcode::nanosleep:
    ++path.at;
    state_ = WarpState::yields;
    return false;
  case Opcode::bar:
  case Opcode::barrier: {
    ++path.at;
    if (warp_.mask == 0 || step.op->words.has(Word::warp)) return true;
    if (warp_.mask != live_) {
      warp_.memories->fault = {
          FaultKind::parted_barrier, std::countr_zero(warp_.mask), Space::generic, 0, 0, &step};
      state_ = WarpState::faulted;
      return false;
    }
    const int lane = std::countr_zero(warp_.mask);
    barrier_ = {};
    if (step.a >= 0) barrier_.number = source<std::uint32_t>(warp_, step.a)[lane];
    if (step.b >= 0) barrier_.threads = source<std::uint32_t>(warp_, step.b)[lane];
    barrier_.arrives_only = step.op->words.has(Word::arrive);
    barrier_.reduces = step.op->words.has(Word::red);
    waiting_ = &step;
    state_ = WarpState::at_barrier;
    return false;
  }
  case Opcode::membar:
  case Opcode::fence:
    ++path.at;
    if (warp_.mask != 0 && warp_.memories->observer) warp_.memories->observer->fences(warp_, step);
    return true;                   // an interpreter's memory is in order
  default: ++path.at; return true; // hints
  }
}

void WarpRun::branch(const Step& step) {
  Path& path = paths_.back();
  const std::uint32_t taken = warp_.mask, others = path.lanes & ~taken;
  if (others == 0) {
    path.at = step.target;
    return;
  }
  if (taken == 0) {
    ++path.at;
    return;
  }
  const std::int32_t next = path.at + 1, meets = step.meets;
  // All wait at the post-dominator; a path that ends there anyway is not needed.
  if (path.meets == meets)
    paths_.pop_back();
  else
    path.at = meets;
  if (next != meets) paths_.push_back({next, meets, others});
  if (step.target != meets) paths_.push_back({step.target, meets, taken});
  // Both may have been where they meet: then the path below is next, or is needed after all.
  if (paths_.size() <= calls_.back().first_path)
    paths_.push_back(
        {meets, static_cast<std::int32_t>(calls_.back().code->steps.size()), taken | others});
}

void WarpRun::branch_indexed(const Step& step) {
  const Activation& now = calls_.back();
  const auto& targets = now.code->function->targets[static_cast<std::size_t>(step.target)];
  const auto* const index = source<std::uint32_t>(warp_, step.a);
  Path& path = paths_.back();
  std::uint32_t left = warp_.mask;
  const std::uint32_t others = path.lanes & ~warp_.mask;
  const std::int32_t next = path.at + 1, meets = step.meets;
  std::vector<Path> made;
  if (others != 0) made.push_back({next, meets, others});
  while (left != 0) {
    const std::uint32_t n = index[std::countr_zero(left)];
    std::uint32_t same = 0;
    for (int l = 0; l < warp_lanes; ++l)
      if ((left >> l & 1) != 0 && index[l] == n) same |= std::uint32_t{1} << l;
    left &= ~same;
    // Beyond the list, PTX does not say where lanes go: here to its last label.
    const std::size_t at = std::min<std::size_t>(n, targets.size() - 1);
    made.push_back({targets[at], meets, same});
  }
  if (made.size() == 1) {
    path.at = made[0].at;
    return;
  }
  path.at = meets;
  for (const Path& one : made)
    if (one.at != meets) paths_.push_back(one);
}

void WarpRun::end_lanes(std::uint32_t lanes) { live_ &= ~lanes; }

void WarpRun::copy_params(const Activation& from, Activation& to,
                          const std::vector<std::int32_t>& sources,
                          const std::vector<std::int32_t>& targets, std::uint32_t lanes) {
  for (std::size_t k = 0; k < std::min(sources.size(), targets.size()); ++k) {
    const auto source = static_cast<std::size_t>(sources[k]),
               target = static_cast<std::size_t>(targets[k]);
    const std::int64_t bytes = std::min(from.code->function->variables[source].bytes,
                                        to.code->function->variables[target].bytes);
    for (int l = 0; l < warp_lanes; ++l)
      if ((lanes >> l & 1) != 0)
        std::memcpy(to.params.data() + l * to.code->param_bytes + to.code->offsets[target],
                    from.params.data() + l * from.code->param_bytes + from.code->offsets[source],
                    static_cast<std::size_t>(bytes));
  }
}

/// Lanes that call different functions by address do so one after the other.
void WarpRun::call(const Step& step) {
  const Call& call = calls_.back().code->function->calls[static_cast<std::size_t>(step.target)];
  const auto fail = [&](FaultKind kind) {
    warp_.memories->fault = {kind, std::countr_zero(warp_.mask), Space::generic, 0, 0, &step};
    state_ = WarpState::faulted;
  };
  if (calls_.size() > most_calls) return fail(FaultKind::too_deep);
  std::int32_t function = call.function;
  std::uint32_t lanes = warp_.mask;
  if (function < 0) {
    const auto* const address = source<std::uint64_t>(warp_, step.a);
    const std::uint64_t first = address[std::countr_zero(lanes)];
    function = image_->function_at(first);
    std::uint32_t same = 0;
    for (int l = 0; l < warp_lanes; ++l)
      if ((lanes >> l & 1) != 0 && address[l] == first) same |= std::uint32_t{1} << l;
    if (same != lanes) {
      // The others come back to this step.
      const std::int32_t at = paths_.back().at - 1;
      paths_.push_back({at, at + 1, lanes & ~same});
      paths_.push_back({at + 1, at + 1, same});
      lanes = same;
    }
  }
  if (function < 0 || !image_->code(function).function->defined)
    return fail(FaultKind::no_function);
  const Code& code = image_->code(function);
  enter(code, lanes);
  Activation& callee = calls_.back();
  copy_params(calls_[calls_.size() - 2], callee, call.arguments, code.function->parameters, lanes);
}

/// The present function has ended for all its lanes.
void WarpRun::leave(std::uint32_t lanes) {
  paths_.resize(calls_.back().first_path);
  if (calls_.size() == 1) {
    calls_.clear();
    live_ = 0;
    return;
  }
  const Activation done = std::move(calls_.back());
  calls_.pop_back();
  Activation& now = calls_.back();
  const std::int32_t at = paths_.back().at - 1; // the call
  const Step& step = now.code->steps[static_cast<std::size_t>(at)];
  const Call& call = now.code->function->calls[static_cast<std::size_t>(step.target)];
  copy_params(done, now, done.code->function->results, call.results, lanes);
  select_frame();
}

bool WarpRun::goes_round(std::int64_t steps) {
  const std::vector<Path> paths = paths_;
  const std::vector<Activation> calls = calls_;
  const std::uint32_t carry = warp_.carry;
  const auto same_path = [](const Path& a, const Path& b) {
    return a.at == b.at && a.meets == b.meets && a.lanes == b.lanes;
  };
  const auto same_call = [](const Activation& a, const Activation& b) {
    return a.code == b.code && a.frame == b.frame && a.params == b.params;
  };
  for (; steps > 0; --steps) {
    if (run(1) != WarpState::yields) return false; // a barrier, its end, a fault
    if (paths_.size() != paths.size() || !same_path(paths_.back(), paths.back())) continue;
    if (warp_.carry == carry && std::equal(paths.begin(), paths.end(), paths_.begin(), same_path) &&
        std::equal(calls.begin(), calls.end(), calls_.begin(), calls_.end(), same_call))
      return true;
  }
  return false;
}

std::uint32_t WarpRun::reduction_votes() const {
  const std::uint32_t p = *source<std::uint32_t>(warp_, waiting_->e);
  return (waiting_->e_negated ? ~p : p) & warp_.mask;
}

void WarpRun::set_reduction(bool all, bool any, std::int64_t count) {
  warp_.mask = live_;
  const Words& words = waiting_->op->words;
  if (words.has(Word::popc)) {
    for_lanes<std::uint32_t>(warp_, waiting_->d,
                             [=](int) { return static_cast<std::uint32_t>(count); });
    return;
  }
  set_predicate(warp_, waiting_->d, (words.has(Word::and_) ? all : any) ? all_lanes : 0);
}

} // namespace memlane::ptx
