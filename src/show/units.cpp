// What each memory unit did, and where its time went.
#include "memlane/show/json_parts.hpp"
#include "memlane/show/run_columns.hpp"
#include "memlane/show/run_words.hpp"
#include "memlane/show/text_table.hpp"

#include <fmt/format.h>

#include <vector>

namespace memlane {
namespace {

/// Rows of the table of multiprocessors; a machine may have thousands.
constexpr std::size_t most_multiprocessor_rows = 16;

std::string percent_cell(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return "";
  return fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string unit_words(std::string_view name, UnitKind kind, const UnitCounts& unit) {
  return fmt::format("{} ({}): {} ({} read, {} write), {}, {} of them lost to conflicts", name,
                     kind == UnitKind::discrete ? "banks" : "address groups",
                     counted(unit.requests, "request"), unit.reads, unit.writes,
                     counted(unit.stages, "stage"), unit.conflicts());
}

std::string shared_name(const std::vector<UnitCounts>& units) {
  return units.size() == 1 ? "shared memory"
                           : fmt::format("shared memory of {} multiprocessors", units.size());
}

std::string unit_heading(std::string_view name, UnitKind kind, const UnitCounts& unit) {
  std::string text = '\n' + hanging_lines(unit_words(name, kind, unit), 2);
  if (unit.concurrent_writes > 0) {
    text += fmt::format("  {} written by several threads of one request\n",
                        counted(unit.concurrent_writes, "word was", "words were"));
  }
  return text;
}

/// Rows of a histogram; with more, their numbers of stages share buckets.
constexpr std::size_t most_stage_rows = 16;

std::string congestion_table(const UnitCounts& unit) {
  if (unit.congestion.empty()) return "";
  TextTable histogram({Align::right, Align::right, Align::right});
  histogram.add({"stages", "requests", ""});
  for (const StageClass& one : stage_classes(unit))
    histogram.add(
        {one.stages, std::to_string(one.requests), percent_cell(one.requests, unit.requests)});
  return histogram.text(2);
}

std::string unit_section(std::string_view name, UnitKind kind, const UnitCounts& unit,
                         std::int64_t time, std::size_t columns) {
  if (!unit.timed) return unit_heading(name, kind, unit) + congestion_table(unit);
  TextTable shares({Align::left, Align::right, Align::right, Align::prose});
  shares.add({"", "time units"});
  for (const Field<UnitCounts>& field : time_fields()) {
    const std::int64_t part = field.get(unit);
    shares.add({std::string(field.name), std::to_string(part), percent_cell(part, time),
                std::string(field.meaning)});
  }
  return unit_heading(name, kind, unit) + shares.text(2, columns) +
         idle_by_wait_text(unit, time, columns) + congestion_table(unit);
}

/// A row of the multiprocessors' table: its requests, stages and parts of the time.
std::vector<std::string> share_row(const UnitCounts& unit) {
  std::vector<std::string> row = {std::to_string(unit.requests), std::to_string(unit.stages),
                                  std::to_string(unit.conflicts())};
  for (const Field<UnitCounts>& field : time_fields())
    if (const auto part = field.count(unit)) row.push_back(std::to_string(*part));
  return row;
}

/// The shared memories of several multiprocessors: neighbours with the same numbers share a row.
std::string shared_section(UnitKind kind, const std::vector<UnitCounts>& units,
                           std::size_t columns) {
  std::vector<std::string> names = {"multiprocessor", "requests", "stages", "lost"};
  for (const Field<UnitCounts>& field : time_fields())
    if (units.front().timed) names.emplace_back(field.name);
  TextTable table(std::vector<Align>(names.size(), Align::right));
  table.add(names);
  std::size_t rows = 0, next = 0;
  for (std::size_t i = 0; i < units.size() && rows < most_multiprocessor_rows; i = next, ++rows) {
    const std::vector<std::string> row = share_row(units[i]);
    next = i + 1;
    while (next < units.size() && share_row(units[next]) == row) ++next;
    std::vector<std::string> cells = {next == i + 1 ? std::to_string(i)
                                                    : fmt::format("{} to {}", i, next - 1)};
    cells.insert(cells.end(), row.begin(), row.end());
    table.add(cells);
  }
  const UnitCounts all = sum_of(units);
  std::string text = unit_heading(shared_name(units), kind, all) + table.text(2, columns);
  if (next < units.size())
    text +=
        fmt::format("  and {}: --format json has them\n",
                    counted(static_cast<std::int64_t>(units.size() - next), "more multiprocessor"));
  return text + idle_by_wait_text(all, all.busy + all.idle(), columns) + congestion_table(all);
}

} // namespace

std::vector<StageClass> stage_classes(const UnitCounts& unit) {
  std::vector<StageClass> classes;
  const bool buckets = unit.congestion.size() > most_stage_rows;
  std::int64_t last = 0; // of the bucket that the row before is
  for (const auto& [stages, requests] : unit.congestion) {
    if (buckets && stages <= last) {
      classes.back().requests += requests;
      continue;
    }
    std::int64_t first = stages;
    if (buckets) {
      last = 1;
      while (last < stages) last *= 2;
      first = last / 2 + 1;
    }
    classes.push_back(
        {buckets && first < last ? fmt::format("{} to {}", first, last) : std::to_string(stages),
         requests});
  }
  return classes;
}

namespace {

/// What own ports and units of operations did, a line each; of all multiprocessors.
std::string beyond_lines(const Counts& counts) {
  std::string text;
  if (!counts.ports.empty()) {
    PortCounts all;
    for (const PortCounts& port : counts.ports) all += port;
    text += hanging_lines(
        fmt::format(
            "own ports of {}: {}, {}{}, {}, {} of them lost to conflicts; busy {} of the time",
            counted(static_cast<std::int64_t>(counts.ports.size()), "multiprocessor"),
            counted(all.lines, "line"), counted(all.groups, "address group"),
            all.groups_reused > 0 ? fmt::format(" ({} reused)", all.groups_reused) : "",
            counted(all.stages, "stage"), all.conflicts(),
            percent(all.busy, all.busy + all.idle())),
        2);
  }
  for (std::size_t first = 0, next = 0; first < counts.operations.size(); first = next) {
    OperationAccount all;
    for (; next < counts.operations.size() &&
           counts.operations[next].unit == counts.operations[first].unit;
         ++next)
      all += counts.operations[next];
    text += hanging_lines(fmt::format("unit {}: {}, busy {} of the time", all.unit,
                                      counted(all.operations, "operation"),
                                      percent(all.busy, all.busy + all.idle)),
                          2);
  }
  return text;
}

} // namespace

std::string unit_lines(const RunReport& report) {
  const Counts& counts = report.run.counts;
  std::string text;
  const auto add = [&](const std::string& name, const UnitSpec& unit, const UnitCounts& all) {
    text += hanging_lines(unit_words(name, unit.kind, all), 2);
  };
  if (!counts.global.empty() && report.machine.global)
    add("global memory", *report.machine.global, counts.global.front());
  if (!counts.shared.empty() && report.machine.shared)
    add(shared_name(counts.shared), *report.machine.shared, sum_of(counts.shared));
  return text + beyond_lines(counts);
}

std::string unit_sections(const RunReport& report, std::size_t columns) {
  const Counts& counts = report.run.counts;
  std::string text;
  if (!counts.global.empty() && report.machine.global) {
    text += unit_section("global memory", report.machine.global->kind, counts.global.front(),
                         counts.time.value, columns);
  }
  if (const std::string beyond = beyond_lines(counts); !beyond.empty()) text += '\n' + beyond;
  if (counts.shared.empty() || !report.machine.shared) return text;
  const UnitKind kind = report.machine.shared->kind;
  return text + (counts.shared.size() == 1
                     ? unit_section("shared memory", kind, counts.shared.front(), counts.time.value,
                                    columns)
                     : shared_section(kind, counts.shared, columns));
}

} // namespace memlane
