// Random programs with `concurrent`, and what is known of their launches without running them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace memlane::test {

/// A word of an array.
using ArrayWord = std::pair<std::string, std::int64_t>;

/// A launch as the generator knows it.
struct KnownLaunch {
  std::int64_t stage = 0; ///< LaunchTally::stage
  std::set<ArrayWord> reads, writes;
};

struct ConcurrentProgram {
  std::string text;
  std::string in_order; ///< the same program without its `concurrent`s
  std::vector<KnownLaunch> launches;

  /// Whether two launches of one stage access a word that one of them writes.
  bool races() const;
  /// Whether these two do, at this word.
  bool race_at(std::size_t first, std::size_t second, const ArrayWord& word) const;
};

/// Program number `seed`: launches of kernels with one or several blocks on parts of three arrays,
/// in `concurrent`s and outside, in loops, ifs and procs. No launch races with itself.
ConcurrentProgram concurrent_program(std::uint64_t seed);

} // namespace memlane::test
