#include "race_words.hpp"

namespace memlane::fast {

namespace {

bool clash(const Accessor& a, const Accessor& b) {
  if (a.warp != b.warp) return true;
  return a.forall != 0 && a.forall == b.forall && a.iteration != b.iteration;
}

/// Of two of one warp that do not clash, the one that later accesses may clash with.
void replace(Accessor& known, const Accessor& accessor) {
  if (accessor.forall != 0 || known.forall == 0) known = accessor;
}

} // namespace

RaceWords::RaceWords(std::int64_t elements)
    : pages_(static_cast<std::size_t>(elements / page_words + 1)) {}

void RaceWords::hold(std::int64_t elements) {
  const auto pages = static_cast<std::size_t>(elements / page_words + 1);
  if (pages > pages_.size()) pages_.resize(pages);
}

// Words of an earlier interval need no clearing until the numbers wrap around.
void RaceWords::begin_interval() {
  if (++interval_ != 0) return;
  interval_ = 1;
  for (Page& page : pages_) page.reset();
  spare_.clear();
  used_.clear();
}

// Words of an earlier interval need no clearing: they have its number.
void RaceWords::begin_block() {
  for (const std::size_t page : used_) spare_.push_back(std::move(pages_[page]));
  used_.clear();
}

RaceWords::Word& RaceWords::word(std::int64_t element) {
  const auto at = static_cast<std::size_t>(element / page_words);
  if (!pages_[at]) {
    used_.push_back(at);
    if (spare_.empty()) {
      pages_[at] = std::make_unique<Word[]>(static_cast<std::size_t>(page_words));
    } else {
      pages_[at] = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  return pages_[at][static_cast<std::size_t>(element % page_words)];
}

bool RaceWords::conflicts(std::int64_t element, const Accessor& accessor, bool write) {
  const Word& known = word(element);
  if (known.written == interval_ && (known.writers || clash(known.writer, accessor))) return true;
  return write && known.read == interval_ && (known.readers || clash(known.reader, accessor));
}

void RaceWords::record(std::int64_t element, const Accessor& accessor, bool write) {
  Word& known = word(element);
  std::uint32_t& interval = write ? known.written : known.read;
  Accessor& latest = write ? known.writer : known.reader;
  bool& several = write ? known.writers : known.readers;
  if (interval != interval_) {
    interval = interval_;
    latest = accessor;
    several = false;
  } else if (clash(latest, accessor)) {
    several = true;
  } else {
    replace(latest, accessor);
  }
}

} // namespace memlane::fast
