// What memlane sweep --dry-run shows.
#include "sweep_command.hpp"
#include "version.hpp"

#include "memlane/report/stored_result.hpp"
#include "memlane/support/text.hpp"
#include "memlane/sweep/estimate.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cli {
namespace {

using sweep::Pending;
using sweep::PendingPoint;
using sweep::PlannedPoint;

std::string values_text(const PlannedPoint& point) {
  std::string text;
  for (const auto& [name, value] : point.values)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value);
  return text;
}

/// The parts in which the nearest stored point differs.
std::string why_text(const PlannedPoint& point, sweep::PointState state,
                     const sweep::Store* store) {
  if (state == sweep::PointState::limited) return "it stopped at a limit that is another now";
  if (state == sweep::PointState::retried) return "it stopped or failed before (--retry)";
  const auto near = store ? store->nearest_parts(point.key_parts) : decltype(point.key_parts)();
  if (near.empty()) return "the store has no such point";
  std::string text;
  constexpr std::size_t widest = 60;
  for (const auto& [part, value] : point.key_parts) {
    const auto same = std::find_if(near.begin(), near.end(), [&, name = part](const auto& other) {
      return other.first == name;
    });
    if (same != near.end() && same->second == value) continue;
    text += fmt::format("{}{} is {}", text.empty() ? "" : "; ", part, on_one_line(value, widest));
    if (same != near.end())
      text += fmt::format(", in the store {}", on_one_line(same->second, widest));
  }
  for (const auto& [part, value] : near)
    if (std::none_of(point.key_parts.begin(), point.key_parts.end(),
                     [&, name = part](const auto& own) { return own.first == name; }))
      text += fmt::format("{}without {}, in the store {}", text.empty() ? "" : "; ", part,
                          on_one_line(value, widest));
  return text;
}

/// `in_full`: with what tables do not show, which of a million points takes much memory.
PlannedRow row_of(const PlannedPoint& point, sweep::PointState state, bool in_full) {
  return {point.program,
          name_of_file(point.machine->path),
          values_text(point),
          point.point.options.seed,
          state,
          {},
          in_full ? point.key : "",
          in_full ? point.command : ""};
}

} // namespace

SweepReport report_of(const SweepCommand& command, const sweep::Plan& plan,
                      const Pending& pending) {
  SweepReport report;
  report.version = version;
  report.sweep = command.spec.name;
  report.store = command.store;
  report.points = plan.size();
  report.excluded = plan.excluded();
  report.elsewhere = pending.elsewhere;
  report.known = pending.known;
  report.missing = static_cast<std::int64_t>(pending.points.size());
  report.dry_run = command.dry_run;
  return report;
}

Status show_dry_run(SweepCommand& command, const sweep::Plan& plan, const Pending& pending,
                    const sweep::Store* store, const sweep::SweepRuns& runs, const Sources& sources,
                    Console& console) {
  SweepReport report = report_of(command, plan, pending);
  Watch watch(command.how.limits.run);
  const auto stopped = [&] { return stopped_while(watch.stop(), "listing the points"); };
  const bool in_full =
      std::any_of(command.targets.begin(), command.targets.end(), [](const ResultTarget& target) {
        return target.format != Format::table && target.format != Format::markdown &&
               target.format != Format::latex;
      });
  report.rows.reserve(pending.points.size() + pending.known_points.size());
  for (const PendingPoint& pending_point : pending.points) {
    if (!watch.ask()) return stopped();
    const PlannedPoint point = plan.point(pending_point.number);
    report.rows.push_back(row_of(point, pending_point.state, in_full));
    if (command.why) report.rows.back().why = why_text(point, pending_point.state, store);
  }
  for (const std::int64_t number : pending.known_points) {
    if (!watch.ask()) return stopped();
    report.rows.push_back(row_of(plan.point(number), sweep::PointState::known, in_full));
  }
  if (!pending.points.empty()) {
    constexpr double trial = 1; // seconds
    const sweep::WorkEstimate work = sweep::estimate_work(plan, pending, runs, trial, sources);
    SweepEstimate& estimate = report.estimate.emplace();
    if (work.seconds) estimate.seconds = *work.seconds / static_cast<double>(command.how.jobs);
    estimate.from_runs = work.from_runs;
    estimate.bytes = work.bytes;
    estimate.largest = work.largest;
  }
  return write_results([&](Format format, TableStyle) { return render_sweep(report, format); },
                       command.targets, true, console);
}

} // namespace memlane::cli
