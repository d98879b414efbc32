#include "memlane/show/run_report.hpp"

#include "memlane/count/hiding.hpp"
#include "memlane/support/json_table.hpp"
#include "memlane/support/text.hpp"

#include <algorithm>
#include <array>

namespace memlane {
namespace {

struct FormatName {
  Format format;
  std::string_view name;
  std::string_view ending;
};

constexpr std::array formats = {
    FormatName{Format::table, "table", ".txt"},      FormatName{Format::json, "json", ".json"},
    FormatName{Format::csv, "csv", ".csv"},          FormatName{Format::jsonl, "jsonl", ".jsonl"},
    FormatName{Format::markdown, "markdown", ".md"}, FormatName{Format::latex, "latex", ".tex"}};

} // namespace

std::optional<double> RunReport::seconds() const {
  return run.counts.time_known ? machine.seconds(run.counts.time.value) : std::nullopt;
}

std::string_view name_of(CsvRows rows) {
  constexpr std::array<std::string_view, 5> names = {"run", "kernels", "launches", "lines",
                                                     "blocks"};
  return names[static_cast<std::size_t>(rows)];
}

std::vector<std::string> csv_rows_names() {
  const auto names = schema::names_up_to(CsvRows::blocks);
  return {names.begin(), names.end()};
}

std::optional<CsvRows> csv_rows_named(std::string_view name) {
  for (int rows = 0; rows <= static_cast<int>(CsvRows::blocks); ++rows)
    if (name_of(static_cast<CsvRows>(rows)) == name) return static_cast<CsvRows>(rows);
  return std::nullopt;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const FormatName& known : formats) names.emplace_back(known.name);
  return names;
}

std::optional<Format> format_named(std::string_view name) {
  for (const FormatName& known : formats) {
    if (known.name == name) return known.format;
  }
  return std::nullopt;
}

std::string_view name_of(Format format) {
  const auto known = std::find_if(formats.begin(), formats.end(),
                                  [&](const FormatName& f) { return f.format == format; });
  return known->name;
}

Format format_of_path(std::string_view path) {
  for (const FormatName& known : formats) {
    if (path.size() >= known.ending.size() &&
        path.substr(path.size() - known.ending.size()) == known.ending) {
      return known.format;
    }
  }
  return Format::table;
}

namespace {
constexpr std::array<std::string_view, 7> stop_names = {"none",   "error",   "steps",      "time",
                                                        "memory", "seconds", "interrupted"};
} // namespace
std::string_view name_of(Stop stop) { return stop_names[static_cast<std::size_t>(stop)]; }
Stop stop_named(std::string_view name) {
  const auto found = std::find(stop_names.begin(), stop_names.end(), name);
  return found == stop_names.end() ? Stop::none : static_cast<Stop>(found - stop_names.begin());
}

std::string_view name_of(Verdict verdict) {
  return verdict == Verdict::passed ? "passed" : verdict == Verdict::failed ? "failed" : "none";
}

bool any_check_failed(const RunReport& report) {
  return report.run.verify == Verdict::failed || failed_claim(report.claims);
}

namespace {

CountedLine source_line_at(SourceLine place, const LineCounts& counts, const Sources& sources) {
  const auto [file, number] = place;
  CountedLine line{"", number, "", counts};
  if (number == 0 || file < 0 || file >= sources.count()) return line;
  line.file = sources.path(file);
  if (sources.text(file).empty()) return line; // a trace has none
  std::string_view text = sources.line(file, number);
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t")));
  line.text = on_one_line(text, 400);
  return line;
}

} // namespace

std::vector<CountedLine> counted_lines(const Counts& counts, const Sources& sources) {
  std::vector<CountedLine> lines;
  for (const auto& [place, line_counts] : counts.lines)
    lines.push_back(source_line_at(place, line_counts, sources));
  return lines;
}

std::vector<ShownWait> shown_waits(const Counts& counts, const Sources& sources) {
  std::vector<ShownWait> shown;
  const auto add = [&](std::string_view name, const UnitCounts& unit) {
    for (const LineWait& wait : line_waits(unit))
      shown.push_back({std::string(name), wait.time, source_line_at(wait.waits, {}, sources),
                       source_line_at(wait.read, {}, sources)});
  };
  add("global", sum_of(counts.global));
  UnitCounts ports;
  for (const PortCounts& port : counts.ports) ports += port;
  add("port", ports);
  add("shared", sum_of(counts.shared));
  return shown;
}

} // namespace memlane
