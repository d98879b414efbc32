// memlane replay: prices a recorded request trace on a machine.
#include "memlane/trace/replay.hpp"

#include "command.hpp"
#include "files.hpp"
#include "interrupt.hpp"
#include "program.hpp"
#include "results.hpp"
#include "version.hpp"

#include "memlane/report/text_table.hpp"
#include "memlane/trace/files.hpp"

#include <fmt/format.h>

#include <iostream>

namespace memlane::cli {
namespace {

Result<Trace> load_trace(const std::string& path, const Limits& limits) {
  if (path == "-") return read_trace(std::cin, "standard input", limits);
  if (const Status there = is_there(path); !there) return there.errors();
  auto file = open_text(path);
  if (!file) return file.errors();
  return read_trace(**file, path, limits);
}

RunReport report_of(const Arguments& arguments, const LoadedMachine& machine, const Trace& trace,
                    Replay outcome) {
  RunReport report;
  report.version = version;
  report.trace = TraceInfo{arguments.words.front(), trace.whole};
  report.machine = machine.spec;
  report.machine_path = machine.path;
  report.standard_machine = !arguments.has("machine");
  report.host = host_info();
  report.run.stop = outcome.stop;
  report.run.errors = std::move(outcome.errors);
  report.run.counts = std::move(outcome.counts);
  if (outcome.stop != Stop::none && outcome.stop != Stop::error) {
    report.run.reached = fmt::format(
        "time {}, {} begun", report.run.counts.time.value,
        counted(static_cast<std::int64_t>(outcome.launches.size()), "launch", "launches"));
  }
  return report;
}

Exit replay_trace(const Arguments& arguments, Console& console) {
  if (arguments.words.size() != 1) {
    return console.fail(
        error_in("", fmt::format("replay takes one trace, not {}", arguments.words.size()),
                 {"usage: memlane replay TRACE [options]"}));
  }
  const InterruptGuard guard;
  Sources sources;
  const Result<LoadedMachine> machine = load_asked_machine(sources, arguments);
  if (!machine) return console.fail(machine.errors(), sources);
  Result<Limits> limits = read_limits(arguments);
  if (!limits) return console.fail(limits.errors(), sources);
  Result<std::vector<ResultTarget>> targets = result_targets(arguments);
  if (!targets) return console.fail(targets.errors(), sources);
  std::vector<FileInUse> read = files_of(sources, "the machine");
  read.push_back({arguments.words.front(), "the trace"});
  if (Status apart = check_apart(files_of(*targets), read); !apart)
    return console.fail(apart.errors(), sources);
  const Result<Trace> trace = load_trace(arguments.words.front(), *limits);
  if (!trace) return console.fail(trace.errors(), sources);
  if (!trace->whole) {
    console.talk(
        fmt::format("warning: {}: the trace has no end line, so it may be a part of one: its "
                    "run was stopped, or its end is cut off\n  help: the last line of a "
                    "whole trace is {{\"end\": true, \"requests\": {}}}\n",
                    trace->name, trace->requests));
  }
  Observer no_observer;
  const RunReport report =
      report_of(arguments, *machine, *trace, replay(*trace, machine->spec, *limits, no_observer));
  const Exit exit = exit_of(report, sources, console);
  if (exit == Exit::error) return exit;
  const Status results = write_results(report, Sources(), *targets, console);
  return results ? exit : console.fail(results.errors(), sources);
}

} // namespace

Command replay_command() {
  std::vector<Option> options = machine_options();
  for (const Option& option : result_options()) options.push_back(option);
  for (const Option& option : limit_options()) options.push_back(option);
  return {
      "replay",
      "TRACE [options]",
      "prices a recorded request trace on a machine",
      "Prices a request trace, as 'run --trace' or another tool writes it, on a machine of the\n"
      "same width. The trace may be compressed by gzip, or '-' for standard input.",
      options,
      {"memlane run figure_access -m dmm-figure3 --trace figure.jsonl.gz",
       "memlane replay figure.jsonl.gz -m umm-figure3"},
      replay_trace};
}

} // namespace memlane::cli
