// memlane worst: the input with the greatest value of a count.
#include "command.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "version.hpp"
#include "worst_request.hpp"

#include "memlane/arrays/array_files.hpp"
#include "memlane/show/run_words.hpp"
#include "memlane/study/results/point_results.hpp"
#include "memlane/study/worst/worst_report.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>

namespace memlane::cli {
namespace {

/// How far the search is, for a terminal.
struct Progress {
  std::atomic<std::int64_t> trials{0};
  std::atomic<double> best{0};
  std::atomic<bool> known{false};

  std::string text(const WorstRequest& request) const {
    std::string line = fmt::format("{} of {} runs", trials.load(), request.search.trials);
    if (known) line += fmt::format("; {} so far: {}", request.count, best.load());
    return line;
  }
  void add(const std::vector<sweep::TrialValue>& values, bool least) {
    for (const sweep::TrialValue& one : values) {
      if (!one.ended) continue;
      ++trials;
      if (!one.value || (known && (least ? *one.value >= best : *one.value <= best))) continue;
      best = *one.value;
      known = true;
    }
  }
};

/// The run of the found input, whole: with claims, and verify if it is wanted.
sweep::PointResult run_of(const WorstSearch& search, const sweep::FoundInput& found,
                          const Sources& sources) {
  sweep::Point point =
      sweep::point_with(search.points[found.place], search.places[found.place].arrays, found.input);
  // What stops the search, or its other runs, does not stop its result, which a store may know from
  // a search with larger limits.
  Limits& limits = point.options.limits;
  limits.check = {};
  limits.steps = limits.time = INT64_MAX;
  return sweep::run_point(point, sources);
}

std::string how_found(const WorstSearch& search, const sweep::SearchOutcome& outcome,
                      const sweep::FoundInput& found) {
  if (outcome.enumerates) return "trying every input";
  const std::string& start = search.places[found.place].starts[found.start].how;
  return found.is_start ? start : fmt::format("local search from {}", start);
}

std::vector<WorstInput> tried_inputs(const WorstSearch& search,
                                     const sweep::SearchOutcome& outcome) {
  std::vector<WorstInput> inputs;
  for (const sweep::TriedStart& tried : outcome.starts)
    inputs.push_back({search.points[tried.place].planned.label,
                      search.places[tried.place].starts[tried.start].how, tried.value});
  const sweep::FoundInput& found = *outcome.found;
  if (!found.is_start)
    inputs.push_back(
        {search.points[found.place].planned.label, how_found(search, outcome, found), found.value});
  return inputs;
}

/// Files of the searched arrays' contents, by array.
using ContentFiles = std::vector<std::pair<std::string, std::string>>;

/// The same search, which writes its input; where points are searched one by one, of this one.
std::string search_command(Arguments arguments, const sweep::PlannedPoint& point,
                           const std::vector<sweep::SearchedArray>& arrays) {
  if (arguments.has("each"))
    for (auto& [option, text] : arguments.given_options)
      for (const auto& [axis, value] : point.values)
        if (text.starts_with(axis + '=')) text = axis + '=' + value;
  std::erase_if(arguments.given_options,
                [](const auto& given) { return given.first == "out" || given.first == "each"; });
  for (const sweep::SearchedArray& array : arrays)
    arguments.given_options.emplace_back("out", fmt::format("{}={}.csv", array.name, array.name));
  return command_line(worst_command(), arguments);
}

/// Repeats the run with what is written, or with what makes the input; else writes it.
std::string command_of(const Arguments& arguments, const WorstSearch& search,
                       const sweep::FoundInput& found, const ContentFiles& files) {
  const std::vector<sweep::SearchedArray>& arrays = search.places[found.place].arrays;
  const sweep::PlannedPoint& point = search.points[found.place].planned;
  Recipe recipe = point.recipe;
  const StartSources* sources =
      found.is_start ? &search.sources[found.place][found.start] : nullptr;
  const auto take = [&recipe](const std::string& array, const std::string& source) {
    std::erase_if(recipe.inputs, [&](const auto& input) { return input.first == array; });
    recipe.inputs.emplace_back(array, source);
  };
  if (files.size() == arrays.size()) {
    for (const auto& [array, file] : files) take(array, file);
    return sweep::command_text(recipe);
  }
  if (sources && !sources->empty()) {
    for (const auto& [array, source] : *sources) take(array, source);
    return sweep::command_text(recipe);
  }
  if (found.is_start && found.start == 0 && !arguments.has("vary"))
    return sweep::command_text(recipe);
  return search_command(arguments, point, arrays);
}

Status write_input(const WorstSearch& search, const sweep::FoundInput& found,
                   const std::string& name, PendingFile& file) {
  const std::vector<sweep::SearchedArray>& arrays = search.places[found.place].arrays;
  const ir::Program& code = *search.points[found.place].planned.point.code;
  const auto searched =
      std::find_if(arrays.begin(), arrays.end(), [&](const auto& one) { return one.name == name; });
  const auto array = std::find_if(code.arrays.begin(), code.arrays.end(),
                                  [&](const ir::Array& one) { return one.name == name; });
  const auto content = arrays::array_content(
      file.path(), *array, found.input[static_cast<std::size_t>(searched - arrays.begin())], {});
  return content ? file.write(content->bytes) : content.errors();
}

/// `a.refuting.csv` of `a.csv`.
std::string refuting_path(const std::string& path) {
  std::filesystem::path file(path);
  const std::string extension = file.extension().string();
  return file.replace_extension(".refuting" + extension).string();
}

Status write_inputs(WorstSearch& search, const sweep::SearchOutcome& outcome,
                    const std::optional<RefutingInput>& refuting) {
  ErrorCollector errors;
  for (auto& [name, file] : search.files)
    if (outcome.found) errors.check(write_input(search, *outcome.found, name, file));
  for (std::size_t k = 0; refuting && k < refuting->files.size(); ++k) {
    const auto& [name, path] = refuting->files[k];
    Result<PendingFile> file = PendingFile::open(path);
    if (errors.check(file)) errors.check(write_input(search, *outcome.refuting, name, *file));
  }
  return errors.status();
}

/// What the input refutes, by a run that judges all claims.
RefutingInput refuting_input(const Arguments& arguments, const WorstSearch& search,
                             const sweep::SearchOutcome& outcome, const Sources& sources) {
  constexpr std::size_t widest = 200;
  const sweep::FoundInput& by = *outcome.refuting;
  const sweep::PointResult result = run_of(search, by, sources);
  RefutingInput input;
  input.label = search.points[by.place].planned.label;
  input.how = how_found(search, outcome, by);
  input.trial = by.trial;
  if (!result.run.errors.empty())
    input.what.push_back((result.run.verify == Verdict::failed ? "verify: " : "error: ") +
                         on_one_line(result.run.errors.front().message, widest));
  for (const ClaimOutcome& claim : result.claims)
    if (claim.verdict == ClaimVerdict::fails)
      input.what.push_back(
          fmt::format("claim {}: {} ({})", claim.text, claim_sides(claim), claim.source));
  for (const auto& [array, file] : search.files)
    input.files.emplace_back(array, refuting_path(file.path()));
  input.command = command_of(arguments, search, by, input.files);
  return input;
}

std::string_view stop_words(Stop stop) {
  return stop == Stop::interrupted ? "interrupted" : sweep::stop_text(stop);
}

Result<WorstReport> report_of(const WorstRequest& request, const Arguments& arguments,
                              const WorstSearch& search, const sweep::SearchOutcome& outcome,
                              const sweep::TrialRuns& runs, Stop stop, const Sources& sources) {
  const sweep::FoundInput& found = *outcome.found;
  const sweep::SearchedPoint& point = search.points[found.place];
  const sweep::Point& run = point.planned.point;
  const sweep::PointResult result = run_of(search, found, sources);
  if (result.run.stop == Stop::error) return result.run.errors;
  const CountFormulaValue value =
      value_of(point.count, run.program->checked,
               {run.code.get(), &run.machine, &result.run, &run.options.limits});
  WorstReport report;
  report.version = version;
  report.label = point.planned.label;
  report.values = point.planned.values;
  report.count = request.count;
  report.least = request.search.least;
  if (value.value) report.value = value.value->text;
  report.number = *found.value;
  report.how = how_found(search, outcome, found);
  report.trial = found.trial;
  report.inputs = tried_inputs(search, outcome);
  report.trials = outcome.trials;
  report.failed = outcome.failed;
  report.limited = outcome.limited;
  report.limit = sweep::stop_text(runs.limit());
  report.known = runs.known();
  report.failure = runs.failure().empty() ? "it is in the store" : runs.failure();
  report.every_input = outcome.every_input;
  if (outcome.stopped) report.stopped = stop_words(stop);
  report.line = worst_line(request.count, result.run, sources);
  report.about = claims_about(request.count, request.search.least, run.program->checked, sources,
                              result.claims);
  for (const ClaimOutcome& claim : result.claims)
    if (claim.verdict == ClaimVerdict::fails) report.failing.push_back(claim);
  if (outcome.refuting && outcome.refuting->trial != found.trial)
    report.refuting = refuting_input(arguments, search, outcome, sources);
  for (const auto& [array, file] : search.files) report.files.emplace_back(array, file.path());
  for (const sweep::WrongPoint& wrong : search.plan->wrong()) {
    std::vector<std::string> values;
    for (const auto& [axis, value] : wrong.values) values.push_back(axis + '=' + value);
    report.left_out.push_back(fmt::format("{}: {}", fmt::join(values, ", "), wrong.message));
  }
  report.command = command_of(arguments, search, found, report.files);
  return report;
}

Diagnostic nothing_found(const WorstRequest& request, const sweep::SearchOutcome& outcome,
                         const sweep::TrialRuns& runs, Stop stop,
                         const std::optional<RefutingInput>& refuting) {
  if (refuting && !refuting->what.empty())
    return error_in(
        "--of",
        fmt::format("none of {} on {} gave {} a value; {}, by {}, in run {}",
                    counted(outcome.trials, "run"), refuting->label, request.count,
                    refuting->what.front(), refuting->how, refuting->trial),
        {"refute again: " + refuting->command,
         "where the program refuses its input: --vary a=permutation, or a range of values"});
  if (stop == Stop::none && runs.limit() != Stop::none)
    return error_in(
        "--of",
        fmt::format("none of {} gave {} a value: {}", counted(outcome.trials, "run"), request.count,
                    sweep::stop_text(runs.limit())),
        {"allow each run more, with a larger value of that option", "or take a smaller input"});
  if (outcome.stopped && outcome.trials == 0)
    return error_in("", fmt::format("{} before the first run had ended", stop_words(stop)),
                    {"allow more: --max-seconds 60, say", "or take a smaller input"});
  return error_in(
      "--of",
      fmt::format("none of {} gave {} a value: {}", counted(outcome.trials, "run"), request.count,
                  runs.failure()),
      {"where the machine or the program has no such count: another -m or --of",
       "where the program refuses its input: --vary a=permutation, or a range of values"});
}

Exit exit_of(const WorstReport& report, Stop stop) {
  if (stop != Stop::none) return exit_after(stop);
  if (!report.failing.empty() || report.refuting) return Exit::check_failed;
  return report.limited > 0 ? Exit::limit : Exit::done;
}

/// A search and its report, or why it found nothing.
struct Searched {
  sweep::SearchOutcome outcome;
  Stop stop = Stop::none; ///< of the search, or of all its runs
  std::optional<WorstReport> report;
  std::optional<RefutingInput> refuting; ///< where no run gave a value
  Diagnostics errors;

