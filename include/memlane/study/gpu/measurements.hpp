// Recorded measurements of kernels on a GPU: JSON Lines, one measured point a line. The keys and
// their meanings are in the schema (measurements_schema.cpp): 'memlane explain schema
// measured-line'. Older lines lack date, uuid, clock_most_mhz, peak_bandwidth_gbps, fmad, kernels,
// and of the times all but samples_ns, median_ns, back_to_back_ns and clock_cycles.
#pragma once

#include "memlane/machine/spec.hpp"
#include "memlane/support/result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memlane::measure {

/// Which code was measured: memlane's for the program, a hand-written kernel of the same algorithm,
/// the library CUB, which solves the same problem with its own algorithm, or a CUDA program that
/// memlane did not make.
enum class Variant : std::uint8_t { emitted, hand_written, cub, executable };
/// `emitted`, `hand-written`, `cub`, `executable`.
std::string_view name_of(Variant variant);

enum class Verified : std::uint8_t { passed, failed, none };
std::string_view name_of(Verified verified);

/// The clock of priced_ns: events around all launches, or clock64 inside a DMM's block, which
/// excludes launches and the copies into and out of shared memory.
enum class PricedClock : std::uint8_t { events, block };
std::string_view name_of(PricedClock clock);

/// The machine that a kernel was built for.
struct KernelShape {
  Model model = Model::umm;
  std::int64_t width = 32;
  std::int64_t multiprocessors = 1;
  std::int64_t threads = 32; ///< of a multiprocessor

  bool operator==(const KernelShape&) const = default;
};

struct Device {
  std::string name;
  double peak_bandwidth_gbps = 0; ///< of its memory; 0: not in the line
};

/// Names and values in the order of the line; values as `-D` takes them.
using Parameters = std::vector<std::pair<std::string, std::string>>;

/// A kernel and how it is launched.
struct ProgramLaunch {
  std::string symbol; ///< the kernel's name in PTX
  std::array<std::int64_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  std::int64_t dynamic_shared = 0; ///< bytes

  bool operator==(const ProgramLaunch&) const = default;
};

/// A launch of an executable.
struct ExecutableLaunch : ProgramLaunch {
  std::vector<std::string> arguments; ///< of the program
  std::int64_t number = 0, of = 1;    ///< from 0, and how many the program made
};

/// One measured point. All times are finite and positive.
struct MeasuredPoint {
  Span place; ///< its line
  std::string program, sha256;
  std::string problem; ///< default: the program's name
  Variant variant = Variant::emitted;
  Parameters parameters;
  std::optional<ExecutableLaunch> launch; ///< of an executable; others have `machine`
  std::vector<std::pair<std::string, std::string>> replaced; ///< option without dashes, text
  KernelShape machine;
  std::uint64_t seed = 1;
  Device device;
  std::optional<bool> fmad; ///< whether a product and a sum are rounded once; none: not in the line
  std::int64_t launches = 1;
  std::vector<double> samples_ns;
  double median_ns = 0;
  std::optional<double> back_to_back_ns; ///< a run in a series without pauses
  std::vector<double> clock_cycles;      ///< inside the kernels, one a sample; may be empty
  double priced_ns = 0;                  ///< the time that the model predicts; default: median_ns
  PricedClock priced_clock = PricedClock::events;
  std::vector<double> priced_samples_ns; ///< of the block's clock; with events: samples_ns
  std::optional<double> array_bytes;     ///< of the kernels' arrays, each counted once
  Verified verified = Verified::none;

  /// Launches whose cost is part of priced_ns.
  std::int64_t priced_launches() const { return priced_clock == PricedClock::block ? 0 : launches; }
};

struct SkippedPoint {
  Span place;
  std::string program;
  Variant variant = Variant::emitted;
  Parameters parameters;
  std::string why;
};

struct Measurements {
  std::string path;
  std::vector<MeasuredPoint> points;
  std::vector<SkippedPoint> skipped;
  Diagnostics warnings; ///< one for each bad line; the other lines are used
};

/// Reads a file of `sources`. Ignores unknown keys, because the format grows. An error if no line
/// is a measurement: it lists every bad line, or, if no line has "memlane_measurement", says that
/// the file is something else.
Result<Measurements> read_measurements(const Sources& sources, std::int32_t file);

/// The JSON Schema of a line.
nlohmann::ordered_json measured_line_schema();

/// Require at least one sample. Quartiles 1 and 3 are samples: there are too few to interpolate.
double median(std::vector<double> samples);
double quartile(std::vector<double> samples, int quarter);

} // namespace memlane::measure
