// Whether the blocks of a launch differ by nothing but a shift of their addresses: found in the
// code, before any of them is executed.
#pragma once

namespace memlane::fast {

struct LaunchRun;

struct AlikeBlocks {
  /// Between any two barriers, the warps of every block make the same requests, with the same
  /// stages and lanes, and as many operators.
  bool steps = false;
  /// Besides, nothing is found by executing a block but the first and the last: if they end
  /// without an error, all do.
  bool checks = false;
};

/// Conditions must not depend on the block, addresses only by a multiple of w that is the same in
/// all lanes; an index that depends on it must be the least in one of the two blocks and the
/// greatest in the other. Only on the papers' machines.
/// Cost: O(code), a few times.
AlikeBlocks alike_blocks(const LaunchRun& launch);

} // namespace memlane::fast
