#include "known_intervals.hpp"

#include <algorithm>

namespace memlane::ptx {

void IntervalPath::begin_behind(KnownInterval* before) {
  before_ = before;
  expected_ = followed_ = left_ = nullptr;
  at_ = 0;
  recorded_.clear();
  records_ = false;
  if (!before) {
    latest_ = {};
    return;
  }
  if (before->asked) { // not where blocks begin
    std::copy_backward(latest_.begin(), latest_.end() - 1, latest_.end());
    latest_.front() = before;
  }
  expected_ = before->next.empty() ? latest_.front() : before->next.front();
  if (before->failures > most_failures) return;
  followed_ = expected_;
  records_ = !followed_ && known_->has_room_for(0);
}

bool IntervalPath::begins_alike(const KnownInterval& other) const {
  return other.steps.size() >= at_ &&
         std::equal(other.steps.begin(), other.steps.begin() + static_cast<std::ptrdiff_t>(at_),
                    followed_->steps.begin());
}

/// The present interval is counted and recorded from its beginning on.
void IntervalPath::leave() {
  left_ = std::exchange(followed_, nullptr);
  before_->failures += 2;
  records_ = before_->failures <= most_failures && known_->has_room_for(0);
}

const KnownInterval* IntervalPath::end(bool last) {
  if (!followed_) return nullptr;
  const auto ends = [&](const KnownInterval& interval) {
    return at_ == interval.steps.size() && interval.last == last && interval.asked;
  };
  if (!change(ends)) return nullptr;
  KnownInterval* const known = followed_;
  std::vector<KnownInterval*>& next = before_->next;
  const auto at = std::find(next.begin(), next.end(), known);
  if (at == next.end()) {
    next.insert(next.begin(), known);
  } else {
    std::rotate(next.begin(), at, at + 1);
  }
  before_->failures = std::max(0, before_->failures - 1);
  begin_behind(known);
  return known;
}

void IntervalPath::skip() {
  if (before_) {
    before_->failures += 2;
    known_->spend(recorded_.size());
  }
  begin_behind(expected_);
}

void IntervalPath::add(KnownInterval&& interval) {
  if (expected_) interval.next = expected_->next; // what follows may be the same
  KnownInterval& made = known_->add(std::move(interval));
  std::vector<KnownInterval*>& next = before_->next;
  if (next.size() == KnownInterval::most_next) next.pop_back();
  next.insert(next.begin(), &made);
  begin_behind(&made);
}

} // namespace memlane::ptx
