// What static analysis finds out about a function before it runs.
#pragma once

#include "memlane/ir/program.hpp"
#include "memlane/support/limits.hpp"

#include <vector>

namespace memlane::fast {

struct Analysis {
  /// By instruction: no lane that is inactive there reads the destination register before it is
  /// written anew, so that it may be written in all lanes.
  std::vector<bool> writes_all;
  /// By instruction: a move whose source is read nowhere behind it before it is written, in no
  /// lane.
  std::vector<bool> takes;
  /// By instruction: the registers that are read behind it before they are written; behind an
  /// `again`, where the next round begins. Those that hold a constant throughout are left out.
  std::vector<std::vector<ir::Register>> live_behind; ///< empty except at barriers and agains
  /// By array of the program: whether the function writes it. Nothing races for what is only read.
  std::vector<bool> written;
  /// By instruction: an `again` whose loop is not known to end by counting.
  std::vector<bool> may_spin;
  /// Of these, whose rounds change nothing but registers: a round that leaves those that the next
  /// one reads as they were is followed by equal rounds, until some other tile writes.
  std::vector<bool> only_looks;
};

/// Registers are followed 64 at a time, each through the instructions between its first and its
/// last mention: time and memory grow with the function, and with what is live at its barriers.
/// Where `watch` stops, the facts are incomplete.
Analysis analyse(const ir::Program& program, const ir::Function& function, Watch& watch);

} // namespace memlane::fast
