// Livelocks: launches whose warps repeat their states for ever.
//
// What a warp does depends on its own state and on the words that it reads. So a warp repeats for
// ever what it did between two moments at which its state was the same, if no word changes. If each
// warp of the blocks under way does so, or waits at a barrier for one that does, and none of them
// has changed a word meanwhile, then no word changes any more, none of these warps ends, and no
// other block starts.
#pragma once

#include "lanes.hpp"

#include <cstdint>
#include <optional>

namespace memlane {

/// The rounds of a warp's loops since a word of memory has changed.
class WarpRepeats {
public:
  enum class Found : std::uint8_t {
    nothing,
    repeats, ///< the state is an earlier one
    alone,   ///< and nothing was read in between: no other warp can end this
  };

  /// At the end of a round of a loop. `changes`: how often memory has changed in the launch.
  /// `budget` bounds the copy of the state.
  Found round_ends(const Lanes& lanes, std::uint64_t changes, Budget& budget);
  void reads() { ++reads_; }
  void passes_barrier() { ++barriers_; }
  /// Whether the warp repeats its states, since memory changed so often.
  bool repeats(std::uint64_t changes) const { return repeats_ && changes_ == changes; }
  /// … and passes no barrier while it does.
  bool without_barrier() const { return !barrier_; }
  /// Bytes taken from the budget.
  std::int64_t bytes() const { return bytes_; }

private:
  bool keep(const Lanes& lanes, Budget& budget);

  std::uint64_t changes_ = 0;
  std::int64_t rounds_ = 0, next_ = 0; ///< since then; when the next state is kept
  std::int64_t reads_ = 0, barriers_ = 0;
  std::optional<Lanes::State> kept_;
  std::int64_t reads_before_ = 0, barriers_before_ = 0; ///< as it was kept
  std::int64_t bytes_ = 0;
  bool repeats_ = false, barrier_ = false;
};

} // namespace memlane
