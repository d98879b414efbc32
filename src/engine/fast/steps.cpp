#include "steps.hpp"

#include <algorithm>

namespace memlane::fast {

void StepLog::repeat(std::uint32_t& next, std::int64_t& left) const {
  const Repeat& again = repeats[entries[next].amount];
  if (left < 0) left = again.times;
  if (left-- == 0) {
    ++next;
  } else {
    next -= again.length;
  }
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
