// What one operation of a warp asks of a memory unit: stages, sectors, words that lanes share.
#pragma once

#include "exec/memory.hpp"
#include "exec/neighbours.hpp"

#include "memlane/engine/kernel_info.hpp"
#include "memlane/engine/tally.hpp"
#include "memlane/machine/spec.hpp"
#include "memlane/machine/stages.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
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
  /// In units: a lane's first one, the one behind its last one, how many each lane has, and the
  /// bits of an address behind its unit.
  std::int64_t word(int k) const { return static_cast<std::int64_t>(addresses_[k] >> shift()); }
  std::int64_t end_word(int k) const { return word(k) + of_lane(); }
  std::int64_t of_lane() const {
    return lanes_.bytes < 4 ? lanes_.bytes : std::int64_t{lanes_.bytes / 4};
  }
  int shift() const { return lanes_.bytes < 4 ? 0 : 2; }
  /// Behind the lanes from this one on whose units are the same or follow each other; and up to
  /// `last`, are the same, or are not.
  int end_of_run(int k) const { return end_of(units().same | units().next, k, count_); }
  int end_of_same(int k, int last) const { return end_of(units().same, k, last); }
  int end_of_different(int k, int last) const { return end_of(~units().same, k, last); }
  /// Whether the bits of neighbours are set for all lanes from number `from` on.
  bool all(std::uint32_t bits, int from = 1) const {
    return (bits | ~(valid_ & all_lanes << from)) == all_lanes;
  }
  /// The lanes that have one before them: the bits that count.
  std::uint32_t valid() const { return valid_; }

private:
  static int end_of(std::uint32_t bits, int k, int last) {
    const std::uint64_t breaks = ~std::uint64_t{bits} & ~std::uint64_t{0} << (k + 1);
    return std::min(last, std::countr_zero(breaks));
  }
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
/// lanes or more access; the stages that the words need wherever they lie (needed_stages); and
/// RequestTally::added.
struct RequestCounts {
  std::int64_t stages = 0, sectors = 0, several = 0, needed = 1, added = 0;

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

/// Words of a row of 32 that lanes at equal distances access, each lane 2^shift words: the lane of
/// word k is `lane` + (k >> shift) * `step`.
struct RowPart {
  std::int64_t row = 0; ///< the row of the first active lane is 0
  std::uint32_t words = 0;
  std::int16_t lane = 0; ///< of word 0, also if that is none of the words
  std::int8_t step = 0;
  std::uint8_t shift = 0;
};
/// The words that a request accesses, by what races are looked for in, or none: lanes that are not
/// neighbours access the same words. Of neighbours with the same words the first one reads, the
/// last one writes.
std::vector<RowPart> row_parts(const RequestLanes& lanes, bool write);

/// An earlier request of an instruction. Many that follow have the same lanes with the same
/// distances, and begin at the same place of a bank and an address group: all counts are the same.
struct KnownRequest {
  LaneAddresses lanes; ///< without a lane: none is known
  Neighbours words, units;
  RequestCounts counts;
  std::int64_t groups = 0; ///< RequestTally::groups
  PortTally port;          ///< at a multiprocessor's own port
  bool may_race = false;
  std::vector<RowPart> parts;   ///< where races are looked for: row_parts
  std::uint64_t period = 0;     ///< moved by a multiple of so many bytes, its counts are the same
  mutable bool is_kept = false; ///< others refer to it

  bool is_like(const LaneAddresses& other) const;
  std::uint64_t first() const { return lanes.address[std::countr_zero(lanes.mask)]; }
};
/// KnownRequest::period of a unit with so many words in a group, at least those of 32 banks.
constexpr std::uint64_t period_of(std::int64_t group) {
  return static_cast<std::uint64_t>(group > words_of_stage ? group : words_of_stage) * word_bytes;
}

/// Some requests of each instruction.
class KnownRequests {
public:
  explicit KnownRequests(std::size_t sites) : of_sites_(sites) {}

  /// The only one that may be like this request.
  KnownRequest& find(std::size_t site, const LaneAddresses& lanes) {
    std::unique_ptr<KnownRequest>& known = place_of(site, lanes);
    if (!known) known = std::make_unique<KnownRequest>();
    return *known;
  }
  /// A place for this one instead.
  KnownRequest& renew(std::size_t site, const LaneAddresses& lanes) {
    std::unique_ptr<KnownRequest>& known = place_of(site, lanes);
    if (known->is_kept) {
      kept_.push_back(std::move(known));
      known = std::make_unique<KnownRequest>();
    }
    return *known;
  }

private:
  using OfSite = std::array<std::unique_ptr<KnownRequest>, 32>;
  std::unique_ptr<KnownRequest>& place_of(std::size_t site, const LaneAddresses& lanes) {
    // Other warps and rounds begin at other places of a bank, or have other lanes.
    const std::uint64_t word = lanes.address[std::countr_zero(lanes.mask)] / word_bytes;
    const auto count = static_cast<std::uint64_t>(std::popcount(lanes.mask));
    std::unique_ptr<OfSite>& all = of_sites_[site];
    if (!all) all = std::make_unique<OfSite>();
    return (*all)[static_cast<std::size_t>((word ^ word >> 3 ^ count) % all->size())];
  }

  std::vector<std::unique_ptr<OfSite>> of_sites_;
  std::vector<std::unique_ptr<KnownRequest>> kept_; ///< others have their places
};

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
