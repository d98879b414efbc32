#include "steps.hpp"

#include <algorithm>

namespace memlane::fast {

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
