// The accesses to a row of 32 words of a memory, in parts. The lanes of a warp mostly access words
// that follow each other, so a row keeps a few parts, each of words that the lanes of one request
// accessed in their order. Where there are too many parts, it keeps each word's access.
#pragma once

#include "race_words.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace memlane::ptx {

/// Accesses of lanes at equal distances, of 2^shift words each (RowPart).
struct LaneAccesses {
  LaneAccess of_word_0; ///< what it would be, were the row's word 0 among them
  std::int8_t step = 0; ///< from a lane to the next one
  std::uint8_t shift = 0;

  LaneAccess of(int word) const {
    // In unsigned numbers, which may wrap: word 0 may lie before the words of the first lane.
    return of_word_0.behind(static_cast<std::uint64_t>((word >> shift) * step));
  }
  bool operator==(const LaneAccesses&) const = default;
};

/// What a word keeps of its accesses: RaceWord.
enum class RaceSlot : std::uint8_t { writer, first, second };

/// Words of a row that were accessed alike.
struct AccessPart {
  static constexpr int row_words = 32;
  using Latest = std::array<LaneAccess, 3>; ///< by RaceSlot

  LaneAccess of_word_0; ///< as LaneAccesses has it
  std::uint32_t words;  ///< bits
  std::int8_t step;
  std::uint8_t shift;
  RaceSlot slot;

  LaneAccesses accesses() const { return {of_word_0, step, shift}; }
  std::uint32_t phase() const { return accesses().of(std::countr_zero(words)).phase(); }
  /// The access to the first of some words, which are reduced to those that have it or lack it
  /// alike.
  void look_at(std::uint32_t& at, int first, Latest& latest) const {
    const bool has = (words >> first & 1) != 0;
    at &= has ? words : ~words;
    if (has) latest[static_cast<std::size_t>(slot)] = accesses().of(first);
  }
};

/// The parts of a row that has several.
class AccessParts {
public:
  class Room;

  /// All accesses before `oldest` (a phase) are ordered before those that follow. Whether none is
  /// left.
  bool forget_before(std::uint32_t oldest) {
    if (latest_ < oldest) parts_ = is_spread_ = 0;
    return (parts_ | is_spread_) == 0;
  }
  /// The first access of all.
  void begin(const AccessPart& part) {
    part_[0] = part;
    parts_ = 1;
    latest_ = part.phase();
  }
  void look_at(std::uint32_t& words, AccessPart::Latest& latest) const {
    const int word = std::countr_zero(words);
    for (std::size_t k = 0; k < parts_; ++k) part_[k].look_at(words, word, latest);
    for (const Spread* own = is_spread_ != 0 ? spread_ : nullptr; own; own = own->next)
      if (is_spread(own->slot))
        latest[static_cast<std::size_t>(own->slot)] = look_at_spread(own->words, words);
  }

  void take_away(RaceSlot slot, std::uint32_t from) {
    if (OfWords* const all = spread(slot)) {
      for (; from != 0; from &= from - 1)
        (*all)[static_cast<std::size_t>(std::countr_zero(from))] = {};
      return;
    }
    std::size_t kept = 0;
    for (std::size_t k = 0; k < parts_; ++k) {
      if (part_[k].slot == slot) part_[k].words &= ~from;
      if (kept != k) part_[kept] = part_[k];
      kept += part_[kept].words != 0 ? 1 : 0;
    }
    parts_ = static_cast<std::uint8_t>(kept);
  }
  /// `replaces`: there are accesses to these words in the slot.
  void put(const AccessPart& part, bool replaces, Room& room) {
    latest_ = std::max(latest_, part.phase());
    if (!is_spread(part.slot)) {
      if (replaces) take_away(part.slot, part.words);
      for (std::size_t k = 0; k < parts_; ++k)
        if (part_[k].slot == part.slot && part_[k].accesses() == part.accesses()) {
          part_[k].words |= part.words;
          return;
        }
      if (parts_ == most_parts) spread_most(room);
    }
    if (OfWords* const all = spread(part.slot)) return set(*all, part);
    part_[parts_++] = part;
  }

private:
  static constexpr std::size_t slots = 3, most_parts = 7;
  using OfWords = std::array<LaneAccess, AccessPart::row_words>;
  /// The accesses of a slot, word by word.
  struct Spread {
    OfWords words;
    Spread* next = nullptr;
    RaceSlot slot = RaceSlot::writer;
  };

