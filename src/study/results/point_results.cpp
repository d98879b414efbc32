#include "memlane/study/results/point_results.hpp"

#include "memlane/points/definitions.hpp"
#include "memlane/show/json_parts.hpp"
#include "memlane/study/results/command_output.hpp"
#include "memlane/study/results/stored_result.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>

namespace memlane {
namespace {

using sweep::Cell;
using sweep::EndedPoint;

/// A value as the sweep wrote it: a number if it is one.
Cell cell_of_text(const std::string& text) {
  const auto number = number_of<std::int64_t>(text);
  return number ? Cell(*number) : Cell(text);
}

/// What is wrong with a point, on one line.
std::string message_of(const RunReport& report, const EndedPoint& ended) {
  constexpr std::size_t widest = 300;
  const RunResult& run = report.run;
  if (!run.errors.empty()) return on_one_line(run.errors.front().message, widest);
  if (ended.status == sweep::PointStatus::stopped)
    return fmt::format("{}: {}", sweep::stop_text(run.stop), on_one_line(run.reached, widest));
  if (run.verify == Verdict::failed) return "its verify failed";
  const ClaimOutcome* const claim = failed_claim(report.claims);
  return claim ? fmt::format("claim {} fails", on_one_line(claim->text, widest)) : "";
}

} // namespace

HostInfo host_info() {
  HostInfo host;
  utsname names{};
  if (uname(&names) == 0) {
    host.system = names.sysname;
    host.architecture = names.machine;
  }
#ifdef __clang__
  host.compiler = fmt::format("clang {}.{}", __clang_major__, __clang_minor__);
#else
  host.compiler = fmt::format("gcc {}.{}", __GNUC__, __GNUC_MINOR__);
#endif
  return host;
}

RunReport report_of(const sweep::Point& point, const std::string& machine_path,
                    const sweep::PointResult& result, std::string_view version) {
  RunReport report;
  report.version = version;
  report.program = point.program->info;
  report.program->inputs = point.input_sources;
  report.program->input_hashes = point.input_hashes;
  if (result.code) report.program->parameters = sweep::parameters_of(*result.code);
  report.machine = point.machine;
  report.machine_path = machine_path;
  report.seed = point.options.seed;
  report.host = host_info();
  report.timing_only = point.options.timing_only;
  report.run = result.run;
  report.claims = result.claims;
  for (const PriceRequest& price : point.prices)
    report.prices.push_back(result.run.stop == Stop::none
                                ? price_of(price, point.machine, result.run.counts)
                                : Price{price, {}, "the run did not come to its end"});
  return report;
}

namespace {

/// Columns and, of code that was bound, parameters and the whole result. `command` repeats the run;
/// empty: not known.
void describe(const RunReport& report, std::string_view command, bool bound, const Sources& sources,
              EndedPoint& ended) {
  ended.stored.cells = stored_cells(report, sources, command);
  ended.message = message_of(report, ended);
  if (!bound) return;
  ended.stored.parameters = stored_parameters(*report.program);
  ended.stored.json = json_text(run_json(report, sources), -1);
  ended.stored.json.pop_back(); // the line end: stored results are JSON alone
}

} // namespace

namespace {

/// What a command has beside what programs have, or instead of it.
void describe_command(const sweep::Point& point, const std::string& name,
                      const sweep::PointResult& result, EndedPoint& ended) {
  std::vector<Cell>& cells = ended.stored.cells;
  const auto cell = [&](std::string_view column) -> Cell& {
    const auto& columns = stored_columns();
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [&](const auto& known) { return known.name == column; });
    return cells[static_cast<std::size_t>(found - columns.begin())];
  };
  cell("program") = name;
  for (const auto& [parameter, value] : point.texts)
    ended.stored.parameters.emplace_back(parameter, cell_of_text(value));
  if (!result.output) return;
  if (ended.status == sweep::PointStatus::done) take_counts_of(*result.output, cells);
  if (ended.check_failed) cell("verify") = std::string(name_of(Verdict::failed));
  ended.stored.json = result.output->json;
  while (ended.stored.json.ends_with('\n')) ended.stored.json.pop_back();
  if (result.output->message.empty()) return;
  ended.message = result.output->message;
  if (ended.check_failed) cell("reason") = ended.message;
}

} // namespace

sweep::DescribeResult describe_results(const Sources& sources, std::string_view version) {
  return [&sources, version](const sweep::PlannedPoint& planned, const sweep::PointResult& result,
                             EndedPoint& ended) {
    const bool bound = result.code != nullptr;
    describe(report_of(planned.point, planned.machine->path, result, version), planned.command,
             bound, sources, ended);
    if (!planned.point.command.empty())
      describe_command(planned.point, planned.program, result, ended);
    if (bound) return;
    const auto& params = planned.point.program->checked.params;
    for (const auto& [name, value] : planned.values)
      if (std::any_of(params.begin(), params.end(),
                      [&name = name](const auto& p) { return p.name == name; }))
        ended.stored.parameters.emplace_back(name, cell_of_text(value));
  };
}

Result<PointWriter> PointWriter::open(const std::string& path, const std::string& name,
                                      std::string_view version) {
  Result<sweep::Store> store = sweep::Store::open(path, stored_columns());
  if (!store) return store.errors();
  return PointWriter(std::move(*store), name, version);
}

void PointWriter::add(const sweep::Point& point, const std::string& machine_path,
                      const sweep::PointResult& result, const std::string& command,
                      const Sources& sources, const std::string& name) {
  if (!errors_.ok() || !result.code) return;
  sweep::PointLimits limits;
  limits.run = point.options.limits;
  EndedPoint ended = sweep::ended_as(result, limits);
  describe(report_of(point, machine_path, result, version_), command, true, sources, ended);
  if (!point.command.empty()) describe_command(point, name, result, ended);
  sweep::StoredPoint& stored = ended.stored;
  stored.seconds = result.seconds;
  const auto parameters = sweep::parameter_texts(sweep::parameters_of(*result.code));
  stored.key_parts = sweep::key_parts_of(point, parameters);
  stored.key = sweep::key_of(stored.key_parts);
  stored.sweep = name_;
  errors_.check(store_.add(stored, ended.status, ended.check_failed, ended.limit));
}

} // namespace memlane
