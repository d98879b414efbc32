// memlane timeline: what every warp and memory unit does in each time unit.
#include "command.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "timeline_request.hpp"
#include "version.hpp"

#include "memlane/engine/run.hpp"
#include "memlane/support/text.hpp"
#include "memlane/timeline/report.hpp"
#include "memlane/trace/compressed_files.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace memlane::cli {
namespace {

Status check_timed(const MachineSpec& machine) {
  if (is_timed(machine.model)) return Done{};
  return error_in("-m",
                  fmt::format("the time of an {} is counted, so there is nothing to chart",
                              machine.model == Model::agpu ? "AGPU" : "MMM"),
                  {"choose a DMM, a UMM or an HMM"});
}

struct Recording {
  RunOutcome outcome;
  bool is_empty = false;  ///< the window has no time unit of the run
  bool was_ended = false; ///< by the window
  std::int64_t time = 0;
};

/// Runs up to the end of the window. `take` receives its pieces, and the run stops if `wanted`
/// says so.
Result<Recording> record(const TimelineRequest& request, const TimelineWindow& window,
                         PreparedRun& run, const TakeTimeline& take,
                         const std::function<bool()>& wanted) {
  RunProgress progress;
  ProgressLine line(text_of_run(progress));
  const TakeTimeline take_behind_line = [&](Timeline piece) {
    line.erase();
    take(std::move(piece));
  };
  TimelineRecorder recorder(*run.point.code, run.machine.spec, run.sources, window,
                            take_behind_line);
  RunOptions options = run.point.options;
  if (line.is_shown()) options.limits.progress = &progress;
  line.show_with(options.limits);
  options.limits.check = [&, check = options.limits.check] {
    return recorder.over() || !wanted() ? Stop::interrupted : check();
  };
  Recording recording;
  recording.outcome =
      run_reference(*run.point.code, run.machine.spec, options, run.sources, recorder);
  RunOutcome& outcome = recording.outcome;
  const bool whole = outcome.stop == Stop::none;
  recording.was_ended = recorder.over();
  // What comes behind the window, a livelock too, was not asked for.
  if (recorder.over() || (outcome.stop == Stop::interrupted && !wanted()))
    outcome.stop = Stop::none;
  recorder.finish(whole ? std::optional(outcome.time.value) : std::nullopt);
  recording.is_empty = !recorder.has_delivered();
  recording.time = recorder.time();
  if (whole && recording.is_empty) return nothing_in_window(request, recorder);
  return recording;
}

/// The exit status of the run; says why it stopped, if it did.
Result<Exit> exit_of(const RunOutcome& outcome, const Console& console) {
  if (outcome.stop == Stop::none) return Exit::done;
  if (outcome.stop == Stop::error) return outcome.errors;
  console.print_error(
      fmt::format("{}\nreached: {}\n", sweep::stop_text(outcome.stop), outcome.reached));
  return exit_after(outcome.stop);
}

std::string heading(const TimelineRequest& request, const PreparedRun& run) {
  std::string parameters;
  for (const ir::Constant& parameter : run.program.info.parameters)
    parameters += fmt::format("{}{}={}", parameters.empty() ? ", " : " ", parameter.name,
                              ir::to_string(parameter.type, parameter.value));
  // Not its folder: pages are the same wherever memlane is installed.
  const std::string file = std::filesystem::path(run.program.info.path).filename().string();
  return fmt::format("{}{} on {}\n", file, parameters,
                     run.machine.spec.name.empty() ? request.run.recipe.machine.name
                                                   : run.machine.spec.name);
}

/// Draws while the run goes on.
Result<Exit> write_text(TimelineRequest& request, const TimelineWindow& window, PreparedRun& run,
                        Console& console) {
  std::unique_ptr<OutputFile> file;
  if (request.file) {
    const Result<int> descriptor = request.file->descriptor();
    if (!descriptor) return descriptor.errors();
    auto opened = create_text(*descriptor, request.file->path());
    if (!opened) return opened.errors();
    file = std::move(*opened);
  }
  const auto write = [&](std::string_view text) {
    if (file) {
      *file << text;
    } else {
      console.out(text);
    }
  };
  request.style.color = !file && console.style().color;
  TimelineChart chart(run.sources, request.style, heading(request, run), write);
  const Result<Recording> recording = record(
      request, window, run, [&](const Timeline& piece) { chart.add(piece); },
      [&] { return file ? file->good() : !console.has_failed(); });
  if (!recording) return recording.errors();
  chart.finish();
  if (chart.chose_nothing() && recording->outcome.stop == Stop::none)
    return nothing_chosen(request, chart.parts());
  if (file && !file->close())
    return error_in("", fmt::format("cannot write '{}': writing failed", request.file->path()));
  if (file)
    if (const Status kept = request.file->keep(); !kept) return kept.errors();
  if (recording->was_ended && request.standard_end)
    console.print_error(fmt::format("note: the chart ends at time {}: --window 0: shows the whole "
                                    "run\n",
                                    window.to));
  return exit_of(recording->outcome, console);
}

std::string render(const TimelineRequest& request, const TimelineReport& report,
                   const PreparedRun& run, const Console& console, Watch& watch) {
  std::string title = heading(request, run);
  title.pop_back(); // the end of the line
  std::string text = timeline_in(request.format, report, run.sources, title, request.command,
                                 &watch, {request.line, request.style});
  if (request.format == ChartFormat::perfetto && text.size() > most_perfetto_bytes)
    console.print_error(fmt::format(
        "warning: {} MiB of trace events: viewers hold about {}\n  help: choose a smaller window: "
        "--window A:B, or --requests N\n",
        text.size() >> 20, most_perfetto_bytes >> 20));
  return text;
}

/// Why an SVG has no warp: the window has none of those that --blocks and --warps choose.
Status check_chosen(const TimelineRequest& request, const Timeline& timeline) {
  ChartedParts parts;
  for (const Timeline::Launch& launch : timeline.launches) {
    if (request.style.chooses_from(timeline, launch)) return Done{};
    parts.note(timeline, launch);
  }
  if (request.style.chooses_all() || timeline.blocks.empty()) return Done{};
  return nothing_chosen(request, parts);
}

/// Records the whole window, then writes it.
Result<Exit> write_window(TimelineRequest& request, const TimelineWindow& window, PreparedRun& run,
                          Console& console) {
  std::optional<Timeline> timeline;
  const Result<Recording> recording = record(
      request, window, run, [&](Timeline whole) { timeline = std::move(whole); },
      [] { return true; });
  if (!recording) return recording.errors();
  const Result<Exit> exit = exit_of(recording->outcome, console);
  if (!exit || !timeline) return exit;
  if (request.format == ChartFormat::svg)
    if (const Status chosen = check_chosen(request, *timeline); !chosen) return chosen.errors();
  for (const std::string& note : timeline->notes)
    console.print_error(fmt::format("note: {}\n", note));
  if (recording->was_ended && timeline->to < window.to && !window.launch)
    console.print_error("  help: more of it: --requests N; another part: --window A:B\n");
  const TimelineReport report{std::string(version), run.program.info, run.machine.spec,
                              run.point.options.seed, std::move(*timeline)};
  // A window that a limit or Ctrl-C ended is written in any case.
  Limits limits;
  if (recording->outcome.stop == Stop::none) limits.check = request.run.recipe.limits.check;
  Watch watch(limits);
  const std::string text = render(request, report, run, console, watch);
  if (watch.stopped()) return stopped_while(watch.stop(), "writing the time chart");
  if (request.file) {
    const bool whole = is_whole(recording->outcome.stop);
    const Status written = write_file(*request.file, text, whole, console);
    if (!written) return written.errors();
    if (whole && (request.format == ChartFormat::html || request.format == ChartFormat::svg))
      console.out(fmt::format(
          "{}: {}, {}\n", request.file->path(),
          counted(static_cast<std::int64_t>(report.timeline.requests.size()), "request"),
          counted(report.timeline.to - report.timeline.from, "time unit")));
  } else {
    console.out(text);
  }
  return exit;
}

Result<Exit> run_timeline(TimelineRequest& request, OptionReader& options, Sources& sources,
                          Console& console) {
  const InterruptGuard guard;
  request.run.check_machine = check_timed;
  PreparedRun prepared{sources};
  if (Status ready = prepare(request.run, options, prepared); !ready) return ready.errors();
  const Result<TimelineWindow> window = window_of(request, prepared);
  if (!window) return window.errors();
  if (request.format == ChartFormat::text) return write_text(request, *window, prepared, console);
  return write_window(request, *window, prepared, console);
}

} // namespace

Command timeline_command() {
  return {"timeline",
          "PROGRAM [options]",
          "show what every warp and memory unit does in each time unit",
          "Run a program on a DMM, a UMM or an HMM and show what every warp and memory unit does\n"
          "in each time unit of a window of the run: as a text, which is drawn while the run goes\n"
          "on (the first 1000 time units if no window is chosen), as a picture (SVG), as a page\n"
          "that plays it step by step, or for viewers and programs. --memory draws the memory\n"
          "that the request with the most stages accesses instead.",
          call_with(timeline_options, run_timeline),
          {"memlane timeline figure_access -m dmm-figure3",
           "memlane timeline sum -D n=64 -m dmm-w32 --window 20:90",
           "memlane timeline transpose -m hmm-teaching -D n=8 --layout t=rows -o t.svg",
           "memlane timeline transpose -m hmm-teaching -D n=8 --layout t=rows --html -o t.html",
           "memlane timeline transpose -m hmm-teaching -D n=8 --layout t=rows --memory",
           "memlane timeline transpose -m hmm-teaching -D n=16 --window :40 --perfetto",
           "memlane timeline figure_access -m umm-figure3 --format json"}};
}

} // namespace memlane::cli
