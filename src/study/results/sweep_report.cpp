#include "memlane/study/results/sweep_report.hpp"

#include "memlane/show/columns.hpp"
#include "memlane/show/json_parts.hpp"

#include <fmt/format.h>

namespace memlane {

using sweep::PointState;

namespace {

using schema::Json;

const Columns<PlannedRow>& planned_columns() {
  using C = Column<PlannedRow>;
  static const Columns<PlannedRow> columns({
      C(Shown{"state"}, "state",
        schema::word(
            schema::names_up_to(PointState::retried),
            "known: the store has it; missing: it does not; limited: it stopped at a limit "
            "that is another now; retried: --retry"),
        &PlannedRow::state),
      C(Shown{"program"}, "program", "as the sweep names it", &PlannedRow::program),
      C(Shown{"machine"}, "machine", "its name", &PlannedRow::machine),
      C(Shown{"point"}, "values", "of the axes", &PlannedRow::values),
      C(Shown{"seed", Align::right}, "seed", "of random numbers", &PlannedRow::seed),
      C(Shown{.heading = "why", .width = 150, .hide_empty = true}, "why", "--why: why it runs",
        &PlannedRow::why),
      C("key", "in the store", &PlannedRow::key),
      C("command", "that runs this point alone", &PlannedRow::command),
  });
  return columns;
}

const schema::Table<SweepEstimate>& estimate_table() {
  static const schema::Table<SweepEstimate> table({
      {"seconds", "of all points that are to be run; rough; null: no run is known",
       &SweepEstimate::seconds},
      {"from_runs", "timed runs that the seconds are from", &SweepEstimate::from_runs},
      {"bytes", "of the arrays of the point that holds most", &SweepEstimate::bytes},
      {"largest", "this point", &SweepEstimate::largest},
  });
  return table;
}

std::int64_t bad_points(const sweep::SweepSummary& ended) {
  return ended.check_failed + ended.stopped + ended.failed;
}

const schema::Table<SweepReport>& sweep_table() {
  using R = SweepReport;
  const auto ran = [](const R& r) { return !r.dry_run; };
  static const schema::Table<R> table({
      {"tool", tool_schema(), [](const R& r) { return tool_json(r.version); }},
      {"sweep", "its name", &R::sweep},
      {"store", "the file", &R::store},
      {"points", "of the whole sweep", &R::points},
      {"excluded", "by its condition; not among the points", &R::excluded},
      {"elsewhere", "points of other shards", &R::elsewhere},
      {"known", schema::count("points that the store had"), [](const R& r) { return r.known.run; }},
      {"known_failed", schema::count("of these, with a failed check or without a result"),
       [](const R& r) { return bad_points(r.known); }},
      {"missing", "points that are to be run, or were", &R::missing},
      {"run", schema::count("points that ended now"), [](const R& r) { return r.summary.run; },
       ran},
      {"check_failed", schema::count("of these, with a failed verify or claim"),
       [](const R& r) { return r.summary.check_failed; }, ran},
      {"stopped", schema::count("of these, at a limit"),
       [](const R& r) { return r.summary.stopped; }, ran},
      {"failed", schema::count("of these, with an error"),
       [](const R& r) { return r.summary.failed; }, ran},
      {"interrupted", schema::boolean("some points were not begun"),
       [](const R& r) { return r.summary.interrupted; }, ran},
      {"estimate", estimate_table(), "of a dry run; null: nothing is to be run", &R::estimate,
       [](const R& r) { return r.dry_run; }},
      {"planned", planned_columns().json(), "a point", "of a dry run", &R::rows,
       schema::Presence::if_any},
  });
  return table;
}

std::string bytes_text(std::int64_t bytes) {
  double amount = static_cast<double>(bytes);
  for (const char* unit : {"bytes", "KiB", "MiB"}) {
    if (amount < 1024) return fmt::format("{:.4g} {}", amount, unit);
    amount /= 1024;
  }
  return fmt::format("{:.4g} GiB", amount);
}

std::string seconds_text(double seconds) {
  constexpr double minute = 60, hour = 3600;
  if (seconds < 2 * minute) return fmt::format("{:.2g} s", seconds);
  if (seconds < 2 * hour) return fmt::format("{:.0f} min", seconds / minute);
  return fmt::format("{:.1f} h", seconds / hour);
}

/// What is special about the points, behind their number.
std::string parts_text(const SweepReport& r) {
  std::string text;
  if (r.excluded > 0) text += fmt::format(", {} more excluded by the condition", r.excluded);
  if (r.elsewhere > 0) text += fmt::format(", {} of them in other shards", r.elsewhere);
  return text;
}

std::string dry_run_text(const SweepReport& r) {
  std::string text = planned_columns().text(r.rows).text() + '\n';
  text += fmt::format("{}: {}{}\n{} to run, {} known in {}\n", r.sweep, counted(r.points, "point"),
                      parts_text(r), r.missing, r.known.run, r.store);
  if (!r.estimate) return text;
  const SweepEstimate& e = *r.estimate;
  if (e.bytes > 0)
    text += fmt::format("memory: up to {} for the arrays of one point ({})\n", bytes_text(e.bytes),
                        e.largest);
  text += e.seconds ? fmt::format("time: about {}, from {}\n", seconds_text(*e.seconds),
                                  counted(e.from_runs, "timed run"))
                    : std::string("time: unknown, no run is known\n");
  return text;
}

std::string summary_text(const SweepReport& r) {
  std::string text = fmt::format("{}: {}{}\n", r.sweep, counted(r.points, "point"), parts_text(r));
  text += fmt::format("{} run, {} known before, in {}\n", r.summary.run, r.known.run, r.store);
  const auto add = [&](std::int64_t count, const char* what) {
    if (count > 0) text += fmt::format("{} {}\n", counted(count, "point"), what);
  };
  add(r.summary.check_failed, "with a failed check");
  add(r.summary.stopped, "stopped at a limit");
  add(r.summary.failed, "failed with an error");
  add(bad_points(r.known),
      "known before with a failed check or without a result (--retry runs those "
      "without one again)");
  if (r.summary.interrupted)
    text += fmt::format("interrupted: {} left; the same command runs them\n",
                        counted(r.missing - r.summary.run, "point"));
  return text;
}

} // namespace

Json sweep_report_schema() {
  return schema::document("The result of memlane sweep",
                          sweep_table().schema("what --format json prints"));
}

Json planned_line_schema() {
  return line_document("sweep --dry-run", planned_columns().json().schema("a point"));
}

std::string render_sweep(const SweepReport& report, Format format) {
  return planned_columns().text_in(
      format, fmt::format("Points of {}", report.sweep), report.rows,
      [&] { return report.dry_run ? dry_run_text(report) : summary_text(report); },
      [&] { return sweep_table().json(report); });
}

} // namespace memlane
