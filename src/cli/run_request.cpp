#include "run_request.hpp"

#include "clock.hpp"
#include "files.hpp"

#include "memlane/arrays/array_files.hpp"
#include "memlane/points/parallel_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cli {
namespace {

/// `-` is standard output, unless the result goes there.
Result<PendingFile> open_trace(const std::string& path, const std::vector<ResultTarget>& targets) {
  if (path != "-") return PendingFile::open(path);
  const bool taken = std::any_of(targets.begin(), targets.end(),
                                 [](const ResultTarget& target) { return !target.file; });
  if (!taken) return PendingFile::open("/dev/stdout");
  return error_in("--trace", "the result goes to standard output already",
                  {"send the result to a file: --trace - -o result.txt",
                   "or the trace: --trace trace.jsonl.gz"});
}

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
    run.watch = std::make_unique<WatchRecorder>(std::move(watched), request.watch_at);
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

std::vector<Option> run_options() {
  return join_options(
      {machine_options(),
       program_options(),
       {{"input", 0, "ARRAY=FILE", true,
         "initial content of a memory array: .csv or .txt (numbers),\n"
         ".bin (raw little-endian), .npy (NumPy); two-dimensional ones\n"
         "also as grey pictures: .pgm, .png, .jpg. Or from a program that\n"
         "makes it: WORST.lane, descending, ascending, equal, …"},
        {"output", 0, "ARRAY=FILE", true,
         "write the final content of a memory array, in the same formats"}},
       seed_options(),
       {{"no-verify", 0, "", false, "skip the check of the result"}},
       races_options(),
       timing_only_options(),
       pram_options(),
       price_options(),
       {{"trace", 0, "FILE", false, "write every request, for replay (.gz: compressed)"}},
       {{"details", 0, "", false,
         "tables of the memory units, kernels, launches and source lines, and\n"
         "what would hide the latency"},
        {"claims", 0, "", false, "each claim with both sides, not only how many hold"},
        {"explain", 0, "", false,
         "explain the run: where its time went, the line that costs most,\n"
         "the tight bound, and what would help"},
        {"try", 0, "WHAT=VALUE", true,
         "run with a change, too, and compare line by line: threads=2048,\n"
         "n=4096, 'layout t=padded(1)'; ';' between several at once"}},
       {{"watch", 0, "PART", true,
         "show a part of an array where it changes: a, a[3], a[0..8] (8 is\n"
         "excluded), a[2, 0..8]; shared arrays block by block. Shows the first\n"
         "1000 changes, and runs on the reference engine"},
        {"watch-at",
         0,
         "WHEN",
         false,
         "when --watch looks: after each barrier of a block and each launch\n"
         "(barrier; if not given), or only after launches (launch)",
         {"barrier", "launch"}}},
       result_options(),
       {{"rows", 0, "WHAT", false,
         "rows of CSV: run (one row; if not given), kernels, launches (the\n"
         "first 1000), lines, or blocks (of an mmm, the first 1000)",
         csv_rows_names()}},
       {{"max-steps", 0, "N", false, "stop after N instructions (exit status 3)"},
        {"max-memory", 0, "BYTES", false, "most bytes of arrays, e.g. 500M; 2G if not given"}},
       limit_options(),
       engine_options(),
       verbose_options(),
       jobs_options("threads that execute a launch's blocks; one a core if not given.\n"
                    "The result is the same"),
       {{"print-config", 0, "", false,
         "show every value of the machine and its origin; run nothing"}}});
}

namespace {

CsvRows read_csv_rows(OptionReader& options, const std::vector<ResultTarget>& targets) {
  const std::string name = options.text("rows", "run");
  const bool csv = std::any_of(targets.begin(), targets.end(), [](const ResultTarget& target) {
    return target.format == Format::csv;
  });
  if (options.has("rows") && !csv)
    options.add(
        error_in("--rows", "they are the rows of CSV", {"add --format csv, or -o FILE.csv"}));
  if (const auto rows = csv_rows_named(name)) return *rows;
  options.add(error_in("--rows", fmt::format("unknown rows '{}'", name),
                       {fmt::format("accepted: {}", fmt::join(csv_rows_names(), ", "))}));
  return CsvRows::run;
}

Status check_rows(const RunRequest& request, const MachineSpec& machine) {
  if (request.csv_rows != CsvRows::blocks || !has_requests(machine.model)) return Done{};
  return error_in("--rows",
                  fmt::format("blocks are counted on an mmm, not on a {}", name_of(machine.model)),
                  {"choose an mmm: -m mmm-teaching", "or other rows: --rows launches"});
}

void read_watches(OptionReader& options, RunRequest& request) {
  request.watches = options.values("watch");
  const std::string at = options.text("watch-at", "barrier");
  if (at == "launch") request.watch_at = WatchAt::launch;
  if (at != "launch" && at != "barrier")
    options.add(error_in("--watch-at", fmt::format("unknown moment '{}'", at),
                         {"accepted: barrier or launch"}));
  if (options.has("watch-at") && request.watches.empty())
    options.add(error_in("--watch-at", "nothing is watched", {"add --watch a[0..8], say"}));
  if (!request.watches.empty() && options.has("trace"))
    options.add(error_in("--watch", "a run cannot be traced and watched at the same time",
                         {"leave out one of --watch and --trace"}));
  if (!request.watches.empty() && (request.explain || !request.tries.empty()))
    options.add(error_in("--watch",
                         "a run cannot be explained or changed and watched at the same time",
                         {"leave out --watch, or --explain and --try"}));
  if (!request.watches.empty() && options.value("engine") == "fast")
    options.add(
        error_in("--watch", "only the reference engine can do this", {"leave out --engine fast"}));
}

} // namespace

Recipe read_recipe(OptionReader& options) {
  Recipe recipe;
  recipe.program = read_program(options, options.words.front());
  recipe.machine = read_machine(options);
  recipe.inputs = options.pairs("input", "ARRAY=FILE");
  recipe.seed = read_seed(options);
  recipe.verify = !options.has("no-verify");
  recipe.pram = options.has("pram");
  recipe.limits = read_limits(options);
  return recipe;
}

RunRequest read_run_request(OptionReader& options) {
  RunRequest request;
  request.recipe = read_recipe(options);
  request.recipe.engine = read_engine(options);
  request.side_by_side.threads = read_jobs(options);
  request.side_by_side.run = sweep::run_together;
  request.targets = read_targets(options);
  request.csv_rows = read_csv_rows(options, request.targets);
  request.recipe.timing_only =
      read_timing_only(options, {"output", "trace", "allow-races", "watch"});
  request.outputs = options.pairs("output", "ARRAY=FILE");
  request.trace = options.value("trace");
  request.explain = options.has("explain");
  request.details = options.has("details");
  request.each_claim = options.has("claims");
  request.tries = options.values("try");
  read_watches(options, request);
  request.verbose = options.has("verbose");
  return request;
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
