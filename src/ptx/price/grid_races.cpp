#include "grid_races.hpp"

#include "request_shape.hpp"

#include <fmt/format.h>

#include <bit>

namespace memlane::ptx {

bool may_race(const Operation& operation) {
  if (row_of(operation.opcode).effects == Effects::updates) return false;
  return !operation.words.any(Word::volatile_, Word::relaxed, Word::acquire, Word::release,
                              Word::acq_rel, Word::sc, Word::mmio);
}

/// One lane's access to one word or byte.
struct GridRaces::At {
  bool shared = false, write = false;
  std::uint64_t address = 0; ///< in its space
  Access access;
};

void GridRaces::begin_launch(const PricedKernel& kernel, const DeviceMemory& device) {
  kernel_ = &kernel;
  device_ = &device;
  phases_.begin_launch(false);
  published_.clear();
  first_phase_ = 0;
}

GridRaces::Block& GridRaces::begin_block(std::int64_t number) {
  if (free_.empty()) free_.push_back(blocks_.emplace_back(std::make_unique<Block>()).get());
  Block& block = *free_.back();
  free_.pop_back();
  block.number = number;
  block.unpublished.clear();
  block.fence = 0;
  block.shared_phases.begin_launch(false); // forgets the block that was here before
  begin_phase(block);
  return block;
}

void GridRaces::end_block(Block& block) { free_.push_back(&block); }

void GridRaces::begin_phase(Block& block) {
  block.phase = phases_.begin(block.number);
  if (published_.empty()) first_phase_ = block.phase;
  published_.push_back(0);
  block.unpublished.push_back(block.phase);
  block.shared_phase = block.shared_phases.begin(block.number);
}

void GridRaces::barrier(Block& block) { begin_phase(block); }

void GridRaces::fence(Block& block) {
  block.fence = ++fences_;
  for (const std::uint32_t phase : block.unpublished) published_[phase - first_phase_] = fences_;
  block.unpublished.clear();
  begin_phase(block);
}

bool GridRaces::ordered_by_fences(const Block& block, const Access& earlier) const {
  const std::uint64_t fence = published_[earlier.phase - first_phase_];
  return fence != 0 && fence < block.fence;
}

void GridRaces::access(Block& block, std::int64_t warp, std::size_t site,
                       const LaneAddresses& lanes) {
  At at;
  at.shared = lanes.space == Space::shared;
  at.write = writes(kernel_->info.sites[site].kind);
  const bool bytes = lanes.bytes < static_cast<int>(word_bytes);
  Shadow& shadow =
      at.shared ? (bytes ? block.shared_bytes : block.shared) : (bytes ? global_bytes_ : global_);
  const Phases& phases = at.shared ? block.shared_phases : phases_;
  at.access.phase = at.shared ? block.shared_phase : block.phase;
  at.access.warp = static_cast<std::uint32_t>(warp);
  at.access.site = static_cast<std::uint32_t>(site);
  const std::int64_t count = bytes ? lanes.bytes : words_of_lane(lanes.bytes);
  const std::uint64_t unit = bytes ? 1 : word_bytes;
  const auto each = [&](auto act) {
    for (std::uint32_t left = lanes.mask; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      at.access.thread = static_cast<std::uint32_t>(warp * warp_lanes + lane);
      for (std::int64_t k = 0; k < count; ++k) {
        at.address = lanes.address[lane] + static_cast<std::uint64_t>(k) * unit;
        act(static_cast<std::int64_t>(at.address / unit));
      }
    }
  };
  // All lanes are checked before any is recorded: those of one request do not race.
  each([&](std::int64_t word) {
    const Shadow::Found found = shadow.find(phases, word, at.access, at.write);
    if (found.conflict == Conflict::none) return;
    if (found.conflict == Conflict::blocks && ordered_by_fences(block, found.earlier)) return;
    tell(block, at, found);
  });
  each([&](std::int64_t word) { shadow.record(phases, word, at.access, at.write); });
}

void GridRaces::tell(const Block& block, const At& at, const Shadow::Found& found) {
  ++counts_.races;
  const std::pair sites{found.earlier.site, at.access.site};
  const auto [pair, fresh] = told_.try_emplace({kernel_, sites}, counts_.pairs.size());
  if (!fresh) {
    ++counts_.pairs[pair->second].races;
    return;
  }
  const auto range = at.shared ? nullptr : device_->find(at.address);
  const std::string memory = at.shared                       ? "shared"
                             : range && !range->name.empty() ? range->name
                                                             : "global";
  const std::uint64_t offset = range ? at.address - range->begin : at.address;
  const std::int64_t other = at.shared ? block.number : phases_.block_of(found.earlier.phase);
  const auto who = [](const Access& access, std::int64_t of_block) {
    return fmt::format("thread {} of block {}", access.thread, of_block);
  };
  Diagnostic race =
      error_at(kernel_->spans[at.access.site],
               fmt::format("race in kernel {} at byte {} of {}: {} {} what {} {}",
                           kernel_->info.name, offset, at.shared ? "shared memory" : memory,
                           who(at.access, block.number), at.write ? "writes" : "reads",
                           who(found.earlier, other), found.earlier_writes ? "wrote" : "read"));
  race.notes.push_back(note_at(kernel_->spans[found.earlier.site],
                               fmt::format("{} {} it here", who(found.earlier, other),
                                           found.earlier_writes ? "writes" : "reads")));
  counts_.pairs.push_back({std::move(race), memory, "", at.write, found.earlier_writes, 1});
}

} // namespace memlane::ptx
