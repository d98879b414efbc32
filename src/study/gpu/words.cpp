#include "words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace memlane {

namespace {

std::string sizes_text(const std::vector<double>& sizes) {
  std::string text;
  for (double size : sizes) {
    text += fmt::format("{}n ≈ {}", text.empty() ? "" : " and ", short_number(size));
  }
  return text;
}

std::string at_size(double size) {
  return size > 0 ? fmt::format(" at n={}", short_number(size)) : std::string();
}

std::string inversion_sentence(const measure::Inversion& inversion) {
  return fmt::format(
      "the model says {} before {}{} ({} vs {} predicted), measured the other way: {} vs {}{}",
      inversion.first, inversion.second, at_size(inversion.first_point.size),
      short_time(inversion.first_point.model), short_time(inversion.second_point.model),
      short_time(inversion.first_point.measured), short_time(inversion.second_point.measured),
      inversion.within_spread ? ", within the samples' spread" : "");
}

std::string crossing_sentence(const measure::Crossing& crossing) {
  const auto where = [](const std::vector<double>& sizes) {
    return sizes.empty() ? std::string("nowhere") : "at " + sizes_text(sizes);
  };
  return fmt::format("{} and {} cross {} in the model, {} as measured (n from {} to {})",
                     crossing.first, crossing.second, where(crossing.model),
                     where(crossing.measured), short_number(crossing.least),
                     short_number(crossing.greatest));
}

} // namespace

std::string percent_text(double share) {
  const double percent = 100 * share;
  constexpr double half_digit = 0.005;
  if (std::abs(percent) < half_digit) return "0.00 %"; // without a sign
  return std::abs(percent) < 1e5 ? fmt::format("{:.2f} %", percent)
                                 : fmt::format("{:.3g} %", percent);
}

std::string costs_sentence(const measure::FittedCosts& costs) {
  const auto text = [](const measure::Estimate& estimate) {
    return estimate.status == measure::EstimateStatus::free ||
                   estimate.status == measure::EstimateStatus::fixed
               ? short_time(estimate.value)
               : fmt::format("{} ({})", short_time(estimate.value), name_of(estimate.status));
  };
  return fmt::format("predicted: {} a time unit and {} a launch, fitted to {}; the "
                     "errors' root mean square is {}",
                     text(costs.unit), text(costs.launch),
                     counted(static_cast<std::int64_t>(costs.points), "measured time"),
                     percent_text(costs.rms));
}

namespace {

std::vector<std::string> order_sentences(const measure::Ordering& ordering) {
  if (ordering.sizes.empty()) return {"no two algorithms of one problem at the same n"};
  const auto tau_text = [](const measure::PairCounts& pairs) {
    const auto tau = measure::tau_b(pairs);
    return tau ? fmt::format("{:.3f}", *tau) : std::string("none, all are equal");
  };
  std::vector<std::string> sentences = {
      fmt::format("Kendall's tau-b {} over {} pairs: {} in the measured order, {} the other way",
                  tau_text(ordering.pairs), ordering.pairs.pairs(), ordering.pairs.concordant,
                  ordering.pairs.discordant)};
  for (const measure::SizeOrder& size : ordering.sizes) {
    sentences.push_back(fmt::format("{}{}: tau-b {} of {} algorithms", size.problem,
                                    at_size(size.size), tau_text(size.pairs), size.curves.size()));
  }
  for (const measure::Inversion& inversion : ordering.inversions)
    sentences.push_back(inversion_sentence(inversion));
  for (const measure::Crossing& crossing : ordering.crossings)
    sentences.push_back(crossing_sentence(crossing));
  return sentences;
}

} // namespace

std::vector<OrderFinding> order_findings(const measure::MeasuredComparison& comparison) {
  std::vector<OrderFinding> findings;
  const auto& points = comparison.points;
  const bool has_executables = std::any_of(points.begin(), points.end(),
                                           [](const auto& point) { return point.measured.launch; });
  if (!has_executables || !comparison.emitted.sizes.empty())
    findings.push_back({"does the model put the emitted kernels in the measured order?",
                        order_sentences(comparison.emitted)});
  if (!comparison.hand_written.sizes.empty())
    findings.push_back({"and those written by hand?", order_sentences(comparison.hand_written)});
  if (has_executables)
    findings.push_back({"does the model put the kernels of a program in the measured order?",
                        comparison.executables.sizes.empty()
                            ? std::vector<std::string>{"no program has two kernels"}
                            : order_sentences(comparison.executables)});
  return findings;
}

} // namespace memlane
