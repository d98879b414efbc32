#include "block_source.hpp"

#include <utility>

namespace memlane::fast {

namespace {

/// Fewer equal rounds might be part of longer ones.
constexpr std::size_t least_rounds = 5;

} // namespace

Interval& ExecutedBlock::open() {
  if (intervals_.empty()) return *intervals_.emplace_back(std::make_shared<Interval>());
  // Its memory is used again, unless another block keeps the interval.
  if (!next_ || next_.use_count() > 1) next_ = std::make_shared<Interval>();
  return *next_;
}

std::shared_ptr<Interval> ExecutedBlock::close() {
  if (!next_ || next_->tiles.empty()) return intervals_.front(); // the first is in its place
  const std::shared_ptr<Interval> closed = next_;
  again(closed);
  if (intervals_.back() == closed) next_ = nullptr;
  return closed;
}

void ExecutedBlock::again(std::shared_ptr<Interval> interval) {
  if (in_rounds_ && continues_rounds(interval)) return;
  intervals_.push_back(std::move(interval));
  find_rounds();
}

namespace {

bool same(const std::shared_ptr<Interval>& a, const std::shared_ptr<Interval>& b) {
  return a == b || *a == *b;
}

} // namespace

/// Whether the interval continues the rounds; else the rounds end.
bool ExecutedBlock::continues_rounds(const std::shared_ptr<Interval>& interval) {
  Rounds& rounds = rounds_.back();
  if (same(intervals_[rounds.first + phase_], interval)) {
    if (++phase_ == rounds.length) {
      phase_ = 0;
      ++rounds.times;
    }
    return true;
  }
  in_rounds_ = false;
  for (std::size_t k = 0; k < phase_; ++k) {
    std::shared_ptr<Interval> begun = intervals_[rounds.first + k];
    intervals_.push_back(std::move(begun));
  }
  alike_ = {};
  return false;
}

void ExecutedBlock::find_rounds() {
  const std::size_t count = intervals_.size();
  const std::size_t behind = rounds_.empty() ? 0 : rounds_.back().first + rounds_.back().length;
  for (std::size_t length = 1; length <= longest && behind + length < count; ++length) {
    const bool is_same = same(intervals_[count - 1], intervals_[count - 1 - length]);
    alike_[length] = is_same ? alike_[length] + 1 : 0;
    if (alike_[length] < (least_rounds - 1) * length) continue;
    const std::size_t first = count - least_rounds * length;
    intervals_.resize(first + length);
    rounds_.push_back({first, length, static_cast<std::int64_t>(least_rounds) - 1});
    in_rounds_ = true;
    phase_ = 0;
    return;
  }
}

void ExecutedBlock::advance() {
  if (next_rounds_ < rounds_.size()) {
    const Rounds& rounds = rounds_[next_rounds_];
    if (at_ == rounds.first && left_ < 0) left_ = rounds.times;
    if (at_ == rounds.first + rounds.length - 1) {
      if (left_ > 0) {
        --left_;
        at_ = rounds.first;
        return;
      }
      left_ = -1;
      ++next_rounds_;
    }
  }
  ++at_;
}

bool execute_block(BlockSource& source, std::int64_t block, ExecutedBlock& executed) {
  if (!source.start(block)) return false;
  for (bool last = false; !last; executed.close()) {
    Interval& interval = executed.open();
    if (!source.advance(interval)) return false;
    for (StepLog& log : interval.tiles) log.fold();
    last = interval.last;
  }
  return source.finish(executed.loads);
}

bool WholeBlocks::start(std::int64_t block) {
  begun_ = false;
  executed_ = {};
  return take_(block, executed_);
}

bool WholeBlocks::advance(Interval& interval) {
  if (std::exchange(begun_, true)) executed_.advance();
  interval = executed_.present();
  return true;
}

bool WholeBlocks::finish(BlockLoads& loads) {
  loads = std::move(executed_.loads);
  return true;
}

} // namespace memlane::fast
