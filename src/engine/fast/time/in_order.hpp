// The timeline of machines with one memory unit, where one block at a time is resident and nothing
// but requests takes time.
//
// The dispatcher never has a choice. Requests complete in the order of their dispatch, and a warp
// makes its next request at once. So warps become ready in the order of their dispatch, and the
// next waiting warp in cyclic order is the one that has waited longest. In each round every warp
// has one turn, when it is ready and the port is free.
#pragma once

#include "accounts.hpp"
#include "block_source.hpp"

#include "memlane/engine/run.hpp"

namespace memlane::fast {

class InOrderTimeline {
public:
  /// Whether it can time the launches of this shape.
  static bool serves(const MachineSpec& machine);

  InOrderTimeline(TimedLaunch& launch, BlockSource& blocks, Cycles limit);

  /// As Timeline::run.
  bool run(LaunchTally& tally);

private:
  /// Warps of one tile with their turns one after the other.
  struct Segment {
    std::size_t tile = 0;
    std::int64_t first = 0; ///< warp of the block
    std::int64_t count = 0;
    std::uint32_t next = 0;          ///< entry of the tile's log that is next for all of them
    std::int64_t left = -1;          ///< what is left of a repetition in the log
    std::vector<std::uint32_t> each; ///< or of each, once one has taken no part in an entry
    std::vector<std::int64_t> each_left;
    bool ended = false; ///< all of them
  };

  bool run_block();
  bool run_interval();
  void begin_segments();
  void add_segment(std::size_t tile, std::int64_t first, std::int64_t last);
  bool turn(Segment& segment);
  bool turn_of_each(Segment& segment);
  bool next_entry(Segment& segment, std::int64_t warp, std::uint32_t& next, std::int64_t& left);
  std::size_t place_in_tile(const Segment& segment, std::int64_t warp) const {
    return static_cast<std::size_t>(warp - static_cast<std::int64_t>(segment.tile) * tile_warps_);
  }
  bool find_repetition();
  bool add_repetition(const Segment& segment, std::int64_t warp, std::uint32_t next,
                      std::int64_t left);
  bool repeat_all();
  bool repeat_once();
  void skip_rounds(std::int64_t times, std::int64_t time);
  void note_offsets();
  void dispatch(std::int64_t warp, std::int64_t stages);
  void dispatch_all(const Segment& segment, const Entry& entry);
  void dispatch_first(std::int64_t first, std::int64_t end, const std::uint16_t* each,
                      std::int64_t stages);
  void dispatch_next(std::int64_t first, std::int64_t end, const std::uint16_t* each,
                     std::int64_t stages);
  void end_interval(bool barrier);
  bool drop_passed();

  TimedLaunch& launch_;
  BlockSource& blocks_;
  const UnitSpec& spec_;
  Cycles limit_;
  std::int64_t tile_warps_;
  UnitAccount* account_ = nullptr;
  Cycles now_{0}; ///< when the interval began; at its end, when the next begins
  reference::Port port_;
  reference::Ledger ledger_;
  Interval interval_;
  std::vector<Segment> segments_;
  std::vector<std::int64_t> begin_, ready_; ///< flight of each warp's latest request
  std::vector<std::uint8_t> asked_;         ///< warps that have made a request in this launch
  std::vector<std::uint8_t> fresh_;         ///< warps that have made none in this interval
  std::int64_t cursor_ = 0;
  // Of a repetition that all warps left are at:
  std::vector<std::size_t> repeating_; ///< the warps
  std::uint32_t requests_ = 0;         ///< requests of each in a round
  std::int64_t times_ = 0;             ///< rounds that are left to all
  std::vector<std::int64_t> offsets_;  ///< begin_ and ready_ of warps, from the port's last time on
  std::vector<std::int64_t> before_;   ///< a round earlier
  std::int64_t last_warp_ = -1;        ///< the last dispatched in this interval
  std::int64_t barriers_ = 0;
};

} // namespace memlane::fast
