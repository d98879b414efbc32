#include "place_costs.hpp"

namespace memlane::sweep {

std::int64_t PlaceCosts::letter(const GridValues& values, std::string_view name) const {
  std::size_t axis = 0;
  while (axes_[axis].name != name) ++axis;
  return values[axis];
}

GridValues PlaceCosts::without_latencies(GridValues values) const {
  for (std::size_t k = 0; k < values.size(); ++k)
    if (const std::string& name = axes_[k].name;
        name == "l" || name == "L" || name == "U" || name == "P")
      values[k] = 0;
  return values;
}

PlaceCosts::Estimate PlaceCosts::estimate(const GridValues& values) {
  const Point at = point(values);
  const Result<ir::Program> code = lower_at(at, sources_);
  if (!watch_.ask()) return {};
  if (!code) {
    if (!code.errors().empty()) refusal_ = code.errors();
    return {};
  }
  const bool any_threads = !code->threads_matter;
  if (Status possible = check_machine(*code, at.machine); !possible) {
    model_refusal_ = possible.errors();
    return {std::nullopt, any_threads};
  }
  return {words_of(*code), any_threads};
}

/// Conditions and sizes seldom ask for a latency: one answer serves all values of l, L, U and P. A
/// point that one of them does refuse is passed over later.
std::optional<WordCount> PlaceCosts::words(const GridValues& values) {
  const GridValues key = without_latencies(values);
  GridValues key_of_all_p = key;
  for (std::size_t k = 0; k < key.size(); ++k)
    if (axes_[k].name == "p") key_of_all_p[k] = 0;
  if (const auto found = words_.find(key_of_all_p); found != words_.end()) return found->second;
  const auto [found, unknown] = words_.try_emplace(key);
  if (!unknown) return found->second;
  const Estimate own = estimate(values);
  found->second = own.words;
  if (own.any_threads) words_[key_of_all_p] = own.words;
  return own.words;
}

bool PlaceCosts::can_run(const GridValues& values) {
  const bool whole_warps = !has_axis(model_, "p") || letter(values, "p") % letter(values, "w") == 0;
  return whole_warps && !unfit_.contains(without_latencies(values)) && words(values);
}

std::optional<double> PlaceCosts::cost(const GridValues& values) {
  if (!can_run(values)) return std::nullopt;
  const double own = words(values)->handled;
  if (own >= most_) return std::nullopt;
  return own + threads_of(place(values).machine);
}

} // namespace memlane::sweep
