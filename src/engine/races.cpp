#include "races.hpp"

#include <algorithm>

namespace memlane {

void Phases::begin_launch(bool independent) {
  if (!independent) {
    first_ += static_cast<std::uint32_t>(blocks_.size());
    blocks_.clear();
    launches_.clear();
  }
  launches_.push_back(first_ + static_cast<std::uint32_t>(blocks_.size()));
}

std::size_t Phases::launch_of(std::uint32_t phase) const {
  if (launches_.size() < 2) return 0;
  const auto next = std::upper_bound(launches_.begin(), launches_.end(), phase);
  return static_cast<std::size_t>(next - launches_.begin()) - 1;
}

std::uint32_t Phases::begin(std::int64_t block) {
  blocks_.push_back(block);
  return first_ + static_cast<std::uint32_t>(blocks_.size()) - 1;
}

Conflict Phases::conflict(const Access& earlier, const Access& later) const {
  if (earlier.phase < first_) return Conflict::none; // no access, or in an earlier launch
  if (earlier.phase != later.phase) {
    if (launch_of(earlier.phase) != launch_of(later.phase)) return Conflict::launches;
    return block_of(earlier.phase) != block_of(later.phase) ? Conflict::blocks : Conflict::none;
  }
  if (earlier.warp != later.warp) return Conflict::warps;
  const bool same_forall = earlier.forall != 0 && earlier.forall == later.forall;
  return same_forall && earlier.iteration != later.iteration ? Conflict::iterations
                                                             : Conflict::none;
}

namespace {

using Pair = std::array<Access, 2>;

void remember(const Phases& phases, Pair& pair, const Access& access) {
  const Conflict with_0 = phases.conflict(pair[0], access);
  const Conflict with_1 = phases.conflict(pair[1], access);
  if (with_0 == Conflict::none && with_1 == Conflict::none) {
    pair = {access, Access{}};
  } else if (with_0 == Conflict::none) {
    pair[0] = access;
  } else if (with_1 == Conflict::none) {
    pair[1] = access;
  } else if (const Conflict between = phases.conflict(pair[0], pair[1]);
             with_0 > between || with_1 > between) {
    pair[with_0 >= with_1 ? 1 : 0] = access;
  }
}

} // namespace

Shadow::Found Shadow::find(const Phases& phases, std::int64_t word, const Access& access,
                           bool write, std::size_t plane) const {
  const Pages& pages = pages_[plane];
  const auto page = pages.find(word / page_words);
  if (page == pages.end()) return {};
  const Word& known = page->second[static_cast<std::size_t>(word % page_words)];
  for (const Access& earlier : known.writers)
    if (const Conflict c = phases.conflict(earlier, access); c != Conflict::none)
      return {c, true, earlier};
  if (!write) return {};
  for (const Access& earlier : known.readers)
    if (const Conflict c = phases.conflict(earlier, access); c != Conflict::none)
      return {c, false, earlier};
  return {};
}

void Shadow::record(const Phases& phases, std::int64_t word, const Access& access, bool write) {
  std::unique_ptr<Word[]>& page = pages_[plane_of(access)][word / page_words];
  if (!page) page = std::make_unique<Word[]>(page_words);
  Word& known = page[static_cast<std::size_t>(word % page_words)];
  remember(phases, write ? known.writers : known.readers, access);
}

} // namespace memlane
