#include "grid_races.hpp"

#include "exec/vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace memlane::ptx {

GridRaces::GridRaces() : alike_(best_handlers().alike) {}

bool may_race(const Operation& operation) {
  if (operation.opcode == Opcode::mbarrier) return false;
  if (row_of(operation.opcode).effects == Effects::updates) return true;
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

/// Lanes of a request whose words follow each other.
struct GridRaces::Run {
  Block& block;
  const Asked& asked;
  const RequestLanes& lanes;
  RaceMemory& memory;
  const RacePhases& phases;
  int first = 0, last = 0;  ///< of the lanes
  std::int64_t begin = 0;   ///< the first word
  std::int64_t of_lane = 1; ///< words of a lane: a power of two

  std::int64_t word_of(int k) const {
    return static_cast<std::int64_t>(lanes.address(k) >> asked.shift);
  }
  LaneAccess access(int k) const {
    return asked.access.behind(static_cast<std::uint64_t>(lanes.lane(k)));
  }
  std::size_t words() const {
    return static_cast<std::size_t>(word_of(last - 1) + of_lane - begin);
  }

  /// Each word's access: of lanes with the same words, the first that reads, the last that writes.
  void fill(LaneAccess* accesses) const {
    const auto up_to = [](int k) { return (std::uint64_t{1} << k) - 1; };
    if (of_lane == 1 && lanes.is_dense() &&
        (lanes.units().same & up_to(last) & ~up_to(first + 1)) == 0) {
      const LaneAccess one = access(first);
      for (int k = first; k < last; ++k)
        accesses[k - first] = one.behind(static_cast<std::uint64_t>(k - first));
      return;
    }
    for (int k = first; k < last; ++k) {
      if (!asked.write && k > first && (lanes.units().same >> k & 1) != 0) continue;
      std::fill_n(accesses + (word_of(k) - begin), of_lane, access(k));
    }
  }
};

void GridRaces::access(Block& block, std::int64_t warp, std::size_t site,
                       const RequestLanes& lanes) {
  Asked asked;
  asked.shared = lanes.lanes().space == Space::shared;
  const AccessKind kind = kernel_->info.sites[site].kind;
  asked.write = writes(kind);
  const bool bytes = lanes.lanes().bytes < static_cast<int>(word_bytes);
  asked.shift = bytes ? 0 : 2;
  asked.access =
      LaneAccess::of(asked.shared ? block.shared_phase : block.phase,
                     static_cast<std::uint64_t>(warp * warp_lanes),
                     std::min<std::size_t>(site, UINT16_MAX), kind == AccessKind::atomic);
  // Barriers order all accesses to shared memory.
  asked.oldest = asked.shared ? block.shared_phase : phases_.first();
  Run run{block, asked, lanes,
          asked.shared ? (bytes ? block.shared_bytes : block.shared)
                       : (bytes ? global_bytes_ : global_),
          asked.shared ? block.shared_phases : phases_};
  run.of_lane = bytes ? lanes.lanes().bytes : words_of_lane(lanes.lanes().bytes);
  std::uint32_t breaks = ~(lanes.units().same | lanes.units().next) & lanes.valid();
  std::int64_t begin = 0, end = 0; // of the words that the lanes before have read without a race
  do {
    run.first = run.last;
    run.last = breaks != 0 ? std::countr_zero(breaks) : lanes.count();
    run.begin = run.word_of(run.first);
    const std::int64_t run_end = run.begin + static_cast<std::int64_t>(run.words());
    if (begin <= run.begin && run_end <= end) continue;
    if (!access(run) || asked.write) continue;
    begin = run.begin;
    end = run_end;
  } while (std::exchange(breaks, breaks & (breaks - 1)) != 0);
}

/// Words whose earlier accesses are alike are looked at once. Whether there was no race.
bool GridRaces::access(Run& run) {
  const std::size_t words = run.words();
  const std::uint64_t oldest = std::uint64_t{run.asked.oldest} << 32;
  std::array<LaneAccess, static_cast<std::size_t>(warp_lanes) * 8> accesses;
  bool filled = false;
  for (std::size_t at = 0; at < words;) {
    RaceRows rows = run.memory.find(run.begin + static_cast<std::int64_t>(at), words - at);
    if (!rows.writer) at += rows.words;
    while (rows.writer && rows.words > 0) {
      const std::uint64_t* const numbers[] = {&rows.writer->bits, &rows.readers[0]->bits,
                                              &rows.readers[1]->bits};
      const std::size_t count = rows.words == 1 ? 1 : alike_(numbers, rows.words, oldest);
      const RaceWord word(rows);
      const LaneAccess one = run.access(run.first);
      if (word.conflict(run.phases, one, run.block.fence, run.asked.write))
        return access_one_by_one(run, run.begin + static_cast<std::int64_t>(at)), false;
      const NewReader reader = run.asked.write ? NewReader::none : word.place_of(run.phases, one);
      if (run.asked.write || reader != NewReader::none) {
        if (!std::exchange(filled, true)) run.fill(accesses.data());
        rows.record(accesses.data() + at, count, run.asked.write, reader);
      }
      at += count;
      rows = rows.behind(count);
    }
  }
  return true;
}

/// Lane by lane, from a word on: there is a race.
void GridRaces::access_one_by_one(Run& run, std::int64_t from) {
  for (int k = run.first; k < run.last; ++k) {
    const LaneAccess access = run.access(k);
    const std::int64_t first = run.word_of(k);
    for (std::int64_t at = std::max(first, from); at < first + run.of_lane; ++at) {
      const RaceRows rows = run.memory.find(at, 1);
      if (!rows.writer) continue;
      const RaceWord word(rows);
      // Accesses of one request are of one warp: they do not race with each other.
      if (const LaneAccess* const earlier =
              word.conflict(run.phases, access, run.block.fence, run.asked.write))
        tell(run, at, access, *earlier);
      rows.record(&access, 1, run.asked.write,
                  run.asked.write ? NewReader::none : word.place_of(run.phases, access));
    }
  }
}

void GridRaces::tell(const Run& run, std::int64_t word, const LaneAccess& access,
                     const LaneAccess& earlier) {
  const Block& block = run.block;
  const Asked& asked = run.asked;
  ++counts_.races;
  const std::pair<std::uint32_t, std::uint32_t> sites{earlier.site(), access.site()};
  const auto [pair, fresh] = told_.try_emplace({kernel_, sites}, counts_.pairs.size());
  if (!fresh) {
    ++counts_.pairs[pair->second].races;
    return;
  }
  const auto address = static_cast<std::uint64_t>(word) << asked.shift;
  const auto range = asked.shared ? nullptr : device_->find(address);
  const std::string memory = asked.shared                    ? "shared"
                             : range && !range->name.empty() ? range->name
                                                             : "global";
  const std::int64_t other = asked.shared ? block.number : phases_.block_of(earlier.phase());
  const auto who = [](const LaneAccess& one, std::int64_t of_block) {
    return fmt::format("thread {} of block {}", one.thread(), of_block);
  };
  const AccessKind now = kernel_->info.sites[access.site()].kind,
                   before = kernel_->info.sites[earlier.site()].kind;
  Diagnostic race = error_at(
      kernel_->spans[access.site()],
      fmt::format("race in kernel {} at byte {} of {}: {} {} what {} {}", kernel_->info.name,
                  range ? address - range->begin : address, asked.shared ? "shared memory" : memory,
                  who(access, block.number), verb_of(now), who(earlier, other), past_of(before)));
  race.notes.push_back(note_at(kernel_->spans[earlier.site()],
                               fmt::format("{} {} it here", who(earlier, other), verb_of(before))));
  counts_.pairs.push_back({std::move(race), memory, "", now, before, 1});
}

} // namespace memlane::ptx
