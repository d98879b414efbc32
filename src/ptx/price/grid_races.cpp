#include "grid_races.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace memlane::ptx {

bool may_race(const Operation& operation) {
  if (operation.opcode == Opcode::mbarrier) return false;
  if (row_of(operation.opcode).effects == Effects::updates) return true;
  return !operation.words.any(Word::volatile_, Word::relaxed, Word::acquire, Word::release,
                              Word::acq_rel, Word::sc, Word::mmio);
}

void GridRaces::begin_launch(const PricedKernel& kernel, const DeviceMemory& device,
                             std::optional<WrittenPlaces::Ranges> written) {
  kernel_ = &kernel;
  device_ = &device;
  written_ = std::move(written);
  // All that earlier launches accessed is ordered before.
  phases_.restart();
  global_.clear();
  global_bytes_.clear();
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
  for (const std::uint32_t phase : block.unpublished) phases_.publish(phase, fences_);
  block.unpublished.clear();
  begin_phase(block);
}

/// A request, as its lanes have it in common.
struct GridRaces::Request {
  Block& block;
  const RequestLanes& lanes;
  RaceMemory& memory;
  const RacePhases& phases;
  bool shared = false, write = false;
  std::uint32_t oldest = 0; ///< phase: what was accessed before it is ordered
  LaneAccess first{};       ///< of the warp's first lane

  LaneAccess access(int k) const { return first.behind(static_cast<std::uint64_t>(lanes.lane(k))); }
  const LaneAccess* conflict(const RaceWord& word, const LaneAccess& access) const {
    return word.conflict(phases, access, block.fence, write);
  }
  void record(RaceRow& row, const RaceRow::Alike& at, const LaneAccesses& accesses,
              const LaneAccess& one) const {
    if (write)
      row.write(at, accesses, memory.room());
    else
      row.read(at, accesses, at.word.place_of(phases, one), memory.room());
  }
};

void GridRaces::access(Block& block, std::int64_t warp, std::size_t site, const RequestLanes& lanes,
                       std::span<const RowPart> parts) {
  const bool shared = lanes.lanes().space == Space::shared;
  const bool bytes = lanes.lanes().bytes < static_cast<int>(word_bytes);
  const AccessKind kind = kernel_->info.sites[site].kind;
  if (!shared && !writes(kind) && !may_be_written(lanes, false)) return;
  if (!shared && writes(kind)) has_missed_ = has_missed_ || !may_be_written(lanes, true);
  RaceMemory& words = shared ? block.shared : global_;
  RaceMemory& single = shared ? block.shared_bytes : global_bytes_;
  RaceMemory& memory = bytes ? single : words;
  RaceMemory& other = bytes ? words : single;
  // Barriers order all accesses to shared memory.
  const Request request{block,
                        lanes,
                        memory,
                        shared ? block.shared_phases : phases_,
                        shared,
                        writes(kind),
                        shared ? block.shared_phase : phases_.first(),
                        LaneAccess::of(shared ? block.shared_phase : block.phase,
                                       static_cast<std::uint64_t>(warp * warp_lanes),
                                       std::min<std::size_t>(site, UINT16_MAX),
                                       kind == AccessKind::atomic)};
  if (!other.empty()) look_across(request, other);
  if (parts.empty() || !access(request, parts)) access_in_order(request);
}

/// Races of words with their bytes, or of bytes with their words: a lane tells of one.
void GridRaces::look_across(const Request& request, RaceMemory& other) {
  const RequestLanes& lanes = request.lanes;
  const bool to_words = lanes.shift() == 0;
  for (int k = 0; k < lanes.count(); ++k) {
    const std::int64_t first = to_words ? lanes.word(k) / 4 : 4 * lanes.word(k);
    const std::int64_t last = to_words ? (lanes.end_word(k) - 1) / 4 : 4 * lanes.end_word(k) - 1;
    const LaneAccess access = request.access(k);
    for (std::int64_t at = first; at <= last; ++at) {
      RaceRow* const row = other.known(at / RaceRow::words);
      if (!row || row->forget_before(request.oldest)) continue;
      const RaceRow::Alike found = row->look_at(std::uint32_t{1} << at % RaceRow::words);
      const LaneAccess* const earlier = request.conflict(found.word, access);
      if (!earlier) continue;
      tell(request, to_words ? lanes.word(k) : at / 4, access, *earlier);
      break;
    }
  }
}

void GridRaces::renew(std::uint64_t begin, std::uint64_t bytes) {
  const auto forget = [&](RaceMemory& memory, std::uint64_t bytes_of_row) {
    for (std::uint64_t at = begin / bytes_of_row; at * bytes_of_row < begin + bytes; ++at)
      if (RaceRow* const row = memory.known(static_cast<std::int64_t>(at)))
        row->forget_before(UINT32_MAX);
  };
  forget(global_, RaceRow::words * word_bytes);
  forget(global_bytes_, RaceRow::words);
}

/// Some of it, or all of it.
bool GridRaces::may_be_written(const RequestLanes& lanes, bool all) const {
  if (!written_) return true;
  for (int first = 0, last = 0; first < lanes.count(); first = last) {
    last = lanes.end_of_run(first);
    const std::uint64_t begin = lanes.address(first);
    const std::uint64_t end =
        lanes.address(last - 1) + static_cast<std::uint64_t>(lanes.lanes().bytes);
    const bool known = std::any_of(written_->begin(), written_->end(), [=](const auto& range) {
      return begin < range.second && range.first < end;
    });
    if (known != all) return known;
  }
  return all;
}

