// A warp's way through its code: where its lanes part and meet, calls, barriers (PTX ISA 9.0,
// sections 3.1 and 9.7.12).
#pragma once

#include "image.hpp"
#include "unwritten.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <utility>
#include <vector>

namespace memlane::ptx {

enum class WarpState : std::uint8_t {
  runs,
  at_barrier, ///< all its lanes wait: some of them at barriers of the block, WarpRun::waits
  yields,     ///< it waits for others: nanosleep, or a limit of steps
  ended,
  faulted,
};

/// Lanes that go the same way. A lane is in one path that goes on, and in those that wait for it:
/// where lanes part, their path waits at the post-dominator for the paths of the parts. If these
/// wait for the lanes that are there, as for a lock that one of them has, it waits no longer.
struct Path {
  enum class State : std::uint8_t {
    goes,
    at_barrier, ///< Path::barrier
    at_mask,    ///< its step names lanes (Path::members) that are on other paths
    done,       ///< over: its place in the list is free when all behind it are
  };
  std::int32_t at = 0;    ///< the next step; of a path that waits for others, where they meet
  std::int32_t meets = 0; ///< where it ends
  std::uint32_t lanes = 0;
  std::int32_t parent = -1;    ///< waits for this path
  std::int32_t children = 0;   ///< that it waits for
  std::int32_t activation = 0; ///< of WarpRun
  State state = State::goes;
  bool begins_call = false; ///< its end is the call's
  bool skipped = false;     ///< others have their turn first
  std::uint32_t members = 0;
  BarrierWait barrier;
  const Step* waits_at = nullptr;
};

/// A function under way.
struct Activation {
  const Code* code = nullptr;
  std::uint32_t lanes = 0;                      ///< those that called it
  std::int32_t depth = 0;                       ///< nested calls
  std::int64_t local_base = 0;                  ///< of its variables in local memory
  std::array<std::int64_t, warp_lanes> stack{}; ///< by lane: bytes from there on that are in use
  std::vector<std::uint8_t> frame, params;
  StepCount* counts = nullptr; ///< by step; null: nobody counts
  bool used = false;

  /// Where functions that it calls have theirs, whose lanes have one base.
  std::int64_t local_end() const {
    const std::int64_t most = *std::max_element(stack.begin(), stack.end());
    return local_base + (most + 15) / 16 * 16;
  }
};

/// The latest round of a loop in which the warp may wait for others: from one pass of a branch, or
/// of an operation that lets others go on, to the next.
struct Round {
  bool open = false;    ///< what the warp does may yet turn out to be in vain
  bool stopped = false; ///< the warp has stopped where the round begins
  bool looks = true;    ///< rounds are looked for
  // How it began:
  std::int32_t path = -1, at = -1, activation = -1;
  std::uint32_t lanes = 0, carry = 0;
  std::int64_t writes = 0, executed = 0;
  std::vector<std::uint8_t> frame, local;
  // What was counted before it: of each function under way where, and what.
  std::vector<std::pair<StepCount*, std::vector<StepCount>>> counts;
  std::int64_t counted = 0, operated = 0;
  std::int8_t operation = -1;
};

/// Finds the branches of loops in which warps may wait: Step::may_wait. Requires the code's steps.
void find_waits(Code& code);

class WarpRun {
public:
  /// A kernel's warp: `lanes` are its threads. `counts`: by Code::number, the counts of the
  /// function's steps; null: nobody counts.
  void start(const Image& image, const Code& kernel, std::uint32_t lanes, Memories& memories,
             StepCount* const* counts = nullptr);
  /// Executes up to so many steps. If it returned `at_barrier`, one of `waits` has been opened.
  WarpState run(std::int64_t steps);

  WarpState state() const { return state_; }
  /// Executes up to so many steps more. Whether it has come back to the state in which it began:
  /// while memory stays as it is, it goes round for ever.
  bool goes_round(std::int64_t steps);
  /// Where lanes of it go on, as a fault.
  Fault wait() const;

