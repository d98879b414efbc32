#include "memlane/engine/issue_order.hpp"

#include <algorithm>

namespace memlane {

std::int64_t IssueOrder::add(Kind kind, std::uint8_t memories,
                             std::span<const std::int64_t> needs) {
  steps_.push_back({kind, memories, needs_.size()});
  needs_.insert(needs_.end(), needs.begin(), needs.end());
  return latest();
}

void IssueOrder::merge(std::int64_t read, std::int64_t into) {
  steps_[static_cast<std::size_t>(read - first_)].into = static_cast<std::int32_t>(into - first_);
}

std::span<const std::int64_t> IssueOrder::needs_of(std::size_t step) const {
  const std::size_t end = step + 1 < steps_.size() ? steps_[step + 1].needs : needs_.size();
  return std::span(needs_).subspan(steps_[step].needs, end - steps_[step].needs);
}

/// The step, and what it depends on, is issued next.
void IssueOrder::want(std::size_t step) {
  const std::size_t from = wanted_.size();
  const auto add = [&](std::size_t one) {
    if (steps_[one].into >= 0) one = static_cast<std::size_t>(steps_[one].into);
    if (steps_[one].issued || steps_[one].wanted) return;
    steps_[one].wanted = true;
    wanted_.push_back(one);
  };
  add(step);
  for (std::size_t at = from; at < wanted_.size(); ++at)
    for (const std::int64_t need : needs_of(wanted_[at]))
      if (need >= first_) add(static_cast<std::size_t>(need - first_));
}

void IssueOrder::issue_wanted() {
  std::sort(wanted_.begin(), wanted_.end());
  for (const std::size_t step : wanted_) issue(step);
  wanted_.clear();
}

void IssueOrder::issue(std::size_t step) {
  Added& added = steps_[step];
  if (added.issued || added.into >= 0) return;
  added.issued = true;
  if (count_ == issued_.size()) issued_.emplace_back();
  Issued& issued = issued_[count_++];
  issued.number = first_ + static_cast<std::int64_t>(step);
  issued.awaited.clear();
  for (std::int64_t need : needs_of(step)) {
    if (need >= first_)
      if (const std::int32_t into = steps_[static_cast<std::size_t>(need - first_)].into; into >= 0)
        need = first_ + into;
    const auto read = std::lower_bound(open_.begin(), open_.end(), need,
                                       [](const Open& a, std::int64_t b) { return a.number < b; });
    if (read == open_.end() || read->number != need) continue;
    issued.awaited.push_back(static_cast<std::uint32_t>(requests_ - read->request));
    open_.erase(read);
  }
  std::sort(issued.awaited.begin(), issued.awaited.end());
  if (added.kind == Kind::operation) return;
  // Reads are issued in the order of their numbers.
  if (added.kind == Kind::read) open_.push_back({issued.number, requests_});
  ++requests_;
}

std::span<const IssueOrder::Issued> IssueOrder::end_piece() {
  count_ = 0;
  for (std::size_t step = 0; schedule_ == Schedule::hoisted && step < steps_.size(); ++step) {
    const Added& added = steps_[step];
    if (added.kind == Kind::write) writes_.push_back(step);
    if (added.kind != Kind::read || added.into >= 0) continue;
    for (const std::size_t write : writes_)
      if ((steps_[write].memories & added.memories) != 0) want(write);
    want(step);
    issue_wanted();
    std::erase_if(writes_, [&](std::size_t write) { return steps_[write].issued; });
  }
  for (std::size_t step = 0; step < steps_.size(); ++step) issue(step);
  first_ += static_cast<std::int64_t>(steps_.size());
  steps_.clear();
  needs_.clear();
  writes_.clear();
  return std::span(issued_).first(count_);
}

bool IssueOrder::is_open(std::int64_t number) const {
  const auto read = std::lower_bound(open_.begin(), open_.end(), number,
                                     [](const Open& a, std::int64_t b) { return a.number < b; });
  return read != open_.end() && read->number == number;
}

} // namespace memlane
