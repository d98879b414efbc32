// Races between the blocks of one launch, or of the launches of one `concurrent`: a bit for each
// word that a block has read or written, and one for each that earlier blocks have. Blocks are not
// ordered, so none may write what another accesses (configs/README.md section 7).
//
// Several blocks may be executed at the same time. A block notes the words of an access before it
// makes it, and then, behind a fence, checks the notes of the others: of two conflicting blocks,
// the one whose fence is the later one (all fences have one order, seq_cst) sees the note of the
// other and does not access the word. So no two threads access one word while one of them writes
// it, even in a program with races.
#pragma once

#include "fast/vectors.hpp"

#include "memlane/engine/kernel_info.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace memlane::fast {

class BlockWords;

/// A bit for each word of an array.
using WordBits = std::vector<std::atomic<std::uint64_t>>;
struct WordNotes {
  explicit WordNotes(std::size_t size) : read(size), written(size) {}
  WordBits& of(AccessKind kind);
  /// Whether one of these words is noted for what an access of the kind conflicts with.
  bool conflict(AccessKind kind, std::size_t at, std::uint64_t bits) const {
    return (written[at] & bits) != 0 || (kind != AccessKind::read && (read[at] & bits) != 0) ||
           (kind != AccessKind::atomic && !updated.empty() && (updated[at] & bits) != 0);
  }

  WordBits read, written; ///< 64 words each
  WordBits updated;       ///< by atomics, which do not conflict with each other; none: empty
};

/// Tells the blocks apart that one runner executes together. Most cells of 64 words have one block;
/// of the others, it keeps the block of each word.
class WordOwners {
public:
  static constexpr std::size_t most_blocks = 254;

  explicit WordOwners(std::size_t cells) : owners_(cells) {}

  /// Notes whose these words of a cell are. False: an access of another block to one of them
  /// conflicts with this one. `known`: what was noted before this access.
  bool take(std::size_t block, AccessKind kind, std::size_t cell, std::uint64_t bits,
            const WordNotes& known);
  void forget(std::size_t first_cell, std::size_t cells);

private:
  static constexpr std::uint8_t several = 255;
  /// By word: a block's number + 1, 0 for none.
  struct Cell {
    std::array<std::uint8_t, 64> reader{}, writer{};
    bool take(std::uint8_t block, AccessKind kind, std::uint64_t bits);
  };

  std::vector<std::uint8_t> owners_; ///< by cell: likewise; `several`: it is among cells_
  std::unordered_map<std::size_t, Cell> cells_;
};

/// The words of the block that is executed by one runner, or of blocks that it executes together.
class BlockNotes {
public:
  BlockNotes(BlockWords& launch, std::size_t pages);

  /// From now on, each warp of a tile is a block of its own; or all are one.
  void tell_apart(bool blocks);
  /// Notes the words of one access of a tile, before it is made. False if a concurrent block
  /// conflicts: the access must not be made.
  bool add(const Register& elements, const Shape& shape, const Mask& mask, const LaneSets& sets,
           AccessKind kind);
  /// Likewise elements first..last.
  bool set(AccessKind kind, std::int64_t first, std::int64_t last);
  /// The elements of the present block that are noted so, in rising order: first and last of each
  /// range. Cost: the pages of the block.
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges(AccessKind kind);
  /// The block is over: false if it conflicts with an earlier block. Begins the next.
  bool close_block();

private:
  friend class BlockWords;

  bool note(AccessKind kind, std::int64_t first, std::int64_t last);
  bool set_bits(AccessKind kind, std::size_t at, std::uint64_t bits);
  bool apart_from_others(AccessKind kind);
  void touch(std::int64_t page);

  BlockWords& launch_;
  WordNotes present_;
  std::vector<bool> touched_;       ///< pages of the present block
  std::vector<std::int64_t> pages_; ///< their numbers
  std::vector<std::pair<std::size_t, std::uint64_t>>
      noted_;                        ///< of the present access, if others look
  std::optional<WordOwners> owners_; ///< of blocks that are executed together
  bool apart_ = false;               ///< these are
  std::size_t block_ = 0;            ///< among them, whose words are being noted
};

class BlockWords {
public:
  explicit BlockWords(std::int64_t elements);

  /// The notes of a runner, from 0 on. Not while blocks are executed.
  BlockNotes& notes_of(std::size_t runner);
  /// The launch is over, or all launches of its `concurrent`.
  void clear();

private:
  friend class BlockNotes;
  static constexpr int page_bits = 4096;

  std::size_t pages_;
  WordNotes earlier_; ///< words of blocks that have ended
  std::deque<BlockNotes> runners_;
  bool alone_ = true;              ///< one runner: no other thread looks at its notes
  std::mutex mutex_;               ///< protects what follows
  std::vector<bool> ever_;         ///< pages of the launch
  std::vector<std::int64_t> used_; ///< their numbers
};

} // namespace memlane::fast
