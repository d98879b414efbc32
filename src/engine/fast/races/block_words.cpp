#include "block_words.hpp"

#include <algorithm>
#include <bit>

namespace memlane::fast {

BlockWords::BlockWords(std::int64_t elements)
    : pages_(static_cast<std::size_t>(elements / page_bits + 1)), earlier_(pages_ * page_bits / 64),
      ever_(pages_) {}

BlockNotes& BlockWords::notes_of(std::size_t runner) {
  while (runners_.size() <= runner) runners_.emplace_back(*this, pages_);
  alone_ = runners_.size() == 1;
  return runners_[runner];
}

BlockNotes::BlockNotes(BlockWords& launch, std::size_t pages)
    : launch_(launch), present_(pages * BlockWords::page_bits / 64), touched_(pages) {}

void BlockNotes::touch(std::int64_t page) {
  const auto at = static_cast<std::size_t>(page);
  if (touched_[at]) return;
  touched_[at] = true;
  pages_.push_back(page);
}

/// Launches with atomics execute one block at a time, so no other thread looks at a new `updated`.
WordBits& WordNotes::of(AccessKind kind) {
  if (kind == AccessKind::read) return read;
  if (kind == AccessKind::write) return written;
  if (updated.empty()) updated = WordBits(read.size());
  return updated;
}

bool WordOwners::Cell::take(std::uint8_t block, AccessKind kind, std::uint64_t bits) {
  const auto others = [block](std::uint8_t owner) { return owner != 0 && owner != block; };
  bool apart = true;
  for (; bits != 0; bits &= bits - 1) {
    const auto word = static_cast<std::size_t>(std::countr_zero(bits));
    apart = apart && !others(writer[word]) && !(writes(kind) && others(reader[word]));
    std::uint8_t& own = writes(kind) ? writer[word] : reader[word];
    own = others(own) ? several : block;
  }
  return apart;
}

bool WordOwners::take(std::size_t block, AccessKind kind, std::size_t cell, std::uint64_t bits,
                      const WordNotes& known) {
  const auto number = static_cast<std::uint8_t>(block + 1);
  std::uint8_t& owner = owners_[cell];
  if (owner == 0) owner = number;
  if (owner == number) return true;
  if (owner != several) {
    Cell& words = cells_[cell];
    words.take(owner, AccessKind::read, known.read[cell].load(std::memory_order_relaxed));
    words.take(owner, AccessKind::write, known.written[cell].load(std::memory_order_relaxed));
    owner = several;
  }
  return cells_[cell].take(number, kind, bits);
}

void WordOwners::forget(std::size_t first_cell, std::size_t cells) {
  std::fill_n(owners_.begin() + static_cast<std::ptrdiff_t>(first_cell), cells, std::uint8_t{0});
  cells_.clear();
}

void BlockNotes::tell_apart(bool blocks) {
  if (blocks && !owners_) owners_.emplace(present_.read.size());
  apart_ = blocks;
}

bool BlockNotes::set_bits(AccessKind kind, std::size_t at, std::uint64_t bits) {
  if (apart_ && !owners_->take(block_, kind, at, bits, present_)) return false;
  std::atomic<std::uint64_t>& word = present_.of(kind)[at];
  const std::uint64_t known = word.load(std::memory_order_relaxed); // only this thread sets them
  if ((known & bits) == bits) return true;
  word.store(known | bits, std::memory_order_release); // as close_block clears them
  if (!launch_.alone_) noted_.emplace_back(at, bits);  // else close_block looks at them
  return true;
}

/// Whether no block at the same time has noted a word of the access, and none that has ended. The
/// present blocks first: one that ends adds its words to the earlier ones before it clears its own.
/// One fence for all words: it costs as much as to note many of them.
bool BlockNotes::apart_from_others(AccessKind kind) {
  if (noted_.empty()) return true;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const auto conflict = [&](const WordNotes& others) {
    return std::any_of(noted_.begin(), noted_.end(), [&](const auto& cell) {
      return others.conflict(kind, cell.first, cell.second);
    });
  };
  const auto& runners = launch_.runners_;
  const bool apart = std::none_of(runners.begin(), runners.end(),
                                  [&](const BlockNotes& runner) {
                                    return &runner != this && conflict(runner.present_);
                                  }) &&
                     !conflict(launch_.earlier_);
  noted_.clear();
  return apart;
}

bool BlockNotes::set(AccessKind kind, std::int64_t first, std::int64_t last) {
  const bool apart = note(kind, first, last), from_others = apart_from_others(kind);
  return apart && from_others;
}

/// Bits first..last.
bool BlockNotes::note(AccessKind kind, std::int64_t first, std::int64_t last) {
  constexpr int page_bits = BlockWords::page_bits;
  for (std::int64_t page = first / page_bits; page <= last / page_bits; ++page) touch(page);
  const std::uint64_t head = ~std::uint64_t{0} << (first % 64);
  const std::uint64_t tail = ~std::uint64_t{0} >> (63 - last % 64);
  auto at = static_cast<std::size_t>(first / 64);
  const auto end = static_cast<std::size_t>(last / 64);
  if (at == end) return set_bits(kind, at, head & tail);
  bool apart = set_bits(kind, at, head);
  for (++at; at < end && apart; ++at) apart = set_bits(kind, at, ~std::uint64_t{0});
  return apart && set_bits(kind, end, tail);
}

bool BlockNotes::add(const Register& elements, const Shape& shape, const Mask& mask,
                     const LaneSets& sets, AccessKind kind) {
  if (elements.form == Form::uniform && !apart_)
    return set(kind, elements.value.integer(), elements.value.integer());
  bool apart = true;
  const auto note_lanes = [&](std::int64_t first, int lane, int count) {
    if (!apart_) {
      apart = apart && note(kind, first, first + count - 1);
      return;
    }
    for (int of_block = 0; apart && count > 0; count -= of_block, first += of_block) {
      block_ = static_cast<std::size_t>(lane / shape.width);
      of_block = std::min(count, shape.width - lane % shape.width);
      apart = note(kind, first, first + of_block - 1);
      lane += of_block;
    }
  };
  if (elements.form == Form::uniform) {
    const std::int32_t* counts = sets.counts(mask);
    for (int k = 0; k < mask.end; ++k)
      if (counts[k] > 0) note_lanes(elements.value.integer(), k * shape.width, 1);
  } else if (!each_range(elements, shape, mask, sets, note_lanes)) {
    each_lane(elements, shape, mask, sets,
              [&](std::int64_t e, int lane) { note_lanes(e, lane, 1); });
  }
  const bool from_others = apart_from_others(kind);
  return apart && from_others;
}

std::vector<std::pair<std::int64_t, std::int64_t>> BlockNotes::ranges(AccessKind kind) {
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
  std::sort(pages_.begin(), pages_.end());
  for (const std::int64_t page : pages_)
    for (std::int64_t at = page * (BlockWords::page_bits / 64);
         at < (page + 1) * (BlockWords::page_bits / 64); ++at) {
      std::uint64_t bits =
          present_.of(kind)[static_cast<std::size_t>(at)].load(std::memory_order_relaxed);
      for (std::int64_t first = 64 * at; bits != 0;) {
        const int gap = std::countr_zero(bits);
        const int length = std::countr_one(bits >> gap);
        first += gap;
        if (!ranges.empty() && ranges.back().second + 1 == first) {
          ranges.back().second += length;
        } else {
          ranges.emplace_back(first, first + length - 1);
        }
        first += length;
        bits = gap + length == 64 ? 0 : bits >> (gap + length);
      }
    }
  return ranges;
}

bool BlockNotes::close_block() {
  // Where no other thread looks, plain stores suffice.
  const bool alone = launch_.alone_;
  const auto join = [alone](std::atomic<std::uint64_t>& word, std::uint64_t bits) {
    if (!alone) return word.fetch_or(bits);
    const std::uint64_t known = word.load(std::memory_order_relaxed);
    word.store(known | bits, std::memory_order_relaxed);
    return known;
  };
  bool apart = true;
  WordNotes& earlier = launch_.earlier_;
  const bool updates = !present_.updated.empty();
  if (updates) earlier.of(AccessKind::atomic);
  for (const std::int64_t page : pages_) {
    const auto first = static_cast<std::size_t>(page * (BlockWords::page_bits / 64));
    for (std::size_t at = first; at < first + BlockWords::page_bits / 64; ++at) {
      const std::uint64_t read = present_.read[at].load(std::memory_order_relaxed);
      const std::uint64_t written = present_.written[at].load(std::memory_order_relaxed);
      const std::uint64_t updated =
          updates ? present_.updated[at].load(std::memory_order_relaxed) : 0;
      if ((read | written | updated) == 0) continue;
      const std::uint64_t others_read = join(earlier.read[at], read);
      const std::uint64_t others_written = join(earlier.written[at], written);
      const std::uint64_t others_updated = updates ? join(earlier.updated[at], updated) : 0;
      apart = apart && (written & (others_read | others_written | others_updated)) == 0 &&
              (read & (others_written | others_updated)) == 0 &&
              (updated & (others_read | others_written)) == 0;
      present_.read[at].store(0, std::memory_order_release); // ordered after what it is joined to
      present_.written[at].store(0, std::memory_order_release);
      if (updates) present_.updated[at].store(0, std::memory_order_release);
    }
    touched_[static_cast<std::size_t>(page)] = false;
    if (apart_) owners_->forget(first, BlockWords::page_bits / 64);
  }
  const std::lock_guard lock(launch_.mutex_);
  for (const std::int64_t page : pages_) {
    if (launch_.ever_[static_cast<std::size_t>(page)]) continue;
    launch_.ever_[static_cast<std::size_t>(page)] = true;
    launch_.used_.push_back(page);
  }
  pages_.clear();
  return apart;
}

void BlockWords::clear() {
  for (BlockNotes& runner : runners_) runner.close_block();
  for (const std::int64_t page : used_) {
    const auto first = static_cast<std::size_t>(page * (page_bits / 64));
    for (auto* bits : {&earlier_.read, &earlier_.written, &earlier_.updated})
      for (std::size_t at = first; !bits->empty() && at < first + page_bits / 64; ++at)
        (*bits)[at].store(0, std::memory_order_relaxed);
    ever_[static_cast<std::size_t>(page)] = false;
  }
  used_.clear();
}

} // namespace memlane::fast
