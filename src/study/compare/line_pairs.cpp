// Which line of one program stands beside which of the other.
#include "memlane/study/compare/comparison.hpp"
#include "memlane/support/text.hpp"

#include <algorithm>
#include <map>

namespace memlane::sweep {
namespace {

/// The pairs of neighbouring characters of a text without its blanks, sorted.
std::vector<std::pair<char, char>> letter_pairs(const std::string& text) {
  std::string letters;
  std::copy_if(text.begin(), text.end(), std::back_inserter(letters),
               [](char c) { return c != ' '; });
  std::vector<std::pair<char, char>> pairs;
  for (std::size_t k = 1; k < letters.size(); ++k) pairs.emplace_back(letters[k - 1], letters[k]);
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

/// 1 for equal texts, 0 for texts that have nothing in common: the mean of Dice's coefficient and
/// the share of the shorter text, since an access often only gets longer (`t[i]`, `t[pad(i)]`).
double likeness(const std::vector<std::pair<char, char>>& a,
                const std::vector<std::pair<char, char>>& b) {
  if (a.empty() && b.empty()) return 1;
  std::vector<std::pair<char, char>> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  const auto shared = static_cast<double>(common.size());
  const auto least = static_cast<double>(std::max<std::size_t>(1, std::min(a.size(), b.size())));
  return shared / static_cast<double>(a.size() + b.size()) + shared / (2 * least);
}

/// What a pair of lines is worth to an alignment: equal lines more than any two that are alike.
double worth(double likeness) {
  constexpr double equal = 4, least = 0.45;
  return likeness == 1 ? equal : likeness > least ? likeness : 0;
}

using WorthTable = std::vector<std::vector<double>>;

/// best[i][j]: the greatest worth of pairs among the lines from i and from j on.
WorthTable alignments(const std::vector<CountedLine>& first, const std::vector<CountedLine>& second,
                      WorthTable& worths) {
  const std::size_t rows = first.size(), columns = second.size();
  std::vector<std::vector<std::pair<char, char>>> own, other;
  for (const CountedLine& line : first) own.push_back(letter_pairs(line.text));
  for (const CountedLine& line : second) other.push_back(letter_pairs(line.text));
  worths.assign(rows, std::vector<double>(columns, 0));
  WorthTable best(rows + 1, std::vector<double>(columns + 1, 0));
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t j = columns; j-- > 0;) {
      worths[i][j] = worth(likeness(own[i], other[j]));
      best[i][j] = std::max({best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + worths[i][j]});
    }
  }
  return best;
}

std::vector<LinePair> pair_by_text(const std::vector<CountedLine>& first,
                                   const std::vector<CountedLine>& second) {
  WorthTable worths;
  const WorthTable best = alignments(first, second, worths);
  std::vector<LinePair> pairs;
  std::size_t i = 0, j = 0;
  while (i < first.size() || j < second.size()) {
    const bool both = i < first.size() && j < second.size();
    if (both && worths[i][j] > 0 && best[i][j] == best[i + 1][j + 1] + worths[i][j]) {
      pairs.push_back({first[i++], second[j++]});
    } else if (i < first.size() && (!both || best[i][j] == best[i + 1][j])) {
      pairs.push_back({first[i++], std::nullopt});
    } else {
      pairs.push_back({std::nullopt, second[j++]});
    }
  }
  return pairs;
}

std::vector<LinePair> pair_by_number(const std::vector<CountedLine>& first,
                                     const std::vector<CountedLine>& second) {
  std::map<std::pair<std::string, std::int32_t>, const CountedLine*> known;
  for (const CountedLine& line : second) known[{line.file, line.number}] = &line;
  std::vector<LinePair> pairs;
  for (const CountedLine& line : first) {
    const auto other = known.find({line.file, line.number});
    pairs.push_back({line, std::nullopt});
    if (other == known.end()) continue;
    pairs.back().second = *other->second;
    known.erase(other);
  }
  for (const auto& [place, line] : known) {
    const auto later = std::find_if(pairs.begin(), pairs.end(), [&, l = line](const LinePair& p) {
      return p.first && p.first->file == l->file && p.first->number > l->number;
    });
    pairs.insert(later, {std::nullopt, *line});
  }
  return pairs;
}

} // namespace

bool LinePair::differs() const {
  if (!first || !second) return true;
  const LineCounts &a = first->counts, &b = second->counts;
  return a.requests != b.requests || a.stages != b.stages || a.worst != b.worst || a.mmm != b.mmm;
}

std::vector<LinePair> pair_lines(const std::vector<CountedLine>& first,
                                 const std::vector<CountedLine>& second, LineMatch match) {
  return match == LineMatch::number ? pair_by_number(first, second) : pair_by_text(first, second);
}

} // namespace memlane::sweep
