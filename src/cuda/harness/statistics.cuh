namespace harness {

/// Interpolates linearly between neighbouring samples.
inline double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double place = share * double(values.size() - 1);
  const std::size_t below = std::size_t(place), above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - double(below)) * (values[above] - values[below]);
}
inline double median(const std::vector<double>& values) { return quantile(values, 0.5); }

/// Interquartile range / median.
inline double spread(const std::vector<double>& values) {
  return (quantile(values, 0.75) - quantile(values, 0.25)) / median(values);
}

/// Half the 95 % confidence interval of the median / median. The interval is between two order
/// statistics for any distribution, because the number of samples below the median is binomial.
inline double noise(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const double n = double(values.size()), half = 0.98 * std::sqrt(n);
  const std::size_t low = std::size_t(std::max(0.0, std::floor(n / 2 - half)));
  const std::size_t high = std::size_t(std::min(n - 1, std::ceil(n / 2 + half)));
  return (values[high] - values[low]) / 2 / median(values);
}

} // namespace harness
