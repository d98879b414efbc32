#include "memlane/show/run_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane {

namespace {

constexpr std::size_t most_rows = 16;

schema::Json race_line_schema() { return schema::count("of the program", 1); }

Span earlier_place(const RacePair& pair) {
  return pair.first.notes.empty() ? Span{} : pair.first.notes.front().span;
}

/// The places of a trace are not in these sources.
bool is_in(const Sources& sources, Span at) { return at.known() && at.file < sources.count(); }

/// `line 7 writes`; with the file, if the other place is in another one.
std::string access_text(const Sources& sources, Span at, Span other, const char* verb) {
  if (!is_in(sources, at)) return verb;
  const std::string file =
      other.known() && at.file != other.file ? fmt::format("{}, ", sources.path(at.file)) : "";
  return fmt::format("{}line {} {}", file, sources.begin(at).line, verb);
}

} // namespace

const Columns<Placed<RacePair>>& race_columns() {
  using Race = Placed<RacePair>;
  using C = Column<Race>;
  const auto does = [](bool writes) { return writes ? "write" : "read"; };
  static const Columns<Race> columns({
      C(Shown{"races", Align::right}, "races", schema::count("races found", 1), &RacePair::races),
      C(Shown{"array"}, "array", "its name; of a replayed trace: global or shared",
        &RacePair::array),
      table_column<Race>(Shown{"what"},
                         [](const Race& r) {
                           return access_text(r.whole, r->first.span, earlier_place(*r),
                                              r->later_writes ? "writes" : "reads");
                         }),
      table_column<Race>(Shown{"after"},
                         [](const Race& r) {
                           return access_text(r.whole, earlier_place(*r), r->first.span,
                                              r->earlier_writes ? "wrote" : "read");
                         }),
      C(
          "line", race_line_schema(),
          [](const Race& r) { return r.whole.begin(r->first.span).line; },
          [](const Race& r) { return is_in(r.whole, r->first.span); }),
      C("does", schema::word({"read", "write"}, "the later access"),
        [does](const Race& r) { return does(r->later_writes); }),
      C(
          "earlier_line", race_line_schema(),
          [](const Race& r) { return r.whole.begin(earlier_place(*r)).line; },
          [](const Race& r) { return is_in(r.whole, earlier_place(*r)); }),
      C("earlier_does", schema::word({"read", "write"}, "the earlier access"),
        [does](const Race& r) { return does(r->earlier_writes); }),
      C("first", "the first of them, in words", [](const Race& r) { return r->first.message; }),
      C("allowed", "why, as the program says of the array; `racy`: both statements are",
        &RacePair::allowed, schema::Presence::if_any),
  });
  return columns;
}

std::string races_text(const RaceCounts& races, const Sources& sources) {
  std::vector<RacePair> pairs = races.pairs;
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const RacePair& a, const RacePair& b) { return a.races > b.races; });
  const std::size_t shown = std::min(pairs.size(), most_rows), more = pairs.size() - shown;
  pairs.resize(shown);
  if (pairs.empty()) return "";
  std::string text = race_columns().text(parts_of(pairs, sources)).text(2);
  if (more > 0)
    text += fmt::format("  and {}\n",
                        counted(std::int64_t(more), "more pair of lines", "more pairs of lines"));
  return text;
}

} // namespace memlane
