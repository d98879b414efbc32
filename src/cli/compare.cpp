// memlane compare: several programs on several machines in one table.
#include "command.hpp"
#include "compare_arrays.hpp"
#include "compare_inputs.hpp"
#include "compare_lines.hpp"
#include "compare_work.hpp"
#include "interrupt.hpp"
#include "pieces.hpp"
#include "timing_only.hpp"

#include "memlane/report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cli {
namespace {

/// The results that the others are held against: those of the first run that came to its end.
struct Reference {
  const ComparisonCell* cell = nullptr;
  RunResult result;
};

void hold_against(const Reference& reference, ComparisonCell& cell, const RunResult& result,
                  double tolerance) {
  cell.row.results = result.outputs.empty() ? SameResults::none : SameResults::equal;
  for (const auto& [name, values] : result.outputs) {
    const Contents expected{memory_array_of(*reference.cell->code, name),
                            &reference.result.outputs.at(name)};
    const Contents found{memory_array_of(*cell.code, name), &values};
    const auto differs = difference(expected, found, tolerance);
    if (!differs) continue;
    cell.row.results = SameResults::different;
    cell.row.reason = fmt::format("unlike {} on {}: {}", reference.cell->row.program,
                                  reference.cell->row.machine, *differs);
    return;
  }
}

void note_end(ComparisonCell& cell, const RunResult& result) {
  cell.row.verify = result.verify;
  cell.row.counts = result.counts;
  cell.row.races = result.races.races;
  if (result.stop == Stop::none) {
    cell.row.largest = latency_hiding(*cell.machine, result.counts).largest;
    return;
  }
  cell.row.ran = result.stop == Stop::error ? Ran::error : Ran::stopped;
  cell.row.reason = result.stop == Stop::error && !result.errors.empty()
                        ? result.errors.front().message
                        : std::string(words_for(result.stop));
}

/// The first of these that there is: interrupted, an error, a limit, a failed check.
Exit worse(Exit a, Exit b) {
  for (Exit exit : {Exit::interrupted, Exit::error, Exit::limit, Exit::check_failed}) {
    if (a == exit || b == exit) return exit;
  }
  return Exit::done;
}

Exit exit_of(const ComparisonRow& row, Stop stop) {
  switch (row.ran) {
  case Ran::error: return Exit::error;
  case Ran::stopped: return stop == Stop::interrupted ? Exit::interrupted : Exit::limit;
  case Ran::done:
  case Ran::cannot_run: break;
  }
  const bool failed = row.verify == Verdict::failed || row.results == SameResults::different;
  return failed ? Exit::check_failed : Exit::done;
}

/// The runs of a comparison: done side by side, taken in the order of its rows.
class ComparisonRuns {
public:
  ComparisonRuns(ComparisonWork& work, const Console& console) : work_(work), console_(console) {
    for (ComparisonCell& cell : work.cells)
      if (cell.code) cells_.push_back(&cell);
    results_.resize(cells_.size());
    // Cores that have no run of their own help the others.
    work.options.side_by_side.threads = std::max<std::size_t>(1, work.jobs / cells_.size());
    work.options.side_by_side.run = work_together;
  }

  Exit run();

private:
  void run_one(std::size_t at);
  void take(std::size_t at);
  std::int64_t bytes(std::size_t at) const;

