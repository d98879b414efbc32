// Races of launches (configs/README.md section 7): unordered accesses of different warps to one
// word, at least one of them a write. Two atomics are none (section 11), nor is an access with an
// order (`volatile`, `relaxed`, `acquire`, …). Barriers order a block's accesses; fences order
// those of blocks and warps that both execute one. What is found is a lower bound: lanes of a warp
// execute together here, a barrier of some warps counts as one of all, and whether a fence belongs
// to a flag is not asked.
#pragma once

#include "price/priced_kernel.hpp"
#include "price/race_rows.hpp"
#include "price/request_shape.hpp"

#include "memlane/engine/outcome.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace memlane::ptx {

/// Whether races of the operation are looked for.
bool may_race(const Operation& operation);

class GridRaces {
public:
  /// A block under way.
  struct Block {
    std::int64_t number = 0;
    std::uint32_t phase = 0;                ///< in global memory
    std::vector<std::uint32_t> unpublished; ///< phases behind which it has executed no fence
    std::uint64_t fence = 0;                ///< its latest one; 0: none
    std::uint32_t shared_phase = 0;
    RacePhases shared_phases;
    RaceMemory shared, shared_bytes;
  };

  /// Refers to both until the launch ends. `written`: the memory that it may write to; none: any.
  void begin_launch(const PricedKernel& kernel, const DeviceMemory& device,
                    std::optional<WrittenPlaces::Ranges> written = {});
  Block& begin_block(std::int64_t block);
  void end_block(Block& block);
  void barrier(Block& block);
  void fence(Block& block);
  /// An access of a warp at a site; `parts`: its words (row_parts).
  void access(Block& block, std::int64_t warp, std::size_t site, const RequestLanes& lanes,
              std::span<const RowPart> parts);

  /// Memory of the heap that is new: what was accessed there is ordered before. Requires a multiple
  /// of 128 for `begin`.
  void renew(std::uint64_t begin, std::uint64_t bytes);

  const RaceCounts& counts() const { return counts_; }
  /// Whether more memory was accessed than can be watched: some races may not be found.
  bool is_partial() const {
    return global_.is_partial() || global_bytes_.is_partial() || has_missed_;
  }

private:
  struct Request;

  void begin_phase(Block& block);
  bool may_be_written(const RequestLanes& lanes, bool all) const;
  bool access(const Request& request, std::span<const RowPart> parts);
  void access_in_order(const Request& request);
  void look_across(const Request& request, RaceMemory& other);
  bool access(const Request& request, int first, int last);
  bool access(const Request& request, int lane, std::int64_t word, bool tells);
  void tell(const Request& request, std::int64_t word, const LaneAccess& access,
            const LaneAccess& earlier);

  const PricedKernel* kernel_ = nullptr;
  const DeviceMemory* device_ = nullptr;
  std::optional<WrittenPlaces::Ranges> written_;
  bool has_missed_ = false; ///< other memory was written, whose reads are not known
  RacePhases phases_;
  /// By word; by byte, of accesses of fewer than 4 bytes. Each looks into the other one, too.
  RaceMemory global_, global_bytes_;
  std::uint64_t fences_ = 0;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<Block*> free_;
  RaceCounts counts_;
  /// Places in counts_.pairs, by kernel and sites.
  std::map<std::pair<const PricedKernel*, std::pair<std::uint32_t, std::uint32_t>>, std::size_t>
      told_;
};

} // namespace memlane::ptx
