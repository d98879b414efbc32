// What each memory unit did, and where its time went.
#include "memlane/count/fields.hpp"
#include "memlane/show/run_columns.hpp"
#include "memlane/show/text_table.hpp"

#include <fmt/format.h>

#include <vector>

namespace memlane {
namespace {

/// Rows of the table of multiprocessors; a machine may have thousands.
constexpr std::size_t most_multiprocessor_rows = 16;

std::string percent(std::int64_t part, std::int64_t whole) {
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
    histogram.add({one.stages, std::to_string(one.requests), percent(one.requests, unit.requests)});
  return histogram.text(2);
}

std::string unit_section(std::string_view name, UnitKind kind, const UnitCounts& unit,
                         std::int64_t time) {
  if (!unit.timed) return unit_heading(name, kind, unit) + congestion_table(unit);
  TextTable shares({Align::left, Align::right, Align::right, Align::left});
  shares.add({"", "time units"});
  for (const Field<UnitCounts>& field : time_fields()) {
    const std::int64_t part = field.get(unit);
    shares.add({std::string(field.name), std::to_string(part), percent(part, time),
                std::string(field.meaning)});
  }
  return unit_heading(name, kind, unit) + shares.text(2) + congestion_table(unit);
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
std::string shared_section(UnitKind kind, const std::vector<UnitCounts>& units) {
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
  std::string text = unit_heading(shared_name(units), kind, all) + table.text(2);
  if (next < units.size())
    text +=
        fmt::format("  and {}: --format json has them\n",
                    counted(static_cast<std::int64_t>(units.size() - next), "more multiprocessor"));
  return text + congestion_table(all);
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
  return text;
}

std::string unit_sections(const RunReport& report) {
  const Counts& counts = report.run.counts;
  std::string text;
  if (!counts.global.empty() && report.machine.global) {
    text += unit_section("global memory", report.machine.global->kind, counts.global.front(),
                         counts.time.value);
  }
  if (counts.shared.empty() || !report.machine.shared) return text;
  const UnitKind kind = report.machine.shared->kind;
  return text + (counts.shared.size() == 1
                     ? unit_section("shared memory", kind, counts.shared.front(), counts.time.value)
                     : shared_section(kind, counts.shared));
}

} // namespace memlane