  std::uint32_t lanes() const { return live_; } ///< those that have not ended
  /// Calls f(const BarrierWait&) for the barriers at which lanes wait.
  template <class F>
  void for_waits(F f) const {
    for (const Path& path : paths_)
      if (path.state == Path::State::at_barrier) f(path.barrier);
  }
  /// The barrier at which all its lanes wait for all of the block, on one path; null: it is not so.
  const BarrierWait* wait_of_all() const {
    if (paths_.size() != 1 || paths_[0].state != Path::State::at_barrier) return nullptr;
    const BarrierWait& wait = paths_[0].barrier;
    return wait.lanes == live_ && wait.threads == 0 && !wait.reduces ? &wait : nullptr;
  }
  /// Lanes that wait at this barrier go on, with what all have voted.
  void open(std::uint32_t number, const BarrierVotes& votes);
  /// Lanes that have come to where their ways meet become paths of their own, and no longer wait
  /// for the others: so it is on GPUs since Volta (CUDA Programming Guide, "Independent Thread
  /// Scheduling"). Returns whether there were any.
  bool part_lanes();
  /// The barrier at which its first lanes wait cannot open: Memories::fault.
  void fail_barrier();

  std::int64_t executed() const { return executed_; }
  Warp& warp() { return warp_; }
  const Warp& warp() const { return warp_; }
  /// Fills the rows of those special registers for which `is_filled(special)` with
  /// `value(special, lane)`. The others keep what they had before the warp was started.
  template <class G, class F>
  void fill_specials(G is_filled, F value);

private:
  // run_warp.cpp
  WarpState go(std::int64_t steps);
  bool pick();
  bool run_path(std::int64_t& steps);
  bool control(const Step& step);
  void operate(std::int8_t operation);
  void branch(const Step& step);
  void branch_indexed(const Step& step);
  /// Steps and the lanes that go on there.
  using Part = std::pair<std::int32_t, std::uint32_t>;
  void part(std::int32_t meets, std::span<const Part> parts);
  void add_path(const Path& path);
  void finish(std::int32_t number);
  void end_lanes(std::uint32_t lanes);
  void select_frame();
  void pass_reads(const Step& step, const StepCount& count, std::uint32_t lanes);
  bool pass_unwritten(const Step& step, std::uint32_t lanes);
  bool take_unwritten(const Step& step);
  bool fail(FaultKind kind, const Step& step, std::uint32_t lanes, std::string detail = {});

  // rounds.cpp
  bool waits_in_vain();
  void yield();
  void begin_round();
  void note_counts();
  void end_round(RoundEvent how);

  // calls.cpp
  void enter(const Code& code, std::uint32_t lanes, std::int32_t parent);
  bool call(const Step& step);
  bool call_builtin(const Function& function, const Call& call, const Step& step);
  void leave(std::int32_t activation, const Path& caller);
  void copy_params(const Activation& from, Activation& to, const std::vector<std::int32_t>& sources,
                   const std::vector<std::int32_t>& targets, std::uint32_t lanes);

  // meetings.cpp
  bool barrier(const Step& step);
  bool together(const Step& step);
  bool resolve_masks();
  void join_paths();
  void execute_together(const Step& step, std::uint32_t lanes);

  Path& now() { return paths_[static_cast<std::size_t>(current_)]; }
  Activation& activation() { return calls_[static_cast<std::size_t>(now().activation)]; }

  const Image* image_ = nullptr;
  StepCount* const* counts_ = nullptr;
  Warp warp_;
  UnwrittenValues unwritten_;
  std::deque<Activation> calls_; ///< places are used again
  std::vector<Path> paths_;
  std::int32_t current_ = -1;
  std::int32_t selected_ = -1; ///< the activation whose frame the warp has; -1: none
  std::vector<std::uint8_t> specials_;
  std::uint32_t live_ = 0;
  WarpState state_ = WarpState::runs;
  std::int64_t executed_ = 0;
  bool parted_ = false; ///< part_lanes has parted some
  Round round_;
};

template <class G, class F>
void WarpRun::fill_specials(G is_filled, F value) {
  for (const UsedSpecial& used : image_->specials()) {
    if (!is_filled(used.special)) continue;
    std::uint8_t* const row = warp_.base[in_specials] + used.offset;
    for (int l = 0; l < warp_lanes; ++l) {
      const std::uint64_t number = value(used.special, l);
      std::memcpy(row + l * used.bits / 8, &number, static_cast<std::size_t>(used.bits) / 8);
    }
  }
}

} // namespace memlane::ptx
