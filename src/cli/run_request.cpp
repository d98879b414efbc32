#include "run_request.hpp"

#include "files.hpp"
#include "interrupt.hpp"
#include "trace_file.hpp"

#include "memlane/arrays/array_files.hpp"
#include "memlane/ir/flow.hpp"
#include "memlane/points/parallel_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cli {
namespace {

Status open_files(const RunRequest& request, PreparedRun& run) {
  ErrorCollector errors;
  std::vector<WatchedPart> watched;
  for (const std::string& text : request.watches) {
    WatchedPart part;
    if (!errors.take(watched_part(text, *run.point.code), part)) continue;
    if (part.shared && request.watch_at == WatchAt::launch)
      errors.add(error_in("--watch-at",
                          fmt::format("{} is shared: it has no values after a launch", text),
                          {"leave out --watch-at launch: it is then shown after each barrier"}));
    watched.push_back(std::move(part));
  }
  if (!watched.empty()) {
    std::set<std::string> ahead;
    for (const ir::Function& function : run.point.code->functions)
      if (run.machine.spec.schedule == Schedule::hoisted || ir::has_atomics(function))
        ahead.insert(function.name);
    run.watch =
        std::make_unique<WatchRecorder>(std::move(watched), request.watch_at, std::move(ahead));
    run.point.observer = run.watch.get();
    run.point.engine = sweep::Engine::reference;
  }
  std::vector<ArrayFile> outputs;
  errors.take(array_files("--output", request.outputs, *run.point.code), outputs);
  for (const ArrayFile& output : outputs) {
    if (!errors.check(arrays::fits_file(output.path, *output.array))) continue;
    Result<PendingFile> file = PendingFile::open(output.path);
    if (!errors.check(file)) continue;
    run.outputs.emplace_back(output, std::move(*file));
    run.point.options.outputs.push_back(output.array->name);
  }
  if (request.trace) {
    Result<PendingFile> file = open_trace(*request.trace, request.targets);
    if (errors.check(file)) run.trace.emplace(std::move(*file));
  }
  return errors.status();
}

} // namespace

namespace {

void check_csv_rows(OptionReader& given, const RunRequest& request) {
  const bool csv =
      std::any_of(request.targets.begin(), request.targets.end(),
                  [](const ResultTarget& target) { return target.format == Format::csv; });
  if (given.has("rows") && !csv)
    given.fail("--rows", "they are the rows of CSV", "add --format csv, or -o FILE.csv");
}

Status check_rows(const RunRequest& request, const MachineSpec& machine) {
  if (request.csv_rows != CsvRows::blocks || !has_requests(machine.model)) return Done{};
  return error_in("--rows",
                  fmt::format("blocks are counted on an mmm; this machine's model is {}",
                              name_of(machine.model)),
                  {"choose an mmm: -m mmm-teaching", "or other rows: --rows launches"});
}

void check_watches(OptionReader& given, const RunRequest& request) {
  const bool watches = !request.watches.empty();
  if (given.has("watch-at") && !watches)
    given.fail("--watch-at", "nothing is watched", "add --watch a[0..8], say");
  if (watches && request.trace)
    given.fail("--watch", "a run cannot be traced and watched at the same time",
               "leave out one of --watch and --trace");
  if (watches && (request.explain || !request.tries.empty()))
    given.fail("--watch", "a run cannot be explained or changed and watched at the same time",
               "leave out --watch, or --explain and --try");
  if (watches && given.value("engine") == "fast")
    given.fail("--watch", "only the reference engine can do this", "leave out --engine fast");
}

} // namespace

