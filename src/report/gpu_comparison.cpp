#include "cells.hpp"
#include "gpu_words.hpp"

#include "memlane/config/machine.hpp"
#include "memlane/report/gpu_report.hpp"
#include "memlane/report/json_parts.hpp"
#include "memlane/report/paper_table.hpp"
#include "memlane/report/text_table.hpp"

#include <fmt/format.h>

#include <array>

namespace memlane {
namespace {

using measure::ComparedPoint;
using measure::MeasuredComparison;

std::string error_text(const ComparedPoint& point) {
  const auto error = point.error();
  return error ? percent_text(*error) : "";
}

std::string fmad_text(const measure::MeasuredPoint& measured) {
  return !measured.fmad ? "" : *measured.fmad ? "true" : "false";
}

std::string measured_table(const MeasuredComparison& comparison) {
  const auto left = Align::left, right = Align::right;
  TextTable table({left, left, left, right, right, right, right, right, right, right, right, left});
  table.add({"algorithm", "parameters", "kernel", "time units", "predicted ns", "measured ns",
             "error", "of emitted", "ns/unit", "cycles", "cycles/unit", ""});
  for (const ComparedPoint& point : comparison.points) {
    table.add({on_one_line(point.curve, 60),
               on_one_line(measure::parameters_text(point.measured.parameters), 60),
               std::string(name_of(point.measured.variant)),
               point.time ? std::to_string(*point.time) : "", optional_number(point.predicted_ns),
               short_number(point.measured.priced_ns), error_text(point),
               optional_number(point.ratio_to_emitted), optional_number(point.ns_per_unit()),
               optional_number(point.cycles), optional_number(point.cycles_per_unit()),
               on_one_line(point.why_not, 200)});
  }
  for (const measure::SkippedPoint& skipped : comparison.skipped) {
    table.add({on_one_line(skipped.program, 60),
               on_one_line(measure::parameters_text(skipped.parameters), 60),
               std::string(name_of(skipped.variant)), "", "", "", "", "", "", "", "",
               "not measured: " + on_one_line(skipped.why, 200)});
  }
  const std::string device =
      comparison.points.empty() ? "" : comparison.points.front().measured.device.name;
  std::string text = fmt::format("device {}, machine {}\n\n{}", on_one_line(device, 80),
                                 on_one_line(comparison.machine.name, 80), table.text());
  if (comparison.costs) text += "\n" + costs_sentence(*comparison.costs) + "\n";
  const auto add = [&](std::string_view heading, const measure::Ordering& ordering) {
    text += fmt::format("\n{}\n", heading);
    for (const std::string& sentence : order_sentences(ordering)) {
      text += "  " + on_one_line(sentence, 400) + '\n';
    }
  };
  add("does the model put the emitted kernels in the measured order?", comparison.emitted);
  if (!comparison.hand_written.sizes.empty())
    add("and those written by hand?", comparison.hand_written);
  return text;
}

PaperTable measured_paper(const MeasuredComparison& comparison) {
  const auto right = Align::right;
  PaperTable table("Measured times beside those of " + comparison.machine.name,
                   {{"curve"},
                    {"parameters"},
                    {"time units", right},
                    {"predicted ns", right},
                    {"measured ns", right},
                    {"error", right}});
  for (const ComparedPoint& point : comparison.points)
    table.add({point.curve, measure::parameters_text(point.measured.parameters),
               point.time ? std::to_string(*point.time) : "", optional_number(point.predicted_ns),
               fmt::format("{}", point.measured.priced_ns), error_text(point)});
  return table;
}

std::string measured_csv(const MeasuredComparison& comparison) {
  std::string text =
      "program,sha256,variant,curve,parameters,device,time,median_ns,"
      "back_to_back_ns,ns_per_unit,cycles,cycles_per_unit,why_not,of_emitted,problem,fmad,"
      "priced_clock,priced_ns,predicted_ns,relative_error\n";
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string();
  };
  for (const ComparedPoint& point : comparison.points) {
    const measure::MeasuredPoint& measured = point.measured;
    const std::array<std::string, 20> cells = {measured.program,
                                               measured.sha256,
                                               std::string(name_of(measured.variant)),
                                               point.curve,
                                               measure::parameters_text(measured.parameters),
                                               measured.device.name,
                                               point.time ? std::to_string(*point.time) : "",
                                               fmt::format("{}", measured.median_ns),
                                               number(measured.back_to_back_ns),
                                               number(point.ns_per_unit()),
                                               number(point.cycles),
                                               number(point.cycles_per_unit()),
                                               point.why_not,
                                               number(point.ratio_to_emitted),
                                               point.problem,
                                               fmad_text(measured),
                                               std::string(name_of(measured.priced_clock)),
                                               fmt::format("{}", measured.priced_ns),
                                               number(point.predicted_ns),
                                               number(point.error())};
    for (std::size_t i = 0; i < cells.size(); ++i) text += (i == 0 ? "" : ",") + csv_cell(cells[i]);
    text += '\n';
  }
  return text;
}

} // namespace

std::string render_measured(const MeasuredComparison& comparison, std::string_view version,
                            Format format) {
  std::string lines;
  switch (format) {
  case Format::table: return measured_table(comparison);
  case Format::csv: return measured_csv(comparison);
  case Format::markdown:
  case Format::latex: return paper_text({measured_paper(comparison)}, format);
  case Format::json: return json_text(measured_json(comparison, version), 2);
  case Format::jsonl:
    for (const ComparedPoint& point : comparison.points)
      lines += json_text(measured_point_json(point), -1);
    return lines;
  }
  return lines;
}

} // namespace memlane
