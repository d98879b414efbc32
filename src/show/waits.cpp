// Idle time by what warps waited for (configs/README.md section 10, "What warps wait for").
#include "memlane/show/json_parts.hpp"
#include "memlane/show/run_columns.hpp"
#include "memlane/show/run_words.hpp"
#include "memlane/show/text_table.hpp"

#include <fmt/format.h>

#include <array>

namespace memlane {

namespace {

constexpr std::string_view meaning_of_none = "before the first warps, or after the last wait";
constexpr std::size_t most_wait_rows = 16;

/// The line and what it says; what a line without number is.
std::string wait_place(const CountedLine& line, std::string_view nameless) {
  if (line.number == 0) return std::string(nameless);
  return fmt::format("{}  {}", line.number,
                     line.text.empty() ? line.file.substr(line.file.rfind('/') + 1) : line.text);
}

} // namespace

std::string_view meaning_of(WaitCause cause) {
  constexpr std::array<std::string_view, wait_causes> meanings = {
      "a request or an operation had to enter its unit",
      "as many requests of a warp as it may have were on their way",
      "a warp needed the value of a read",
      "a fence: a warp waited for all its requests",
      "likewise, for a read that needed no address group",
      "a unit executed an operation",
      "instruction_cost passed",
      "barrier_cost passed"};
  return meanings[static_cast<std::size_t>(cause)];
}

const schema::Table<IdleByWait>& idle_by_wait_table() {
  static const schema::Table<IdleByWait> table = [] {
    schema::Members<IdleByWait> members;
    for (std::size_t k = 0; k < wait_causes; ++k) {
      const auto cause = static_cast<WaitCause>(k);
      members.push_back({std::string(name_of(cause)),
                         schema::count(fmt::format("{} (time units)", meaning_of(cause))),
                         [k](const IdleByWait& idle) { return idle.waits[k]; }});
    }
    members.push_back({"none", schema::count(fmt::format("{} (time units)", meaning_of_none)),
                       &IdleByWait::none});
    return schema::Table<IdleByWait>(std::move(members));
  }();
  return table;
}

const Columns<ShownWait>& wait_columns() {
  using W = ShownWait;
  using C = Column<W>;
  static const Columns<W> columns({
      C(Shown{"unit"}, "unit",
        schema::word({"global", "port", "shared"}, "which idled; of all multiprocessors together"),
        &W::unit),
      C(Shown{"time", Align::right}, "time", "idle time charged to the wait (time units)",
        &W::time),
      C("file", "of the line that waits", [](const W& w) { return w.waits.file; }),
      C("line", "its number; 0: barriers and the ends of warps",
        [](const W& w) { return std::int64_t{w.waits.number}; }),
      C("read_file", "of the read that it waits for", [](const W& w) { return w.read.file; }),
      C("read_line", "its number; 0: unknown, or several",
        [](const W& w) { return std::int64_t{w.read.number}; }),
      table_column<W>(Shown{.heading = "line that waits", .width = 30, .is_code = true},
                      [](const W& w) { return wait_place(w.waits, "a barrier or the end"); }),
      table_column<W>(Shown{.heading = "read that it needs", .width = 30, .is_code = true},
                      [](const W& w) { return wait_place(w.read, ""); }),
  });
  return columns;
}

std::string idle_by_wait_text(const UnitCounts& unit, std::int64_t time, std::size_t columns) {
  const auto idle = idle_by_wait(unit);
  if (!idle || unit.idle() == 0) return "";
  TextTable table({Align::left, Align::right, Align::right, Align::prose});
  table.add({"idle while", "time units"});
  const auto add = [&](std::string_view name, std::int64_t part, std::string_view meaning) {
    if (part > 0)
      table.add(
          {std::string(name), std::to_string(part), percent(part, time), std::string(meaning)});
  };
  for (std::size_t k = 0; k < wait_causes; ++k)
    add(name_of(static_cast<WaitCause>(k)), idle->waits[k], meaning_of(static_cast<WaitCause>(k)));
  add("none", idle->none, meaning_of_none);
  return table.text(2, columns);
}

std::string waits_text(const Counts& counts, const Sources& sources, std::size_t columns) {
  std::vector<ShownWait> waits = shown_waits(counts, sources);
  if (waits.empty()) return "";
  const std::size_t more = waits.size() - std::min(waits.size(), most_wait_rows);
  waits.resize(waits.size() - more);
  std::string text =
      "\nidle time while warps waited for values\n" + wait_columns().text(waits).text(2, columns);
  if (more > 0)
    text += fmt::format("  and {}: --format json has them\n",
                        counted(static_cast<std::int64_t>(more), "more wait"));
  return text;
}

} // namespace memlane
