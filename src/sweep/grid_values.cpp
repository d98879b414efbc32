#include "grid_values.hpp"

#include <fmt/format.h>

namespace memlane::sweep {

void SeenValues::add(const std::vector<GridAxis>& axes, const GridValues& values) {
  for (std::size_t k = 0; k < values.size(); ++k) values_[axes[k].name].insert(values[k]);
}

bool SeenValues::has(const std::string& axis, std::int64_t value) const {
  const auto values = values_.find(axis);
  return values != values_.end() && values->second.count(value) > 0;
}

std::string way_to_larger(std::size_t points) {
  return fmt::format("raise the limit: --points {}; 'memlane run' takes any size", 20 * points);
}

Diagnostics unused_values(const GridRequest& request, const SeenValues& possible,
                          const SeenValues& unfit, const SeenValues& used) {
  Diagnostics messages;
  for (const auto& [name, values] : request.axes) {
    for (const std::int64_t value : values) {
      if (used.has(name, value)) continue;
      const bool does_not_fit = unfit.has(name, value);
      const bool too_large = !does_not_fit && possible.has(name, value);
      Diagnostic message = error_in(
          "--grid",
          fmt::format("no run used {}={}: {}", name, value,
                      too_large      ? fmt::format("its runs exceed the limit of --points {}",
                                                   request.grid.points)
                      : does_not_fit ? "its launches do not fit on the machines of the grid"
                                     : "no model or condition allows it"),
          {too_large ? way_to_larger(request.grid.points)
                     : "'memlane run' with these values shows the reason"});
      message.severity = too_large ? Severity::error : Severity::warning;
      messages.push_back(std::move(message));
    }
  }
  return messages;
}

} // namespace memlane::sweep
