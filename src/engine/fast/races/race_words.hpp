// Races word by word, for accesses without a closed form: exact, at the price of memory for each
// word that is accessed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace memlane::fast {

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

  /// Whether the access may conflict with an earlier one of this interval.
  bool conflicts(std::int64_t element, const Accessor& accessor, bool write);
  void record(std::int64_t element, const Accessor& accessor, bool write);

private:
  static constexpr std::int64_t page_words = 1024;

  struct Word {
    std::uint32_t written = 0; ///< the interval; 0: never
    std::uint32_t read = 0;
    bool readers = false; ///< several in interval `read`, in conflict if one writes
    bool writers = false; ///< several in one request, in conflict with all others
    Accessor writer, reader;
  };
  using Page = std::unique_ptr<Word[]>;

  Word& word(std::int64_t element);

  std::uint32_t interval_ = 1;
  std::vector<Page> pages_;       ///< by element / page_words; null: none of its words is recorded
  std::vector<std::size_t> used_; ///< those that are not null
  std::vector<Page> spare_;
};

} // namespace memlane::fast