  Exit exit_without_report(Exit failed) const {
    if (stop != Stop::none) return exit_after(stop);
    return refuting ? Exit::check_failed : failed;
  }
};

Searched search_points(const WorstRequest& request, const Arguments& arguments,
                       const WorstSearch& search, Progress& progress, ErrorCollector& errors,
                       const Sources& sources) {
  Searched searched;
  sweep::PointRuns how;
  how.jobs = request.how.jobs;
  how.memory = request.how.limits.run.memory;
  sweep::TrialRuns runs(search.points, search.places, how, sources);
  if (!request.store.empty())
    if (Status opened = runs.use_store(request.store); !opened) {
      searched.errors = opened.errors();
      return searched;
    }
  searched.outcome = sweep::search_inputs(
      search.places, request.search, [&](const std::vector<sweep::SearchTrial>& trials) {
        std::vector<sweep::TrialValue> values = runs.evaluate(trials);
        progress.add(values, request.search.least);
        return values;
      });
  errors.check(runs.status());
  searched.stop = searched.outcome.stopped ? request.how.limits.run.check() : Stop::none;
  if (!searched.outcome.found) {
    if (searched.outcome.refuting && searched.stop == Stop::none)
      searched.refuting = refuting_input(arguments, search, searched.outcome, sources);
    searched.errors = {
        nothing_found(request, searched.outcome, runs, searched.stop, searched.refuting)};
    if (searched.stop == Stop::none) searched.stop = runs.limit();
    return searched;
  }
  Result<WorstReport> report =
      report_of(request, arguments, search, searched.outcome, runs, searched.stop, sources);
  if (report) {
    searched.report = std::move(*report);
  } else {
    searched.errors = report.errors();
  }
  return searched;
}

std::string stopped_sentence(const WorstRequest& request, Stop stop) {
  return fmt::format("{}; {}\n", stop_words(stop),
                     request.store.empty() ? "with --store FILE the next search would go on"
                                           : "the same command goes on");
}

/// One point after the other; where one has no result, the others have theirs.
Result<Exit> worst_of_each(const WorstRequest& request, const Arguments& arguments,
                           WorstSearch& search, Progress& progress, ProgressLine& line,
                           const Sources& sources, Console& console) {
  std::vector<WorstReport> reports;
  ErrorCollector errors;
  Exit exit = Exit::done;
  Stop stop = Stop::none;
  std::vector<sweep::SearchedPoint> points = std::move(search.points);
  std::vector<sweep::SearchPlace> places = std::move(search.places);
  std::vector<std::vector<StartSources>> starts = std::move(search.sources);
  for (std::size_t k = 0; k < points.size() && stop == Stop::none; ++k) {
    search.points = {points[k]};
    search.places = {std::move(places[k])};
    search.sources = {std::move(starts[k])};
    const Searched one = search_points(request, arguments, search, progress, errors, sources);
    if (one.outcome.stopped) stop = one.stop;
    if (one.report) {
      exit = std::max(exit, exit_of(*one.report, Stop::none));
      reports.push_back(*one.report);
    } else {
      line.erase();
      exit = std::max(exit, one.exit_without_report(console.fail(one.errors, sources)));
    }
  }
  line.erase();
  if (!reports.empty()) console.out(render_worst_of_each(reports, request.format));
  if (!errors.ok()) return errors.errors();
  if (stop == Stop::none) return exit;
  console.print_error(stopped_sentence(request, stop));
  return exit_after(stop);
}

Result<Exit> worst(WorstRequest& request, OptionReader& options, Sources& sources,
                   Console& console) {
  const InterruptGuard guard;
  if (!options.ok()) return options.errors();
  Progress progress;
  ProgressLine line([&] { return progress.text(request); });
  line.show_with(request.how.limits.run);
  WorstSearch search;
  if (Status ready = prepare_worst(request, sources, search); !ready) return ready.errors();
  if (request.each)
    return worst_of_each(request, options, search, progress, line, sources, console);
  ErrorCollector errors;
  const Searched searched = search_points(request, options, search, progress, errors, sources);
  line.erase();
  if (!searched.report) {
    if (searched.refuting) errors.check(write_inputs(search, searched.outcome, searched.refuting));
    const Exit exit = searched.exit_without_report(console.fail(searched.errors, sources));
    if (!errors.ok()) return errors.errors();
    return exit;
  }
  errors.check(write_inputs(search, searched.outcome, searched.report->refuting));
  const std::string text = render_worst(*searched.report, request.format);
  console.out(request.format == Format::table ? console.with_commands(text) : text);
  if (!errors.ok()) return errors.errors();
  if (searched.stop != Stop::none) console.print_error(stopped_sentence(request, searched.stop));
  return exit_of(*searched.report, searched.stop);
}

} // namespace

Command worst_command() {
  return {
      "worst",
      "PROGRAM --of COUNT [-D NAME=VALUES] [-m MACHINE] [options]",
      "search the input that makes a count greatest, or least",
      "Search the input for which a count is greatest: bank conflicts of a sort, stages of a\n"
      "histogram, time. The inputs that 'run --input' knows (descending, bit_reversed, …) come\n"
      "first, then a local search by exact runs from the best of them. Where there are few\n"
      "inputs, all are tried. The result is an input and its count: a lower bound of the worst\n"
      "case, beside the bound of the program's claims; an input that refutes a claim, fails\n"
      "verify or ends with an error is shown, too (exit status 1). If a limit such as --max-time\n"
      "stops runs, the worst input may be among theirs (exit status 3). Several values of\n"
      "parameters, of the machine or layouts are searched together, or --each by itself. The\n"
      "result depends on --seed and --runs alone, unless a limit stops it.",
      call_with(worst_options, worst),
      {"memlane worst histogram --of shared_stages -D n=256 --runs 200",
       "memlane worst merge_sort --of shared_stages -D n=256 --runs 200 --store worst.db",
       "memlane worst radix_sort --of time -D n=64 --least --runs 100 -o a=least.csv",
       "memlane worst merge_sort --of shared_stages -D n=64..256:pow2 --each --runs 50"}};
}

} // namespace memlane::cli
