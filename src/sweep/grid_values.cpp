#include "grid_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace memlane::sweep {

void SeenValues::add(const std::vector<GridAxis>& axes, const GridValues& values) {
  for (std::size_t k = 0; k < values.size(); ++k) values_[axes[k].name].insert(values[k]);
}

bool SeenValues::has(const std::string& axis, std::int64_t value) const {
  const auto values = values_.find(axis);
  return values != values_.end() && values->second.count(value) > 0;
}

std::string more_points(std::size_t points) { return fmt::format("--points {}", 20 * points); }

std::string way_to_larger(std::size_t points) {
  return fmt::format("raise the limit: {}; 'memlane run' takes any size", more_points(points));
}

namespace {

/// Why no run used a value.
enum class Unused : std::uint8_t { too_large, does_not_fit, not_allowed };

/// Values shown of many.
constexpr std::size_t most_shown = 8;

Diagnostic unused_message(const std::string& name, const GridValues& values, Unused why,
                          std::size_t points) {
  const std::size_t shown = std::min(values.size(), most_shown);
  std::string list = fmt::format(
      "{}", fmt::join(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < values.size()) list += fmt::format(" and {} more", values.size() - shown);
  const bool one = values.size() == 1;
  const char* const whose = one ? "its" : "their";
  std::string reason, way = "'memlane run' with these values shows the reason";
  switch (why) {
  case Unused::too_large:
    reason = fmt::format("{} runs exceed the limit of --points {}", whose, points);
    way = way_to_larger(points);
    break;
  case Unused::does_not_fit:
    reason = fmt::format("{} launches do not fit on the machines of the grid", whose);
    break;
  case Unused::not_allowed:
    reason = fmt::format("no model or condition allows {}", one ? "it" : "them");
    break;
  }
  Diagnostic message =
      error_in("--grid", fmt::format("no run used {}={}: {}", name, list, reason), {way});
  message.severity = why == Unused::too_large ? Severity::error : Severity::warning;
  return message;
}

} // namespace

Diagnostics unused_values(const GridRequest& request, const SeenValues& possible,
                          const SeenValues& unfit, const SeenValues& used) {
  Diagnostics messages;
  for (const auto& [name, values] : request.axes) {
    std::map<Unused, GridValues> unused;
    for (const std::int64_t value : values) {
      if (used.has(name, value)) continue;
      const Unused why = unfit.has(name, value)      ? Unused::does_not_fit
                         : possible.has(name, value) ? Unused::too_large
                                                     : Unused::not_allowed;
      unused[why].push_back(value);
    }
    for (const auto& [why, own] : unused)
      messages.push_back(unused_message(name, own, why, request.grid.points));
  }
  return messages;
}

} // namespace memlane::sweep
