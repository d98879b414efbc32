#include "axis.hpp"

#include <algorithm>

namespace memlane {
namespace {

std::vector<double> thinned(const std::vector<double>& all) {
  std::vector<double> marks;
  const std::size_t step = all.size() / 7 + 1;
  for (std::size_t i = 0; i < all.size(); i += step) marks.push_back(all[i]);
  return marks;
}

} // namespace

LogAxis axis_of(double least, double greatest, double from, double to) {
  const double room = std::max(std::pow(greatest / least, 0.06), 1.2);
  return {least / room, greatest * room, from, to};
}

std::vector<double> axis_marks(const LogAxis& axis, double base) {
  std::vector<double> all;
  const double first = std::ceil(std::log(axis.lo) / std::log(base));
  for (double power = first; std::pow(base, power) <= axis.hi && all.size() < 200; ++power)
    all.push_back(std::pow(base, power));
  return thinned(all);
}

std::vector<double> decimal_marks(const LogAxis& axis) {
  std::vector<double> powers = axis_marks(axis, 10);
  if (powers.size() > 2) return powers;
  std::vector<double> all;
  const double first = std::pow(10, std::floor(std::log10(axis.lo)));
  for (double power = first; power <= axis.hi; power *= 10)
    for (const double digit : {1.0, 2.0, 5.0})
      if (axis.holds(digit * power)) all.push_back(digit * power);
  return thinned(all);
}

} // namespace memlane
