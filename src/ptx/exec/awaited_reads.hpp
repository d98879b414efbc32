// Where a warp has values of its reads that nothing has used yet, or of all its latest steps
// (configs/README.md section 10, "Requests in flight", "Reads that are hoisted").
#pragma once

#include "step.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace memlane::ptx {

/// Registers with values of reads, lane by lane. Requests of the warp have numbers that rise; where
/// all steps are followed, they have.
class AwaitedReads {
public:
  /// Follows all steps: what was needed may be needed again, until it is forgotten.
  void follow_all() { all_ = true; }
  bool follows_all() const { return all_; }
  bool any() const { return all_ || !rows_.empty(); }
  /// The function under way: its registers are meant.
  void enter(std::int32_t activation) { activation_ = activation; }
  /// The function is over: its registers are gone.
  void leave(std::int32_t activation) {
    std::erase_if(rows_, [=](const Row& row) { return row.activation == activation; });
  }

  /// Request or step `number` gives the step's destination its values in these lanes.
  void read(const Step& step, std::uint32_t lanes, std::int64_t number);
  /// Before a step is executed in lanes `mask` of `path`. A `free` one passes on what its sources
  /// have, any other one needs it, and everything needs its guard. Returns the reads that it needs.
  std::span<const std::int64_t> pass(const Step& step, bool free, std::uint32_t path,
                                     std::uint32_t mask);
  /// Forgets all but the reads for which this is true.
  template <class F>
  void keep_if(F is_kept) {
    std::erase_if(rows_, [&](const Row& row) { return !is_kept(row.number); });
  }
  /// The values of one read are those of another one.
  void rename(std::int64_t number, std::int64_t into) {
    for (Row& row : rows_)
      if (row.number == number) row.number = into;
  }
  /// All requests are complete.
  void clear() { rows_.clear(); }

private:
  struct Row {
    std::int32_t activation = 0;
    Place place = -1;
    std::uint32_t lanes = 0;
    std::int64_t number = 0;
  };

  template <class F>
  void find(Place place, std::uint32_t lanes, F f) const {
    if (place < 0) return;
    for (const Row& row : rows_)
      if (row.place == place && row.activation == activation_ && (row.lanes & lanes) != 0)
        f(row.lanes & lanes, row.number);
  }
  void need(Place place, std::uint32_t lanes);
  void forget(Place place, std::uint32_t lanes);

  std::vector<Row> rows_; ///< lanes of a place may have several reads
  std::int32_t activation_ = 0;
  bool all_ = false;
  std::vector<std::int64_t> needed_;
  std::vector<Row> passed_; ///< what a free step passes on
};

/// What stands for the values that parameters of calls have: a call and a return need them.
inline constexpr Place in_parameters = 0x7ffffffc;
/// The lanes' carry flags, and what is in their local memory.
inline constexpr Place in_carry = 0x7ffffff8, in_local = 0x7ffffff4;

} // namespace memlane::ptx