void add_run(Options& options, RunRequest& request) {
  Recipe& recipe = request.recipe;
  options.take_word("program", &recipe.program.name, "print-config");
  add_machine(options, recipe.machine);
  add_program(options, recipe.program);
  options.add("input", "ARRAY=FILE", &recipe.inputs,
              "initial content of a memory array: .csv or .txt (numbers),\n"
              ".bin (raw little-endian), .npy (NumPy); two-dimensional ones\n"
              "also as grey pictures: .pgm, .png, .jpg. Or from a program that\n"
              "makes it: WORST.lane, descending, ascending, equal, …");
  options.add("output", "ARRAY=FILE", &request.outputs,
              "write the final content of a memory array, in the same formats");
  add_seed(options, recipe.seed);
  options.flag("no-verify", &recipe.verify, "skip the check of the result");
  add_races(options, recipe.program.allow_races);
  add_atomics(options, recipe.atomics);
  add_timing_only(options, recipe.timing_only, {"output", "trace", "allow-races", "watch"});
  add_pram(options, recipe.pram);
  add_prices(options, recipe.prices);
  options.add("trace", "FILE", &request.trace, "write every request, for replay (.gz: compressed)");
  options.flag("details", &request.details,
               "tables of the memory units, kernels, launches and source lines, and\n"
               "what would hide the latency");
  options.flag("claims", &request.each_claim, "each claim with both sides, not only how many hold");
  options.flag("explain", &request.explain,
               "explain the run: where its time went, the line that costs most,\n"
               "the tight bound, and what would help");
  options.add("try", "WHAT=VALUE", &request.tries,
              "run with a change, too, and compare line by line: threads=2048,\n"
              "n=4096, 'layout t=padded(1)'; ';' between several at once");
  options.add("watch", "PART", &request.watches,
              "show a part of an array where it changes: a, a[3], a[0..8] (8 is\n"
              "excluded), a[2, 0..8]; shared arrays block by block. Shows the first\n"
              "1000 changes, and runs on the reference engine");
  options.add("watch-at", "WHEN",
              one_of(&request.watch_at, "moment",
                     {{"barrier", WatchAt::barrier}, {"launch", WatchAt::launch}}),
              "when --watch looks: after each barrier of a block and each launch\n"
              "(barrier; if not given), or only after launches (launch)");
  add_targets(options, request.targets);
  options.add(
      "rows", "WHAT",
      one_of_words(
          [&request](std::size_t k) { request.csv_rows = *csv_rows_named(csv_rows_names()[k]); },
          "rows", csv_rows_names()),
      "rows of CSV: run (one row; if not given), kernels, launches (the\n"
      "first 1000), lines, or blocks (of an mmm, the first 1000)");
  add_limits(options, recipe.limits);
  add_engine(options, recipe.engine);
  add_verbose(options, request.verbose);
  add_jobs(options, request.side_by_side.threads,
           "threads that execute a launch's blocks; one a core if not given.\n"
           "The result is the same");
  request.side_by_side.run = sweep::run_together;
  options.then([&request](OptionReader& given, Sources&) {
    check_csv_rows(given, request);
    check_watches(given, request);
  });
}

Status prepare(RunRequest& request, ErrorCollector errors, PreparedRun& run) {
  Recipe& recipe = request.recipe;
  run.sources.set_limits(recipe.limits);
  if (errors.take(load_checked_program(run.sources, recipe.program), run.program))
    recipe.machine.fit({&run.program.checked});
  if (errors.take(load_selected_machine(run.sources, recipe.machine), run.machine) &&
      request.check_machine)
    errors.check(request.check_machine(run.machine.spec));
  if (errors.ok()) errors.check(check_rows(request, run.machine.spec));
  if (!errors.ok()) return errors.status();
  run.point = sweep::point_of(recipe, run.program, run.machine.spec);
  if (Status bound = bind_values(run.point, recipe.program.definitions, run.sources); !bound)
    return bound.errors();
  if (Status read = run.inputs.add(*run.point.code, run.point); !read) return read.errors();
  run.program.info.parameters = sweep::parameters_of(*run.point.code);
  run.program.info.inputs = recipe.inputs;
  run.program.info.input_hashes = run.point.input_hashes;
  run.point.options.side_by_side = request.side_by_side;
  if (request.verbose) run.point.options.clock = seconds_now;
  return open_files(request, run);
}

} // namespace memlane::cli
