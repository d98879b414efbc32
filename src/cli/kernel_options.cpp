#include "kernel_options.hpp"

#include <fmt/format.h>

namespace memlane::cli {

namespace {

constexpr auto fault_kinds = static_cast<std::size_t>(ptx::FaultKind::count);

void add_allowed_faults(Options& options, ptx::FaultKinds& allowed) {
  static const std::vector<std::string> flags = [] {
    std::vector<std::string> names; // by kind
    for (std::size_t k = 0; k < fault_kinds; ++k)
      names.push_back(fmt::format("allow-{}", name_of(static_cast<ptx::FaultKind>(k))));
    return names;
  }();
  for (std::size_t k = 0; k < fault_kinds; ++k)
    if (may_be_allowed(static_cast<ptx::FaultKind>(k)))
      options.add(flags[k], "", {[&allowed, k](const Option&, const std::string&, ErrorCollector&) {
                    allowed.set(k);
                  }},
                  "count such faults of kernels and go on");
}

} // namespace

void check_sample(OptionReader& given, std::int64_t sample_blocks, const NeedsAllBlocks& needed) {
  if (sample_blocks == 0) return;
  for (const auto& [is_given, option] : needed)
    if (is_given)
      given.fail("--sample-blocks",
                 fmt::format("a part of the blocks is priced, and {} needs all of them", option),
                 fmt::format("leave out {} or --sample-blocks", option));
}

void add_kernel_options(Options& options, const KernelOptions& into, std::string_view sample_help) {
  options.add("races", "WHAT",
              one_of(&into.races, "check",
                     {{"count", ptx::RaceCheck::count},
                      {"error", ptx::RaceCheck::error},
                      {"off", ptx::RaceCheck::off}}),
              "races between warps and blocks are counted (count; if not given),\n"
              "errors (error), or not looked for (off), which is faster");
  options.add("sample-blocks", "N", whole(&into.sample_blocks, 1, INT32_MAX), sample_help);
  options.flag("details", &into.details,
               "tables of memory units, kernels, launches, lines, sectors");
  options.flag("explain", &into.explains,
               "say where the time of each kernel and launch went, what each source line\n"
               "costs, and what would help");
  add_allowed_faults(options, into.allowed);
}

std::string names_of(ptx::FaultKinds kinds) {
  std::string names;
  for (std::size_t k = 0; k < fault_kinds; ++k)
    if (kinds[k])
      names +=
          fmt::format("{}{}", names.empty() ? "" : ",", name_of(static_cast<ptx::FaultKind>(k)));
  return names;
}

} // namespace memlane::cli
