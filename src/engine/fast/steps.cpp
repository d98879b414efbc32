#include "steps.hpp"

#include "../saturate.hpp"

#include <algorithm>

namespace memlane::fast {

StepLog::Round StepLog::round(std::uint32_t at, std::size_t place) const {
  Round round;
  for (std::uint32_t k = at - repeats[entries[at].amount].length; k < at; ++k) {
    const std::uint32_t amount =
        entries[k].each ? amounts[entries[k].amount + place] : entries[k].amount;
    if (entries[k].ask == Ask::compute) {
      round.computed += amount;
    } else {
      round.requests += amount > 0 ? 1 : 0;
    }
  }
  return round;
}

std::int64_t StepLog::repeat(std::uint32_t& next, std::int64_t& left, std::size_t place) const {
  const Repeat& again = repeats[entries[next].amount];
  if (left < 0) {
    if (const Round its = round(next, place); its.requests == 0) {
      ++next;
      return reference::saturating_multiply(its.computed, again.times);
    }
    left = again.times;
  }
  if (left-- == 0) {
    ++next;
  } else {
    next -= again.length;
  }
  return 0;
}

void StepLog::drop(std::size_t count) {
  entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(count));
  const auto first =
      std::find_if(entries.begin(), entries.end(), [](const Entry& e) { return e.each; });
  const std::size_t passed = first == entries.end() ? amounts.size() : first->amount;
  amounts.erase(amounts.begin(), amounts.begin() + static_cast<std::ptrdiff_t>(passed));
  for (auto entry = first; entry != entries.end(); ++entry)
    if (entry->each) entry->amount -= static_cast<std::uint32_t>(passed);
}

} // namespace memlane::fast
