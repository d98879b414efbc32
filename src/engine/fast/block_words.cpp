#include "block_words.hpp"

#include <algorithm>

namespace memlane::fast {

BlockWords::BlockWords(std::int64_t elements) {
  const auto pages = static_cast<std::size_t>(elements / page_bits + 1);
  for (Words* words : {&earlier_, &present_}) {
    words->read.resize(pages * (page_bits / 64));
    words->written.resize(pages * (page_bits / 64));
  }
  touched_.resize(pages);
  ever_.resize(pages);
}

void BlockWords::touch(std::int64_t page) {
  const auto at = static_cast<std::size_t>(page);
  if (touched_[at]) return;
  touched_[at] = true;
  pages_.push_back(page);
}

/// Bits first..last.
void BlockWords::set(std::vector<std::uint64_t>& bits, std::int64_t first, std::int64_t last) {
  for (std::int64_t page = first / page_bits; page <= last / page_bits; ++page) touch(page);
  const std::uint64_t head = ~std::uint64_t{0} << (first % 64);
  const std::uint64_t tail = ~std::uint64_t{0} >> (63 - last % 64);
  auto* word = bits.data() + first / 64;
  auto* const end = bits.data() + last / 64;
  if (word == end) {
    *word |= head & tail;
    return;
  }
  *word |= head;
  for (++word; word < end; ++word) *word = ~std::uint64_t{0};
  *word |= tail;
}

void BlockWords::add(const Register& elements, const Shape& shape, const Mask& mask,
                     const LaneSets& sets, bool write) {
  std::vector<std::uint64_t>& bits = write ? present_.written : present_.read;
  const bool full = mask.whole && sets.no_missing();
  if (elements.form == Form::uniform)
    return set(bits, elements.value.integer(), elements.value.integer());
  if (elements.form == Form::rows && elements.rows.lane_step == 1) {
    const Rows& rows = elements.rows;
    if (full && rows.even && rows.warp_step == shape.width)
      return set(bits, rows.first, rows.first + shape.lanes() - 1);
    const std::int32_t* counts = sets.counts(mask);
    bool whole_warps = true;
    for (int k = 0; k < shape.warps; ++k) whole_warps &= counts[k] == 0 || counts[k] == shape.width;
    if (whole_warps) {
      for (int k = 0; k < shape.warps; ++k)
        if (counts[k] > 0) set(bits, rows.base(k), rows.base(k) + shape.width - 1);
      return;
    }
  }
  const std::uint8_t* active = sets.lanes(mask);
  for (int k = 0; k < shape.warps; ++k)
    for (int j = 0; j < shape.width; ++j) {
      if (!active[k * shape.width + j]) continue;
      const std::int64_t e = value_at(elements, shape, k, j).integer();
      set(bits, e, e);
    }
}

bool BlockWords::close_block() {
  bool apart = true;
  for (const std::int64_t page : pages_) {
    const auto first = static_cast<std::size_t>(page * (page_bits / 64));
    for (std::size_t at = first; at < first + page_bits / 64; ++at) {
      const std::uint64_t read = present_.read[at], written = present_.written[at];
      apart &= (written & (earlier_.read[at] | earlier_.written[at])) == 0 &&
               (read & earlier_.written[at]) == 0;
      earlier_.read[at] |= read;
      earlier_.written[at] |= written;
      present_.read[at] = present_.written[at] = 0;
    }
    touched_[static_cast<std::size_t>(page)] = false;
    if (ever_[static_cast<std::size_t>(page)]) continue;
    ever_[static_cast<std::size_t>(page)] = true;
    used_.push_back(page);
  }
  pages_.clear();
  return apart;
}

void BlockWords::clear() {
  close_block();
  for (const std::int64_t page : used_) {
    const auto first = page * (page_bits / 64);
    for (auto* bits : {&earlier_.read, &earlier_.written})
      std::fill_n(bits->begin() + first, page_bits / 64, std::uint64_t{0});
    ever_[static_cast<std::size_t>(page)] = false;
  }
  used_.clear();
}

} // namespace memlane::fast
