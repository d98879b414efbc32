// Races word by word, for arrays whose accesses have no closed form: exact, at the price of memory
// for each word of the array.
#pragma once

#include <cstdint>
#include <vector>

namespace memlane::fast {

/// Who makes an access, as model.md section 9 asks: two of one phase conflict if their warps
/// differ, or if they are different iterations of one forall.
struct Accessor {
  std::uint32_t warp = 0;
  std::uint32_t forall = 0; ///< 0: none
  std::int64_t iteration = 0;
};

/// The phases of a run's blocks: numbers that grow, a new one for each block and at each barrier.
/// Blocks are executed one after the other.
struct Phases {
  std::uint32_t launch = 1; ///< the first phase of this launch
  std::uint32_t block = 1;  ///< of this block
  std::uint32_t now = 1;
};

/// The latest writer and reader of each word. That is enough: had two accessors of the same kind
/// been in conflict with each other, the one would have been found or noted when the other came.
class RaceWords {
public:
  /// `shared`: each block has an array of its own.
  RaceWords(std::int64_t elements, bool shared)
      : shared_(shared), words_(static_cast<std::size_t>(elements)) {}

  /// Whether the access may conflict with an earlier one.
  bool conflicts(std::int64_t element, const Phases& phases, const Accessor& who, bool write) const;
  void record(std::int64_t element, const Phases& phases, const Accessor& who, bool write);

private:
  struct Word {
    std::uint32_t written = 0; ///< the phase; 0: never
    std::uint32_t read = 0;
    std::uint32_t other_reader = 0; ///< the launch in which two blocks read the word
    bool readers = false;           ///< several in phase `read`, in conflict if one writes
    bool writers =
        false; ///< several in one request of phase `written`, in conflict with all others
    Accessor writer, reader;
  };

  bool other_block(std::uint32_t phase, const Phases& phases) const {
    return !shared_ && phase >= phases.launch && phase < phases.block;
  }

  bool shared_;
  std::vector<Word> words_;
};

} // namespace memlane::fast
