// What the library tells `memlane cuda`: a line of JSON for each launch, written when it has ended.
// So nothing that has ended is lost when the program crashes.
#pragma once

#include "report_file.hpp"

#include "memlane/ptx/device.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace memlane::cudart {

/// The variable with the path of the file; not set: nothing is reported.
inline constexpr const char* report_variable = "MEMLANE_CUDA_REPORT";

/// The variable with the kinds of faults after which launches go on.
inline constexpr const char* allow_variable = "MEMLANE_CUDA_ALLOW";

struct ReportedLaunch {
  std::int64_t number = 0; ///< of the process, from 0
  const ptx::KernelInfo* kernel = nullptr;
  const ptx::Launch* launch = nullptr;
  const ptx::LaunchResult* result = nullptr;
  std::optional<std::int64_t> time; ///< time units, the launch cost included; none: not priced
};

class Report {
public:
  void add(const ReportedLaunch& launch);
  /// A module that could not be loaded, or another error of the library's own.
  void add_error(const std::string& text);
  std::int64_t launches = 0;
  bool of_graph = false; ///< launches are those of a graph that is being launched

private:
  /// `,"machine_code":{…}` at the first launch of a kernel.
  std::string machine_code(const ptx::KernelInfo& kernel);

  std::set<std::string> known_; ///< kernels
  ReportFile file_{report_variable};
};

} // namespace memlane::cudart
