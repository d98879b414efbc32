// memlane worst: the input with the greatest value of a count.
#include "command.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "version.hpp"
#include "worst_request.hpp"

#include "memlane/arrays/array_files.hpp"
#include "memlane/study/results/point_results.hpp"
#include "memlane/study/worst/worst_report.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <atomic>

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
  point.options.limits.check = {}; // what the search was stopped by does not stop its result
  return sweep::run_point(point, sources);
}

std::string how_found(const WorstSearch& search, const sweep::SearchOutcome& outcome) {
  const sweep::FoundInput& found = *outcome.found;
  if (outcome.every_input) return "trying every input";
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
        {search.points[found.place].planned.label, how_found(search, outcome), found.value});
  return inputs;
}

/// Repeats the run with what is written, or with what makes the input; else writes it.
std::string command_of(const Arguments& arguments, const WorstSearch& search,
                       const sweep::SearchOutcome& outcome) {
  const sweep::FoundInput& found = *outcome.found;
  const std::vector<sweep::SearchedArray>& arrays = search.places[found.place].arrays;
  Recipe recipe = search.points[found.place].planned.recipe;
  const StartSources* sources =
      found.is_start ? &search.sources[found.place][found.start] : nullptr;
  const auto take = [&recipe](const std::string& array, const std::string& source) {
    std::erase_if(recipe.inputs, [&](const auto& input) { return input.first == array; });
    recipe.inputs.emplace_back(array, source);
  };
  if (search.files.size() == arrays.size()) {
    for (const auto& [array, file] : search.files) take(array, file.path());
    return sweep::command_text(recipe);
  }
  if (sources && !sources->empty()) {
    for (const auto& [array, source] : *sources) take(array, source);
    return sweep::command_text(recipe);
  }
  if (found.is_start && found.start == 0 && !arguments.has("vary"))
    return sweep::command_text(recipe);
  Arguments with_files = arguments;
  std::erase_if(with_files.given_options, [](const auto& given) { return given.first == "out"; });
  for (const sweep::SearchedArray& array : arrays)
    with_files.given_options.emplace_back("out", fmt::format("{}={}.csv", array.name, array.name));
  return command_line(worst_command(), with_files);
}

Status write_inputs(WorstSearch& search, const sweep::FoundInput& found) {
  const std::vector<sweep::SearchedArray>& arrays = search.places[found.place].arrays;
  const ir::Program& code = *search.points[found.place].planned.point.code;
  ErrorCollector errors;
  for (auto& [name, file] : search.files)
    for (std::size_t k = 0; k < arrays.size(); ++k) {
      if (arrays[k].name != name) continue;
      const auto array =
          std::find_if(code.arrays.begin(), code.arrays.end(),
                       [&](const ir::Array& one) { return one.name == arrays[k].name; });
      const auto content = arrays::array_content(file.path(), *array, found.input[k], {});
      if (errors.check(content)) errors.check(file.write(content->bytes));
    }
  return errors.status();
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
  report.count = request.count;
  report.least = request.search.least;
  if (value.value) report.value = value.value->text;
  report.number = found.value;
  report.how = how_found(search, outcome);
  report.trial = found.trial;
  report.inputs = tried_inputs(search, outcome);
  report.trials = outcome.trials;
  report.failed = outcome.failed;
  report.known = runs.known();
  report.failure = runs.failure().empty() ? "it is in the store" : runs.failure();
  report.every_input = outcome.every_input;
  if (outcome.stopped) report.stopped = stop_words(stop);
  report.line = worst_line(request.count, result.run, sources);
  report.about = claims_about(request.count, request.search.least, run.program->checked, sources,
                              result.claims);
  for (const ClaimOutcome& claim : result.claims)
    if (claim.verdict == ClaimVerdict::fails) report.failing.push_back(claim);
  for (const auto& [array, file] : search.files) report.files.emplace_back(array, file.path());
  report.command = command_of(arguments, search, outcome);
  return report;
}

Diagnostic nothing_found(const WorstRequest& request, const sweep::SearchOutcome& outcome,
                         const sweep::TrialRuns& runs, Stop stop) {
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
  return report.failing.empty() ? Exit::done : Exit::check_failed;
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
  sweep::PointRuns how;
  how.jobs = request.how.jobs;
  how.memory = request.how.limits.run.memory;
  sweep::TrialRuns runs(search.points, search.places, how, sources);
  if (!request.store.empty())
    if (Status opened = runs.use_store(request.store); !opened) return opened.errors();
  const sweep::SearchOutcome outcome = sweep::search_inputs(
      search.places, request.search, [&](const std::vector<sweep::SearchTrial>& trials) {
        std::vector<sweep::TrialValue> values = runs.evaluate(trials);
        progress.add(values, request.search.least);
        return values;
      });
  line.erase();
  const Stop stop = outcome.stopped ? request.how.limits.run.check() : Stop::none;
  if (!outcome.found) {
    const Exit failed = console.fail({nothing_found(request, outcome, runs, stop)}, sources);
    const Stop limit = stop == Stop::none ? runs.limit() : stop;
    return limit == Stop::none ? failed : exit_after(limit);
  }
  const Result<WorstReport> report =
      report_of(request, options, search, outcome, runs, stop, sources);
  if (!report) return report.errors();
  ErrorCollector errors;
  errors.check(write_inputs(search, *outcome.found));
  errors.check(runs.status());
  console.out(request.format == Format::table
                  ? console.with_commands(render_worst(*report, request.format))
                  : render_worst(*report, request.format));
  if (!errors.ok()) return errors.errors();
  if (stop != Stop::none)
    console.print_error(fmt::format("{}; {}\n", stop_words(stop),
                                    request.store.empty()
                                        ? "with --store FILE the next search would go on"
                                        : "the same command goes on"));
  return exit_of(*report, stop);
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
      "case, beside the bound of the program's claims; a claim that the input refutes is shown,\n"
      "too (exit status 1). Several values of parameters, of the machine or layouts are\n"
      "searched together. The result depends on --seed and --runs alone, unless a limit stops it.",
      call_with(worst_options, worst),
      {"memlane worst histogram --of shared_stages -D n=256 --runs 200",
       "memlane worst merge_sort --of shared_stages -D n=256 --runs 200 --store worst.db",
       "memlane worst radix_sort --of time -D n=64 --least --runs 100 -o a=least.csv"}};
}

} // namespace memlane::cli
