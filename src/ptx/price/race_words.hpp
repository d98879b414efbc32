// The latest accesses to each word of a memory, as much as races between warps and blocks need
// (memlane/engine/races.hpp has the same for iterations of programs, in seven times the memory).
//
// The last writer of a word and two readers are enough to find a race if there is one: a new access
// replaces those that are ordered before it, and of unordered readers two are kept, of different
// blocks if there are such.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace memlane::ptx {

/// One lane's access.
struct LaneAccess {
  std::uint32_t phase = 0; ///< RacePhases; 0: no access
  std::uint16_t thread = 0;
  std::uint16_t site = 0;

  bool same_warp(const LaneAccess& other) const { return thread / 32 == other.thread / 32; }
};

/// Parts of blocks that barriers and fences delimit, numbered from 1 over all launches.
class RacePhases {
public:
  /// Accesses of earlier launches are ordered before all that follow.
  void begin_launch() {
    first_ += static_cast<std::uint32_t>(blocks_.size());
    blocks_.clear();
    published_.clear();
  }
  std::uint32_t begin(std::int64_t block) {
    blocks_.push_back(block);
    published_.push_back(0);
    return first_ + static_cast<std::uint32_t>(blocks_.size()) - 1;
  }
  bool is_old(const LaneAccess& access) const { return access.phase < first_; }
  std::int64_t block_of(std::uint32_t phase) const { return blocks_[phase - first_]; }
  /// The number of the fence that its block has executed behind it; 0: none yet.
  std::uint64_t& published(std::uint32_t phase) { return published_[phase - first_]; }

  /// Whether nothing orders the earlier access before one of this phase and warp, in a block whose
  /// latest fence is number `fence`.
  bool unordered(const LaneAccess& earlier, const LaneAccess& later, std::uint64_t fence) const {
    if (earlier.phase < first_) return false;
    if (earlier.phase == later.phase) return !earlier.same_warp(later);
    if (block_of(earlier.phase) == block_of(later.phase)) return false;
    const std::uint64_t published = published_[earlier.phase - first_];
    return published == 0 || published >= fence;
  }

private:
  std::uint32_t first_ = 1;
  std::vector<std::int64_t> blocks_;     ///< by phase from first_ on
  std::vector<std::uint64_t> published_; ///< likewise
};

/// The accesses to one word.
struct RaceWord {
  LaneAccess writer, readers[2];

  /// The earlier access that races with this one; null: none.
  const LaneAccess* conflict(const RacePhases& phases, const LaneAccess& access,
                             std::uint64_t fence, bool write) const {
    if (phases.unordered(writer, access, fence)) return &writer;
    if (!write) return nullptr;
    for (const LaneAccess& reader : readers)
      if (phases.unordered(reader, access, fence)) return &reader;
    return nullptr;
  }
  void record(const RacePhases& phases, const LaneAccess& access, bool write) {
    if (write) {
      writer = access;
      return;
    }
    if (readers[0].phase == access.phase && readers[0].same_warp(access)) return;
    // Fences do not count here: who publishes may be read by others that have executed none.
    const bool first = phases.unordered(readers[0], access, 0);
    const bool second = phases.unordered(readers[1], access, 0);
    if (!first) {
      readers[0] = access;
      if (!second) readers[1] = {};
    } else if (!second || other_blocks(phases, access)) {
      readers[1] = access;
    }
  }

private:
  /// Whether both readers are of one block, and this one is of another.
  bool other_blocks(const RacePhases& phases, const LaneAccess& access) const {
    const std::int64_t block = phases.block_of(readers[0].phase);
    return phases.block_of(readers[1].phase) == block && phases.block_of(access.phase) != block;
  }
};

/// The words of a memory, by number; pages of them as they are accessed.
class RaceMemory {
public:
  static constexpr std::int64_t page_words = 1024;

  /// Null: it has more pages than may be kept.
  RaceWord* find(std::int64_t word) {
    const std::int64_t number = word / page_words;
    if (number != last_number_) {
      std::unique_ptr<RaceWord[]>& page = pages_[number];
      if (!page && pages_.size() > most_pages) return nullptr;
      if (!page) page = std::make_unique<RaceWord[]>(page_words);
      last_number_ = number;
      last_ = page.get();
    }
    return last_ + word % page_words;
  }
  bool is_full() const { return pages_.size() > most_pages; }

private:
  /// 1.5 GB: of arrays of 256 MB.
  static constexpr std::size_t most_pages = std::size_t{1} << 16;

  std::unordered_map<std::int64_t, std::unique_ptr<RaceWord[]>> pages_;
  std::int64_t last_number_ = -1;
  RaceWord* last_ = nullptr;
};

} // namespace memlane::ptx
