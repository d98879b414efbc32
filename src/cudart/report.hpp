// What the library tells `memlane cuda`: a line of JSON for each launch, written when it has ended.
// So nothing that has ended is lost when the program crashes.
#pragma once

#include "memlane/ptx/device.hpp"

#include <sys/types.h>

#include <cstdint>
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
  /// More members of the line, such as the tallies of a price: `,"tally":{…}`; empty: none.
  std::string more;
};

class Report {
public:
  void add(const ReportedLaunch& launch);
  /// A module that could not be loaded, or another error of the library's own.
  void add_error(const std::string& text);
  std::int64_t launches = 0;

private:
  /// `,"machine_code":{…}` at the first launch of a kernel.
  std::string machine_code(const ptx::KernelInfo& kernel);

  void write(const std::string& line);
  std::set<std::string> known_; ///< kernels
  bool open_file();
  bool is_ours() const;
  int file_ = -1; ///< -1: it is not open
  dev_t device_ = 0;
  ino_t number_ = 0;
  bool over_ = false; ///< nothing can be reported (any more)
};

} // namespace memlane::cudart
