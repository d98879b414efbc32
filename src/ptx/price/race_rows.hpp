// The accesses to the words of a memory, row by row. The lanes of a warp mostly access words that
// follow each other, so a row of 32 words keeps a few parts, each of words that the lanes of one
// request accessed in their order. Where there are too many parts, it keeps each word's access.
#pragma once

#include "race_words.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
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

/// Most rows need its first 64 bytes alone.
class alignas(64) RaceRow {
public:
  static constexpr int words = 32;
  class Spares;

  /// All accesses before `oldest` (a phase) are ordered before those that follow. Whether none is
  /// left.
  bool forget_before(std::uint32_t oldest) {
    if (oldest_ == oldest) return (parts_ | is_spread_) == 0;
    oldest_ = oldest;
    parts_ = is_spread_ = 0;
    return true;
  }
  /// The first access of all.
  void begin(std::uint32_t words, const LaneAccesses& accesses, bool write) {
    part_[0] = {accesses.of_word_0, words, accesses.step, accesses.shift,
                write ? Slot::writer : Slot::first};
    parts_ = 1;
  }

  /// The first of these words, and those of them that were accessed alike: by the same warps in the
  /// same phases.
  struct Alike {
    RaceWord word;
    std::uint32_t words;
  };
  Alike look_at(std::uint32_t words) const {
    const int word = std::countr_zero(words);
    std::array<LaneAccess, slots> latest;
    for (std::size_t k = 0; k < parts_; ++k) {
      const Part& part = part_[k];
      const bool has = (part.words >> word & 1) != 0;
      words &= has ? part.words : ~part.words;
      if (has) latest[part.slot] = part.accesses().of(word);
    }
    for (const Spread* own = is_spread_ != 0 ? spread_ : nullptr; own; own = own->next)
      if (is_spread(own->slot)) latest[own->slot] = look_at_spread(own->words, words);
    return {{latest[Slot::writer], latest[Slot::first], latest[Slot::second]}, words};
  }

  void write(std::uint32_t words, const LaneAccesses& accesses, Spares& spares) {
    put(Slot::writer, words, accesses, spares);
  }
  void read(std::uint32_t words, const LaneAccesses& accesses, NewReader reader, Spares& spares) {
    if (reader == NewReader::none) return;
    if (reader == NewReader::alone) take_away(Slot::second, words);
    put(reader == NewReader::second ? Slot::second : Slot::first, words, accesses, spares);
  }

private:
  enum Slot : std::uint8_t { writer, first, second };
  static constexpr std::size_t slots = 3, most_parts = 7;
  using OfWords = std::array<LaneAccess, words>;
  struct Part {
    LaneAccess of_word_0; ///< as LaneAccesses has it
    std::uint32_t words;  ///< bits
    std::int8_t step;
    std::uint8_t shift;
    Slot slot;

    LaneAccesses accesses() const { return {of_word_0, step, shift}; }
  };
  /// The accesses of a slot, word by word.
  struct Spread {
    OfWords words;
    Spread* next = nullptr;
    Slot slot = Slot::writer;
  };

  bool is_spread(Slot slot) const { return (is_spread_ >> slot & 1) != 0; }
  /// Null: the slot is in parts.
  OfWords* spread(Slot slot) const {
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

  void take_away(Slot slot, std::uint32_t from) {
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
  void put(Slot slot, std::uint32_t at, const LaneAccesses& accesses, Spares& spares) {
    if (!is_spread(slot)) {
      take_away(slot, at);
      for (std::size_t k = 0; k < parts_; ++k)
        if (part_[k].slot == slot && part_[k].accesses() == accesses) {
          part_[k].words |= at;
          return;
        }
      if (parts_ == most_parts) spread_most(spares);
    }
    if (OfWords* const all = spread(slot)) return set(*all, at, accesses);
    part_[parts_++] = {accesses.of_word_0, at, accesses.step, accesses.shift, slot};
  }
  static void set(OfWords& all, std::uint32_t at, const LaneAccesses& accesses) {
    for (; at != 0; at &= at - 1) {
      const int word = std::countr_zero(at);
      all[static_cast<std::size_t>(word)] = accesses.of(word);
    }
  }
  void spread_most(Spares& spares);

  std::uint32_t oldest_ = 0;
  std::uint8_t parts_ = 0, is_spread_ = 0; ///< bits of slots
  Spread* spread_ = nullptr;               ///< the first of those that it has had
  std::array<Part, most_parts> part_;
};

/// Where rows get memory for the accesses of their words, which stays theirs.
class RaceRow::Spares {
public:
  Spread& take() {
    if (left_ == 0) {
      chunks_.push_back(std::make_unique<Spread[]>(chunk));
      left_ = chunk;
    }
    return chunks_.back()[--left_];
  }

private:
  static constexpr std::size_t chunk = 16;
  std::vector<std::unique_ptr<Spread[]>> chunks_;
  std::size_t left_ = 0;
};

/// Makes room: the slot with the most parts keeps each word's access.
inline void RaceRow::spread_most(Spares& spares) {
  std::array<int, slots> counts{};
  for (const Part& part : part_) ++counts[part.slot];
  const auto slot =
      static_cast<Slot>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  Spread* own = spread_;
  while (own && own->slot != slot) own = own->next;
  if (!own) {
    own = &spares.take();
    own->slot = slot;
    own->next = std::exchange(spread_, own);
  }
  own->words.fill({});
  for (const Part& part : part_)
    if (part.slot == slot) set(own->words, part.words, part.accesses());
  take_away(slot, ~std::uint32_t{0});
  is_spread_ = static_cast<std::uint8_t>(is_spread_ | 1 << slot);
}

/// The words of a memory, by number; pages of them as they are accessed.
class RaceMemory {
public:
  /// The row of so many words; null: there are more pages than may be kept.
  RaceRow* find(std::int64_t row) {
    const std::int64_t number = row / page_rows;
    Latest& latest = latest_[static_cast<std::size_t>(number ^ number >> 8) % latest_.size()];
    if (number != latest.number) {
      std::unique_ptr<Page>& page = pages_[number];
      if (!page && pages_.size() <= most_pages) page = std::make_unique<Page>();
      latest = {number, page.get()};
    }
    return latest.page ? &(*latest.page)[static_cast<std::size_t>(row % page_rows)] : nullptr;
  }
  RaceRow::Spares& spares() { return spares_; }
  bool is_full() const { return pages_.size() > most_pages; }

private:
  static constexpr std::int64_t page_rows = 32;
  /// Of arrays of 256 MB, in as much memory, and in seven times as much if all rows are spread.
  static constexpr std::size_t most_pages = std::size_t{1} << 16;
  using Page = std::array<RaceRow, page_rows>;
  struct Latest {
    std::int64_t number = -1;
    Page* page = nullptr;
  };

  std::unordered_map<std::int64_t, std::unique_ptr<Page>> pages_;
  std::array<Latest, 256> latest_;
  RaceRow::Spares spares_;
};

} // namespace memlane::ptx
