#include "memlane/show/engine_work.hpp"

#include <fmt/format.h>

namespace memlane {

std::string engine_work_text(const EngineWork& work) {
  std::string text;
  for (const WorkColumn& column : work_columns()) {
    const SparedWork& of = work.*column.of;
    if (of.total == 0) continue;
    text += of.skipped == 0
                ? fmt::format("{}: all {} {} {}\n", column.name, of.total, column.unit, column.done)
                : fmt::format("{}: {} of {} {} {}, {}\n", column.name, of.total - of.skipped,
                              of.total, column.unit, column.done, column.skipped);
  }
  return text;
}

std::string phase_seconds_text(const PhaseSeconds& seconds) {
  std::string text;
  for (std::size_t k = 0; k < seconds.size(); ++k)
    if (seconds[k] > 0)
      text += fmt::format("{}{:.4f} {}", text.empty() ? "seconds: " : ", ", seconds[k],
                          name_of(static_cast<EnginePhase>(k)));
  return text.empty() ? text : text + '\n';
}

} // namespace memlane
