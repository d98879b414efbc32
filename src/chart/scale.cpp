#include "memlane/chart/scale.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace memlane {
namespace {

constexpr double greatest_place = 1e250; // room beside it, and differences, are numbers too

bool is_log(AxisScale scale) { return scale == AxisScale::log2 || scale == AxisScale::log10; }

/// A shared span of one value has room to both sides.
AxisSpan log_span(AxisScale scale, double least, double greatest) {
  const double length = std::log(greatest) - std::log(least);
  const double room = std::exp(length < 0.0015 ? 0.2
                               : length < 0.5  ? 0.12 * length
                                               : 0.06 * length);
  return {scale, least / room, greatest * room};
}

AxisSpan linear_span(double least, double greatest, bool from_zero) {
  const bool near_zero = least > 0 && least <= 0.5 * greatest;
  if (least > 0 && (from_zero || near_zero)) least = 0;
  if (greatest < 0 && from_zero) greatest = 0;
  if (least == 0 && greatest == 0) greatest = 1;
  double room = 0.05 * (greatest - least);
  if (room == 0) room = least == 0 ? 0.5 : 0.1 * std::abs(least);
  return {AxisScale::linear, least == 0 ? 0 : least - room, greatest == 0 ? 0 : greatest + room};
}

// ---- Where ticks are ----

/// Powers of the base, each k-th: those whose exponents k divides, unless these are few.
std::vector<double> power_ticks(const AxisSpan& span, double base, std::size_t most) {
  const double digit = std::log(base);
  const double last = std::floor(std::log(span.hi) / digit + 1e-9);
  double first = std::ceil(std::log(span.lo) / digit - 1e-9), step = 1;
  while (std::floor((last - first) / step) + 1 > static_cast<double>(most)) ++step;
  const double aligned = std::ceil(first / step) * step;
  if (aligned + 2 * step <= last) first = aligned;
  std::vector<double> ticks;
  for (double k = first; k <= last; k += step) ticks.push_back(std::pow(base, k));
  return ticks;
}

std::vector<double> digit_ticks(const AxisSpan& span) {
  std::vector<double> ticks;
  double power = std::pow(10, std::floor(std::log10(span.lo)));
  for (; power <= span.hi; power *= 10)
    for (const double digit : {1.0, 2.0, 5.0})
      if (span.holds(digit * power)) ticks.push_back(digit * power);
  return ticks;
}

/// At most `most` of the ticks, the first and the last among them.
std::vector<double> thinned(const std::vector<double>& ticks, std::size_t most) {
  if (ticks.size() <= most) return ticks;
  std::vector<double> kept;
  for (std::size_t i = 0; i < most; ++i) kept.push_back(ticks[i * (ticks.size() - 1) / (most - 1)]);
  return kept;
}

/// Steps of 1, 2 or 5 times powers of ten; if none gives two to `most` ticks, some of the next
/// smaller one.
std::vector<double> even_ticks(const AxisSpan& span, std::size_t most) {
  const auto first = [&](double step) { return std::ceil(span.lo / step - 1e-9); };
  const auto last = [&](double step) { return std::floor(span.hi / step + 1e-9); };
  const auto count = [&](double step) { return last(step) - first(step) + 1; };
  double step = std::pow(10, std::floor(std::log10(span.hi - span.lo)) - 1);
  if (span.whole) step = std::max(step, 1.0);
  double smaller = step;
  for (std::size_t i = 0; count(step) > static_cast<double>(most); ++i) {
    smaller = step;
    step *= i % 3 == 1 ? 2.5 : 2; // 1, 2, 5, 10
  }
  if (count(step) < 2) step = smaller;
  std::vector<double> ticks;
  for (double k = first(step); k <= last(step); ++k)
    ticks.push_back(k == 0 ? 0 : k * step); // not -0
  return thinned(ticks, most);
}

std::vector<double> log_ticks(const AxisSpan& span, std::size_t most) {
  std::vector<double> powers = power_ticks(span, span.scale == AxisScale::log2 ? 2 : 10, most);
  if (powers.size() > 2) return powers;
  std::vector<double> digits = digit_ticks(span);
  if (digits.size() > 2 && digits.size() <= most) return digits;
  if (powers.size() == 2) return powers;
  return digits.size() > 1 ? thinned(digits, most) : even_ticks(span, most);
}

std::vector<double> category_ticks(const ChartAxis& axis, std::size_t most) {
  const std::size_t step = (axis.categories.size() + most - 1) / most;
  std::vector<double> ticks;
  for (std::size_t i = 0; i < axis.categories.size(); i += step)
    ticks.push_back(static_cast<double>(i));
  return ticks;
}

// ---- How they are written ----

std::string superscript(int exponent) {
  constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(exponent))) text += digits[digit - '0'];
  return text;
}

/// `2·10⁶`, `10⁶`.
std::string power_of_ten(double value, int exponent) {
  if (value == 0) return "0";
  const std::string factor = fmt::format("{:.6g}", value / std::pow(10, exponent));
  const std::string power = "10" + superscript(exponent);
  return factor == "1" ? power : factor + "·" + power;
}

