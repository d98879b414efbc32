// memlane replay: prices a recorded request trace on a machine.
#include "memlane/trace/replay.hpp"

#include "command.hpp"
#include "files.hpp"
#include "interrupt.hpp"
#include "program.hpp"
#include "results.hpp"
#include "version.hpp"

#include "memlane/engine/replay_races.hpp"
#include "memlane/show/text_table.hpp"
#include "memlane/study/results/point_results.hpp"
#include "memlane/support/files.hpp"
#include "memlane/trace/compressed_files.hpp"

#include <fmt/format.h>

#include <iostream>

namespace memlane::cli {
namespace {

Result<Trace> load_trace(const std::string& path, const Limits& limits) {
  const bool standard = path == "-";
  if (const Status there = standard ? Done{} : is_there(path); !there) return there.errors();
  const auto file = open_text(path, limits.check);
  if (!file) return file.errors();
  Result<Trace> trace = read_trace(**file, standard ? "standard input" : path, limits);
  if (trace) return trace;
  // A pipe whose writer waits has no line whose reading could notice the stop.
  const Stop stop = limits.check ? limits.check() : Stop::none;
  return stop == Stop::none ? trace : stopped_while(stop, "reading the trace");
}

struct ReplayRequest {
  std::string trace;
  MachineSelection machine;
  Limits limits;
  std::vector<ResultTarget> targets;
};

void replay_options(Options& options, ReplayRequest& request) {
  options.take_word("trace", &request.trace);
  add_machine(options, request.machine, machine_without_program);
  add_targets(options, request.targets);
  add_time_limits(options, request.limits);
}

RunReport report_of(const ReplayRequest& request, const LoadedMachine& machine,
                    const Trace& trace) {
  ReplayRaces races(machine.spec);
  Replay outcome = replay(trace, machine.spec, request.limits, races);
  RunReport report;
  report.version = version;
  report.trace = TraceInfo{request.trace, trace.complete};
  report.machine = machine.spec;
  report.machine_path = machine.path;
  report.standard_machine = !request.machine.chosen;
  report.host = host_info();
  report.run.stop = outcome.stop;
  report.run.errors = std::move(outcome.errors);
  report.run.counts = std::move(outcome.counts);
  report.run.races = races.counts();
  if (outcome.stop != Stop::none && outcome.stop != Stop::error)
    report.run.reached = fmt::format(
        "time {}, {} begun", report.run.counts.time.value,
        counted(static_cast<std::int64_t>(outcome.launches.size()), "launch", "launches"));
  return report;
}

Result<Exit> replay_trace(ReplayRequest& request, OptionReader& options, Sources& sources,
                          Console& console) {
  const InterruptGuard guard;
  ErrorCollector errors = options;
  const Result<LoadedMachine> machine = load_selected_machine(sources, request.machine);
  errors.check(machine);
  errors.check(note_read(request.trace));
  if (!errors.ok()) return errors.errors();
  const Result<Trace> trace = load_trace(request.trace, request.limits);
  if (!trace) return trace.errors();
  if (!trace->complete)
    console.print_error(
        fmt::format("warning: {}: the trace has no end line, so it may be a part of one: its "
                    "run was stopped, or its end is cut off\n  help: the last line of a "
                    "whole trace is {{\"end\": true, \"requests\": {}}}\n",
                    trace->name, trace->requests));
  const RunReport report = report_of(request, *machine, *trace);
  const Exit exit = exit_of(report, sources, console);
  if (exit == Exit::error) return exit;
  const Status results = write_results(report, files_of(*trace), request.targets, console);
  if (!results) return results.errors();
  return exit;
}

} // namespace

Command replay_command() {
  return {"replay",
          "TRACE [options]",
          "price a recorded request trace on a machine",
          "Price a request trace, as 'run --trace', 'ptx --trace' or another tool writes it, on a\n"
          "machine of the same width. The trace may be compressed by gzip, or '-' for standard\n"
          "input.",
          call_with(replay_options, replay_trace),
          {"memlane run figure_access -m dmm-figure3 --trace figure.jsonl.gz",
           "memlane replay figure.jsonl.gz -m umm-figure3"}};
}

} // namespace memlane::cli
