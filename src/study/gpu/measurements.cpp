
#include "measured_line.hpp"

#include "memlane/study/gpu/measured_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

namespace memlane::measure {
namespace {

constexpr std::array<std::string_view, 4> variant_names = {"emitted", "hand-written", "cub",
                                                           "executable"};
constexpr std::array<std::string_view, 3> verified_names = {"passed", "failed", "none"};
constexpr std::array<std::string_view, 2> clock_names = {"events", "block"};

/// Help for text that is not JSON.
std::vector<std::string> json_help(std::string_view text) {
  for (const std::string_view number : {"NaN", "nan", "nfinity"})
    if (text.find(number) != std::string_view::npos) return {skipped_help};
  return {"each line is one JSON object by itself"};
}

constexpr const char* no_line = "no line is a measurement";
constexpr const char* file_help =
    "a file of measurements has one JSON object a line, each with \"memlane_measurement\": 1";

void read_measured_line(const JsonPlace& line, Measurements& into) {
  MeasuredPoint point;
  if (!point_record().read(line, point)) return;
  const Span place{line.value.span.file, line.value.span.begin, line.value.span.begin};
  const auto skip = [&](std::string why) {
    into.skipped.push_back({place, point.program, point.variant, point.parameters, std::move(why)});
  };
  if (find_member(line.value, "skipped")) {
    std::string why;
    kinds::string().read(line.at("skipped"), why);
    if (line.file.errors.empty()) skip(std::move(why));
    return;
  }
  if (find_member(line.value, "inputs")) // the line names files, not their contents
    return skip("it was measured with --input, so a simulation has other data");
  const auto& record =
      point.variant == Variant::executable ? executable_record() : measured_record();
  point = {};
  point.place = place;
  if (!record.read(line, point)) return;
  if (point.problem.empty()) point.problem = command_of(point);
  into.points.push_back(std::move(point));
}

/// One error for a file of another kind, not one for each line.
Diagnostic no_measurements(const std::string& path, std::string_view text) {
  std::vector<std::string> help = {file_help};
  if (text.substr(0, text.find('\n')).find("\"memlane_trace\"") != std::string_view::npos)
    help = {"the file is a trace: memlane replay " + path};
  return error_in(path, no_line, std::move(help));
}

/// An error if there is no point.
Result<Measurements> require_points(Measurements measurements, std::string_view text) {
  if (!measurements.points.empty()) return measurements;
  if (text.find("\"memlane_measurement\"") == std::string_view::npos)
    return Diagnostics{no_measurements(measurements.path, text)};
  std::string why = no_line;
  if (measurements.warnings.empty() && !measurements.skipped.empty()) {
    why = fmt::format("no point was measured; {} skipped, the first one because: {}",
                      measurements.skipped.size(), measurements.skipped.front().why);
  }
  Diagnostics errors = measurements.warnings;
  errors.push_back(error_in(measurements.path, why, {file_help}));
  return errors;
}

} // namespace

std::string_view name_of(Variant variant) {
  return variant_names.at(static_cast<std::size_t>(variant));
}

std::string_view name_of(PricedClock clock) {
  return clock_names.at(static_cast<std::size_t>(clock));
}

std::string_view name_of(Verified verified) {
  return verified_names.at(static_cast<std::size_t>(verified));
}

double median(std::vector<double> samples) {
  assert(!samples.empty());
  std::sort(samples.begin(), samples.end());
  const std::size_t half = samples.size() / 2;
  // Halves before it adds, because the sum of two large samples may overflow.
  return samples.size() % 2 == 1 ? samples[half] : samples[half - 1] / 2 + samples[half] / 2;
}

double quartile(std::vector<double> samples, int quarter) {
  std::sort(samples.begin(), samples.end());
  return samples[(samples.size() - 1) * static_cast<std::size_t>(quarter) / 4];
}

Result<Measurements> read_measurements(const Sources& sources, std::int32_t file) {
  Measurements measurements;
  measurements.path = sources.path(file);
  const std::string_view text = sources.text(file);
  Watch watch(sources.limits());
  for (std::size_t begin = 0; begin < text.size();) {
    if (!watch.go_on())
      return stopped_while(watch.stop(), fmt::format("reading '{}'", measurements.path));
    const std::size_t found = text.find('\n', begin);
    const bool last = found == std::string_view::npos;
    const std::size_t end = last ? text.size() : found;
    std::optional<Diagnostic> problem;
    const std::string_view written = text.substr(begin, end - begin);
    if (const auto object =
            read_json_line({written, file, begin}, last, json_help(written), problem)) {
      RecordFile line;
      read_measured_line({*object, line}, measurements);
      if (!line.errors.empty()) problem = std::move(line.errors.front());
    }
    if (problem) {
      problem->severity = Severity::warning;
      problem->help.emplace_back("measure the point again, or delete the line");
      measurements.warnings.push_back(std::move(*problem));
    }
    begin = end + 1;
  }
  return require_points(std::move(measurements), text);
}

} // namespace memlane::measure
