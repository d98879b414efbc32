// What the lines of a trace are.
#include "memlane/support/json_table.hpp"
#include "memlane/trace/write.hpp"

namespace memlane {
namespace {

using schema::count;
using schema::Json;

using Properties = std::vector<std::pair<std::string, Json>>;

/// A line that has all of these, and may have `more`.
Json line_of(std::string_view meaning, const Properties& all, const Properties& more = {}) {
  Json line = schema::typed("object", meaning);
  for (const auto& [name, value] : all) {
    line["properties"][name] = value;
    line["required"].push_back(name);
  }
  for (const auto& [name, value] : more) line["properties"][name] = value;
  line["additionalProperties"] = false;
  return line;
}

/// How large a launch is.
Properties shape() {
  return {{"blocks", count("of the launch")},
          {"threads", count("of a block", 1)},
          {"shared_words", count("that a block takes of its multiprocessor's shared memory")}};
}

/// A line of a warp.
Properties of_warp(Json op) {
  return {{"launch", count("its number")},
          {"block", count("its number in the launch")},
          {"warp", count("its number in the block")},
          {"op", std::move(op)}};
}

template <class... More>
Properties together(Properties all, const More&... more) {
  (all.insert(all.end(), more.begin(), more.end()), ...);
  return all;
}

Json header_line() {
  const Json kind = schema::word({name_of(UnitKind::discrete), name_of(UnitKind::unified)},
                                 "its kind where the trace was made");
  Json units =
      line_of("memory units that the trace uses", {}, {{"shared", kind}, {"global", kind}});
  return line_of("the first line; sizes are those of launches without a line of their own",
                 together({{"memlane_trace", schema::constant(1, "the format")},
                           {"width", count("lanes of a warp", 1)},
                           {"units", std::move(units)}},
                          shape()));
}

Json launch_line() {
  return line_of("a launch whose sizes differ from the first line's, or that makes no request",
                 together({{"launch", count("its number")},
                           {"op", schema::constant("launch", "what the line is")}},
                          shape()));
}

Json request_line() {
  Json address = schema::or_null(count("of a word of the unit's memory"));
  return line_of(
      "a memory instruction of a warp",
      together(of_warp(schema::word({"read", "write"}, "what it does")),
               Properties{{"unit", schema::word({"shared", "global"}, "where it goes")},
                          {"addresses", schema::list(std::move(address),
                                                     "one a lane; null: an inactive lane")}}),
      {{"line", count("of the program", 1)}});
}

Json compute_line() {
  return line_of("counted operators of a warp",
                 together(of_warp(schema::constant("compute", "what the line is")),
                          Properties{{"count", count("operators")}}));
}

} // namespace

Json trace_line_schema() {
  Json lines = {{"description", "a line of a file of --trace"}};
  lines["oneOf"] = Json::array({header_line(), launch_line(), request_line(), compute_line(),
                                line_of("a warp arrives at a barrier",
                                        of_warp(schema::constant("barrier", "what the line is"))),
                                line_of("the last line of a whole trace",
                                        {{"end", schema::constant(true, "no line follows")},
                                         {"requests", count("lines of requests before")}})});
  return schema::document("A line of a request trace", std::move(lines));
}

} // namespace memlane