  bool is_spread(RaceSlot slot) const { return (is_spread_ >> static_cast<int>(slot) & 1) != 0; }
  /// Null: the slot is in parts.
  OfWords* spread(RaceSlot slot) const {
    if (!is_spread(slot)) return nullptr;
    Spread* own = spread_;
    while (own->slot != slot) own = own->next;
    return &own->words;
  }

  /// The access to the first of these words, which are reduced to those that are alike.
  static LaneAccess look_at_spread(const OfWords& all, std::uint32_t& words) {
    const LaneAccess one = all[static_cast<std::size_t>(std::countr_zero(words))];
    for (std::uint32_t left = words & (words - 1); left != 0; left &= left - 1)
      if (!one.is_like(all[static_cast<std::size_t>(std::countr_zero(left))]))
        words &= ~(left & (~left + 1));
    return one;
  }

  static void set(OfWords& all, const AccessPart& part) {
    for (std::uint32_t at = part.words; at != 0; at &= at - 1) {
      const int word = std::countr_zero(at);
      all[static_cast<std::size_t>(word)] = part.accesses().of(word);
    }
  }
  void spread_most(Room& room);

  std::uint32_t latest_ = 0;               ///< phase
  std::uint8_t parts_ = 0, is_spread_ = 0; ///< bits of slots
  Spread* spread_ = nullptr;               ///< the first of those that it has had
  std::array<AccessPart, most_parts> part_;
};

/// Where rows get memory for several parts and for the accesses of their words, which stays theirs.
class AccessParts::Room {
public:
  AccessParts& parts() { return parts_.take(); }
  Spread& spread() { return spreads_.take(); }
  std::size_t bytes() const { return parts_.bytes() + spreads_.bytes(); }
  /// Requires that nobody uses what was taken. Its memory is used again.
  void clear() {
    parts_.clear();
    spreads_.clear();
  }

private:
  template <class T>
  class Chunks {
  public:
    T& take() {
      if (taken_ == chunks_.size() * chunk) chunks_.push_back(std::make_unique<T[]>(chunk));
      T& one = chunks_[taken_ / chunk][taken_ % chunk];
      ++taken_;
      return one = {};
    }
    std::size_t bytes() const { return chunks_.size() * chunk * sizeof(T); }
    void clear() { taken_ = 0; }

  private:
    static constexpr std::size_t chunk = 16;
    std::vector<std::unique_ptr<T[]>> chunks_;
    std::size_t taken_ = 0;
  };

  Chunks<AccessParts> parts_;
  Chunks<Spread> spreads_;
};

/// Makes room: the slot with the most parts keeps each word's access.
inline void AccessParts::spread_most(Room& room) {
  std::array<int, slots> counts{};
  for (const AccessPart& part : part_) ++counts[static_cast<std::size_t>(part.slot)];
  const auto slot =
      static_cast<RaceSlot>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  Spread* own = spread_;
  while (own && own->slot != slot) own = own->next;
  if (!own) {
    own = &room.spread();
    own->slot = slot;
    own->next = std::exchange(spread_, own);
  }
  own->words.fill({});
  for (const AccessPart& part : part_)
    if (part.slot == slot) set(own->words, part);
  take_away(slot, ~std::uint32_t{0});
  is_spread_ = static_cast<std::uint8_t>(is_spread_ | 1 << static_cast<int>(slot));
}

} // namespace memlane::ptx
