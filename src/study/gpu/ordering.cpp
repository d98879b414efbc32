#include "memlane/study/gpu/ordering.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>

namespace memlane::measure {
namespace {

/// The points of two curves at the sizes that both have.
std::vector<std::pair<CurvePoint, CurvePoint>> common_points(const Curve& a, const Curve& b) {
  std::vector<std::pair<CurvePoint, CurvePoint>> common;
  auto other = b.points.begin();
  for (const CurvePoint& point : a.points) {
    while (other != b.points.end() && other->size < point.size) ++other;
    if (other != b.points.end() && other->size == point.size) common.emplace_back(point, *other);
  }
  return common;
}

bool overlap(const CurvePoint& a, const CurvePoint& b) {
  return a.measured_low <= b.measured_high && b.measured_low <= a.measured_high;
}

void find_inversions(const Curve& a, const Curve& b, std::vector<Inversion>& inversions) {
  for (const auto& [x, y] : common_points(a, b)) {
    const bool forward = x.model < y.model && x.measured > y.measured;
    const bool backward = y.model < x.model && y.measured > x.measured;
    if (forward) inversions.push_back({a.name, b.name, x, y, overlap(x, y)});
    if (backward) inversions.push_back({b.name, a.name, y, x, overlap(x, y)});
  }
}

void find_crossing(const Curve& a, const Curve& b, std::vector<Crossing>& found) {
  std::vector<double> sizes, model_a, model_b, measured_a, measured_b;
  for (const auto& [x, y] : common_points(a, b)) {
    sizes.push_back(x.size);
    model_a.push_back(x.model);
    model_b.push_back(y.model);
    measured_a.push_back(x.measured);
    measured_b.push_back(y.measured);
  }
  if (sizes.size() < 2) return;
  Crossing crossing{a.name,
                    b.name,
                    sizes.front(),
                    sizes.back(),
                    crossings(sizes, model_a, model_b),
                    crossings(sizes, measured_a, measured_b)};
  if (!crossing.model.empty() || !crossing.measured.empty()) found.push_back(std::move(crossing));
}

} // namespace

PairCounts& PairCounts::operator+=(const PairCounts& other) {
  concordant += other.concordant;
  discordant += other.discordant;
  ties_first += other.ties_first;
  ties_second += other.ties_second;
  ties_both += other.ties_both;
  return *this;
}

std::int64_t PairCounts::pairs() const {
  return concordant + discordant + ties_first + ties_second + ties_both;
}

PairCounts count_pairs(const std::vector<double>& first, const std::vector<double>& second) {
  assert(first.size() == second.size());
  PairCounts counts;
  for (std::size_t i = 0; i < first.size(); ++i) {
    for (std::size_t j = i + 1; j < first.size(); ++j) {
      const bool equal_first = first[i] == first[j];
      const bool equal_second = second[i] == second[j];
      if (equal_first || equal_second) {
        ++(equal_first && equal_second ? counts.ties_both
           : equal_first               ? counts.ties_first
                                       : counts.ties_second);
      } else {
        ++((first[i] < first[j]) == (second[i] < second[j]) ? counts.concordant
                                                            : counts.discordant);
      }
    }
  }
  return counts;
}

std::optional<double> tau_b(const PairCounts& counts) {
  const auto decided = static_cast<double>(counts.concordant + counts.discordant);
  const double first = decided + static_cast<double>(counts.ties_second);
  const double second = decided + static_cast<double>(counts.ties_first);
  if (first == 0 || second == 0) return std::nullopt;
  return static_cast<double>(counts.concordant - counts.discordant) / std::sqrt(first * second);
}

std::vector<double> crossings(const std::vector<double>& sizes, const std::vector<double>& first,
                              const std::vector<double>& second) {
  std::vector<double> found;
  std::optional<std::size_t> last; // the last size at which the curves differ
  double difference_before = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double difference = std::log(first[i]) - std::log(second[i]);
    if (difference == 0) continue;
    if (last && (difference > 0) != (difference_before > 0)) {
      if (*last + 1 < i) {
        found.push_back(sizes[*last + 1]);
      } else {
        const double part = difference_before / (difference_before - difference);
        found.push_back(sizes[*last] * std::pow(sizes[i] / sizes[*last], part));
      }
    }
    last = i;
    difference_before = difference;
  }
  return found;
}

Ordering order_curves(const std::vector<Curve>& curves) {
  struct AtSize {
    std::vector<std::string> names;
    std::vector<double> model, measured;
  };
  std::map<std::pair<std::string, double>, AtSize> sizes;
  for (const Curve& curve : curves) {
    for (const CurvePoint& point : curve.points) {
      AtSize& at = sizes[{curve.problem, point.size}];
      at.names.push_back(curve.name);
      at.model.push_back(point.model);
      at.measured.push_back(point.measured);
    }
  }
  Ordering ordering;
  for (auto& [key, at] : sizes) {
    if (at.names.size() < 2) continue;
    const PairCounts pairs = count_pairs(at.model, at.measured);
    ordering.pairs += pairs;
    ordering.sizes.push_back({key.first, key.second, std::move(at.names), pairs});
  }
  for (std::size_t i = 0; i < curves.size(); ++i) {
    for (std::size_t j = i + 1; j < curves.size(); ++j) {
      if (curves[i].problem != curves[j].problem) continue;
      find_inversions(curves[i], curves[j], ordering.inversions);
      find_crossing(curves[i], curves[j], ordering.crossings);
    }
  }
  std::stable_sort(ordering.inversions.begin(), ordering.inversions.end(),
                   [](const Inversion& a, const Inversion& b) {
                     return a.first_point.size < b.first_point.size;
                   });
  return ordering;
}

} // namespace memlane::measure
