// Results of points as a store keeps them, and the store of verify and compare.
#pragma once

#include "memlane/points/point.hpp"
#include "memlane/show/run_report.hpp"
#include "memlane/store/store.hpp"
#include "memlane/store/sweep_run.hpp"

#include <string>
#include <string_view>

namespace memlane {

/// This computer's system and architecture, and the compiler of this build.
HostInfo host_info();

/// The report of a point's run, as `memlane run` would give it. `code` is null where the point
/// could not be bound: its parameters are unknown then.
RunReport report_of(const sweep::Point& point, const std::string& machine_path,
                    const sweep::PointResult& result, std::string_view version);

/// How a sweep makes what it stores; `sources` must outlive it.
sweep::DescribeResult describe_results(const Sources& sources, std::string_view version);

/// Writes runs into a store as they end. What it cannot write it remembers for `finish`; the runs
/// go on. One thread at a time may call.
class PointWriter {
public:
  /// `name` stands where a sweep's name would.
  static Result<PointWriter> open(const std::string& path, const std::string& name,
                                  std::string_view version);

  /// Adds the run, or replaces the one with its key. `machine_path` may be empty; `command` repeats
  /// the run. `name`: what tables call it, if it is a command and no program.
  void add(const sweep::Point& point, const std::string& machine_path,
           const sweep::PointResult& result, const std::string& command, const Sources& sources,
           const std::string& name = "");
  /// The first error, if there was one.
  Status finish() const { return errors_.status(); }

private:
  PointWriter(sweep::Store store, std::string name, std::string_view version)
      : store_(std::move(store)), name_(std::move(name)), version_(version) {}

  sweep::Store store_;
  std::string name_;
  std::string_view version_;
  ErrorCollector errors_;
};

} // namespace memlane
