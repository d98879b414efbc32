#include "memlane/study/gpu/measurements.hpp"

#include "memlane/support/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdlib>

namespace memlane::measure {
namespace {

constexpr std::array<std::string_view, 3> variant_names = {"emitted", "hand-written", "cub"};
constexpr std::array<std::string_view, 3> verified_names = {"passed", "failed", "none"};
constexpr std::array<std::string_view, 2> clock_names = {"events", "block"};
constexpr std::array<Model, 3> models = {Model::dmm, Model::umm, Model::hmm};

template <class List>
std::vector<std::string> words(const List& names) {
  return {names.begin(), names.end()};
}

// A picosecond and thirty years: squares and reciprocals of times between them fit a double.
constexpr double least_time = 1e-3;
constexpr double greatest_time = 1e18;

/// Sets `number`, or returns what is wrong with the value.
std::string_view read_positive(const JsonValue& value, double& number) {
  if (value.kind != JsonKind::number) return "not a number";
  const double read = std::strtod(value.text.c_str(), nullptr);
  if (!(read > 0)) return "not above 0";
  if (!(read >= least_time && read <= greatest_time)) return "not from 0.001 to 1e18";
  number = read;
  return "";
}

constexpr const char* skipped_help = "write a point without a time with \"skipped\": \"why\"";

/// A number from 1e-3 to 1e18; 1 after a problem.
double positive(JsonFields& fields, std::string_view key) {
  const JsonValue* value = fields.find(key);
  double number = 1;
  if (!value) return number;
  if (const std::string_view wrong = read_positive(*value, number); !wrong.empty())
    fields.fail_at(key, fmt::format("is {}, {}", describe(*value), wrong));
  return number;
}

/// A list of at least one such number.
std::vector<double> positives(JsonFields& fields, std::string_view key) {
  const JsonValue* value = fields.find(key);
  std::vector<double> numbers;
  if (!value) return numbers;
  if (value->kind != JsonKind::array || value->items.empty()) {
    fields.fail_at(key,
                   value->kind == JsonKind::array
                       ? "is empty"
                       : fmt::format("is {}, not a list of numbers", describe(*value)),
                   {skipped_help});
    return numbers;
  }
  for (const JsonValue& item : value->items) {
    double number = 1;
    if (const std::string_view wrong = read_positive(item, number); !wrong.empty())
      fields.fail(item.span, fmt::format("\"{}\", item {}, is {}, {}", key, numbers.size(),
                                         describe(item), wrong));
    numbers.push_back(number);
    if (!fields.ok()) break;
  }
  return numbers;
}

void read_measured_parameters(JsonFields& line, Parameters& parameters) {
  JsonFields inner = line.inside("parameters");
  for (const auto& [name, place, value] : inner.object().members) {
    switch (value.kind) {
    case JsonKind::number:
    case JsonKind::string: parameters.emplace_back(name, value.text); break;
    case JsonKind::boolean: parameters.emplace_back(name, value.boolean ? "true" : "false"); break;
    case JsonKind::null:
    case JsonKind::array:
    case JsonKind::object:
      return inner.fail_at(name, fmt::format("is {}, not a value", describe(value)));
    }
  }
}

/// `--layout t=rows`: option and text.
void read_replaced(JsonFields& line, MeasuredPoint& point) {
  if (!line.has("replaced")) return;
  const std::vector<std::string> texts = line.texts("replaced");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string& text = texts[i];
    const std::size_t blank = text.find(' ');
    const std::string option = text.substr(0, blank);
    const bool known = option == "--fn" || option == "--type" || option == "--layout";
    if (!known || blank == std::string::npos) {
      return line.fail(
          line.find("replaced")->items[i].span,
          fmt::format("\"replaced\", item {}, is {}, not a replacement", i, in_quotes(text)),
          {"accepted: --fn, --type or --layout with its value, such as \"--layout t=rows\""});
    }
    point.replaced.emplace_back(option.substr(2), text.substr(blank + 1));
  }
}

void read_shape(JsonFields& line, KernelShape& shape) {
  JsonFields machine = line.inside("machine");
  shape.model = models.at(machine.word("model", {"dmm", "umm", "hmm"}));
  shape.width = machine.integer("width", 1, 1024);
  shape.multiprocessors = machine.integer("multiprocessors", 1, 1'000'000);
  shape.threads = machine.integer("threads", 1, 1'000'000);
  if (line.ok() && shape.threads % shape.width != 0) {
    machine.fail_at("threads", fmt::format("is {}, not a multiple of the width {}", shape.threads,
                                           shape.width));
  }
}

void read_device(JsonFields& line, MeasuredPoint& point) {
  JsonFields device = line.inside("device");
  point.device.name = device.text("name");
  if (device.has("peak_bandwidth_gbps"))
    point.device.peak_bandwidth_gbps = positive(device, "peak_bandwidth_gbps");
}

/// Allows for rounding, but finds edits of a sample without its median.
void check_median(JsonFields& line, std::string_view key, double written,
                  const std::vector<double>& samples) {
  if (!line.ok()) return;
  const double middle = median(samples);
  if (std::abs(written - middle) <= 1e-3 * middle) return;
  line.fail_at(key, fmt::format("is {}, but the median of the samples is {}", written, middle));
}

/// Help for text that is not JSON.
std::vector<std::string> json_help(std::string_view text) {
  for (const std::string_view number : {"NaN", "nan", "nfinity"})
    if (text.find(number) != std::string_view::npos) return {skipped_help};
  return {"each line is one JSON object by itself"};
}

constexpr const char* no_line = "no line is a measurement";
constexpr const char* file_help =
    "a file of measurements has one JSON object a line, each with \"memlane_measurement\": 1";

/// Older lines have no priced time: it is then that of the events.
void read_priced(JsonFields& line, MeasuredPoint& point) {
  point.priced_ns = point.median_ns;
  point.priced_samples_ns = point.samples_ns;
  if (!line.has("priced_ns") && !line.has("priced_clock")) return;
  point.priced_clock = static_cast<PricedClock>(line.word("priced_clock", words(clock_names)));
  point.priced_ns = positive(line, "priced_ns");
  if (point.priced_clock == PricedClock::block)
    point.priced_samples_ns = positives(line, "priced_samples_ns");
  check_median(line, "priced_ns", point.priced_ns, point.priced_samples_ns);
}

void read_times(JsonFields& line, MeasuredPoint& point) {
  point.samples_ns = positives(line, "samples_ns");
  point.median_ns = positive(line, "median_ns");
  if (line.has("back_to_back_ns")) point.back_to_back_ns = positive(line, "back_to_back_ns");
  if (line.has("clock_cycles")) point.clock_cycles = positives(line, "clock_cycles");
  const bool has_bytes = line.has("array_bytes") && whole_number(*line.find("array_bytes")) != 0;
  if (has_bytes) point.array_bytes = positive(line, "array_bytes");
  check_median(line, "median_ns", point.median_ns, point.samples_ns);
  if (!line.ok()) return;
  if (!point.clock_cycles.empty() && point.clock_cycles.size() != point.samples_ns.size()) {
    line.fail_at("clock_cycles",
                 fmt::format("has {} items, but there are {} samples", point.clock_cycles.size(),
                             point.samples_ns.size()),
                 {"write one item for each sample, or leave the key out"});
  }
  read_priced(line, point);
}

void read_sha256(JsonFields& line, MeasuredPoint& point) {
  point.sha256 = line.text("sha256");
  if (line.ok() && (point.sha256.size() != 64 ||
                    point.sha256.find_first_not_of("0123456789abcdef") != std::string::npos)) {
    line.fail_at("sha256", "is not a SHA-256: 64 hexadecimal digits in lower case");
  }
}

void read_point(JsonFields& line, MeasuredPoint& point) {
  read_sha256(line, point);
  read_replaced(line, point);
  read_shape(line, point.machine);
  if (line.has("seed")) point.seed = static_cast<std::uint64_t>(line.integer("seed", 0));
  read_device(line, point);
  if (line.has("fmad")) point.fmad = line.boolean("fmad");
  point.launches = line.integer("launches", 1, 1'000'000'000);
  read_times(line, point);
  point.verified = static_cast<Verified>(line.word("verify", words(verified_names)));
}

void read_measured_line(JsonFields& line, Measurements& into) {
  if (line.integer("memlane_measurement", 1) != 1)
    line.fail_at("memlane_measurement", "is of a later format: this version reads format 1");
  MeasuredPoint point;
  point.place = line.place();
  point.program = line.text("program");
  point.problem = line.has("problem") ? line.text("problem") : point.program;
  point.variant = static_cast<Variant>(line.word("variant", words(variant_names)));
  read_measured_parameters(line, point.parameters);
  if (line.has("skipped")) {
    const std::string why = line.text("skipped");
    if (!line.ok()) return;
    into.skipped.push_back({point.place, point.program, point.variant, point.parameters, why});
    return;
  }
  if (line.has("inputs")) { // the line names files, not their contents
    const char* const why = "it was measured with --input, so a simulation has other data";
    into.skipped.push_back({point.place, point.program, point.variant, point.parameters, why});
    return;
  }
  read_point(line, point);
  if (line.ok()) into.points.push_back(std::move(point));
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
      JsonFields line(*object, problem);
      read_measured_line(line, measurements);
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