/// Row by row. False: there is a race. What was recorded until then is recorded again without a
/// change.
bool GridRaces::access(const Request& request, std::span<const RowPart> parts) {
  const std::int64_t first_row = request.lanes.word(0) / RaceRow::words;
  // Rows of global memory are seldom in a cache: they come side by side.
  if (!request.shared && parts.size() > 1)
    for (const RowPart& part : parts)
      __builtin_prefetch(request.memory.find(first_row + part.row), 1);
  for (const RowPart& part : parts) {
    RaceRow* const row = request.memory.find(first_row + part.row);
    if (!row) continue;
    const LaneAccesses accesses{request.first.behind(static_cast<std::uint64_t>(part.lane)),
                                part.step, part.shift};
    if (row->forget_before(request.oldest)) {
      row->begin(part.words, accesses, request.write);
      continue;
    }
    for (std::uint32_t left = part.words; left != 0;) {
      const RaceRow::Alike at = row->look_at(left);
      const LaneAccess one = accesses.of(std::countr_zero(left));
      if (request.conflict(at.word, one)) return false;
      request.record(*row, at, accesses, one);
      left &= ~at.words;
    }
  }
  return true;
}

/// Lanes whose words follow each other, one after the other.
void GridRaces::access_in_order(const Request& request) {
  const RequestLanes& lanes = request.lanes;
  std::int64_t begin = 0, end = 0; // of the words that the lanes before have read without a race
  for (int first = 0, last = 0; first < lanes.count(); first = last) {
    last = lanes.end_of_run(first);
    const std::int64_t run_begin = lanes.word(first), run_end = lanes.end_word(last - 1);
    if (begin <= run_begin && run_end <= end) continue;
    if (!access(request, first, last) || request.write) continue;
    begin = run_begin;
    end = run_end;
  }
}

/// Whether there was no race. Of lanes with the same words, the first one reads, the last one
/// writes; from a word with a race on, all do.
bool GridRaces::access(const Request& request, int first, int last) {
  const RequestLanes& lanes = request.lanes;
  for (int k = first, end = 0; k < last; k = end) {
    end = lanes.end_of_same(k, last);
    for (std::int64_t at = lanes.word(k); at < lanes.end_word(k); ++at) {
      if (access(request, request.write ? end - 1 : k, at, false)) continue;
      for (int lane = k; lane < last; ++lane)
        for (std::int64_t word = std::max(lanes.word(lane), at); word < lanes.end_word(lane);
             ++word)
          access(request, lane, word, true);
      return false;
    }
  }
  return true;
}

/// A lane's access to one word. False: there is a race, and it is not recorded, as it is not told.
bool GridRaces::access(const Request& request, int lane, std::int64_t word, bool tells) {
  RaceRow* const row = request.memory.find(word / RaceRow::words);
  if (!row) return true;
  row->forget_before(request.oldest);
  const LaneAccess access = request.access(lane);
  const RaceRow::Alike at = row->look_at(std::uint32_t{1} << word % RaceRow::words);
  // Accesses of one request are of one warp: they do not race with each other.
  const LaneAccess* const earlier = request.conflict(at.word, access);
  if (earlier && !tells) return false;
  if (earlier) tell(request, word, access, *earlier);
  request.record(*row, at, {access}, access);
  return true;
}

void GridRaces::tell(const Request& request, std::int64_t word, const LaneAccess& access,
                     const LaneAccess& earlier) {
  const Block& block = request.block;
  ++counts_.races;
  const std::pair<std::uint32_t, std::uint32_t> sites{earlier.site(), access.site()};
  const auto [pair, fresh] = told_.try_emplace({kernel_, sites}, counts_.pairs.size());
  if (!fresh) {
    ++counts_.pairs[pair->second].races;
    return;
  }
  const std::uint64_t address = static_cast<std::uint64_t>(word) << request.lanes.shift();
  const auto range = request.shared ? nullptr : device_->find(address);
  const std::string memory = request.shared                  ? "shared"
                             : range && !range->name.empty() ? range->name
                                                             : "global";
  const std::int64_t other = request.shared ? block.number : phases_.block_of(earlier.phase());
  const auto who = [](const LaneAccess& one, std::int64_t of_block) {
    return fmt::format("thread {} of block {}", one.thread(), of_block);
  };
  const AccessKind now = kernel_->info.sites[access.site()].kind,
                   before = kernel_->info.sites[earlier.site()].kind;
  Diagnostic race =
      error_at(kernel_->spans[access.site()],
               fmt::format("race in kernel {} at byte {} of {}: {} {} what {} {}",
                           kernel_->info.name, range ? address - range->begin : address,
                           request.shared ? "shared memory" : memory, who(access, block.number),
                           verb_of(now), who(earlier, other), past_of(before)));
  race.notes.push_back(note_at(kernel_->spans[earlier.site()],
                               fmt::format("{} {} it here", who(earlier, other), verb_of(before))));
  // Loops that are unrolled have several sites of a line.
  for (std::size_t k = 0; k < counts_.pairs.size(); ++k) {
    RacePair& known = counts_.pairs[k];
    if (known.kernel != kernel_->info.name || known.array != memory || known.later != now ||
        known.earlier != before || known.first.span != race.span ||
        known.first.notes[0].span != race.notes[0].span)
      continue;
    pair->second = k;
    ++known.races;
    return;
  }
  counts_.pairs.push_back({std::move(race), memory, "", now, before, 1, kernel_->info.name});
}

} // namespace memlane::ptx
