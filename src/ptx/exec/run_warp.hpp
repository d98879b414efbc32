// A warp's way through its code: where its lanes part and meet, calls, barriers (PTX ISA 9.0,
// sections 3.1 and 9.7.12).
#pragma once

#include "image.hpp"

#include <cstdint>
#include <vector>

namespace memlane::ptx {

enum class WarpState : std::uint8_t {
  runs,
  at_barrier, ///< WarpRun::barrier
  yields,     ///< it waits for others: nanosleep, or a limit of steps
  ended,
  faulted,
};

/// What a barrier waits for.
struct BarrierWait {
  std::uint32_t number = 0;
  std::int64_t threads = 0; ///< 0: all of the block
  bool arrives_only = false, reduces = false;
};

/// Lanes that go the same way.
struct Path {
  std::int32_t at = 0;    ///< the next step
  std::int32_t meets = 0; ///< where they wait for others: then this path ends
  std::uint32_t lanes = 0;
};

/// A function under way.
struct Activation {
  const Code* code = nullptr;
  std::size_t first_path = 0; ///< the call's paths
  std::uint32_t lanes = 0;    ///< those that called it
  std::vector<std::uint8_t> frame, params;
  StepCount* counts = nullptr; ///< by step; null: nobody counts
};

class WarpRun {
public:
  /// A kernel's warp: `lanes` are its threads. `counts`: by Code::number, the counts of the
  /// function's steps; null: nobody counts.
  void start(const Image& image, const Code& kernel, std::uint32_t lanes, Memories& memories,
             StepCount* const* counts = nullptr);
  /// Executes up to so many steps. A barrier that it returned from has opened.
  WarpState run(std::int64_t steps);

  WarpState state() const { return state_; }
  std::uint32_t lanes() const { return live_; } ///< those that have not ended
  const BarrierWait& barrier() const { return barrier_; }
  std::int64_t executed() const { return executed_; }
  Warp& warp() { return warp_; }
  /// Fills the rows of special registers: `value(special, lane)`.
  template <class F>
  void fill_specials(F value);
  /// After `bar.red`: what the block's threads have said.
  void set_reduction(bool all, bool any, std::int64_t count);
  std::uint32_t reduction_votes() const;
  /// Executes up to so many steps more. Whether it has come back to the state in which it began:
  /// while memory stays as it is, it goes round for ever.
  bool goes_round(std::int64_t steps);

private:
  bool control(const Step& step);
  void branch(const Step& step);
  void branch_indexed(const Step& step);
  void call(const Step& step);
  void leave(std::uint32_t lanes);
  void end_lanes(std::uint32_t lanes);
  void enter(const Code& code, std::uint32_t lanes);
  void select_frame();
  void copy_params(const Activation& from, Activation& to, const std::vector<std::int32_t>& sources,
                   const std::vector<std::int32_t>& targets, std::uint32_t lanes);

  const Image* image_ = nullptr;
  StepCount* const* counts_ = nullptr;
  Warp warp_;
  std::vector<Activation> calls_;
  std::vector<Path> paths_;
  std::uint32_t live_ = 0;
  WarpState state_ = WarpState::runs;
  BarrierWait barrier_;
  const Step* waiting_ = nullptr;
  std::int64_t executed_ = 0;
};

template <class F>
void WarpRun::fill_specials(F value) {
  const Activation& now = calls_.back();
  for (const UsedSpecial& used : now.code->specials)
    for (int l = 0; l < warp_lanes; ++l) {
      const std::uint64_t number = value(used.special, l);
      if (used.bits == 64)
        destination<std::uint64_t>(warp_, used.place)[l] = number;
      else
        destination<std::uint32_t>(warp_, used.place)[l] = static_cast<std::uint32_t>(number);
    }
}

} // namespace memlane::ptx
