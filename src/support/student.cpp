#include "memlane/support/student.hpp"

#include <cmath>
#include <numbers>

namespace memlane {
namespace {

/// Probability that |t| stays below a positive value: the finite sums for whole degrees of freedom
/// (Abramowitz & Stegun, 26.7.3 and 26.7.4).
double within(double t, std::ptrdiff_t freedom) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(freedom)));
  const double cosine2 = std::cos(angle) * std::cos(angle);
  const bool odd = freedom % 2 != 0;
  double term = odd ? std::cos(angle) : 1;
  double sum = freedom == 1 ? 0 : term;
  for (std::ptrdiff_t k = odd ? 2 : 1; k + 2 < freedom; k += 2) {
    term *= cosine2 * static_cast<double>(k) / static_cast<double>(k + 1);
    sum += term;
  }
  return odd ? 2 / std::numbers::pi * (angle + std::sin(angle) * sum) : std::sin(angle) * sum;
}

} // namespace

double student_quantile(double probability, std::ptrdiff_t freedom) {
  if (freedom < 1) return 0;
  if (probability < 0.5) return -student_quantile(1 - probability, freedom);
  const double wanted = 2 * probability - 1;
  double low = 0;
  double high = 1;
  while (within(high, freedom) < wanted && high < 1e12) high *= 2;
  for (int step = 0; step < 100; ++step) {
    const double middle = (low + high) / 2;
    (within(middle, freedom) < wanted ? low : high) = middle;
  }
  return high;
}

} // namespace memlane
