// Blocks that runs of a program have executed, by their launch and number: what they read, and what
// came of it. A block computes from its launch's values and the words that it reads, and from
// nothing else, so one that finds the same words writes and counts the same.
#pragma once

#include "memlane/engine/kernel_info.hpp"
#include "memlane/engine/run.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace memlane {

/// Several threads may use it at the same time.
class KnownBlocks {
public:
  /// Elements of an array that a block has read, or written.
  struct Elements {
    std::size_t array = 0;
    AccessKind kind = AccessKind::read;
    std::int64_t first = 0, last = 0; ///< both included
  };
  struct Block {
    std::vector<Elements> elements;
    /// The contents of these, one after the other: before the block of those that it read, after it
    /// of those that it wrote.
    std::vector<unsigned char> contents;
    /// BlockTally: kinds, and their numbers that are not 0.
    std::vector<std::pair<std::uint32_t, std::int64_t>> tally;
    std::int64_t steps = 0, barriers = 0;

    std::int64_t bytes() const;
  };
  /// launch_key, and the number of the block.
  using Key = std::vector<std::int64_t>;
  using Variants = std::deque<std::shared_ptr<const Block>>;

  explicit KnownBlocks(std::int64_t most_bytes) : most_bytes_(most_bytes) {}

  std::int64_t most_bytes() const { return most_bytes_; }
  /// What the block has done, each time with other words; the latest first.
  Variants find(const Key& key);
  void add(const Key& key, std::shared_ptr<const Block> block);

private:
  /// An input is changed here and there, and from few others: more variants of a block are of
  /// changes that were tried once.
  static constexpr std::size_t most_variants = 8;

  const std::int64_t most_bytes_;
  std::mutex mutex_; ///< protects what follows
  std::map<Key, Variants> blocks_;
  std::int64_t bytes_ = 0;
};

} // namespace memlane
