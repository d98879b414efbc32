#include "grid_races.hpp"

#include "request_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace memlane::ptx {

bool may_race(const Operation& operation) {
  if (row_of(operation.opcode).effects == Effects::updates) return false;
  return !operation.words.any(Word::volatile_, Word::relaxed, Word::acquire, Word::release,
                              Word::acq_rel, Word::sc, Word::mmio);
}

void GridRaces::begin_launch(const PricedKernel& kernel, const DeviceMemory& device) {
  kernel_ = &kernel;
  device_ = &device;
  phases_.begin_launch();
}

GridRaces::Block& GridRaces::begin_block(std::int64_t number) {
  if (free_.empty()) free_.push_back(blocks_.emplace_back(std::make_unique<Block>()).get());
  Block& block = *free_.back();
  free_.pop_back();
  block.number = number;
  block.unpublished.clear();
  block.fence = 0;
  block.shared_phases.begin_launch(); // forgets the block that was here before
  begin_phase(block);
  return block;
}

void GridRaces::end_block(Block& block) { free_.push_back(&block); }

void GridRaces::begin_phase(Block& block) {
  block.phase = phases_.begin(block.number);
  block.unpublished.push_back(block.phase);
  block.shared_phase = block.shared_phases.begin(block.number);
}

void GridRaces::barrier(Block& block) { begin_phase(block); }

void GridRaces::fence(Block& block) {
  block.fence = ++fences_;
  for (const std::uint32_t phase : block.unpublished) phases_.published(phase) = fences_;
  block.unpublished.clear();
  begin_phase(block);
}

void GridRaces::access(Block& block, std::int64_t warp, std::size_t site,
                       const LaneAddresses& lanes) {
  Asked asked;
  asked.shared = lanes.space == Space::shared;
  asked.write = writes(kernel_->info.sites[site].kind);
  const bool bytes = lanes.bytes < static_cast<int>(word_bytes);
  asked.unit = bytes ? 1 : static_cast<std::int64_t>(word_bytes);
  RaceMemory& memory = asked.shared ? (bytes ? block.shared_bytes : block.shared)
                                    : (bytes ? global_bytes_ : global_);
  const RacePhases& phases = asked.shared ? block.shared_phases : phases_;
  LaneAccess access;
  access.phase = asked.shared ? block.shared_phase : block.phase;
  access.site = static_cast<std::uint16_t>(std::min<std::size_t>(site, UINT16_MAX));
  const std::int64_t count = bytes ? lanes.bytes : words_of_lane(lanes.bytes);
  // Accesses of one request are of one warp: they do not race with each other.
  for (std::uint32_t left = lanes.mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    access.thread = static_cast<std::uint16_t>(warp * warp_lanes + lane);
    const auto first = static_cast<std::int64_t>(lanes.address[lane]) / asked.unit;
    for (std::int64_t word = first; word < first + count; ++word) {
      RaceWord* const known = memory.find(word);
      if (!known) continue;
      if (const LaneAccess* const earlier =
              known->conflict(phases, access, block.fence, asked.write))
        tell(block, asked, word, access, *earlier, earlier == &known->writer);
      known->record(phases, access, asked.write);
    }
  }
}

void GridRaces::tell(const Block& block, const Asked& asked, std::int64_t word,
                     const LaneAccess& access, const LaneAccess& earlier, bool earlier_writes) {
  ++counts_.races;
  const std::pair<std::uint32_t, std::uint32_t> sites{earlier.site, access.site};
  const auto [pair, fresh] = told_.try_emplace({kernel_, sites}, counts_.pairs.size());
  if (!fresh) {
    ++counts_.pairs[pair->second].races;
    return;
  }
  const auto address = static_cast<std::uint64_t>(word * asked.unit);
  const auto range = asked.shared ? nullptr : device_->find(address);
  const std::string memory = asked.shared                    ? "shared"
                             : range && !range->name.empty() ? range->name
                                                             : "global";
  const std::int64_t other = asked.shared ? block.number : phases_.block_of(earlier.phase);
  const auto who = [](const LaneAccess& one, std::int64_t of_block) {
    return fmt::format("thread {} of block {}", one.thread, of_block);
  };
  Diagnostic race = error_at(
      kernel_->spans[access.site],
      fmt::format("race in kernel {} at byte {} of {}: {} {} what {} {}", kernel_->info.name,
                  range ? address - range->begin : address, asked.shared ? "shared memory" : memory,
                  who(access, block.number), asked.write ? "writes" : "reads", who(earlier, other),
                  earlier_writes ? "wrote" : "read"));
  race.notes.push_back(
      note_at(kernel_->spans[earlier.site], fmt::format("{} {} it here", who(earlier, other),
                                                        earlier_writes ? "writes" : "reads")));
  counts_.pairs.push_back({std::move(race), memory, "", asked.write, earlier_writes, 1});
}

} // namespace memlane::ptx
