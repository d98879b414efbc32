// What a tile's warps ask of the machine between two barriers, in order: for all of them at once
// where they ask the same.
#pragma once

#include "memlane/engine/stream.hpp"

#include <cstdint>
#include <vector>

namespace memlane::fast {

/// `repeat`: what a number of entries before it ask is asked again, many times.
enum class Ask : std::uint8_t { shared, global, compute, repeat };

/// `amount`: stages of a request, counted operators of a computation. If `each`, it is the
/// place of the first warp's amount among the log's amounts, and an amount of 0 means that the warp
/// has no such step. Of a repetition it is its number.
struct Entry {
  Ask ask = Ask::global;
  bool each = false;
  std::uint32_t amount = 0;

  bool operator==(const Entry&) const = default;
};

struct Repeat {
  std::uint32_t length = 0; ///< entries before the one of this repetition; none is a repetition
  std::int64_t times = 0;   ///< more than the once that stands there

  bool operator==(const Repeat&) const = default;
};

struct StepLog {
  std::vector<Entry> entries;
  std::vector<std::uint16_t> amounts;
  std::vector<Repeat> repeats;

  bool operator==(const StepLog&) const = default;
  void clear() {
    entries.clear();
    amounts.clear();
    repeats.clear();
  }
  /// What a warp, by its place in the tile, asks in each round of the repetition at entry `at`.
  struct Round {
    std::uint32_t requests = 0;
    std::int64_t computed = 0; ///< counted operators
  };
  Round round(std::uint32_t at, std::size_t place) const;
  /// How a reader goes on at a repetition: back to `next` with `left` times to come, or behind it.
  /// `left` is -1 outside repetitions. Where the warp makes no request in them, all are over at
  /// once: returns what it computes in them.
  std::int64_t repeat(std::uint32_t& next, std::int64_t& left, std::size_t place) const;
  /// Adds what each warp does. Amounts like those added before are not kept twice.
  void add_each(Ask ask, const std::uint16_t* each, std::size_t warps);
  /// Makes repetitions of what is asked again and again, or those that it has longer.
  void fold();
  /// Forgets the first entries, which all warps have passed. Requires that none is a repetition.
  void drop(std::size_t count);

private:
  void fold_runs();
  void widen_repeats();
};

/// Amounts of warps fit 16 bits: a request has at most as many stages as a warp has lanes.
inline constexpr std::int64_t most_amount = UINT16_MAX;

} // namespace memlane::fast
