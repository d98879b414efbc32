// The counts of one block as an array of numbers, so that the counts of a repeated part can be
// multiplied.
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

  /// All numbers: none decreases while a block is executed.
  std::vector<std::int64_t>& numbers() { return numbers_; }
  const std::vector<std::int64_t>& numbers() const { return numbers_; }
  /// Adds everything, or the requests only, to the tally of a multiprocessor.
  void add_to(Tally& tally) const;
  void add_to(std::vector<RequestTally>& requests) const;
  void clear();

private:
  std::size_t width_, silent_;
  std::vector<std::size_t> sites_; ///< the memory instructions
  /// By memory instruction: concurrent writes, groups, requests by stages. Unused for others.
  std::vector<std::size_t> first_;
  std::vector<std::int64_t> numbers_;
};

} // namespace memlane::fast
