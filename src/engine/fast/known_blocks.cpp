#include "known_blocks.hpp"

namespace memlane {

std::shared_ptr<KnownBlocks> make_known_blocks(std::int64_t most_bytes) {
  return std::make_shared<KnownBlocks>(most_bytes);
}

std::int64_t KnownBlocks::Block::bytes() const {
  return static_cast<std::int64_t>(sizeof(Block) + elements.size() * sizeof(Elements) +
                                   contents.size() + tally.size() * sizeof(tally[0]));
}

KnownBlocks::Variants KnownBlocks::find(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto known = blocks_.find(key);
  return known == blocks_.end() ? Variants{} : known->second;
}

/// When it is full, all is forgotten: what is worth to know is soon known again.
void KnownBlocks::add(const Key& key, std::shared_ptr<const Block> block) {
  const std::lock_guard lock(mutex_);
  if (bytes_ + block->bytes() > most_bytes_) {
    blocks_.clear();
    bytes_ = 0;
    if (block->bytes() > most_bytes_) return;
  }
  Variants& variants = blocks_[key];
  bytes_ += block->bytes();
  variants.push_front(std::move(block));
  if (variants.size() <= most_variants) return;
  bytes_ -= variants.back()->bytes();
  variants.pop_back();
}

} // namespace memlane
