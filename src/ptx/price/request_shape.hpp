// What one operation of a warp asks of a memory unit: stages, sectors, words that lanes share.
#pragma once

#include "exec/memory.hpp"
#include "exec/neighbours.hpp"

#include "memlane/engine/kernel_info.hpp"
#include "memlane/engine/tally.hpp"
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

struct KnownRequest;

/// The active lanes of a request, side by side, and how their words follow each other.
class RequestLanes {
public:
  /// Refers to the addresses. Requires an active lane.
  explicit RequestLanes(const LaneAddresses& lanes);
  /// The same, of lanes like those of a request that is known.
  RequestLanes(const LaneAddresses& lanes, const KnownRequest& known);
  RequestLanes(const RequestLanes&) = delete;
  RequestLanes& operator=(const RequestLanes&) = delete;

  const LaneAddresses& lanes() const { return lanes_; }
  /// Active lanes, and of one of them the lane's number and address.
  int count() const { return count_; }
  int lane(int k) const { return is_dense_ ? first_ + k : numbers_[k]; }
  std::uint64_t address(int k) const { return addresses_[k]; }
  /// Whether no inactive lane is between active ones.
  bool is_dense() const { return is_dense_; }

  /// By words of 4 bytes; and by what races are looked for in: by bytes where lanes access fewer.
  const Neighbours& words() const { return words_; }
  const Neighbours& units() const { return lanes_.bytes < 4 ? units_ : words_; }
  /// Whether the bits of neighbours are set for all lanes from number `from` on.
  bool all(std::uint32_t bits, int from = 1) const {
    return (bits | ~(valid_ & all_lanes << from)) == all_lanes;
  }
  /// The lanes that have one before them: the bits that count.
  std::uint32_t valid() const { return valid_; }

private:
  void find_active();

  const LaneAddresses& lanes_;
  int count_ = 0, first_ = 0;
  bool is_dense_ = true;
  std::uint32_t valid_ = 0;
  const std::uint64_t* addresses_ = nullptr;
  std::uint64_t kept_[warp_lanes]; ///< where they are not all the warp's
  std::uint8_t numbers_[warp_lanes];
  Neighbours words_, units_;
};

/// Stages of the accesses of a warp of 32 lanes to a unit of width 32, as stages_of_lanes
/// (machine/stages.hpp) finds them. Requires addresses at multiples of the access's bytes. `group`:
/// words of a unified unit's address group, a power of two.
std::int64_t stages_of(UnitKind kind, const RequestLanes& lanes,
                       std::int64_t group = words_of_stage);

/// Stages; sectors of global memory: pieces of 32 bytes that they touch; of writes, words that two
/// lanes or more access; and the stages that the words need wherever they lie (needed_stages).
struct RequestCounts {
  std::int64_t stages = 0, sectors = 0, several = 0, needed = 1;

  bool operator==(const RequestCounts&) const = default;
};
RequestCounts counts_of(UnitKind kind, const RequestLanes& lanes, bool write,
                        std::int64_t group = words_of_stage);

/// Whether the groups of a site's requests are served side by side: atomics of a unified unit.
bool is_served_by_groups(const MachineSpec& machine, const SiteInfo& site);
/// What a request of a site asks of the unit that serves it; of an atomic on a discrete unit, its
/// stages have their cost.
RequestCounts counts_on(const MachineSpec& machine, const SiteInfo& site,
                        const RequestLanes& lanes);

/// The latest request of an instruction. Most that follow have the same lanes with the same
/// distances, and begin at the same place of a bank and an address group: all counts are the same.
struct KnownRequest {
  LaneAddresses lanes; ///< without a lane: none is known
  Neighbours words, units;
  RequestCounts counts;
  std::int64_t groups = 0; ///< RequestTally::groups
  PortTally port;          ///< at a multiprocessor's own port
  bool may_race = false;

  /// `period`: bytes, a power of two; moved by a multiple of them, a request has the same counts.
  bool is_like(const LaneAddresses& other, std::uint64_t period) const;
};
/// KnownRequest::is_like of a unit with so many words in a group, at least those of 32 banks.
constexpr std::uint64_t period_of(std::int64_t group) {
  return static_cast<std::uint64_t>(group > words_of_stage ? group : words_of_stage) * word_bytes;
}

/// Of an atomic: its stages on a discrete unit of width 32 before their cost, as unmerged_stages
/// finds them.
std::int64_t unmerged_stages_of(const LaneAddresses& lanes);
/// The groups of so many words that a request touches, rising; of an atomic as atomic_groups finds
/// them, else with one lane each. The address `origin` is word 0.
void find_groups(const LaneAddresses& lanes, std::uint64_t origin, std::int64_t group,
                 AccessKind kind, std::vector<AtomicGroup>& groups);
/// What a request takes of its multiprocessor's own port; `reused` is not known.
PortTally port_of(const MachineSpec& machine, const RequestLanes& lanes);

} // namespace memlane::ptx
