#include "words.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

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

} // namespace

std::string optional_number(const std::optional<double>& value) {
  return value ? short_number(*value) : "";
}

std::string percent_text(double share) {
  const double percent = 100 * share;
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
  return fmt::format(
      "predicted: {} a time unit and {} a launch, fitted to {} emitted kernel{}; the "
      "errors' root mean square is {}",
      text(costs.unit), text(costs.launch), costs.points, costs.points == 1 ? "" : "s",
      percent_text(costs.rms));
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

} // namespace memlane
