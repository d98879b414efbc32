// Two runs side by side, line by line, as JSON.
#include "line_columns.hpp"

#include "memlane/report/json_parts.hpp"

namespace memlane {
namespace {

using schema::Json;

const schema::Table<CountedLine>& line_table_of_json() {
  static const schema::Table<CountedLine> table = [] {
    schema::Table<CountedLine> all({
        {"file", schema::text("as the program names it"),
         [](const CountedLine& l) { return l.file; }},
        {"line", schema::count("its number in the file"),
         [](const CountedLine& l) { return l.number; }},
        {"source", schema::text("the line without its margin"),
         [](const CountedLine& l) { return l.text; }},
    });
    for (schema::Member<LineCounts>& member : count_members(line_fields()))
      all.add({{member.name, member.schema,
                [get = member.value](const CountedLine& l) { return get(l.counts); }}});
    return all;
  }();
  return table;
}

Json side_json(const std::optional<CountedLine>& line) {
  return line ? line_table_of_json().json(*line) : Json(nullptr);
}

Json side_schema(std::string_view meaning) {
  return schema::or_null(line_table_of_json().schema(meaning));
}

/// The counts of the second line less those of the first; a missing line has none.
const schema::Table<LinePair>& difference_table() {
  static const schema::Table<LinePair> table = [] {
    schema::Table<LinePair> all({});
    for (const LineColumn& column : line_columns)
      all.add({{std::string(column.name), schema::integer("of b less that of a"),
                [get = column.get](const LinePair& pair) {
                  return (pair.second ? get(*pair.second) : 0) -
                         (pair.first ? get(*pair.first) : 0);
                }}});
    return all;
  }();
  return table;
}

const schema::Table<LinePair>& pair_table() {
  static const schema::Table<LinePair> table({
      {"a", side_schema("of the first run"), [](const LinePair& p) { return side_json(p.first); }},
      {"b", side_schema("of the second run"),
       [](const LinePair& p) { return side_json(p.second); }},
      {"difference", difference_table().schema("a missing line counts 0"),
       [](const LinePair& p) { return difference_table().json(p); }},
      {"differs", schema::boolean("whether any count does"),
       [](const LinePair& p) { return p.differs(); }},
  });
  return table;
}

const schema::Table<LineComparison>& comparison_of_lines_table() {
  static const schema::Table<LineComparison> table({
      {"a", schema::text("the first run"), [](const LineComparison& c) { return c.first; }},
      {"b", schema::text("the second run"), [](const LineComparison& c) { return c.second; }},
      {"rows", schema::list(line_pair_schema(), "pairs of lines, in the order of the programs"),
       [](const LineComparison& c) { return pair_table().json_of_all(c.lines); }},
  });
  return table;
}

} // namespace

Json line_json(const LinePair& pair) { return pair_table().json(pair); }
Json line_json(const LineComparison& comparison) {
  return comparison_of_lines_table().json(comparison);
}
Json line_pair_schema() {
  return pair_table().schema("a line of the first run beside that of the second that matches it");
}
Json line_comparison_schema() {
  return comparison_of_lines_table().schema("by source line: --lines");
}

} // namespace memlane
