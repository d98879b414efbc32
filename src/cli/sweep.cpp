// memlane sweep: a grid of runs into a store of results.
#include "clock.hpp"
#include "command.hpp"
#include "input_files.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "processes.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "sweep_command.hpp"
#include "sweep_processes.hpp"
#include "sweep_progress.hpp"
#include "sweep_request.hpp"
#include "version.hpp"

#include "memlane/report/stored_result.hpp"
#include "memlane/report/sweep_report.hpp"
#include "memlane/support/text.hpp"
#include "memlane/sweep/sweep_run.hpp"

#include <fmt/format.h>

#include <exception>
#include <filesystem>

namespace memlane::cli {
namespace {

using sweep::EndedPoint;
using sweep::Pending;
using sweep::PendingPoint;

/// `2/4`: the second of four.
sweep::Shard read_shard(OptionReader& options) {
  sweep::Shard shard;
  const auto text = options.value("shard");
  if (!text) return shard;
  const std::size_t slash = text->find('/');
  const auto number = number_of<std::int64_t>(text->substr(0, slash));
  const auto of =
      slash == std::string::npos ? std::nullopt : number_of<std::int64_t>(text->substr(slash + 1));
  if (number && of && *of >= 1 && *of <= 1'000'000 && *number >= 1 && *number <= *of)
    return {*number, *of};
  options.add(error_in("--shard", fmt::format("'{}' is no part i/n with 1 <= i <= n", *text),
                       {"--shard 1/4 to --shard 4/4 are the four quarters; a scheduler that counts "
                        "from 0 needs i + 1: --shard $((SLURM_ARRAY_TASK_ID + 1))/4"}));
  return shard;
}

SweepCommand read_command(OptionReader& options, Sources& sources) {
  SweepCommand command;
  command.how = read_plan_options(options);
  command.shard = read_shard(options);
  command.dry_run = options.has("dry-run");
  command.why = options.has("why");
  command.targets = read_targets(options);
  const SweepSelection selection = read_sweep_selection(options, sources);
  if (options.ok()) options.take(load_sweep(sources, selection), command.spec);
  command.store = options.text("store", command.spec.name + ".db");
  if (command.why && !command.dry_run)
    options.add(error_in("--why", "it explains the points of a dry run", {"add --dry-run"}));
  return command;
}

/// Says what is wrong with points, the first of them.
class Complaints {
public:
  explicit Complaints(const Console& console) : console_(console) {}

