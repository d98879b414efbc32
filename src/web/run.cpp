// What a run gives: its result, its account, what each line costs, and time charts.
#include "memlane/engine/run.hpp"

#include "question.hpp"

#include "memlane/points/definitions.hpp"
#include "memlane/support/text.hpp"
#include "memlane/timeline/recorder.hpp"
#include "memlane/timeline/report.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memlane::web {
namespace {

constexpr std::int64_t usual_requests = 2000;  // of a time chart
constexpr std::int64_t requests_of_line = 256; // of the chart of the costliest line

RunReport report_of(const Shipped& shipped, const Question& question, const sweep::Point& point,
                    sweep::PointResult result) {
  RunReport report;
  report.version = shipped.version;
  report.program = question.program.info;
  report.machine = question.machine.spec;
  report.machine_path = question.machine.path;
  report.standard_machine = !question.recipe.machine.chosen;
  report.seed = point.options.seed;
  report.host = shipped.host;
  report.run = std::move(result.run);
  report.claims = std::move(result.claims);
  return report;
}

/// The time chart of a window, by the reference engine; null: nothing of the run is in it.
Json chart_json(const Shipped& shipped, const Question& question, const sweep::Point& point,
                TimelineWindow window) {
  std::optional<Timeline> timeline;
  window.values = true;
  TimelineRecorder recorder(*point.code, point.machine, question.sources, window,
                            [&](Timeline whole) { timeline = std::move(whole); });
  RunOptions options = point.options;
  options.verify = false;
  options.limits.check = [&recorder, check = options.limits.check] {
    return recorder.over() ? Stop::interrupted : check();
  };
  const RunOutcome outcome =
      run_reference(*point.code, point.machine, options, question.sources, recorder);
  const bool whole = outcome.stop == Stop::none;
  recorder.finish(whole ? std::optional(outcome.time.value) : std::nullopt);
  if (!timeline) return nullptr;
  return timeline_json({shipped.version, question.program.info, point.machine, point.options.seed,
                        std::move(*timeline)},
                       question.sources);
}

void add_charts(const Shipped& shipped, const Json& asked, const Question& question,
                const sweep::Point& point, const Account& account, Json& answer) {
  TimelineWindow window;
  window.most_requests = number_in(asked, "requests", usual_requests);
  answer["timeline"] = chart_json(shipped, question, point, window);
  // The chart of a window that ends before the run has no time.
  const Json& chart = answer["timeline"];
  const bool whole = chart.is_object() && !chart["time"].is_null();
  if (whole || !account.costliest || account.costliest->accesses.empty()) return;
  TimelineWindow of_line;
  of_line.line = account.costliest->accesses.front().line;
  of_line.most_requests = requests_of_line;
  answer["costliest"] = chart_json(shipped, question, point, of_line);
}

Diagnostics errors_of(const RunResult& run, const Json& asked) {
  if (run.stop == Stop::none || run.stop == Stop::error) return run.errors;
  return {stop_error(run.stop, run.reached, asked)};
}

} // namespace

Json account_json(const Account& account) {
  auto parts = Json::array();
  for (const ExplainedPart& part : account_parts(account)) {
    Json paragraphs = Json::array();
    for (const auto& paragraph : part.paragraphs)
      paragraphs.push_back({{"text", paragraph.text}, {"code", paragraph.code}});
    parts.push_back({{"heading", part.heading}, {"paragraphs", std::move(paragraphs)}});
  }
  return parts;
}

Json lines_json(const Account& account, const MachineSpec& machine, const RunResult& run,
                std::int32_t file) {
  Json lines = Json::array();
  const std::optional<LineCosts> costs = line_costs(account, machine, run);
  if (!costs) return {{"lines", lines}};
  std::int64_t of_all = 0;
  for (const LineCosts::Line& own : costs->lines) {
    of_all += own.cost;
    const auto counted = run.counts.lines.find(own.line);
    if (own.line.first != file || counted == run.counts.lines.end()) continue;
    const LineCounts& counts = counted->second;
    lines.push_back({{"line", own.line.second},
                     {"requests", counts.requests},
                     {"stages", counts.stages},
                     {"conflicts", counts.conflicts()},
                     {"worst", counts.worst},
                     {"cost", own.cost}});
  }
  return {{"by", name_of(costs->by)}, {"of_all", of_all}, {"lines", std::move(lines)}};
}

Json run(const Shipped& shipped, const Json& asked, Question& question) {
  sweep::Point point = sweep::point_of(question.recipe, question.program, question.machine.spec);
  const Status bound =
      sweep::bind_values(point, question.recipe.program.definitions, question.sources);
  if (!bound)
    return {{"errors", errors_json(with_way_out(bound.errors(), asked), question.sources)}};
  question.program.info.parameters = sweep::parameters_of(*point.code);
  std::vector<std::string> printed; // a run that begins again prints the same lines
  point.options.print = [&printed](std::int64_t number, const std::string& line) {
    if (number == static_cast<std::int64_t>(printed.size()))
      printed.push_back(escape_controls(line, "\t"));
  };
  const RunReport report =
      report_of(shipped, question, point, sweep::run_point(point, question.sources));
  Json answer;
  answer["errors"] = errors_json(errors_of(report.run, asked), question.sources);
  answer["printed"] = fmt::format("{}", fmt::join(printed, "\n"));
  sweep::Recipe in_terminal = question.recipe; // has more memory than a page
  in_terminal.limits.memory = sweep::standard_memory;
  in_terminal.program.name =
      name_in_terminal(shipped, question.recipe.program.name, question.sources.text(0));
  answer["command"] = sweep::command_text(in_terminal);
  if (!has_counted(report.run)) return answer;
  answer["run"] = run_json(report, question.sources);
  Account account = account_of(report.machine, report.run, question.sources);
  account.claimed = claimed_bound(report.claims);
  answer["account"] = account_json(account);
  answer["costs"] = lines_json(account, report.machine, report.run, 0);
  if (is_timed(report.machine.model)) add_charts(shipped, asked, question, point, account, answer);
  return answer;
}

} // namespace memlane::web
