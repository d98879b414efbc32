#include "stored_points.hpp"

#include "version.hpp"

#include "memlane/show/json_parts.hpp"
#include "memlane/study/results/stored_result.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cli {
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
  for (const ClaimOutcome& claim : report.claims)
    if (claim.verdict == ClaimVerdict::fails)
      return fmt::format("claim {} fails", on_one_line(claim.text, widest));
  return "";
}

} // namespace

RunReport report_of(const sweep::Point& point, const std::string& machine_path,
                    const sweep::PointResult& result) {
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

EndedPoint stored_point(const sweep::Point& point, const std::string& machine_path,
                        const sweep::PointResult& result, const std::string& command,
                        const Sources& sources) {
  sweep::PointLimits limits;
  limits.run = point.options.limits;
  EndedPoint ended = sweep::ended_as(result, limits);
  describe(report_of(point, machine_path, result), command, true, sources, ended);
  ended.stored.seconds = result.seconds;
  return ended;
}

sweep::DescribeResult describe_results(const Sources& sources) {
  return [&sources](const sweep::PlannedPoint& planned, const sweep::PointResult& result,
                    EndedPoint& ended) {
    const bool bound = result.code != nullptr;
    describe(report_of(planned.point, planned.machine->path, result), planned.command, bound,
             sources, ended);
    if (bound) return;
    const auto& params = planned.point.program->checked.params;
    for (const auto& [name, value] : planned.values)
      if (std::any_of(params.begin(), params.end(),
                      [&name = name](const auto& p) { return p.name == name; }))
        ended.stored.parameters.emplace_back(name, cell_of_text(value));
  };
}

std::vector<Option> point_store_options() {
  return {{"store", 0, "FILE", false, "write every run into a store of results, as sweep does"}};
}

Result<PointWriter> PointWriter::open(const std::string& path, const std::string& name) {
  Result<sweep::Store> store = sweep::Store::open(path, stored_columns());
  if (!store) return store.errors();
  return PointWriter(std::move(*store), name);
}

void PointWriter::add(const sweep::Point& point, const std::string& machine_path,
                      const sweep::PointResult& result, const std::string& command,
                      const Sources& sources) {
  if (!errors_.ok() || !result.code) return;
  const sweep::EndedPoint ended = stored_point(point, machine_path, result, command, sources);
  sweep::StoredPoint stored = ended.stored;
  const auto parameters = sweep::parameter_texts(sweep::parameters_of(*result.code));
  stored.key_parts = sweep::key_parts_of(point, parameters);
  stored.key = sweep::key_of(stored.key_parts);
  stored.sweep = name_;
  errors_.check(store_.add(stored, ended.status, ended.check_failed, ended.limit));
}

} // namespace memlane::cli
