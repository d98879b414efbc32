#include "steps.hpp"

#include "saturate.hpp"

#include <algorithm>

namespace memlane::fast {

StepLog::Round StepLog::round(std::uint32_t at, std::size_t place) const {
  Round round;
  for (std::uint32_t k = at - repeats[entries[at].amount].length; k < at; ++k) {
    if (entries[k].ask == Ask::port) {
      round.requests += port(entries[k], place).stages > 0 ? 1 : 0;
      continue;
    }
    const std::uint32_t amount =
        entries[k].each ? amounts[entries[k].amount + place] : entries[k].amount;
    if (entries[k].ask == Ask::compute) {
      round.computed += amount;
    } else if (!entries[k].each && entries[k].ask != Ask::shared && entries[k].ask != Ask::global) {
      round.requests += 1;
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

void StepLog::add_each(Ask ask, const std::uint16_t* each, std::size_t warps, bool returns) {
  const bool again =
      amounts.size() >= warps &&
      std::equal(each, each + warps, amounts.end() - static_cast<std::ptrdiff_t>(warps));
  if (!again) amounts.insert(amounts.end(), each, each + warps);
  entries.push_back({ask, true, returns, static_cast<std::uint32_t>(amounts.size() - warps)});
}

std::array<std::int64_t, 2> StepLog::append(const StepLog& of_tile, std::size_t place) {
  struct Before {
    std::size_t entries = 0;
    std::array<std::int64_t, 2> stages{};
  };
  std::vector<Before> before(of_tile.repeats.empty() ? 0 : of_tile.entries.size());
  Before now{entries.size(), {}};
  for (std::size_t at = 0; at < of_tile.entries.size(); ++at) {
    if (!before.empty()) before[at] = now;
    Entry entry = of_tile.entries[at];
    if (entry.ask == Ask::repeat) {
      Repeat again = of_tile.repeats[entry.amount];
      const Before& first = before[at - again.length];
      again.length = static_cast<std::uint32_t>(now.entries - first.entries);
      if (again.length == 0) continue;
      for (std::size_t unit = 0; unit < 2; ++unit)
        now.stages[unit] +=
            reference::saturating_multiply(now.stages[unit] - first.stages[unit], again.times);
      entry.amount = static_cast<std::uint32_t>(repeats.size());
      repeats.push_back(again);
    } else {
      if (entry.each) entry.amount = of_tile.amounts[entry.amount + place];
      if (entry.each && entry.amount == 0) continue;
      entry.each = false;
      if (entry.ask == Ask::shared) now.stages[0] += entry.amount;
      if (entry.ask == Ask::global) now.stages[1] += entry.amount;
    }
    entries.push_back(entry);
    ++now.entries;
  }
  return now.stages;
}

namespace {

constexpr std::size_t latest_kept = 8; ///< that are looked at

/// The most requests that may be on their way are 1024.
constexpr std::ptrdiff_t most_sites = 4096;

/// The place of one that `is_it`, among the latest; `known.size()` if none is.
template <class T, class F>
std::size_t place_among(const std::vector<T>& known, F is_it) {
  const std::size_t recent = known.size() - std::min(known.size(), latest_kept);
  for (std::size_t k = known.size(); k > recent; --k)
    if (is_it(known[k - 1])) return k - 1;
  return known.size();
}

/// Its place among those; it is added if the latest are others.
template <class T>
std::uint32_t place_in(std::vector<T>& known, const T& one) {
  const std::size_t at = place_among(known, [&](const T& other) { return other == one; });
  if (at == known.size()) known.push_back(one);
  return static_cast<std::uint32_t>(at);
}

} // namespace

void LatestSites::add(std::int32_t site) {
  if (sites_.size() == std::size_t{2 * most_sites})
    sites_.erase(sites_.begin(), sites_.begin() + most_sites);
  sites_.push_back(site);
}

std::uint32_t StepLog::index_of(const AtomicAccess& access) { return place_in(atomics, access); }
std::uint32_t StepLog::index_of(const Wait& wait) { return place_in(waits, wait); }

std::uint32_t StepLog::keep_ports(std::size_t first) {
  const std::size_t warps = ports.size() - first;
  // Only where they are reused or atomic does it matter which groups they are.
  const auto alike = [&](const PortAccess& a, const PortAccess& b) {
    return a.site == b.site && a.stages == b.stages && a.count == b.count && a.needed == b.needed &&
           a.reuses == b.reuses && a.atomic == b.atomic &&
           ((!a.reuses && !a.atomic) ||
            std::equal(groups.begin() + a.first, groups.begin() + a.first + a.count,
                       groups.begin() + b.first));
  };
  for (std::size_t k = 1; k <= latest_kept && k * warps <= first; ++k) {
    const auto known = ports.begin() + static_cast<std::ptrdiff_t>(first - k * warps);
    const auto latest = ports.begin() + static_cast<std::ptrdiff_t>(first);
    if (!std::equal(latest, ports.end(), known, alike)) continue;
    const auto its = std::find_if(latest, ports.end(), [](const auto& a) { return a.stages > 0; });
    if (its != ports.end()) groups.resize(its->first);
    ports.resize(first);
    return static_cast<std::uint32_t>(first - k * warps);
  }
  return static_cast<std::uint32_t>(first);
}

namespace {

constexpr std::size_t longest_fold = 16; ///< entries of a repetition
constexpr std::size_t shortest_run = 32; ///< entries that are worth one

/// The entries from `at` on that are those `length` before them.
std::size_t run_of(const std::vector<Entry>& entries, std::size_t at, std::size_t length) {
  std::size_t end = at + length;
  while (end < entries.size() && entries[end] == entries[end - length]) ++end;
  return end - at;
}

} // namespace

void StepLog::fold() {
  if (repeats.empty()) {
    fold_runs();
  } else {
    widen_repeats();
  }
}

void StepLog::fold_runs() {
  // A run begins behind an entry.
  if (entries.size() <= shortest_run) return;
  std::size_t kept = 0;
  for (std::size_t at = 0; at < entries.size();) {
    std::size_t length = 1, run = 0;
    for (; length <= longest_fold && run < std::max(shortest_run, 4 * length); ++length)
      run = run_of(entries, at, length);
    --length;
    if (run < std::max(shortest_run, 4 * length)) {
      entries[kept++] = entries[at++];
      continue;
    }
    std::copy_n(entries.begin() + static_cast<std::ptrdiff_t>(at), length,
                entries.begin() + static_cast<std::ptrdiff_t>(kept));
    kept += length;
    entries[kept++] = {Ask::repeat, false, false, static_cast<std::uint32_t>(repeats.size())};
    repeats.push_back(
        {static_cast<std::uint32_t>(length), static_cast<std::int64_t>(run / length) - 1});
    at += run / length * length;
  }
  entries.resize(kept);
}

/// Equal entries before and after a repetition become part of it.
void StepLog::widen_repeats() {
  const auto same = [&](std::size_t x, std::size_t y, std::size_t length) {
    const auto first = entries.begin() + static_cast<std::ptrdiff_t>(x);
    return std::equal(first, first + static_cast<std::ptrdiff_t>(length),
                      entries.begin() + static_cast<std::ptrdiff_t>(y));
  };
  // After it: up to the entries of the next repetition.
  const auto free_up_to = [&](std::size_t from) {
    for (std::size_t k = from; k < entries.size(); ++k)
      if (entries[k].ask == Ask::repeat) return k - repeats[entries[k].amount].length;
    return entries.size();
  };
  std::size_t kept = 0;
  for (std::size_t at = 0; at < entries.size();) {
    const Entry entry = entries[at++];
    if (entry.ask == Ask::repeat) {
      auto& [length, times] = repeats[entry.amount];
      for (; kept >= 2 * length && same(kept - 2 * length, kept - length, length); ++times)
        kept -= length;
      const std::size_t end = free_up_to(at);
      for (; at + length <= end && same(at, kept - length, length); ++times) at += length;
    }
    entries[kept++] = entry;
  }
  entries.resize(kept);
}

std::uint32_t StepLog::drop(std::uint32_t passed_entries) {
  if (!repeats.empty() || 2 * std::size_t{passed_entries} < entries.size()) return 0;
  entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(passed_entries));
  const auto has_amounts = [](const Entry& e) { return e.each && e.ask != Ask::port; };
  const auto first = std::find_if(entries.begin(), entries.end(), has_amounts);
  const std::size_t passed = first == entries.end() ? amounts.size() : first->amount;
  amounts.erase(amounts.begin(), amounts.begin() + static_cast<std::ptrdiff_t>(passed));
  for (auto entry = first; entry != entries.end(); ++entry)
    if (has_amounts(*entry)) entry->amount -= static_cast<std::uint32_t>(passed);
  return passed_entries;
}

} // namespace memlane::fast
