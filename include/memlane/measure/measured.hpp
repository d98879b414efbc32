// Recorded measurements of kernels on a GPU: JSON Lines, one measured point a line.
//
// Every line: memlane_measurement (1), program, sha256, variant, replaced, machine, parameters,
// seed; optional: problem (what the program computes, if several programs compute the same). A
// point that was not measured has `skipped`, why, and nothing else. The others have
//   date         when, ISO 8601 in universal time
//   device       name, uuid, multiprocessors, compute_capability, l2_bytes,
//                shared_bytes_per_block, clock_most_mhz, peak_bandwidth_gbps, driver, runtime, and
//                the clock as measured: clock_before_mhz, clock_after_mhz
//   compiler, fmad (whether a product and a sum have one rounding), launches (of main)
//   kernels      of each kernel as it was launched: name, blocks (the most), threads, registers,
//                local_bytes (spilled; of a thread), shared_bytes, resident_blocks (of a
//                multiprocessor), occupancy (share of the threads it holds)
//   samples_ns   cold runs by events: the launches alone, nothing of them in the L2 cache; their
//                median_ns, spread (interquartile range / median), noise (half the 95 % confidence
//                interval of the median / median), and what ended them: stopped (noise, samples,
//                time)
//   held         true: the device waited until all launches were in its queue, so that samples have
//                no host time in them; in lines without it they do
//   clock_drift  |after - before| / before of the clock; above 0.01 the times are not comparable
//   back_to_back_ns, back_to_back_samples_ns, back_to_back_spread: runs among many without a pause,
//                means of batches; absent where main cannot be repeated on what it left
//   priced_ns    median time of what the model prices, without the launches' own cost if
//                priced_clock is "block": what clock64 of a DMM's block counts between the copies
//                into and out of shared memory (clock_cycles, one a sample; priced_samples_ns,
//                priced_spread). If it is "events", priced_ns is median_ns, launches included.
//   array_bytes  of the arrays that the kernels were given, each once: array_bandwidth_gbps is that
//                by median_ns, array_bandwidth_share its share of the device's peak
//   checksum     of all arrays after the first run; verify: passed, failed (before or after the
//                timing) or none
// Older lines lack date, uuid, clock_most_mhz, peak_bandwidth_gbps, fmad,
// kernels and everything from spread on but back_to_back_ns and clock_cycles.
#pragma once

#include "memlane/machine/spec.hpp"
#include "memlane/support/result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memlane::measure {

/// Whose code was measured: what memlane emits for the program, a kernel written by hand for the
/// same algorithm, or the library CUB, which solves the same problem in its own way.
enum class Variant : std::uint8_t { emitted, hand_written, cub };
/// `emitted`, `hand-written`, `cub`.
std::string_view name_of(Variant variant);

enum class Verified : std::uint8_t { passed, failed, none };
std::string_view name_of(Verified verified);

/// What measured the time of what the model prices: events around all launches, or the clock of a
/// DMM's block, which sees no launch and no copy into or out of shared memory.
enum class PricedClock : std::uint8_t { events, block };
std::string_view name_of(PricedClock clock);

/// What a kernel was made for.
struct KernelShape {
  Model model = Model::umm;
  std::int64_t width = 32;
  std::int64_t multiprocessors = 1;
  std::int64_t threads = 32; ///< of one multiprocessor

  bool operator==(const KernelShape&) const = default;
};

struct Device {
  std::string name;
  std::string compute_capability, driver, runtime;  ///< empty where the line does not say
  std::int64_t multiprocessors = 0;                 ///< 0: not said
  double clock_before_mhz = 0, clock_after_mhz = 0; ///< 0: not said
  double peak_bandwidth_gbps = 0;                   ///< 0: not said
};

/// Names and values, in the order written; a value as `-D` takes it.
using Parameters = std::vector<std::pair<std::string, std::string>>;

/// One measured point. All times are finite and positive.
struct Measured {
  Span place; ///< its line
  std::string program, sha256;
  std::string problem; ///< the program's name where the line does not say
  Variant variant = Variant::emitted;
  Parameters parameters;
  std::vector<std::pair<std::string, std::string>> replaced; ///< option without dashes, and text
  KernelShape machine;
  std::uint64_t seed = 1;
  Device device;
  std::string compiler;
  std::optional<bool> fmad; ///< one rounding of a product and a sum; none: the line does not say
  std::int64_t launches = 1;
  std::vector<double> samples_ns;
  double median_ns = 0;
  std::optional<double> back_to_back_ns; ///< a run among many without a pause between them
  std::vector<double> clock_cycles;      ///< inside the kernels, one a sample; empty: not taken
  /// What the model prices; where the line does not say, the median of all launches by events.
  double priced_ns = 0;
  PricedClock priced_clock = PricedClock::events;
  std::vector<double> priced_samples_ns; ///< its samples; of events, samples_ns
  std::optional<double> array_bytes;     ///< of the arrays that the kernels were given, each once
  Verified verified = Verified::none;

  /// Launches whose own cost is in priced_ns.
  std::int64_t priced_launches() const { return priced_clock == PricedClock::block ? 0 : launches; }
};

/// A point that was not measured, with the reason.
struct Skipped {
  Span place;
  std::string program;
  Variant variant = Variant::emitted;
  Parameters parameters;
  std::string why;
};

struct Measurements {
  std::string path;
  std::vector<Measured> points;
  std::vector<Skipped> skipped;
  Diagnostics warnings; ///< a bad line each, with the way out; the others stand
};

/// Reads a file of `sources`. Keys that this version does not know are passed over, because the
/// format grows. An error only where no line is a measurement; it has every bad line with it,
/// unless no line has "memlane_measurement": then the file is something else.
Result<Measurements> read_measurements(const Sources& sources, std::int32_t file);

/// The JSON Schema of a line, as this version writes and reads it.
nlohmann::ordered_json measured_line_schema();

/// The middle sample, or the mean of the two in the middle. Requires at least one.
double median(std::vector<double> samples);

} // namespace memlane::measure
