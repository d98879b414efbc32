// The order that `memlane cuda` gives to the runtime library of the program that it starts: the
// limits of its launches, the machine on which they are priced, and where the result goes. One JSON
// file.
#pragma once

#include "memlane/kernels/launch_choice.hpp"
#include "memlane/ptx/price.hpp"
#include "memlane/show/run_report.hpp"
#include "memlane/timeline/recorder.hpp"
#include "memlane/timeline/report.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memlane {

struct PriceOrder {
  bool prices = true; ///< false: launches are executed within the limits, and nothing else
  MachineSpec machine;
  std::string machine_path;
  bool standard_machine = true;
  ptx::RaceCheck races = ptx::RaceCheck::count;
  std::int64_t sample_blocks = 0; ///< PriceOptions::sample_blocks; all are executed
  bool details = false;
  LaunchChoice choice;
  bool explains = false;
  std::string command; ///< of the run, for advice
  std::int64_t most_steps = INT64_MAX, most_time = INT64_MAX, most_memory = INT64_MAX;
  double most_seconds = 0;        ///< 0: no limit
  std::int64_t device_memory = 0; ///< bytes of the device; 0: as many as it has anyway
  std::string program, sha256, version;
  HostInfo host;
  TableStyle style;                 ///< of tables
  std::vector<Format> formats;      ///< each is written to result_path
  std::string folder;               ///< for results
  std::optional<ChartFormat> chart; ///< of a time chart; none: none is wanted
  TimelineWindow window;            ///< of the time chart

  /// Where the result in a format is; it is complete whenever it is there.
  std::string result_path(Format format) const;
  /// Where the time chart is, or, if it could not be made, a text that says why.
  std::string chart_path() const { return folder + "/chart"; }
  std::string chart_errors_path() const { return folder + "/chart-errors"; }
  /// What people are told of the time chart.
  std::string chart_notes_path() const { return folder + "/chart-notes"; }
};

std::string text_of(const PriceOrder& order);
/// Errors: a text that text_of has not made.
Result<PriceOrder> read_price_order(const std::string& text);

} // namespace memlane
