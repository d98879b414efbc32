// Races between the blocks of one launch: a bit for each word that a block has read or written, and
// one for each that blocks before it have. Blocks have no order between them, so one may not write
// what another touches (model.md section 9).
#pragma once

#include "mask.hpp"

#include <cstdint>
#include <vector>

namespace memlane::fast {

class BlockWords {
public:
  explicit BlockWords(std::int64_t elements);

  /// The words of one access of a tile.
  void add(const Register& elements, const Shape& shape, const Mask& mask, const LaneSets& sets,
           bool write);
  /// The block is over: false if it has met another one's words. Begins the next.
  bool close_block();
  /// The launch is over.
  void clear();

private:
  static constexpr int page_bits = 4096;
  struct Words {
    std::vector<std::uint64_t> read, written;
  };

  void set(std::vector<std::uint64_t>& bits, std::int64_t first, std::int64_t last);
  void touch(std::int64_t page);

  Words earlier_, present_;
  std::vector<bool> touched_;       ///< pages of the present block
  std::vector<std::int64_t> pages_; ///< their numbers
  std::vector<bool> ever_;          ///< pages of the launch
  std::vector<std::int64_t> used_;
};

} // namespace memlane::fast
