// Pieces of work side by side, on the cores of this machine: the only threads there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace memlane::cli {

/// Work that comes in `count` pieces, which know nothing of each other.
struct Pieces {
  std::size_t count = 0;
  /// Does a piece; called by any thread, for several pieces at once.
  std::function<void(std::size_t)> work;
  /// Takes the result of a piece, in the order of the pieces, one at a time; by any thread. Empty:
  /// results wait where `work` put them.
  std::function<void(std::size_t)> take = {};
  /// Bytes that a piece holds, from the beginning of its work until it is taken. Empty: few.
  std::function<std::int64_t(std::size_t)> bytes = {};
};

/// Does all pieces with `jobs` threads at most, this one among them, and begins them in their
/// order. One whose bytes and those of the pieces under way are more than `memory` waits, unless
/// there is none under way. Nothing depends on the number of jobs but how long it takes. What
/// `work` or `take` throws ends the work: pieces under way are finished, and it is thrown here.
void do_pieces(std::size_t jobs, std::int64_t memory, const Pieces& pieces);

/// work(0) … work(count - 1), each in a thread of its own: SideBySide::run of a run's options.
void work_together(std::size_t count, const std::function<void(std::size_t)>& work);

} // namespace memlane::cli
