// The JSON Schema of a line of measurements (measurements.hpp), which cuda/harness/run.cuh writes.
#include "memlane/study/gpu/measurements.hpp"
#include "memlane/support/json_table.hpp"

namespace memlane::measure {
namespace {

using schema::count;
using schema::Json;
using schema::text;

using schema::object;
using schema::Properties;
using schema::together;

Json positive(std::string_view meaning) {
  Json number = schema::real(meaning);
  number["exclusiveMinimum"] = 0;
  return number;
}

Json samples(std::string_view meaning) {
  Json list = schema::list(positive("one"), meaning);
  list["minItems"] = 1;
  return list;
}

Json machine_schema_of_line() {
  return object("that the kernel was made for",
                {{"model", schema::word({"dmm", "umm", "hmm"}, "of the machine")},
                 {"width", count("threads of a warp", 1)},
                 {"multiprocessors", count("of the machine", 1)},
                 {"threads", count("of a multiprocessor", 1)}});
}

Json device_schema() {
  return object("the GPU", {{"name", text("its name")}},
                {{"multiprocessors", count("that it has")},
                 {"compute_capability", text("of its code")},
                 {"l2_bytes", count("of its L2 cache (bytes)")},
                 {"shared_bytes_per_block", count("at most (bytes)")},
                 {"uuid", text("of the device")},
                 {"clock_most_mhz", positive("its clock's most (MHz)")},
                 {"peak_bandwidth_gbps", positive("of its memory (GB/s)")},
                 {"driver", text("CUDA version of the driver")},
                 {"runtime", text("CUDA version of the runtime")},
                 {"clock_before_mhz", positive("measured before the samples (MHz)")},
                 {"clock_after_mhz", positive("measured after the samples (MHz)")}});
}

Json kernel_schema() {
  return object("as it was launched",
                {{"blocks", count("the most of a launch")},
                 {"threads", count("of a block")},
                 {"registers", count("of a thread")},
                 {"local_bytes", count("spilled, of a thread (bytes)")},
                 {"shared_bytes", count("of a block (bytes)")},
                 {"resident_blocks", count("of a multiprocessor")}},
                {{"name", text("its name")},
                 {"occupancy", schema::real("share of the threads that a multiprocessor holds")}});
}

Properties optional_properties() {
  return {
      {"date", text("ISO 8601, universal time")},
      {"compiler", text("that built the kernel")},
      {"fmad", schema::boolean("whether a product and a sum have one rounding")},
      {"kernels", schema::list(kernel_schema(), "the kernels of the program")},
      {"spread", schema::real("interquartile range / median")},
      {"noise", schema::real("half the 95 % interval of the median / median")},
      {"stopped", schema::word({"noise", "samples", "time"}, "what ended the samples")},
      {"held", schema::boolean("true: the device waited until all launches were queued; false: "
                               "the samples include host time")},
      {"clock_drift",
       schema::real("|after - before| / before of the clock; beyond 0.01 times do not "
                    "compare")},
      {"back_to_back_ns", positive("median of runs without a pause (ns); absent if main cannot run "
                                   "again on its own results")},
      {"back_to_back_samples_ns", samples("means of batches (ns)")},
      {"back_to_back_spread", schema::real("interquartile range / median")},
      {"clock_cycles", samples("between a block's copies, one a sample (cycles)")},
      {"priced_clock",
       schema::word({name_of(PricedClock::events), name_of(PricedClock::block)},
                    "events around all launches, or clock64 of a DMM's block, between "
                    "its copies into and out of shared memory")},
      {"priced_ns", positive("of what the model prices, the median (ns)")},
      {"priced_samples_ns", samples("ns")},
      {"priced_spread", schema::real("interquartile range / median")},
      {"array_bytes", schema::real("of the kernels' arrays, each once (bytes)")},
      {"array_bandwidth_gbps", schema::real("that by median_ns (GB/s)")},
      {"array_bandwidth_share", schema::real("of the device's peak")},
      {"checksum", text("of all arrays after the first run")}};
}

} // namespace

Json measured_line_schema() {
  const std::vector<std::string_view> variants = schema::names_up_to(Variant::cub);
  Json parameter = {{"type", {"integer", "number", "boolean", "string"}}};
  const Properties always = {{"memlane_measurement", schema::constant(1, "the format")},
                             {"program", text("its name")},
                             {"variant", schema::word(variants, "whose code was measured")},
                             {"parameters", schema::map(parameter, "the program's, by name")}};
  const Properties facts = {{"sha256", text("of the program's text")},
                            {"machine", machine_schema_of_line()}};
  const Properties optional = {
      {"problem", text("what the program computes; programs of one problem are ranked")},
      {"replaced", schema::list(text("an option and its text"), "replaced parts of the program")},
      {"seed", count("of random numbers")},
      {"inputs", schema::map(text("its file"), "arrays that were read from files, by name")}};
  Json measured =
      object("a measured point",
             together(always, facts,
                      Properties{{"device", device_schema()},
                                 {"launches", count("of main", 1)},
                                 {"samples_ns",
                                  samples("cold runs, by events: the L2 cache holds nothing of the "
                                          "arrays (ns)")},
                                 {"median_ns", positive("of the samples (ns)")},
                                 {"verify", schema::word(schema::names_up_to(Verified::none),
                                                         "whether the result is right")}}),
             together(optional, optional_properties()));
  Json skipped =
      object("a point that was not measured",
             together(always, Properties{{"skipped", text("why")}}), together(optional, facts));
  Json either = {{"description", "a line of a file of measurements"}};
  either["oneOf"] = Json::array({std::move(measured), std::move(skipped)});
  return schema::document("A line of measurements", std::move(either));
}

} // namespace memlane::measure