  ComparisonWork& work_;
  const Console& console_;
  std::vector<ComparisonCell*> cells_;            ///< that can run
  std::vector<std::optional<RunResult>> results_; ///< none: interrupted before it began
  Reference reference_;
  ComparisonCell* alone_ = nullptr; ///< the reference, as long as nothing was held against it
  Exit exit_ = Exit::done;
};

void ComparisonRuns::run_one(std::size_t at) {
  const auto& check = work_.options.limits.check;
  if (check && check() == Stop::interrupted) return;
  RunOptions options = work_.options;
  for (const auto& [array, values] : cells_[at]->inputs) options.inputs[array] = *values;
  options.allow_races = !cells_[at]->row.info.races_allowed.empty();
  results_[at] =
      simulate_on(work_.engine, *cells_[at]->code, *cells_[at]->machine, options, work_.sources);
}

/// What a run's arrays hold, and its result of them. A run of more than the limit only says so.
std::int64_t ComparisonRuns::bytes(std::size_t at) const {
  constexpr std::int64_t word = sizeof(ir::Value);
  const ir::Program& code = *cells_[at]->code;
  std::int64_t all = bytes_of_arrays(code, work_.options);
  if (all > work_.options.limits.memory) return 0;
  for (const std::string& name : work_.options.outputs) {
    const std::int64_t elements = memory_array_of(code, name)->elements();
    if (elements > (INT64_MAX - all) / word) return INT64_MAX;
    all += elements * word;
  }
  for (const auto& [array, values] : cells_[at]->inputs) // the run has its own copy
    all += static_cast<std::int64_t>(values->size()) * word;
  return all;
}

void ComparisonRuns::take(std::size_t at) {
  ComparisonCell& cell = *cells_[at];
  if (!results_[at]) {
    cell.row.ran = Ran::stopped;
    cell.row.reason = "interrupted before it began";
    exit_ = worse(exit_, Exit::interrupted);
    return;
  }
  RunResult result = std::move(*results_[at]);
  results_[at].reset();
  if (work_.verbose)
    console_.talk(engine_text_of(on_one_line(cell.row.program, 200) + " on " +
                                     on_one_line(cell.row.machine, 200),
                                 engine_text(result.engine, work_.sources)));
  if (!result.errors.empty()) console_.talk(render(result.errors, work_.sources));
  note_end(cell, result);
  const Stop stop = result.stop;
  if (stop == Stop::none && !reference_.cell) {
    reference_ = {&cell, std::move(result)};
    alone_ = &cell;
  } else if (stop == Stop::none) {
    hold_against(reference_, cell, result, work_.tolerance);
    if (alone_ && !work_.comparison.arrays.empty()) alone_->row.results = SameResults::equal;
    alone_ = nullptr;
  }
  exit_ = worse(exit_, exit_of(cell.row, stop));
}

/// Runs all that can run; what is left after an interruption is shown as not run.
Exit ComparisonRuns::run() {
  Pieces pieces;
  pieces.count = cells_.size();
  pieces.work = [&](std::size_t at) { run_one(at); };
  pieces.take = [&](std::size_t at) { take(at); };
  pieces.bytes = [&](std::size_t at) { return bytes(at); };
  do_pieces(work_.jobs, work_.options.limits.memory, pieces);
  return exit_;
}

bool any_different(const ComparisonWork& work) {
  return std::any_of(work.cells.begin(), work.cells.end(), [](const ComparisonCell& cell) {
    return cell.row.results == SameResults::different;
  });
}

/// Says why some runs did not come to their end, if a signal or the limit of seconds is why.
void tell_stop(const ComparisonWork& work, Exit exit, const Console& console) {
  const auto is_done = [](const ComparisonRow& row) { return row.ran == Ran::done; };
  const auto is_stopped = [](const ComparisonRow& row) { return row.ran == Ran::stopped; };
  const auto& rows = work.comparison.rows;
  if (std::none_of(rows.begin(), rows.end(), is_stopped)) return;
  console.talk(fmt::format("{} after {} of {}\n",
                           exit == Exit::interrupted ? "interrupted" : "stopped at a limit",
                           std::count_if(rows.begin(), rows.end(), is_done),
                           counted(static_cast<std::int64_t>(rows.size()), "run")));
}

bool any_cannot_run(const ComparisonWork& work) {
  const auto& rows = work.comparison.rows;
  return std::any_of(rows.begin(), rows.end(),
                     [](const ComparisonRow& row) { return row.ran == Ran::cannot_run; });
}

Exit compare(const Arguments& arguments, Console& console) {
  if (arguments.words.empty()) {
    return console.fail(error_in("", "compare takes one or more programs",
                                 {"usage: memlane compare PROGRAM... [options]"}));
  }
  const InterruptGuard guard;
  ComparisonWork work;
  if (Status ready = prepare(arguments, work); !ready)
    return console.fail(ready.errors(), work.sources);
  const Status apart = check_apart(files_of(work.targets), files_of(work.sources, "a program"));
  if (!apart) return console.fail(apart.errors(), work.sources);
  make_cells(work);
  const bool any = std::any_of(work.cells.begin(), work.cells.end(),
                               [](const ComparisonCell& cell) { return cell.code.has_value(); });
  if (!any) {
    Diagnostics errors;
    for (const ComparisonCell& cell : work.cells)
      errors.insert(errors.end(), cell.errors.begin(), cell.errors.end());
    return console.fail(errors, work.sources);
  }
  if (Status two = arguments.has("lines") ? check_lines(work) : Status(Done{}); !two)
    return console.fail(two.errors(), work.sources);
  if (Status read = read_inputs(arguments, work); !read)
    return console.fail(read.errors(), work.sources);
  if (Status chosen = choose_arrays(arguments, work); !chosen) {
    return console.fail(chosen.errors(), work.sources);
  }
  Exit exit = ComparisonRuns(work, console).run();
  if (!arguments.has("arrays") && any_different(work)) {
    console.talk(
        "help: --arrays A,B says which arrays must be equal at the end; without it all are "
        "compared that the programs have in common\n");
  }
  for (ComparisonCell& cell : work.cells) work.comparison.rows.push_back(std::move(cell.row));
  if (work.options.timing_only && any_cannot_run(work)) exit = worse(exit, Exit::error);
  if (arguments.has("lines")) work.comparison.lines = compare_lines(work);
  const Status written = write_results(
      [&](Format format, TableStyle style) {
        return render_comparison(work.comparison, format, style);
      },
      work.targets, console);
  tell_stop(work, exit, console);
  return written ? exit : console.fail(written.errors(), work.sources);
}

std::vector<Option> options_of_compare() {
  std::vector<Option> options = {
      {"machine", 'm', "MACHINE", true,
       "a shipped machine or a path, once for each; umm-w32 if none is given"},
      {"set", 0, "KEY=VALUE", true, "sets a value of every machine, e.g. latency=30"},
      {"define", 'D', "NAME=VALUE", true, "a parameter of the programs that have it"},
      {"lines", 0, "", false,
       "two runs line by line: requests, stages and lost stages of each.\n"
       "One program on two machines or with two layouts is matched by\n"
       "line numbers, two programs by their texts"},
      {"input", 0, "ARRAY=FILE", true,
       "initial content of a memory array, for the programs that have it,\n"
       "as run takes it"},
      {"arrays", 0, "A,B", false,
       "memory arrays whose final contents must be equal; without it\n"
       "those that all programs have in one size"},
      {"tolerance", 0, "R", false, "real numbers may differ by R times their size; 0 if not given"},
      {"seed", 0, "N", false, "of random numbers; 1 if not given"},
      {"allow-races", 0, "", false, "counts races and goes on"}};
  for (const Option& option : timing_only_options()) options.push_back(option);
  for (const Option& option : result_options()) options.push_back(option);
  options.push_back({"max-steps", 0, "N", false, "stops a run after so many instructions"});
  options.push_back({"max-memory", 0, "BYTES", false, "most bytes of arrays of a run; 2G"});
  for (const Option& option : limit_options()) options.push_back(option);
  for (const Option& option : engine_options()) options.push_back(option);
  for (const Option& option : verbose_options()) options.push_back(option);
  for (const Option& option : jobs_options()) options.push_back(option);
  return options;
}

} // namespace

Command compare_command() {
  return {
      "compare",
      "PROGRAM... [-m MACHINE]... [options]",
      "several programs on several machines, in one table",
      "Runs every program on every machine and shows their times side by side, each as a\n"
      "multiple of the best on its machine. What a machine cannot run is shown with the\n"
      "reason. The final contents of the arrays that the programs have in common are compared:\n"
      "where they differ, or a verify fails, the exit status is 1.\n"
      "A program in quotes may have options of its own, -D, --fn, --type and --layout, and may\n"
      "be named several times: two layouts are compared like two programs.",
      options_of_compare(),
      {"memlane compare prefix_simple prefix_sums -m dmm-w32 -m umm-w32 -D n=1024",
       "memlane compare scan_brent_kung scan_brent_kung_padded -m dmm-w32 --format csv",
       "memlane compare transpose 'transpose --layout t=rows' -m hmm-titan -D n=64",
       "memlane compare sum prefix_sums -D n=2^24 --timing-only",
       "memlane compare transpose 'transpose --layout t=rows' -m hmm-titan -D n=64 --lines",
       "memlane compare sum prefix_sums -D n=4096 --input a=programs/data/prime_gaps.txt"},
      compare};
}

} // namespace memlane::cli
