// Measured launches on their way to the file that `memlane gpu measure` reads.
#pragma once

#include "api.hpp"
#include "report_file.hpp"

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>

namespace memlane::cudart {

/// The variable with the path of the file. Its lines, each with the number of the `process`:
///   {"device":{"name":…}}             before the first launch on it
///   {"launch":0,"symbol":…,"grid":[…],"block":[…],"dynamic_shared":0,"ns":…}, or with "lost", the
///                                     name of an error, instead of ns; in the order of launches
///   {"captured":…}                    the symbol of a launch while its stream was captured
///   {"refused":…,"symbol":…}          the name of the error of a launch that failed
///   {"end":true}                      all launches are told
inline constexpr const char* measure_variable = "MEMLANE_CUDA_MEASURE";

struct MeasuredLaunch {
  std::string symbol;
  Dim grid, block;
  std::size_t dynamic_shared = 0;
  Event *begin = nullptr, *end = nullptr;
  Error lost = Error::success; ///< why it has no time
};

class LaunchRecorder {
public:
  /// A function of the program stands for a kernel.
  void name(const void* function, std::string symbol);
  /// The handle of a function, by which CUDA 13's programs launch it.
  void name_handle(const void* handle, const void* function);
  std::string symbol_of(const void* function);

  /// A launch that has been made, between its events.
  void add(const MeasuredLaunch& launch);
  void add_captured(const std::string& symbol);
  void add_refused(const std::string& symbol, Error error);
  /// Tells the launches that have ended; `wait`: all of them.
  void tell(bool wait);
  /// The process ends: nothing is told afterwards.
  void tell_end();

private:
  void write(const std::string& members);
  void add_device();

  std::mutex lock_;
  std::map<const void*, std::string> symbols_;
  std::deque<MeasuredLaunch> untold_;
  std::set<int> devices_; ///< that are told
  std::int64_t launches_ = 0;
  pid_t process_ = 0; ///< of the first launch: its child has copies of what is untold
  bool over_ = false;
  ReportFile file_{measure_variable};
};

} // namespace memlane::cudart
