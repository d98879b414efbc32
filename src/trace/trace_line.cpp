#include "trace_line.hpp"

#include "memlane/support/json_table.hpp"
#include "memlane/trace/trace.hpp"
#include "memlane/trace/trace_writer.hpp"

namespace memlane {
namespace {

using schema::Json;
using L = TraceLine;
using Keys = std::vector<RecordKey<L>>;

constexpr std::int64_t last_stage = std::int64_t{1} << 62; ///< the last that may be written

/// A value that the reader knows.
RecordKey<L> known(std::string_view name, std::string_view meaning, Json schema) {
  return {name, meaning, std::move(schema), [](const JsonPlace&, L&) {}, required};
}
RecordKey<L> op(const char* word) { return known("op", "what the line is", {{"const", word}}); }

/// A size of a launch.
RecordKey<L> size(std::string_view name, std::string_view meaning, std::int64_t least,
                  std::int64_t LaunchShape::*size) {
  const auto part = [size](L& line) -> std::int64_t& { return line.shape.*size; };
  return {name, meaning, kinds::whole(least), part, required};
}
Keys sizes() {
  using S = LaunchShape;
  return {size("blocks", "of the launch", 0, &S::blocks),
          size("threads", "of a block", 1, &S::threads),
          size("shared_words", "that a block takes of its multiprocessor's shared memory", 0,
               &S::shared_words),
          {"registers", "of a thread, which bound the blocks that are resident; format 2",
           kinds::whole(0, 1 << 20),
           [](L& line) -> std::int64_t& { return line.shape.registers; }}};
}

RecordKey<L> launch() { return {"launch", "its number", kinds::whole(0), &L::launch, required}; }

Keys step(RecordKey<L> op) {
  return {launch(),
          {"block", "its number in the launch", kinds::whole(0), &L::block, required},
          {"warp", "its number in the block", kinds::whole(0), &L::warp, required},
          std::move(op)};
}

Keys place_of_line(const char* line) {
  return {
      {"line", line, kinds::whole(1, INT32_MAX), &L::line},
      {"file", "of the line, where it is not the program's; format 2", kinds::string(), &L::file}};
}

/// A unit whose kind is information only; a replay uses the machine's.
template <bool L::*Has>
RecordKey<L> unit(std::string_view name) {
  static const auto kind = kinds::word({"discrete", "unified"});
  return {name, "its kind where the trace was made", kind.schema,
          [](const JsonPlace& place, L& line) {
            std::size_t which = 0;
            kind.read(place, which);
            line.*Has = true;
          }};
}

const Record<L>& units_record() {
  static const Record<L> record = {
      "units",
      "the object units",
      {unit<&L::has_shared>("shared"), unit<&L::has_global>("global")}};
  return record;
}

void read_format(const JsonPlace& place, L& line) {
  const auto format = whole_number(place.value);
  if (!place.require(format.has_value(), "an integer", {"write it in digits alone: 1"})) return;
  line.format = *format;
  if (*format != 1 && *format != 2)
    place.fail(fmt::format("is {}: this version reads traces of formats 1 and 2", *format));
}

} // namespace

const Record<L>& header_record() {
  static const Record<L> record = {
      "header", "the header",
      together(Keys{{"memlane_trace", "the format", {{"enum", {1, 2}}}, read_format, required},
                    {"width", "lanes of a warp", kinds::whole(1), &L::width, required},
                    {"units", "memory units that the trace uses", units_record().schema(),
                     [](const JsonPlace& place, L& line) { units_record().read(place, line); },
                     required}},
               sizes())};
  return record;
}

const Record<L>& launch_record() {
  static const Record<L> record = {
      "launch", "a launch line",
      together(together(Keys{launch(), op("launch")}, sizes()),
               Keys{{"stage",
                     "launches of one stage are independent of each other; without it, the launch "
                     "follows all before it",
                     kinds::whole(0, last_stage), &L::stage}})};
  return record;
}

const Record<L>& request_record() {
  constexpr const char* meaning = "one a lane; null: an inactive lane";
  static const Json addresses =
      schema::list(schema::or_null(schema::count("of a word of the unit's memory")), meaning);
  static const Record<L> record = {
      "request", "a request",
      together(
          step(known("op", "what it does; atomic: format 2",
                     kinds::word({"read", "write", "atomic"}).schema)),
          together(
              Keys{
                  {"unit", "where it goes", kinds::word({"shared", "global"}), &L::unit, required},
                  {"addresses", meaning, addresses,
                   [](const JsonPlace& place, L& line) { line.addresses = &place.value; },
                   required},
                  {"words",
                   "of a lane, from its address on: a power of two; not given: 1; format 2",
                   kinds::whole(1, most_words_of_lane), &L::words},
                  {"volatile", "a read that asks memory each time; format 2", kinds::flag(),
                   &L::is_volatile},
                  {"old", "an atomic whose old value is used; format 2", kinds::flag(),
                   &L::uses_old},
              },
              place_of_line("of the program")))};
  return record;
}

const Record<L>& compute_record() {
  static const Record<L> record = {
      "compute", "a compute line",
      together(step(op("compute")),
               Keys{{"count", "operators", kinds::whole(0), &L::count, required},
                    {"operation",
                     "their class, for machines with units for it; not given: other; format 2",
                     kinds::choice_up_to(OperationClass::other), &L::operation}})};
  return record;
}

const Record<L>& barrier_record() {
  static const Record<L> record = {"barrier", "a barrier line", step(op("barrier"))};
  return record;
}

const Record<L>& wait_record() {
  static const Record<L> record = {
      "wait", "a wait line",
      together(
          step(op("wait")),
          together(Keys{{"for",
                         "the warp's earlier requests that must be complete: 1 is its latest; not "
                         "given: all of them",
                         kinds::list(kinds::whole(1, UINT32_MAX)), &L::awaited}},
                   place_of_line("of the program: what waits")))};
  return record;
}

const Record<L>& end_record() {
  static const Record<L> record = {
      "end",
      "the end line",
      {{"end",
        "no line follows",
        {{"const", true}},
        [](const JsonPlace& place, L& line) {
          kinds::flag().read(place, line.end);
          if (place.value.kind == JsonKind::boolean && !line.end)
            place.fail("is false; write true or leave the line out");
        },
        required},
       {"requests", "lines of requests before", kinds::whole(0), &L::requests, required}}};
  return record;
}

Json trace_line_schema() {
  Json lines = {{"description", "a line of a file of --trace"}};
  lines["oneOf"] = Json::array(
      {header_record().schema("the first line; sizes are those of launches without a line of "
                              "their own"),
       launch_record().schema("a launch whose sizes differ from the first line's, that makes no "
                              "request, or that is in a `concurrent`"),
       request_record().schema("a memory instruction of a warp"),
       compute_record().schema("counted operators of a warp"),
       barrier_record().schema("a warp arrives at a barrier"),
       wait_record().schema("a warp waits for requests of its own; format 2"),
       end_record().schema("the last line of a whole trace")});
  return schema::document("A line of a request trace", std::move(lines));
}

} // namespace memlane