  void add(const std::string& label, const EndedPoint& ended) {
    if (ended.message.empty() || ++count_ > most) return;
    console_.print_error(fmt::format("{}: {}\n", label, ended.message));
  }
  void finish() const {
    if (count_ > most)
      console_.print_error(fmt::format("and {} more; memlane results STORE --where \"status <> "
                                       "'done' or verify = 'failed'\" lists them\n",
                                       counted(count_ - most, "point")));
  }

private:
  static constexpr std::int64_t most = 20;
  const Console& console_;
  std::int64_t count_ = 0;
};

/// The same whether points ended now or before.
Exit exit_of(const sweep::SweepSummary& now, const sweep::SweepSummary& known) {
  if (now.interrupted) return Exit::interrupted;
  if (now.failed + known.failed > 0) return Exit::error;
  if (now.stopped + known.stopped > 0) return Exit::limit;
  return now.check_failed + known.check_failed > 0 ? Exit::check_failed : Exit::done;
}

/// Runs what is pending, here or on the other processes.
Result<sweep::SweepSummary> run_pending(const SweepCommand& command, const sweep::Plan& plan,
                                        const Pending& pending, sweep::Store& store,
                                        sweep::SweepRuns runs, Processes* processes,
                                        const Sources& sources, const Console& console) {
  sweep::PointOrder order(pending);
  const auto workers =
      processes ? static_cast<std::size_t>(processes->size() - 1) : command.how.jobs;
  SweepProgress progress(order, pending.points.size(), workers, seconds_now());
  ProgressLine line([&] { return progress.text(seconds_now()); });
  runs.progress = [&line] { line.show(); };
  line.show_with(runs.limits.run); // where points wait for memory or for other processes
  Complaints complaints(console);
  sweep::SweepRequest request;
  request.runs = std::move(runs);
  request.jobs = command.how.jobs;
  request.memory = command.how.limits.run.memory;
  request.begin = [&](const PendingPoint& point, const std::string& label) {
    progress.begin(point, label, seconds_now());
    line.show();
  };
  request.end = [&](const PendingPoint& point, const EndedPoint& ended) {
    progress.end(point);
    if (!ended.message.empty()) {
      line.erase();
      complaints.add(plan.point(point.number).label, ended);
    }
    line.show();
  };
  Result<sweep::SweepSummary> summary =
      processes ? lead_sweep(*processes, plan, pending, order, store, request)
                : sweep::run_sweep(plan, pending, order, store, request, sources);
  line.erase();
  complaints.finish();
  return summary;
}

/// The others wait for points: if none will come, they must be told.
Result<Exit> dismiss_after(const Diagnostics& errors, Processes* processes) {
  if (processes)
    if (Status dismissed = dismiss(*processes); !dismissed) return dismissed.errors();
  return errors;
}

/// What process 0, or the only one, does once the plan is made.
Result<Exit> sweep_into_store(SweepCommand& command, const sweep::Plan& plan,
                              const sweep::SweepRuns& runs, Processes* processes,
                              const Sources& sources, Console& console) {
  std::optional<sweep::Store> store;
  if (!command.dry_run || std::filesystem::exists(command.store)) {
    Result<sweep::Store> opened = sweep::Store::open(command.store, stored_columns());
    if (!opened) return dismiss_after(opened.errors(), processes);
    store.emplace(std::move(*opened));
  }
  const Pending pending = sweep::pending_points(plan, store ? &*store : nullptr, command.shard,
                                                command.how.retry, command.how.limits);
  if (pending.interrupted) {
    if (processes)
      if (Status dismissed = dismiss(*processes); !dismissed) return dismissed.errors();
    console.print_error("interrupted while the points were planned; nothing was run\n");
    return Exit::interrupted;
  }
  if (command.dry_run) {
    const Status shown =
        show_dry_run(command, plan, pending, store ? &*store : nullptr, runs, sources, console);
    return shown ? Result<Exit>(Exit::done) : Result<Exit>(shown.errors());
  }
  const Result<sweep::SweepSummary> summary =
      run_pending(command, plan, pending, *store, runs, processes, sources, console);
  if (!summary) return summary.errors();
  SweepReport report = report_of(command, plan, pending);
  report.summary = *summary;
  const Status written =
      write_results([&](Format format, TableStyle) { return render_sweep(report, format); },
                    command.targets, !summary->interrupted, console);
  if (!written) return written.errors();
  return exit_of(*summary, pending.known);
}

/// Formats of points are for dry runs: the results themselves are in the store.
Status check_formats(const SweepCommand& command) {
  for (const ResultTarget& target : command.targets)
    if (!command.dry_run && target.format != Format::table && target.format != Format::json)
      return error_in("--format",
                      fmt::format("{} is a format of points, and the results of a sweep are in its "
                                  "store",
                                  name_of(target.format)),
                      {fmt::format("memlane results {} --format {} shows them", command.store,
                                   name_of(target.format)),
                       "--dry-run lists the points"});
  return Done{};
}

Result<Exit> plan_and_sweep(SweepCommand& command, Processes* processes, Sources& sources,
                            Console& console) {
  const Result<sweep::Plan> plan = sweep::Plan::make(command.spec, sweep_files(sources), sources);
  // Every process finds the same errors: the first one says them.
  const bool leads = !processes || processes->rank() == 0;
  if (!plan) return leads ? Result<Exit>(plan.errors()) : Result<Exit>(Exit::error);
  InputFiles inputs;
  sweep::SweepRuns runs = runs_with(command.how, inputs, sources);
  runs.sweep = command.spec.name;
  if (!leads) {
    const Status worked = work_for_sweep(*processes, *plan, runs, sources);
    return worked ? Result<Exit>(Exit::done) : Result<Exit>(worked.errors());
  }
  return sweep_into_store(command, *plan, runs, processes, sources, console);
}

Result<Exit> sweep(OptionReader& options, Sources& sources, Console& console) {
  if (options.words.empty())
    return error_in("", "sweep takes a sweep file or programs",
                    {"usage: memlane sweep SWEEP.json | PROGRAM... [options]"});
  const InterruptGuard guard;
  SweepCommand command = read_command(options, sources);
  options.check(check_formats(command));
  if (!options.ok()) return options.errors();
  std::optional<Processes> processes;
  if (under_mpirun() && !command.dry_run) {
    Result<Processes> joined = Processes::join();
    if (!joined) return joined.errors();
    processes.emplace(std::move(*joined));
  }
  if (!processes) return plan_and_sweep(command, nullptr, sources, console);
  try {
    return plan_and_sweep(command, &*processes, sources, console);
  } catch (const std::exception& error) {
    // The end of `processes` aborts the others, and this one with them: nothing can be said later.
    console.print_error(
        fmt::format("error: mpirun: process {} ends: {}\n", processes->rank(), error.what()));
    throw;
  }
}

std::vector<Option> sweep_command_options() {
  return join_options(
      {sweep_selection_options(),
       {{"store", 0, "FILE", false, "the store of results; NAME.db if not given"},
        {"dry-run", 0, "", false,
         "list the points, which of them the store has, and an estimate of time\n"
         "and memory; run nothing but a second of small points"},
        {"why", 0, "", false, "beside each point of a dry run: why it runs"},
        {"shard", 0, "I/N", false, "only part I of N, from 1 to N, to be merged later"}},
       result_options("table (the default) or json; with --dry-run also csv, jsonl, markdown or\n"
                      "latex. The results themselves are in the store"),
       plan_options()});
}

} // namespace

Command sweep_command() {
  return {
      "sweep",
      "SWEEP.json | PROGRAM... [options]",
      "run a grid of parameters, machines and layouts into a store of results",
      "Run programs on machines for all combinations of values, each combination once, and keep\n"
      "every result in a store (SQLite). The same command goes on where it was stopped and runs\n"
      "only what the store does not have. Values of an option:\n"
      "  n=1024,4096      a list         n=2^10..2^20:pow2   powers of two\n"
      "  n=1..33          a range        n=1..33:2           in steps of 2\n"
      "A range includes both ends (in programs, lo..hi ends before hi).",
      sweep_command_options(),
      {"memlane sweep prefix_sums sum -D n=2^10..2^14:pow2 -m hmm-titan -m hmm-h200 "
       "--store sums.db",
       "memlane sweep sum -D n=256,1024 --set latency=1,100 -m umm-w32 --store sums.db "
       "--dry-run --why"},
      sweep};
}

} // namespace memlane::cli