std::string number_tick(const AxisSpan& span, const std::vector<double>& ticks, double value) {
  const double greatest = std::max(std::abs(ticks.front()), std::abs(ticks.back()));
  const auto is_power = [](double tick) { return std::log2(tick) == std::round(std::log2(tick)); };
  if (span.scale == AxisScale::log2 && greatest > 4096 &&
      std::all_of(ticks.begin(), ticks.end(), is_power))
    return "2" + superscript(static_cast<int>(std::log2(value)));
  const double least = is_log(span.scale) ? ticks.front() : greatest;
  if (greatest < (is_log(span.scale) ? 1e5 : 1e6) && (least >= 1e-3 || least == 0))
    return fmt::format("{:.10g}", value);
  const double of = is_log(span.scale) ? std::abs(value) : greatest;
  return power_of_ten(value, static_cast<int>(std::floor(std::log10(of) + 1e-9)));
}

std::string bytes_text(double bytes) {
  constexpr const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; bytes >= 1000 && unit < 4; ++unit) bytes /= 1000;
  return fmt::format("{:.4g} {}", bytes, units[unit]);
}

std::string ratio_text(double ratio) {
  return ratio >= 1 || ratio <= 0 ? short_number(ratio) : "1/" + short_number(1 / ratio);
}

std::string percent_mark(double ratio) {
  const double percent = 100 * (ratio - 1);
  return fmt::format("{}{:.2g} %", percent > 1e-6 ? "+" : "",
                     std::abs(percent) < 1e-6 ? 0 : percent);
}

} // namespace

AxisScale log_scale_of(const std::vector<double>& values) {
  const bool are_powers = std::all_of(values.begin(), values.end(), [](double value) {
    return value > 0 && std::log2(value) == std::round(std::log2(value));
  });
  return are_powers ? AxisScale::log2 : AxisScale::log10;
}

AxisScale scale_of_values(const std::vector<double>& values) {
  if (values.size() < 2 || values.front() <= 0) return AxisScale::linear;
  const auto unevenness = [&](auto distance) {
    double least = INFINITY, greatest = 0;
    for (std::size_t i = 1; i < values.size(); ++i) {
      least = std::min(least, distance(values[i - 1], values[i]));
      greatest = std::max(greatest, distance(values[i - 1], values[i]));
    }
    return greatest / least;
  };
  const bool by_factors = values.size() == 2
                              ? values.back() >= 8 * values.front()
                              : unevenness([](double a, double b) { return std::log(b / a); }) <
                                    unevenness([](double a, double b) { return b - a; });
  return by_factors ? log_scale_of(values) : AxisScale::linear;
}

bool has_place(AxisScale scale, double value) {
  if (!std::isfinite(value) || std::abs(value) > greatest_place) return false;
  return !is_log(scale) || value > 1 / greatest_place;
}

double AxisSpan::share(double value) const {
  if (is_log(scale)) return (std::log(value) - std::log(lo)) / (std::log(hi) - std::log(lo));
  return (value - lo) / (hi - lo);
}

double AxisSpan::value(double share) const {
  if (is_log(scale)) return std::exp(std::log(lo) + share * (std::log(hi) - std::log(lo)));
  return lo + share * (hi - lo);
}

double AxisSpan::base() const { return std::clamp(0.0, lo, hi); }

AxisRange::AxisRange(const ChartAxis& axis) : axis_(&axis) {
  for (const double value : axis.also) hold(value);
}

void AxisRange::hold(double value) {
  if (!has_place(axis_->scale, value)) return;
  least_ = std::min(least_, value);
  greatest_ = std::max(greatest_, value);
  whole_ = whole_ && value == std::round(value);
}

AxisSpan AxisRange::span(bool from_zero) const {
  const AxisScale scale = axis_->scale;
  if (scale == AxisScale::categories)
    return {scale, -0.5,
            static_cast<double>(std::max<std::size_t>(1, axis_->categories.size())) - 0.5};
  const bool none = least_ > greatest_;
  if (is_log(scale)) return none ? AxisSpan{scale, 1, 10} : log_span(scale, least_, greatest_);
  if (none) return {scale, 0, 1};
  AxisSpan span = linear_span(least_, greatest_, from_zero);
  span.whole = whole_;
  if (whole_ && least_ == greatest_ && span.hi - span.lo < 1) // room for whole ticks beside it
    span.lo = least_ - 1, span.hi = least_ + 1;
  return span;
}

std::vector<AxisTick> ticks_of(const ChartAxis& axis, const AxisSpan& span, std::size_t most) {
  const std::vector<double> values = axis.scale == AxisScale::categories
                                         ? category_ticks(axis, most)
                                     : is_log(axis.scale) ? log_ticks(span, most)
                                                          : even_ticks(span, most);
  std::vector<AxisTick> ticks;
  for (const double value : values) {
    if (axis.scale == AxisScale::categories)
      ticks.push_back({value, axis.categories[static_cast<std::size_t>(value)]});
    else if (axis.text == AxisText::number)
      ticks.push_back({value, number_tick(span, values, value)});
    else
      ticks.push_back({value, value_text(axis, value)});
  }
  return ticks;
}

std::string value_text(const ChartAxis& axis, double value) {
  if (axis.scale == AxisScale::categories) {
    const bool known = value >= 0 && value < static_cast<double>(axis.categories.size());
    return known ? axis.categories[static_cast<std::size_t>(value)] : fmt::format("{:g}", value);
  }
  switch (axis.text) {
  case AxisText::number: break;
  case AxisText::nanoseconds: return short_time(value);
  case AxisText::bytes: return bytes_text(value);
  case AxisText::ratio: return ratio_text(value);
  case AxisText::percent: return percent_mark(value);
  }
  const bool whole = value == std::round(value) && std::abs(value) < 1e15;
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.6g}", value);
}

} // namespace memlane
