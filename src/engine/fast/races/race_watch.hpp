// Finds races on one array in the blocks that one runner executes (configs/README.md section 7).
//
// Each interval between two barriers begins with a proof in closed form (race_proof.hpp) and a
// record of the accesses. Where the proof fails, the recorded accesses of this interval are checked
// word by word, and so are those that follow: nothing is executed again. The next time the same
// code is executed, its interval is checked word by word from the start.
#pragma once

#include "race_proof.hpp"

#include "memlane/engine/kernel_info.hpp"
#include "memlane/ir/program.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace memlane::fast {

// Races word by word, for accesses without a closed form: exact, at the price of memory for each
// word that is accessed.

/// The origin of an access (configs/README.md section 7): two accessors of one interval conflict if
/// their warps differ, or if they are different iterations of one forall.
struct Accessor {
  std::uint32_t warp = 0;
  std::uint32_t forall = 0; ///< 0: none
  std::int64_t iteration = 0;
};

/// The latest writer and reader of each word of an array in one interval of a block. This suffices:
/// of two conflicting accessors of the same kind, the second was found or noted.
class RaceWords {
public:
  explicit RaceWords(std::int64_t elements);

  /// Makes room for an array that a launch has resized.
  void hold(std::int64_t elements);
  /// Another interval begins: forgets what was recorded. Cost: O(1).
  void begin_interval();
  /// Another block begins: it reuses the pages of the last one.
  void begin_block();

  struct Access {
    std::int64_t element = 0;
    Accessor accessor;
  };
  /// Notes the accesses of a warp's request; false if one of them may conflict with an earlier one
  /// of this interval. They do not race with each other. Atomics do not conflict with atomics.
  bool add(std::span<const Access> accesses, AccessKind kind);

private:
  static constexpr std::int64_t page_words = 1024;

  struct Word {
    std::uint32_t written = 0; ///< the interval; 0: never
    std::uint32_t read = 0;
    bool readers = false; ///< several in interval `read`, in conflict if one writes
    bool writers = false; ///< several in one request, or of atomics: in conflict with all others
    bool atomics = false; ///< all that have written in interval `written` are atomics
    Accessor writer, reader;
  };
  using Page = std::unique_ptr<Word[]>;

  Word& word(std::int64_t element);
  bool conflicts(const Word& known, const Accessor& accessor, AccessKind kind) const;
  void record(Word& known, const Accessor& accessor, AccessKind kind) const;

  std::uint32_t interval_ = 1;
  std::vector<Page> pages_;       ///< indexed by element / page_words; null: nothing is recorded
  std::vector<std::size_t> used_; ///< those that are not null
  std::vector<Page> spare_;
  std::vector<Word*> now_; ///< of the present request
};

/// Where a kernel's accesses to an array have no closed form: by the instruction at which the
/// interval begins, the access at which the proof failed.
using Unproven = std::map<std::size_t, std::size_t>;

/// One access of a tile. `group`: two lanes of one warp conflict if they are of one group and of
/// different iterations: the present forall, or an `if` with lanes on both paths; 0: none.
/// Atomics, which have no closed form, are looked at word by word.
struct WatchedAccess {
  Accesses closed_form;
  AccessKind kind = AccessKind::read;
  std::uint32_t group = 0;
  std::int64_t first_warp = 0; ///< the tile's
};

class RaceWatch {
public:
  enum class Found : std::uint8_t {
    nothing,
    conflict, ///< two accesses that may race
    unsure,   ///< the proof has failed, and the record was dropped as too long
  };

  /// Refers to both.
  RaceWatch(const Shape& shape, RaceWords& words, Unproven& unproven)
      : proof_(shape), words_(words), unproven_(unproven) {}

  void begin_block() { words_.begin_block(); }
  void begin_interval(std::size_t pc);
  Found add(const WatchedAccess& access, const Shape& shape, const Mask& mask,
            const LaneSets& sets);
  /// The interval is over.
  Found end_interval();

private:
  /// Even rows, or one value.
  struct EvenRows {
    std::int64_t first = 0, warp_step = 0, lane_step = 0;
    std::int32_t pattern = -1; ///< index into patterns_, where the rows are folded
  };
  struct Record {
    EvenRows elements, iterations;
    std::uint32_t group = 0;
    std::int32_t first_warp = 0, warps = 0, width = 0;
    std::int32_t irregular = -1; ///< index into irregular_; -1: both are even, and
    std::uint64_t lanes = 0;     ///< these lanes active; 0: all
    AccessKind kind = AccessKind::read;
  };
  static constexpr int few_lanes = 64; ///< that a Record can tell
  /// An access that is not so regular.
  struct Irregular {
    Register elements, iterations;
    std::vector<std::uint8_t> active;
  };
  /// Lanes that access words together: `active` null: all.
  struct Lanes {
    const Register& elements;
    const Register& iterations;
    const std::uint8_t* active;
    Shape shape;
    std::int64_t first_warp;
    std::uint32_t group;
    AccessKind kind;
  };

  static bool is_even(const Register& r);
  EvenRows even_rows_of(const Register& r);
  void fill(Register& r, const EvenRows& rows) const;
  void note(const WatchedAccess& access, const Mask& mask, const LaneSets& sets);
  Found fail(std::size_t site);
  bool check(const Lanes& lanes);

  RaceProof proof_;
  RaceWords& words_;
  Unproven& unproven_;
  std::size_t pc_ = 0;
  bool by_word_ = false;
  bool unsure_ = false; ///< the rest of the interval is not checked
  bool whole_ = true;   ///< the record
  std::size_t last_site_ = 0;
  std::size_t bytes_ = 0; ///< size of irregular_
  std::vector<Record> records_;
  std::vector<Irregular> irregular_;
  std::vector<Pattern> patterns_; ///< patterns of records_, each once or a few times
  // Of the warp that is checked:
  std::vector<std::int64_t> elements_, iterations_;
  std::vector<RaceWords::Access> accesses_;
};

/// The watches of one array for blocks of a warp each that are executed together. Most blocks need
/// none: each is made when an access asks for it.
class WatchesOfBlocks {
public:
  /// `elements`: that each block may access. Refers to `unproven`.
  WatchesOfBlocks(int width, std::int64_t elements, Unproven& unproven)
      : width_(width), elements_(elements), unproven_(unproven) {}

  /// Blocks begin.
  void begin(std::size_t blocks);
  /// The interval of one is over, and the next begins at `pc`.
  RaceWatch::Found next_interval(std::size_t block, std::size_t pc);
  RaceWatch& of(std::size_t block);

private:
  struct Own {
    Own(const Shape& shape, std::int64_t elements, Unproven& unproven)
        : words(elements), watch(shape, words, unproven) {}
    RaceWords words;
    RaceWatch watch;
    bool begun = false; ///< in the present block
  };

  int width_;
  std::int64_t elements_;
  Unproven& unproven_;
  std::vector<std::unique_ptr<Own>> own_;
  std::vector<std::size_t> pcs_; ///< where the present interval of each begins
};

} // namespace memlane::fast
