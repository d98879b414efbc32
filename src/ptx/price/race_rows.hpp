// The accesses to the words of a memory, row by row: a row of 32 words that the lanes of one
// request accessed takes 16 bytes, an eighth of what it describes.
#pragma once

#include "race_parts.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace memlane::ptx {

class RaceRow {
public:
  static constexpr int words = AccessPart::row_words;
  using Room = AccessParts::Room;

  /// All accesses before `oldest` (a phase) are ordered before those that follow. Whether none is
  /// left.
  bool forget_before(std::uint32_t oldest) {
    if (has_several_) return several_->forget_before(oldest);
    if (words_ != 0 && one().phase() < oldest) words_ = 0;
    return words_ == 0;
  }
  /// The first access of all.
  void begin(std::uint32_t at, const LaneAccesses& accesses, bool write) {
    const AccessPart part = part_of(write ? RaceSlot::writer : RaceSlot::first, at, accesses);
    if (has_several_) return several_->begin(part);
    set(part);
  }

  /// The first of these words, and those of them that were accessed alike: by the same warps in the
  /// same phases.
  struct Alike {
    RaceWord word;
    std::uint32_t words;
  };
  Alike look_at(std::uint32_t at) const {
    AccessPart::Latest latest{};
    if (has_several_)
      several_->look_at(at, latest);
    else
      one().look_at(at, std::countr_zero(at), latest);
    return {{latest[0], latest[1], latest[2]}, at};
  }

  /// Who races with a reader races with a plain write that is ordered behind it, so that takes the
  /// place of the readers.
  void write(const Alike& at, const LaneAccesses& accesses, Room& room) {
    if (!accesses.of(std::countr_zero(at.words)).atomic()) {
      if (at.word.first.is_any()) take_away(RaceSlot::first, at.words);
      if (at.word.second.is_any()) take_away(RaceSlot::second, at.words);
    }
    put(part_of(RaceSlot::writer, at.words, accesses), at.word.writer.is_any(), room);
  }
  void read(const Alike& at, const LaneAccesses& accesses, NewReader reader, Room& room) {
    if (reader == NewReader::none) return;
    if (reader == NewReader::second)
      return put(part_of(RaceSlot::second, at.words, accesses), at.word.second.is_any(), room);
    if (reader == NewReader::alone && at.word.second.is_any())
      take_away(RaceSlot::second, at.words);
    put(part_of(RaceSlot::first, at.words, accesses), at.word.first.is_any(), room);
  }

private:
  static AccessPart part_of(RaceSlot slot, std::uint32_t at, const LaneAccesses& accesses) {
    return {accesses.of_word_0, at, accesses.step, accesses.shift, slot};
  }
  AccessPart one() const { return {of_word_0_, words_, step_, shift_, slot_}; }
  void set(const AccessPart& part) {
    of_word_0_ = part.of_word_0;
    words_ = part.words;
    step_ = part.step;
    shift_ = part.shift;
    slot_ = part.slot;
  }

  void take_away(RaceSlot slot, std::uint32_t from) {
    if (has_several_) return several_->take_away(slot, from);
    if (slot_ == slot) words_ &= ~from;
  }
  void put(const AccessPart& part, bool replaces, Room& room) {
    if (!has_several_) {
      if (replaces) take_away(part.slot, part.words);
      if (words_ == 0) return set(part);
      if (slot_ == part.slot && one().accesses() == part.accesses()) {
        words_ |= part.words;
        return;
      }
      AccessParts& several = room.parts();
      several.begin(one());
      several_ = &several;
      has_several_ = true;
    }
    several_->put(part, replaces, room);
  }

  union {
    LaneAccess of_word_0_{};
    AccessParts* several_;
  };
  std::uint32_t words_ = 0;
  std::int8_t step_ = 0;
  std::uint8_t shift_ = 0;
  RaceSlot slot_ = RaceSlot::writer;
  bool has_several_ = false;
};
static_assert(sizeof(RaceRow) == 16);

/// The words of a memory, by number; pages of them as they are accessed.
class RaceMemory {
public:
  /// Arrays of 8 GiB whose rows have one part each, or of 128 MiB if each word is kept by itself.
  static constexpr std::size_t usual_bytes = std::size_t{1} << 30;

  explicit RaceMemory(std::size_t most_bytes = usual_bytes) : most_bytes_(most_bytes) {}

  /// The row of so many words; null: there is more than may be kept.
  RaceRow* find(std::int64_t row) {
    const std::int64_t number = row / page_rows;
    Latest& latest = latest_[static_cast<std::size_t>(number ^ number >> 8) % latest_.size()];
    if (number != latest.number) latest = {number, page(number)};
    return latest.page ? &(*latest.page)[static_cast<std::size_t>(row % page_rows)] : nullptr;
  }
  /// The same, of a row that may have been accessed; null: it was not.
  RaceRow* known(std::int64_t row) {
    return pages_.contains(row / page_rows) ? find(row) : nullptr;
  }
  bool empty() const { return pages_.empty(); }
  RaceRow::Room& room() { return room_; }
  /// Whether some accesses were not kept.
  bool is_partial() const { return is_partial_; }
  /// Forgets all accesses, and gives their memory back.
  void clear() {
    if (pages_.empty()) return;
    pages_.clear();
    room_.clear();
    latest_.fill({});
  }

private:
  static constexpr std::int64_t page_rows = 256;
  using Page = std::array<RaceRow, page_rows>;
  struct Latest {
    std::int64_t number = -1;
    Page* page = nullptr;
  };

  /// Seldom called: apart, so that find() is inlined.
  [[gnu::noinline]] Page* page(std::int64_t number) {
    if (pages_.size() * sizeof(Page) + room_.bytes() >= most_bytes_) {
      is_partial_ = true;
      return nullptr;
    }
    std::unique_ptr<Page>& page = pages_[number];
    if (!page) page = std::make_unique<Page>();
    return page.get();
  }

  std::size_t most_bytes_;
  std::unordered_map<std::int64_t, std::unique_ptr<Page>> pages_;
  std::array<Latest, 256> latest_;
  RaceRow::Room room_;
  bool is_partial_ = false;
};

} // namespace memlane::ptx
