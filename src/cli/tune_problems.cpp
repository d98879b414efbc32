#include "tune_problems.hpp"

#include "memlane/sweep/advice.hpp"

#include <cstdint>
#include <optional>

namespace memlane::cli {
namespace {

/// Points of a plan that differ in one tuned axis alone: the first one, and one for each value.
std::vector<std::int64_t> points_along(const TuneRequest& request, const sweep::Plan& plan,
                                       std::size_t tuned) {
  constexpr std::size_t most_points = 16;
  std::vector<std::int64_t> points;
  std::vector<std::int64_t> last;
  for (std::int64_t k = 0; k < plan.size() && points.size() < most_points; ++k) {
    std::vector<std::int64_t> numbers = plan.numbers(k);
    const std::size_t group = request.tuned[tuned];
    if (!points.empty()) {
      std::vector<std::int64_t> same = numbers;
      same[group] = last[group];
      if (same != last || numbers[group] == last[group]) continue; // another axis, or another seed
    }
    points.push_back(k);
    last = std::move(numbers);
  }
  return points;
}

/// The code of a point, whole: what --timing-only removes are the initial contents.
std::optional<ir::Program> code_of(const sweep::Plan& plan, std::int64_t number,
                                   const Sources& sources) {
  sweep::PlannedPoint planned = plan.point(number);
  planned.point.options.timing_only = false;
  Result<ir::Program> code = sweep::bind_point(planned.point, sources);
  if (!code) return std::nullopt; // its run says what is wrong
  return std::move(*code);
}

std::string changed_input(const TuneRequest& request, const sweep::Plan& plan, std::size_t tuned,
                          const Sources& sources) {
  std::optional<ir::Program> first;
  for (const std::int64_t number : points_along(request, plan, tuned)) {
    std::optional<ir::Program> code = code_of(plan, number, sources);
    if (!code) continue;
    if (!first) {
      first = std::move(code);
      continue;
    }
    std::string input = sweep::other_memory_arrays(*first, *code).input;
    if (!input.empty()) return input;
  }
  return "";
}

} // namespace

std::vector<std::string> changed_inputs(const TuneRequest& request, const TunedPlan& plan,
                                        const Sources& sources) {
  std::vector<std::string> inputs;
  for (std::size_t k = 0; k < request.tuned.size(); ++k)
    inputs.push_back(changed_input(request, plan.plan, k, sources));
  return inputs;
}

} // namespace memlane::cli
