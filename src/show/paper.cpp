
#include "memlane/count/fields.hpp"
#include "memlane/show/json_parts.hpp"
#include "memlane/show/paper_table.hpp"
#include "memlane/show/run_columns.hpp"

#include <fmt/format.h>

namespace memlane {
namespace {

/// `program`, and what it ran with.
std::string subject_of(const RunReport& report) {
  if (report.trace) return report.trace->path;
  std::string text = report.program->path;
  for (const std::string& with :
       {parameters_cell(*report.program), replaced_cell(*report.program, "--layout")})
    if (!with.empty()) text += ", " + with;
  return text;
}

std::string count_text(const std::optional<std::int64_t>& count) {
  return count ? std::to_string(*count) : "";
}

PaperTable summary_paper(const RunReport& report) {
  PaperTable table("Run", {{"quantity"}, {"value", Align::right}});
  table.add({report.program ? "program" : "trace",
             report.program ? report.program->path : report.trace->path});
  if (report.program) {
    for (const ir::Constant& p : report.program->parameters)
      table.add({p.name, to_string(p.type, p.value)});
    for (const auto& [option, text] : report.program->replaced) table.add({option, text});
  }
  table.add({"machine", report.machine.name});
  table.add({"machine file", report.machine_path});
  for (const Field<Counts>& field : count_fields())
    table.add({std::string(field.name), count_text(field.count(report.run.counts))});
  for (const Field<Counts>& field : part_fields())
    if (const auto count = field.count(report.run.counts))
      table.add({std::string(field.name), count_text(count)});
  for (const ModelTable& model : model_tables())
    if (model.known(report.run.counts))
      for (const ModelField& field : model.fields)
        if (!field.is_place())
          table.add({fmt::format("{} {}", model.title, field.name),
                     to_text(field.get(report.run.counts))});
  for (const Price& price : report.prices)
    table.add({fmt::format("{} {}", price.request.model->title, price.request.values_text()),
               price.value.text});
  if (report.run.stop != Stop::none) table.add({"stopped", std::string(name_of(report.run.stop))});
  if (report.program) table.add({"verify", std::string(name_of(report.run.verify))});
  return table;
}

/// Calls `f(name, unit)` for the global memory, and for all shared memories as one.
template <class F>
void for_units(const Counts& counts, F&& f) {
  if (!counts.global.empty()) f("global", counts.global.front());
  if (!counts.shared.empty()) f("shared", sum_of(counts.shared));
}

/// A column for each memory: a row for each would be too wide for a page.
PaperTable units_paper(const RunReport& report) {
  std::vector<PaperColumn> columns = {{"quantity"}};
  std::vector<UnitCounts> units;
  for_units(report.run.counts, [&](std::string_view name, const UnitCounts& unit) {
    columns.push_back({std::string(name), Align::right});
    units.push_back(unit);
  });
  PaperTable table("Memory units: " + subject_of(report), columns);
  if (units.empty()) return table;
  for (const Field<UnitCounts>& field : unit_fields()) {
    std::vector<std::string> row = {std::string(field.name)};
    for (const UnitCounts& unit : units) row.push_back(count_text(field.count(unit)));
    table.add(std::move(row));
  }
  return table;
}

PaperTable stages_paper(const RunReport& report) {
  PaperTable table("Stages of requests: " + subject_of(report),
                   {{"memory"}, {"stages", Align::right}, {"requests", Align::right}});
  for_units(report.run.counts, [&](std::string_view name, const UnitCounts& unit) {
    for (const StageClass& one : stage_classes(unit))
      table.add({std::string(name), one.stages, std::to_string(one.requests)});
  });
  return table;
}

PaperTable kernels_paper(const RunReport& report) {
  const bool several = report.run.kernels.size() > 1;
  return kernel_columns().paper("Kernels: " + subject_of(report),
                                several ? report.run.kernels : std::map<std::string, Counts>());
}

} // namespace

std::string run_paper(const RunReport& report, const Sources& sources, Format format) {
  std::string text = paper_text(
      {summary_paper(report), units_paper(report), stages_paper(report), kernels_paper(report),
       line_columns().paper("Source lines: " + subject_of(report),
                            counted_lines(report.run.counts, sources)),
       claim_columns().paper("Claims: " + subject_of(report), parts_of(report.claims, sources))},
      format);
  if (report.explanation) text += '\n' + report.explanation->text(format, 0);
  for (const AddedPart& tried : report.tries) text += '\n' + tried.text(format, 0);
  return text;
}

} // namespace memlane
