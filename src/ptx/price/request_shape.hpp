// What one operation of a warp asks of a memory unit: stages, sectors, words that lanes share.
#pragma once

#include "exec/memory.hpp"

#include "memlane/machine/spec.hpp"
#include "memlane/machine/stages.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace memlane::ptx {

/// Bytes of a word, and of the pieces in which NVIDIA's GPUs move global memory.
inline constexpr std::uint64_t word_bytes = 4, sector_bytes = 32;
/// Words that a lane accesses from its first one on: those of fewer than 4 bytes touch their word.
constexpr std::int64_t words_of_lane(int bytes) {
  return bytes <= static_cast<int>(word_bytes) ? 1 : bytes / static_cast<int>(word_bytes);
}

/// Words of a stage of a unit: its banks, or the words of its address groups.
inline constexpr std::int64_t words_of_stage = 32;

/// Stages of the accesses of a warp of 32 lanes to a unit of width 32, as stages_of_lanes
/// (machine/stages.hpp) finds them. Requires an active lane, and addresses at multiples of the
/// access's bytes. `group`: words of a unified unit's address group, a power of two.
std::int64_t stages_of(UnitKind kind, const LaneAddresses& lanes,
                       std::int64_t group = words_of_stage);
/// Pieces of 32 bytes that they touch.
std::int64_t sectors_of(const LaneAddresses& lanes);
/// Words that two lanes or more access.
std::int64_t shared_words_of(const LaneAddresses& lanes);

/// All three: sectors of global memory, and shared words of writes; and the stages that the words
/// need wherever they lie (needed_stages).
struct RequestCounts {
  std::int64_t stages = 0, sectors = 0, several = 0, needed = 1;
};
/// Quick where the lanes access words that follow each other, or one word.
RequestCounts counts_of(UnitKind kind, const LaneAddresses& lanes, bool write,
                        std::int64_t group = words_of_stage);

/// Of an atomic: its stages on a discrete unit of width 32 before their cost, as unmerged_stages
/// finds them.
std::int64_t unmerged_stages_of(const LaneAddresses& lanes);
/// Its groups of so many words, as atomic_groups finds them; the address `origin` is word 0.
void find_atomic_groups(const LaneAddresses& lanes, std::uint64_t origin, std::int64_t group,
                        std::vector<AtomicGroup>& groups);

} // namespace memlane::ptx
