// The keys of a line of measurements (measurements.hpp), which cuda/harness/run.cuh writes: how
// they are read, and the JSON Schema of a line.
#include "measured_line.hpp"

#include "memlane/support/json_table.hpp"

#include <cmath>
#include <cstdlib>

namespace memlane::measure {
namespace {

using schema::count;
using schema::Json;
using schema::real;
using schema::text;
using P = MeasuredPoint;
template <class T>
using Keys = std::vector<RecordKey<T>>;

// --- kinds of values

/// A time or a rate. A picosecond and thirty years: squares and reciprocals of times between them
/// fit a double.
Kind<double> positive() {
  return {{{"type", "number"}, {"exclusiveMinimum", 0}}, [](const JsonPlace& place, double& into) {
            if (!place.is_a(JsonKind::number, "a number")) return;
            const double number = std::strtod(place.value.text.c_str(), nullptr);
            if (place.require(number > 0, "above 0") &&
                place.require(number >= 1e-3 && number <= 1e18, "from 0.001 to 1e18"))
              into = number;
          }};
}

Kind<std::vector<double>> samples() { return kinds::some(positive(), {skipped_help}); }

/// Keys that no comparison needs.
template <class T>
Keys<T> unread(const schema::Properties& properties) {
  Keys<T> keys;
  for (const auto& [name, value] : properties)
    keys.push_back({name, "", value, [](const JsonPlace&, T&) {}});
  return keys;
}

Json described(Json schema, std::string_view meaning) {
  schema["description"] = meaning;
  return schema;
}

/// Allows for rounding, but finds edits of a sample without its median.
void check_median(const JsonPlace& line, std::string_view key, double written,
                  const std::vector<double>& samples) {
  const double middle = median(samples);
  if (std::abs(written - middle) > 1e-3 * middle)
    line.at(key).fail(fmt::format("is {}, but the median of the samples is {}", written, middle));
}

// --- parts of a line

void read_format(const JsonPlace& place, P&) {
  const auto format = whole_number(place.value);
  if (place.require(format && *format >= 1, "an integer from 1 on") && *format != 1)
    place.fail("is of a later format: this version reads format 1");
}

void read_parameters(const JsonPlace& place, P& point) {
  if (!place.is_a(JsonKind::object, "an object")) return;
  for (const JsonMember& member : place.value.members) {
    const JsonValue& value = member.value;
    const bool scalar = value.kind == JsonKind::number || value.kind == JsonKind::string ||
                        value.kind == JsonKind::boolean;
    if (!place.member(member).require(scalar, "a value")) continue;
    const char* const flag = value.boolean ? "true" : "false";
    point.parameters.emplace_back(member.key, value.kind == JsonKind::boolean ? flag : value.text);
  }
}

/// `--layout t=rows`: option and text.
void read_replaced(const JsonPlace& place, P& point) {
  std::vector<std::string> texts;
  kinds::list(kinds::string()).read(place, texts);
  for (std::size_t k = 0; k < texts.size(); ++k) {
    const std::size_t blank = texts[k].find(' ');
    const std::string option = texts[k].substr(0, blank);
    const bool known = option == "--fn" || option == "--type" || option == "--layout";
    if (place.item(k).require(
            known && blank != std::string::npos, "a replacement",
            {"accepted: --fn, --type or --layout with its value, such as \"--layout t=rows\""}))
      point.replaced.emplace_back(option.substr(2), texts[k].substr(blank + 1));
  }
}

const Record<KernelShape>& shape_record() {
  using S = KernelShape;
  static const Record<S> record = {
      "machine",
      "a machine",
      {{"model", "of the machine", kinds::choice_up_to(Model::hmm), &S::model, required},
       {"width", "threads of a warp", kinds::whole(1, 1024), &S::width, required},
       {"multiprocessors", "of the machine", kinds::whole(1, 1'000'000), &S::multiprocessors,
        required},
       {"threads", "of a multiprocessor", kinds::whole(1, 1'000'000), &S::threads, required}},
      [](const JsonPlace& place, S& shape) {
        place.at("threads").require(shape.threads % shape.width == 0,
                                    fmt::format("a multiple of the width {}", shape.width));
      },
      Json::object(),
      Others::ignored};
  return record;
}

const Record<Device>& device_record() {
  using D = Device;
  static const Record<D> record = {
      "device",
      "a device",
      together(
          Keys<D>{
              {"name", "its name", kinds::string(), &D::name, required},
              {"peak_bandwidth_gbps", "of its memory (GB/s)", positive(), &D::peak_bandwidth_gbps}},
          unread<D>({{"multiprocessors", count("that it has")},
                     {"compute_capability", text("of its code")},
                     {"l2_bytes", count("of its L2 cache (bytes)")},
                     {"shared_bytes_per_block", count("at most (bytes)")},
                     {"uuid", text("of the device")},
                     {"clock_most_mhz", described(positive().schema, "its clock's most (MHz)")},
                     {"driver", text("CUDA version of the driver")},
                     {"runtime", text("CUDA version of the runtime")},
                     {"clock_before_mhz",
                      described(positive().schema, "measured before the samples (MHz)")},
                     {"clock_after_mhz",
                      described(positive().schema, "measured after the samples (MHz)")}})),
      {},
      Json::object(),
      Others::ignored};
  return record;
}

Json kernel_schema() {
  return schema::object(
      "as it was launched",
      {{"blocks", count("the most of a launch")},
       {"threads", count("of a block")},
       {"registers", count("of a thread")},
       {"local_bytes", count("spilled, of a thread (bytes)")},
       {"shared_bytes", count("of a block (bytes)")},
       {"resident_blocks", count("of a multiprocessor")}},
      {{"name", schema::text("its name")},
       {"occupancy", schema::real("share of the threads that a multiprocessor holds")}});
}

// --- the keys of a line

Keys<P> always() {
  return {{"memlane_measurement", "the format", {{"const", 1}}, read_format, required},
          {"program", "its name", kinds::string(), &P::program, required},
          {"variant", "whose code was measured", kinds::choice_up_to(Variant::executable),
           &P::variant, required},
          {"parameters",
           "the program's, by name",
           {{"type", "object"},
            {"additionalProperties", {{"type", {"integer", "number", "boolean", "string"}}}}},
           read_parameters,
           required}};
}

RecordKey<P> sha256_of_program(Need need) {
  const auto read_sha256 = [](const JsonPlace& place, P& point) {
    const bool right = place.value.kind == JsonKind::string && place.value.text.size() == 64 &&
                       place.value.text.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (place.require(right, "a SHA-256: 64 hexadecimal digits in lower case"))
      point.sha256 = place.value.text;
  };
  return {"sha256", "of the program's text, or of the executable", kinds::string().schema,
          read_sha256, need};
}

RecordKey<P> machine_of_kernel(Need need) {
  return {"machine", "that the kernel was made for", shape_record().kind(), &P::machine, need};
}

Keys<P> times() {
  return {{"device", "the GPU", device_record().kind(), &P::device, required},
          {"launches", "of main", kinds::whole(1, 1'000'000'000), &P::launches, required},
          {"samples_ns", "cold runs, by events: the L2 cache holds nothing of the arrays (ns)",
           samples(), &P::samples_ns, required},
          {"median_ns", "of the samples (ns)", positive(), &P::median_ns, required},
          {"verify", "whether the result is right", kinds::choice_up_to(Verified::none),
           &P::verified, required}};
}

RecordKey<P> problem() {
  return {"problem", "what the program computes; programs of one problem are ranked",
          kinds::string(), &P::problem};
}

Keys<P> choices_of_run() {
  const auto read_seed = [](const JsonPlace& place, P& point) {
    std::int64_t seed = 0;
    kinds::whole(0).read(place, seed);
    point.seed = static_cast<std::uint64_t>(seed);
  };
  return {problem(),
          {"replaced", "",
           schema::list(text("an option and its text"), "replaced parts of the program"),
           read_replaced},
          {"seed", "of random numbers", kinds::whole(0).schema, read_seed},
          {"inputs", "", schema::map(text("its file"), "arrays that were read from files, by name"),
           [](const JsonPlace&, P&) {}}};
}

Keys<P> further() {
  const auto read_bytes = [](const JsonPlace& place, P& point) { // 0: the kernels have no arrays
    if (whole_number(place.value) != 0) positive().read(place, point.array_bytes.emplace());
  };
  return {
      {"fmad", "whether a product and a sum have one rounding", kinds::flag(), &P::fmad},
      {"back_to_back_ns",
       "median of runs without a pause (ns); absent if main cannot run again on its own results",
       positive(), &P::back_to_back_ns},
      {"clock_cycles", "between a block's copies, one a sample (cycles)", samples(),
       &P::clock_cycles},
      {"priced_clock",
       "events around all launches, or clock64 of a DMM's block, between its copies into and out "
       "of shared memory",
       kinds::choice_up_to(PricedClock::block), &P::priced_clock},
      {"priced_ns", "of what the model prices, the median (ns)", positive(), &P::priced_ns},
      {"priced_samples_ns", "ns", samples(), &P::priced_samples_ns},
      {"array_bytes", "", real("of the kernels' arrays, each once (bytes)"), read_bytes}};
}

Keys<P> facts_of_run() {
  return unread<P>(
      {{"date", text("ISO 8601, universal time")},
       {"compiler", text("that built the kernel")},
       {"kernels", schema::list(kernel_schema(), "the kernels of the program")},
       {"spread", real("interquartile range / median")},
       {"noise", real("half the 95 % interval of the median / median")},
       {"stopped", schema::word({"noise", "samples", "time"}, "what ended the samples")},
       {"held", schema::boolean("true: the device waited until all launches were queued; false: "
                                "the samples include host time")},
       {"clock_drift",
        real("|after - before| / before of the clock; beyond 0.01 times do not compare")},
       {"back_to_back_samples_ns", described(samples().schema, "means of batches (ns)")},
       {"back_to_back_spread", real("interquartile range / median")},
       {"priced_spread", real("interquartile range / median")},
       {"array_bandwidth_gbps", real("that by median_ns (GB/s)")},
       {"array_bandwidth_share", real("of the device's peak")},
       {"checksum", text("of all arrays after the first run")}});
}

/// Older lines have no priced time: it is then that of the events.
void finish_priced(const JsonPlace& line, P& point) {
  const bool has_time = find_member(line.value, "priced_ns") != nullptr;
  if (!has_time && !find_member(line.value, "priced_clock")) {
    point.priced_ns = point.median_ns;
    point.priced_samples_ns = point.samples_ns;
    return;
  }
  const bool has_clock = line.has("priced_clock", "the clock of priced_ns");
  if (!has_clock || !line.has("priced_ns", "the median by priced_clock")) return;
  if (point.priced_clock == PricedClock::events)
    point.priced_samples_ns = point.samples_ns;
  else if (!line.has("priced_samples_ns", "the samples of priced_ns"))
    return;
  check_median(line, "priced_ns", point.priced_ns, point.priced_samples_ns);
}

void finish_point(const JsonPlace& line, P& point) {
  check_median(line, "median_ns", point.median_ns, point.samples_ns);
  if (!point.clock_cycles.empty() && point.clock_cycles.size() != point.samples_ns.size())
    line.at("clock_cycles")
        .fail(fmt::format("has {} items, but there are {} samples", point.clock_cycles.size(),
                          point.samples_ns.size()),
              {"write one item for each sample, or leave the key out"});
  finish_priced(line, point);
}

void finish_launch(const JsonPlace& line, P& point) {
  finish_point(line, point);
  std::int64_t& number = launch_of(point).number;
  const JsonPlace parameters = line.at("parameters");
  if (!parameters.has("launch", "the number of the launch, from 0")) return;
  kinds::whole(0, launch_of(point).of - 1).read(parameters.at("launch"), number);
}

} // namespace

const Record<P>& point_record() {
  static const Record<P> record = {"line", "a line",       together(always(), Keys<P>{problem()}),
                                   {},     Json::object(), Others::ignored};
  return record;
}

const Record<P>& measured_record() {
  static const Record<P> record = {
      "line",
      "a line",
      together(always(), Keys<P>{sha256_of_program(required), machine_of_kernel(required)}, times(),
               choices_of_run(), further(), facts_of_run()),
      finish_point,
      Json::object(),
      Others::ignored};
  return record;
}

const Record<P>& executable_record() {
  static const Record<P> record = {"line",
                                   "a line",
                                   together(always(), Keys<P>{sha256_of_program(required)}, times(),
                                            launch_keys(), Keys<P>{problem()}),
                                   finish_launch,
                                   Json::object(),
                                   Others::ignored};
  return record;
}

Json measured_line_schema() {
  const RecordKey<P> skipped = {"skipped", "why", kinds::string().schema,
                                [](const JsonPlace&, P&) {}, required};
  const Record<P> not_measured = {
      "line", "a line",
      together(always(), Keys<P>{skipped}, choices_of_run(),
               Keys<P>{sha256_of_program(Need::optional), machine_of_kernel(Need::optional)},
               unread<P>({{"arguments", schema::list(text("a word"), "of an executable")}}))};
  Json either = {{"description", "a line of a file of measurements"}};
  either["oneOf"] = Json::array({measured_record().schema("a measured point"),
                                 executable_record().schema("a measured launch of an executable"),
                                 not_measured.schema("a point that was not measured")});
  return schema::document("A line of measurements", std::move(either));
}

} // namespace memlane::measure
