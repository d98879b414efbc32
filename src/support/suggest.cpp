#include "memlane/support/suggest.hpp"

#include <algorithm>

namespace memlane {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

} // namespace

int edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the table of distances between prefixes of a and of b.
  std::vector<int> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) current[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(previous);
    previous.swap(current);
    current[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + !same});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
    }
  }
  return current[b.size()];
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
  // Names are short; this avoids quadratic work for a hostile one.
  if (word.empty() || word.size() > 100) return std::nullopt;
  int best = std::max(1, static_cast<int>(word.size()) / 3) + 1;
  const std::string* found = nullptr;
  for (const std::string& name : known) {
    // The distance is at least the difference of the lengths.
    const auto longer = std::max(name.size(), word.size()),
               shorter = std::min(name.size(), word.size());
    if (longer - shorter >= static_cast<std::size_t>(best)) continue;
    const int distance = edit_distance(word, name);
    // A word of one letter is one edit from every other, so that only another case matches.
    if (distance >= best || (word.size() == 1 && distance > 0)) continue;
    best = distance;
    found = &name;
  }
  return found ? std::optional(*found) : std::nullopt;
}

std::vector<std::string> did_you_mean(std::string_view word,
                                      const std::vector<std::string>& known) {
  if (const auto name = nearest(word, known)) return {"did you mean '" + *name + "'?"};
  return {};
}

} // namespace memlane
