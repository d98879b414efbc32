// The latest accesses to each word of a memory, as much as races between warps and blocks need
// (memlane/engine/races.hpp has the same for iterations of programs, in seven times the memory).
//
// The last writer of a word and two readers are enough to find a race if there is one: a new access
// replaces those that are ordered before it, and of unordered readers two are kept, of different
// blocks if there are such. An atomic is a writer, and takes the place of another one: who has
// updated a word himself comes behind those whose values he got.
#pragma once

#include <cstdint>
#include <vector>

namespace memlane::ptx {

/// One lane's access.
struct LaneAccess {
  /// The phase (RacePhases; 0: no access), whether it is an atomic, 15 bits of thread, 16 of site.
  std::uint64_t bits = 0;

  static LaneAccess of(std::uint32_t phase, std::uint64_t thread, std::uint64_t site, bool atomic) {
    return {std::uint64_t{phase} << 32 | std::uint64_t{atomic} << 31 | (thread & 0x7fff) << 16 |
            site};
  }
  std::uint32_t phase() const { return static_cast<std::uint32_t>(bits >> 32); }
  bool atomic() const { return (bits >> 31 & 1) != 0; }
  std::uint16_t thread() const { return static_cast<std::uint16_t>(bits >> 16 & 0x7fff); }
  std::uint16_t site() const { return static_cast<std::uint16_t>(bits); }
  /// That of a thread so many numbers behind, of the same warp.
  LaneAccess behind(std::uint64_t threads) const { return {bits + (threads << 16)}; }

  bool same_warp(const LaneAccess& other) const { return thread() / 32 == other.thread() / 32; }
  bool is_any() const { return bits != 0; }
  /// Whether it is of the same warp in the same phase.
  bool is_of(const LaneAccess& other) const { return phase() == other.phase() && same_warp(other); }
  /// The same, and both or none are atomics.
  bool is_like(const LaneAccess& other) const { return (bits ^ other.bits) >> (16 + 5) == 0; }
  bool operator==(const LaneAccess&) const = default;
};

/// Parts of blocks that barriers and fences delimit, numbered from 1.
class RacePhases {
public:
  /// Accesses of earlier launches are ordered before all that follow.
  void begin_launch() {
    first_ += static_cast<std::uint32_t>(blocks_.size());
    blocks_.clear();
    published_.clear();
  }
  /// Numbers them anew: nothing refers to earlier launches any more.
  void restart() { *this = {}; }
  std::uint32_t begin(std::int64_t block) {
    blocks_.push_back(block);
    return first_ + static_cast<std::uint32_t>(blocks_.size()) - 1;
  }
  /// Phases of this launch are from this one on.
  std::uint32_t first() const { return first_; }
  std::int64_t block_of(std::uint32_t phase) const { return blocks_[phase - first_]; }
  /// Its block executes this fence behind it.
  void publish(std::uint32_t phase, std::uint64_t fence) {
    published_.resize(blocks_.size());
    published_[phase - first_] = fence;
  }

  /// Whether nothing orders the earlier access before one of this phase and warp, in a block whose
  /// latest fence is number `fence`.
  bool unordered(const LaneAccess& earlier, const LaneAccess& later, std::uint64_t fence) const {
    if (earlier.phase() < first_) return false;
    if (earlier.phase() == later.phase()) return !earlier.same_warp(later);
    if (block_of(earlier.phase()) == block_of(later.phase())) return false;
    const std::size_t place = earlier.phase() - first_;
    return place >= published_.size() || published_[place] == 0 || published_[place] >= fence;
  }

private:
  std::uint32_t first_ = 1;
  std::vector<std::int64_t> blocks_;     ///< by phase from first_ on
  std::vector<std::uint64_t> published_; ///< likewise, by the latest fence's time; 0: none yet
};

/// What a read leaves of the readers of a word.
enum class NewReader : std::uint8_t {
  none,  ///< both stay
  first, ///< it takes the place of the first one
  alone, ///< and there is no second one
  second,
};

/// The latest accesses to one word.
struct RaceWord {
  LaneAccess writer, first, second;

  /// The earlier access that races with this one; null: none.
  const LaneAccess* conflict(const RacePhases& phases, const LaneAccess& access,
                             std::uint64_t fence, bool write) const {
    const bool atomics = access.atomic() && writer.atomic();
    if (!atomics && phases.unordered(writer, access, fence)) return &writer;
    if (!write) return nullptr;
    if (phases.unordered(first, access, fence)) return &first;
    return phases.unordered(second, access, fence) ? &second : nullptr;
  }
  NewReader place_of(const RacePhases& phases, const LaneAccess& access) const {
    if (first.is_of(access)) return NewReader::none;
    // Who races with this read races with that write.
    if (writer.is_of(access) && !writer.atomic()) return NewReader::none;
    // Fences do not count here: who publishes may be read by others that have executed none.
    const bool with_first = phases.unordered(first, access, 0);
    const bool with_second = phases.unordered(second, access, 0);
    if (!with_first) return with_second ? NewReader::first : NewReader::alone;
    return !with_second || other_blocks(phases, access) ? NewReader::second : NewReader::none;
  }

private:
  /// Whether both readers are of one block, and this one is of another.
  bool other_blocks(const RacePhases& phases, const LaneAccess& access) const {
    const std::int64_t block = phases.block_of(first.phase());
    return phases.block_of(second.phase()) == block && phases.block_of(access.phase()) != block;
  }
};

} // namespace memlane::ptx
