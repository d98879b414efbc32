#include "timing_only.hpp"

#include <fmt/format.h>

namespace memlane::cli {

std::vector<Option> timing_only_options() {
  return {{"timing-only", 0, "", false,
           "exact time and counts without the data: arrays have no contents,\n"
           "and how often a regular loop without barriers runs costs nothing.\n"
           "Refused where time may depend on data, with the line"}};
}

Status check_timing_only(const Arguments& arguments,
                         std::initializer_list<std::string_view> needs) {
  if (!arguments.has("timing-only")) return Done{};
  for (const std::string_view option : needs) {
    if (!arguments.has(option)) continue;
    return error_in("--timing-only", fmt::format("nothing is computed, so --{} cannot be", option),
                    {fmt::format("leave out one of --timing-only and --{}", option)});
  }
  if (arguments.value("engine") != "reference") return Done{};
  return error_in("--timing-only", "this is done by the fast engine alone",
                  {"leave out --engine reference"});
}

} // namespace memlane::cli
