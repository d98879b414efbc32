// The JSON Schema of the lines of a trace.
#include "memlane/support/json_table.hpp"
#include "memlane/trace/trace_writer.hpp"

namespace memlane {
namespace {

using schema::count;
using schema::Json;

using schema::object;
using schema::Properties;
using schema::together;

Properties launch_sizes() {
  return {{"blocks", count("of the launch")},
          {"threads", count("of a block", 1)},
          {"shared_words", count("that a block takes of its multiprocessor's shared memory")}};
}

Properties warp_properties(Json op) {
  return {{"launch", count("its number")},
          {"block", count("its number in the launch")},
          {"warp", count("its number in the block")},
          {"op", std::move(op)}};
}

Json header_line() {
  const Json kind = schema::word({name_of(UnitKind::discrete), name_of(UnitKind::unified)},
                                 "its kind where the trace was made");
  Json units = object("memory units that the trace uses", {}, {{"shared", kind}, {"global", kind}});
  return object("the first line; sizes are those of launches without a line of their own",
                together({{"memlane_trace", schema::constant(1, "the format")},
                          {"width", count("lanes of a warp", 1)},
                          {"units", std::move(units)}},
                         launch_sizes()));
}

Json launch_line() {
  return object(
      "a launch whose sizes differ from the first line's, that makes no request, or that is in a "
      "`concurrent`",
      together(
          {{"launch", count("its number")}, {"op", schema::constant("launch", "what the line is")}},
          launch_sizes()),
      {{"stage",
        count("launches of one stage are independent of each other; without it, the launch "
              "follows all before it")}});
}

Json request_line() {
  Json address = schema::or_null(count("of a word of the unit's memory"));
  return object(
      "a memory instruction of a warp",
      together(warp_properties(schema::word({"read", "write"}, "what it does")),
               Properties{{"unit", schema::word({"shared", "global"}, "where it goes")},
                          {"addresses", schema::list(std::move(address),
                                                     "one a lane; null: an inactive lane")}}),
      {{"line", count("of the program", 1)}});
}

Json compute_line() {
  return object("counted operators of a warp",
                together(warp_properties(schema::constant("compute", "what the line is")),
                         Properties{{"count", count("operators")}}));
}

} // namespace

Json trace_line_schema() {
  Json lines = {{"description", "a line of a file of --trace"}};
  lines["oneOf"] =
      Json::array({header_line(), launch_line(), request_line(), compute_line(),
                   object("a warp arrives at a barrier",
                          warp_properties(schema::constant("barrier", "what the line is"))),
                   object("the last line of a whole trace",
                          {{"end", schema::constant(true, "no line follows")},
                           {"requests", count("lines of requests before")}})});
  return schema::document("A line of a request trace", std::move(lines));
}

} // namespace memlane
