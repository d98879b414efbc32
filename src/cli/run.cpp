// memlane run: simulates a program on a machine.
#include "command.hpp"
#include "explained_run.hpp"
#include "files.hpp"
#include "interrupt.hpp"
#include "playground_page.hpp"
#include "progress.hpp"
#include "run_request.hpp"
#include "trace_file.hpp"
#include "version.hpp"

#include "memlane/arrays/array_files.hpp"
#include "memlane/show/json_parts.hpp"
#include "memlane/show/run_words.hpp"
#include "memlane/study/results/point_results.hpp"
#include "memlane/trace/trace_writer.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace memlane::cli {
namespace {

/// Shows each printed line once, also where the run begins again.
PrintLine printed_lines(const Console& console, ProgressLine& progress) {
  return [&console, &progress, shown = std::int64_t{0}](std::int64_t number,
                                                        const std::string& line) mutable {
    if (number < shown) return;
    shown = number + 1;
    progress.erase();
    console.print_error(line + '\n');
  };
}

/// Runs, writing the trace on the way.
Result<RunResult> run_with_trace(PreparedRun& run, const sweep::Point& point, ProgressLine& line,
                                 const Console& console) {
  Result<TraceFile> file = TraceFile::begin(*run.trace);
  if (!file) return file.errors();
  TraceWriter writer(file->out(), run.machine.spec, run.sources, 0,
                     wants_wide_trace(*point.code, run.machine.spec) ? TraceFormat::wide
                                                                     : TraceFormat::plain);
  RunOptions options = point.options;
  file->stop_with(options.limits);
  RunResult result = simulate(*point.code, point.machine, options, run.sources, writer);
  line.erase();
  result.engine.reason = "--trace needs it";
  writer.finish(result.stop == Stop::none);
  const Status kept = file->finish(result.stop == Stop::none, console);
  if (!kept) return kept.errors();
  return result;
}

/// How values that are too large for a picture can be made to fit.
std::string_view way_to_scale(const lang::Program& program) {
  const auto finishes = [](const lang::FnDecl& fn) {
    return fn.name.text == "finish" && fn.parameters.size() == 1;
  };
  return std::any_of(program.fns.begin(), program.fns.end(), finishes)
             ? "scale them into it: --fn \"finish(x) = max(0, min(255, x / 4))\""
             : "scale them in the program, or write numbers: .csv, .txt, .npy or .bin";
}

Status write_array(const ArrayFile& output, PendingFile& file, const std::vector<ir::Value>& values,
                   const PreparedRun& run, const Console& console) {
  const Limits& limits = run.point.options.limits;
  const Result<arrays::ArrayContent> content =
      arrays::array_content(output.path, *output.array, values, limits);
  if (!content) return content.errors();
  if (content->clamped > 0) {
    console.print_error(
        fmt::format("warning: {} of {} values of {} are outside 0 to 255 and were clamped "
                    "in '{}'\n  help: {}\n",
                    content->clamped, values.size(), output.array->name, output.path,
                    way_to_scale(run.program.checked.program)));
  }
  return file.write(content->bytes, limits);
}

Status write_arrays(PreparedRun& run, const RunResult& result, const Console& console) {
  ErrorCollector errors;
  for (auto& [output, file] : run.outputs) {
    const auto values = result.outputs.find(output.array->name);
    if (values == result.outputs.end()) {
      console.print_error(fmt::format("'{}' is not written: the run did not end\n", output.path));
      continue;
    }
    errors.check(write_array(output, file, values->second, run, console));
  }
  return errors.status();
}

Result<RunReport> run_and_report(const RunRequest& request, PreparedRun& run,
                                 const Console& console) {
  sweep::Point point = run.point; // what is shown on the way ends with this function
  Limits& limits = point.options.limits;
  RunProgress progress;
  ProgressLine line(text_of_run(progress));
  if (line.is_shown()) limits.progress = &progress;
  line.show_with(limits);
  point.options.print = printed_lines(console, line);
  RunReport report;
  if (run.trace) {
    Result<RunResult> result = run_with_trace(run, point, line, console);
    if (!result) return result.errors();
    report.run = std::move(*result);
    report.claims = sweep::claims_of(point, *point.code, report.run, run.sources);
  } else {
    sweep::PointResult result = sweep::run_point(point, run.sources);
    report.run = std::move(result.run);
    report.claims = std::move(result.claims);
    if (run.watch) {
      report.watch = run.watch->record();
      report.run.engine.reason = "--watch needs it";
      if (!is_timed(run.machine.spec.model))
        for (WatchPoint& point : report.watch->points) point.time.reset();
    }
  }
  for (const PriceRequest& price : request.recipe.prices)
    report.prices.push_back(price_of(price, run.machine.spec, report.run.counts));
  report.version = version;
  report.program = run.program.info;
  report.machine = run.machine.spec;
  report.machine_path = run.machine.path;
  report.standard_machine = !request.recipe.machine.chosen;
  report.seed = point.options.seed;
  report.host = host_info();
  report.timing_only = point.options.timing_only;
  report.csv_rows = request.csv_rows;
  report.details = request.details;
  report.each_claim = request.each_claim;
  return report;
}

Result<Exit> print_config(const RunRequest& request, const OptionReader& options, Sources& sources,
                          Console& console) {
  MachineSelection selection = request.recipe.machine;
  if (!options.words.empty()) {
    ProgramSelection named = request.recipe.program;
    named.name = options.words.front();
    const auto program = load_checked_program(sources, named);
    if (!program) return program.errors();
    selection.fit({&program->checked});
  }
  const Result<LoadedMachine> machine = load_selected_machine(sources, selection);
  if (!machine) return machine.errors();
  const std::string format = options.value("format").value_or("table");
  if (format == "json") {
    console.out(json_text(config_json(*machine, sources), 2));
  } else if (format == "table") {
    console.out(config_text(*machine, sources));
  } else {
    return error_in("--print-config", "the formats are table and json");
  }
  return Exit::done;
}

struct RunCommand {
  RunRequest request;
  bool print_config = false, share = false;
};

void run_options(Options& options, RunCommand& command) {
  add_run(options, command.request);
  options.flag("print-config", &command.print_config,
               "show every value of the machine and its origin; run nothing");
  options.flag("share", &command.share,
               "say the address of the playground with this run, for who has that page\n"
               "('memlane help playground')");
}

Result<Exit> run(RunCommand& command, OptionReader& options, Sources& sources, Console& console) {
  RunRequest& request = command.request;
  if (command.print_config) return print_config(request, options, sources, console);
  const InterruptGuard guard;
  PreparedRun prepared{sources};
  if (Status ready = prepare(request, options, prepared); !ready) return ready.errors();
  std::string address;
  if (command.share) {
    Result<std::string> made = playground_address(request, prepared);
    if (!made) return made.errors();
    address = std::move(*made);
  }
  Result<std::vector<Try>> tries = read_tries(request, prepared);
  if (!tries) return tries.errors();
  prepared.point.options.outputs = explained_outputs(request, prepared);
  Result<RunReport> report = run_and_report(request, prepared, console);
  if (!report) return report.errors();
  if (request.verbose)
    console.print_error(sweep::engine_text(report->run.engine, sources) +
                        engine_work_text(report->run.engine.work) +
                        phase_seconds_text(report->run.engine.seconds));
  Exit exit = exit_of(*report, sources, console);
  // After an error in the program its counts mean nothing.
  if (exit == Exit::error) return exit;
  if (request.explain || !tries->empty()) {
    const Exit tried = explain_and_try(request, prepared, std::move(*tries), *report, console);
    if (tried != Exit::done) exit = tried;
  }
  ErrorCollector errors;
  errors.check(write_arrays(prepared, report->run, console));
  errors.check(write_results(*report, sources, request.targets, console));
  if (!errors.ok()) return errors.errors();
  if (command.share) console.print_error(fmt::format("to share: {}\n", address));
  return exit;
}

} // namespace

Command run_command() {
  return {"run",
          "PROGRAM [options]",
          "simulate a program on a machine: exact time, where it went, the claims",
          "Simulate a program, a path or the name of a shipped one, on a machine. Show the exact\n"
          "time, what the memories did, the line that costs most, whether latency was hidden, the\n"
          "check of the result, and how many of the claims hold.",
          call_with(run_options, run),
          {"memlane run sum", "memlane run sum -m dmm-w32 -D n=4096",
           "memlane run sum -D n=4096 --input a=descending",
           "memlane run contiguous --set latency=100 --set threads=256 --format json",
           "memlane run scan_brent_kung_padded -m dmm-w32 --layout x=rows",
           "memlane run transpose -m hmm-titan-plain --layout t=rows --explain",
           "memlane run transpose -m hmm-titan-plain --layout t=rows --try 'layout t=diagonal'",
           "memlane run strided -D s=8 --print-config", "memlane run sum -D n=2^30 --timing-only"}};
}

} // namespace memlane::cli
