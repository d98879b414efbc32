#include "memlane/points/progress_text.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace memlane {

std::string progress_text(const RunProgress& progress, double seconds) {
  const std::int64_t blocks = progress.blocks, done = progress.blocks_done;
  std::string text = progress.starts > 1 ? fmt::format("start {}, ", progress.starts.load()) : "";
  if (blocks == 0 && progress.launches == 0)
    return text + "initial values and host code before the first launch";
  if (blocks == 0)
    text += fmt::format("{} done, host code", counted(progress.launches, "launch", "launches"));
  else
    text += fmt::format("launch {}", progress.launches + 1);
  const double part = blocks > 0 ? static_cast<double>(done) / static_cast<double>(blocks) : 0;
  if (blocks > 1) text += fmt::format(": {:.0f} % of {} blocks", 100 * part, blocks);
  text += fmt::format(", {} so far", counted(progress.time, "time unit"));
  if (part > 0 && part < 1)
    text +=
        fmt::format("; about {:.0f} s left in this launch", std::ceil(seconds / part * (1 - part)));
  return text;
}

} // namespace memlane
