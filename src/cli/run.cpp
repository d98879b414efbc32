// memlane run: simulates a program on a machine.
#include "array_options.hpp"
#include "command.hpp"
#include "engine.hpp"
#include "files.hpp"
#include "interrupt.hpp"
#include "pending_file.hpp"
#include "pieces.hpp"
#include "program.hpp"
#include "results.hpp"
#include "run_prepared.hpp"
#include "timing_only.hpp"
#include "version.hpp"

#include "memlane/arrays/array_files.hpp"
#include "memlane/ir/without_data.hpp"
#include "memlane/report/json_parts.hpp"
#include "memlane/trace/files.hpp"
#include "memlane/trace/write.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace memlane::cli {
namespace {

/// The trace of a stopped run is no whole one: it never takes the place of a file.
Status keep_trace(PendingFile& trace, bool whole, const Console& console) {
  if (whole) return trace.keep();
  const Result<std::string> path = trace.keep_partial();
  if (!path) return path.errors();
  console.talk(
      *path == trace.path()
          ? fmt::format("the trace in '{}' is partial: the run stopped\n", *path)
          : fmt::format("'{}' is not written: the run stopped; the partial trace is '{}'\n",
                        trace.path(), *path));
  return Done{};
}

/// Shows each printed line once, also where the run begins again.
PrintLine printed_lines(const Console& console) {
  return [&console, shown = std::int64_t{0}](std::int64_t number, const std::string& line) mutable {
    if (number < shown) return;
    shown = number + 1;
    console.talk(line + '\n');
  };
}

/// Runs, writing the trace on the way if one is wanted.
Result<RunResult> execute(PreparedRun& run, const Console& console) {
  run.options.print = printed_lines(console);
  if (!run.trace) {
    return simulate_on(run.engine, run.code, run.machine.spec, run.options, run.sources);
  }
  const Result<int> descriptor = run.trace->descriptor();
  if (!descriptor) return descriptor.errors();
  auto file = create_text(*descriptor, run.trace->path());
  if (!file) return file.errors();
  TraceWriter writer(**file, run.machine.spec, run.sources, 0);
  // A full disk stops the run: what follows could not be written either.
  run.options.limits.check = [&out = **file, check = run.options.limits.check] {
    return out.good() ? check() : Stop::interrupted;
  };
  RunResult result = simulate(run.code, run.machine.spec, run.options, run.sources, writer);
  result.engine.reason = "--trace needs it";
  writer.finish(result.stop == Stop::none);
  if (!(*file)->close()) {
    return error_in("", fmt::format("cannot write '{}': writing failed", run.trace->path()));
  }
  if (Status kept = keep_trace(*run.trace, result.stop == Stop::none, console); !kept)
    return kept.errors();
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
                   const lang::Program& program, const Console& console) {
  const Result<arrays::ArrayContent> content =
      arrays::array_content(output.path, *output.array, values);
  if (!content) return content.errors();
  if (content->clamped > 0) {
    console.talk(fmt::format("warning: {} of {} values of {} are outside 0 to 255 and were clamped "
                             "in '{}'\n  help: {}\n",
                             content->clamped, values.size(), output.array->name, output.path,
                             way_to_scale(program)));
  }
  return file.write(content->bytes);
}

Status write_arrays(PreparedRun& run, const RunResult& result, const Console& console) {
  Diagnostics errors;
  for (auto& [output, file] : run.outputs) {
    const auto values = result.outputs.find(output.array->name);
    if (values == result.outputs.end()) {
      console.talk(fmt::format("'{}' is not written: the run did not end\n", output.path));
      continue;
    }
    const Status written =
        write_array(output, file, values->second, run.program.checked.program, console);
    if (!written) {
      errors.insert(errors.end(), written.errors().begin(), written.errors().end());
    }
  }
  if (!errors.empty()) return errors;
  return Done{};
}

RunReport report_of(const Arguments& arguments, PreparedRun& run, RunResult result) {
  RunReport report;
  report.version = version;
  report.program = run.program.info;
  report.machine = run.machine.spec;
  report.machine_path = run.machine.path;
  report.standard_machine = !arguments.has("machine");
  report.seed = run.options.seed;
  report.host = host_info();
  report.run = std::move(result);
  report.timing_only = run.options.timing_only;
  if (report.run.stop == Stop::none) {
    report.claims = evaluate_claims(run.program.checked, run.sources,
                                    {&run.code, &report.machine, &report.run});
  }
  return report;
}

Exit simulate_and_report(const Arguments& arguments, PreparedRun& run, Console& console) {
  Result<RunResult> result = execute(run, console);
  if (!result) return console.fail(result.errors(), run.sources);
  const RunReport report = report_of(arguments, run, std::move(*result));
  if (arguments.has("verbose")) console.talk(engine_text(report.run.engine, run.sources));
  const Exit exit = exit_of(report, run.sources, console);
  // After an error in the program its counts mean nothing.
  if (exit == Exit::error) return exit;
  const Status arrays = write_arrays(run, report.run, console);
  const Status results = write_results(report, run.sources, run.targets, console);
  if (!arrays) console.fail(arrays.errors(), run.sources);
  if (!results) console.fail(results.errors(), run.sources);
  return arrays && results ? exit : Exit::error;
}

Exit print_config(const Arguments& arguments, Console& console) {
  Sources sources;
  const Result<LoadedMachine> machine = load_asked_machine(sources, arguments);
  if (!machine) return console.fail(machine.errors(), sources);
  const std::string format = arguments.value("format").value_or("table");
  if (format == "json") {
    console.out(json_text(config_json(*machine, sources), 2));
  } else if (format == "table") {
    console.out(config_text(*machine, sources));
  } else {
    return console.fail(error_in("--print-config", "the formats are table and json"));
  }
  return Exit::done;
}

Exit run(const Arguments& arguments, Console& console) {
  if (arguments.has("print-config")) return print_config(arguments, console);
  if (arguments.words.size() != 1) {
    return console.fail(
        error_in("", fmt::format("run takes one program, not {}", arguments.words.size()),
                 {"usage: memlane run PROGRAM [options]"}));
  }
  const InterruptGuard guard;
  PreparedRun prepared;
  if (Status ready = prepare(arguments, prepared); !ready) {
    return console.fail(ready.errors(), prepared.sources);
  }
  return simulate_and_report(arguments, prepared, console);
}

std::vector<Option> options_of_run() {
  std::vector<Option> options = machine_options();
  const auto add = [&](const std::vector<Option>& more) {
    options.insert(options.end(), more.begin(), more.end());
  };
  add(program_options());
  add({{"input", 0, "ARRAY=FILE", true,
        "initial content of a memory array: .csv or .txt (numbers),\n"
        ".bin (raw little-endian), .npy (NumPy); two-dimensional ones\n"
        "also as grey pictures: .pgm, .png, .jpg"},
       {"output", 0, "ARRAY=FILE", true, "writes its content at the end, likewise"},
       {"seed", 0, "N", false, "of random numbers; 1 if not given"},
       {"no-verify", 0, "", false, "leaves out the check of the result"},
       {"allow-races", 0, "", false, "counts races and goes on"}});
  add(timing_only_options());
  add({{"trace", 0, "FILE", false, "writes every request, for replay (.gz: compressed)"}});
  add(result_options());
  add({{"max-steps", 0, "N", false, "stops after so many instructions (exit status 3)"},
       {"max-memory", 0, "BYTES", false, "most bytes of arrays, e.g. 500M; 2G if not given"}});
  add(limit_options());
  add(engine_options());
  add(verbose_options());
  add(jobs_options(
      "threads that execute a launch's blocks; one a core if not given.\nThe result is the same"));
  add({{"print-config", 0, "", false, "shows every value of the machine and its origin instead"}});
  return options;
}

} // namespace

Command run_command() {
  return {
      "run",
      "PROGRAM [options]",
      "simulates a program on a machine: exact time, where it went, the claims",
      "Simulates a program, a path or the name of a shipped one, on a machine. Shows the exact\n"
      "time and where it went, the cost of each source line, the check of the result, and the\n"
      "program's claims against the counts.",
      options_of_run(),
      {"memlane run sum", "memlane run sum -m dmm-w32 -D n=4096",
       "memlane run sum -D n=4096 --input a=programs/data/prime_gaps.txt",
       "memlane run contiguous --set latency=100 --set threads=256 --format json",
       "memlane run scan_brent_kung_padded -m dmm-w32 --layout x=rows",
       "memlane run strided -D s=8 --print-config", "memlane run sum -D n=2^30 --timing-only"},
      run};
}

} // namespace memlane::cli
