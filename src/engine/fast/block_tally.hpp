// What one block has executed, as it is counted: numbers side by side, so that parts of a block
// that are known to repeat others are added as wholes.
#pragma once

#include "memlane/engine/tally.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace memlane::fast {

class BlockTally {
public:
  BlockTally(const ir::Function& kernel, std::int64_t width);

  void execute(std::size_t instruction, std::int64_t warps, std::int64_t threads) {
    numbers_[2 * instruction] += warps;
    numbers_[2 * instruction + 1] += threads;
  }
  std::int64_t& silent(std::int32_t statement) {
    return numbers_[silent_ + static_cast<std::size_t>(statement)];
  }
  /// Of a memory instruction: how many of its requests took so many stages, from 1 to the width.
  std::int64_t& requests(std::size_t instruction, std::int64_t stages) {
    return numbers_[first_[instruction] + 1 + static_cast<std::size_t>(stages)];
  }
  std::int64_t& concurrent_writes(std::size_t instruction) { return numbers_[first_[instruction]]; }
  std::int64_t& groups(std::size_t instruction) { return numbers_[first_[instruction] + 1]; }

  /// All numbers: none of them ever falls while a block is executed.
  std::vector<std::int64_t>& numbers() { return numbers_; }
  const std::vector<std::int64_t>& numbers() const { return numbers_; }
  /// Adds everything to the tally of a multiprocessor, or its requests only, and begins anew.
  void add_to(Tally& tally) const;
  void add_to(std::vector<RequestTally>& requests) const;
  void clear();

private:
  std::size_t width_, silent_;
  std::vector<std::size_t> sites_; ///< the memory instructions
  /// By memory instruction: concurrent writes, groups, requests by stages. Others have no place.
  std::vector<std::size_t> first_;
  std::vector<std::int64_t> numbers_;
};

} // namespace memlane::fast
