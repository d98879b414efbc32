// memlane sweep: a grid of runs into a store of results.
#include "command.hpp"
#include "console.hpp"
#include "input_files.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "plan_runs.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "sweep_processes.hpp"
#include "sweep_request.hpp"
#include "version.hpp"

#include "memlane/points/sweep_spec.hpp"
#include "memlane/store/point_order.hpp"
#include "memlane/store/sweep_run.hpp"
#include "memlane/study/results/stored_result.hpp"
#include "memlane/study/results/sweep_report.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

namespace memlane::cli {
namespace {

using sweep::EndedPoint;
using sweep::Pending;
using sweep::PendingPoint;
using sweep::PlannedPoint;

// --- What is asked.

struct SweepCommand {
  SweepSelection selection;
  sweep::SweepSpec spec; ///< of the selection
  std::string store;     ///< empty: the name of the sweep
  bool dry_run = false, why = false;
  sweep::Shard shard;
  PlanOptions how;
  std::vector<ResultTarget> targets;
};

/// `2/4`: the second of four.
Result<sweep::Shard> read_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto number = number_of<std::int64_t>(text.substr(0, slash));
  const auto of =
      slash == std::string::npos ? std::nullopt : number_of<std::int64_t>(text.substr(slash + 1));
  constexpr std::int64_t most = 1'000'000;
  if (number && of && *of <= most && *number >= 1 && *number <= *of)
    return sweep::Shard{*number, *of};
  return error_in("--shard", fmt::format("'{}' is no part i/n with 1 <= i <= n <= {}", text, most),
                  {"--shard 1/4 to --shard 4/4 are the four quarters; a scheduler that counts "
                   "from 0 needs i + 1: --shard $((SLURM_ARRAY_TASK_ID + 1))/4"});
}

void sweep_options(Options& options, SweepCommand& command) {
  options.words = {"sweep file or program", 1, SIZE_MAX};
  add_sweep(options, command.selection);
  options.add("store", "FILE", &command.store, "the store of results; NAME.db if not given");
  options.flag("dry-run", &command.dry_run,
               "list the points, which of them the store has, and an estimate of time\n"
               "and memory; run nothing but a second of small points");
  options.flag("why", &command.why, "beside each point of a dry run: why it runs");
  options.add("shard", "I/N", parsed(&command.shard, read_shard),
              "only part I of N, from 1 to N, to be merged later");
  add_targets(options, command.targets,
              "table (the default) or json; with --dry-run also csv, jsonl, markdown or\n"
              "latex. The results themselves are in the store");
  add_plan(options, command.how);
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

/// Reads the sweep.
void finish_command(OptionReader& options, Sources& sources, SweepCommand& command) {
  if (options.ok()) options.take(load_sweep(sources, command.selection), command.spec);
  if (command.store.empty()) command.store = command.spec.name + ".db";
  if (command.why && !command.dry_run)
    options.fail("--why", "it explains the points of a dry run", "add --dry-run");
  options.check(check_formats(command));
}

// --- What --dry-run shows.

std::string values_text(const PlannedPoint& point) {
  std::string text;
  for (const auto& [name, value] : point.values)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value);
  return text;
}

/// The parts in which the nearest stored point differs.
std::string why_text(const PlannedPoint& point, sweep::PointState state,
                     const sweep::Store* store) {
  if (state == sweep::PointState::limited) return "it stopped at a limit that is another now";
  if (state == sweep::PointState::retried) return "it stopped or failed before (--retry)";
  const auto near = store ? store->nearest_parts(point.key_parts) : decltype(point.key_parts)();
  if (near.empty()) return "the store has no such point";
  std::string text;
  constexpr std::size_t widest = 60;
  for (const auto& [part, value] : point.key_parts) {
    const auto same = std::find_if(near.begin(), near.end(), [&, name = part](const auto& other) {
      return other.first == name;
    });
    if (same != near.end() && same->second == value) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", part, on_one_line(value, widest));
    if (same != near.end())
      text += fmt::format(", in the store {}", on_one_line(same->second, widest));
  }
  for (const auto& [part, value] : near)
    if (std::none_of(point.key_parts.begin(), point.key_parts.end(),
                     [&, name = part](const auto& own) { return own.first == name; }))
      text += fmt::format("{}without {}, in the store {}", text.empty() ? "" : "; ", part,
                          on_one_line(value, widest));
  return text;
}

/// `in_full`: with what tables do not show, which of a million points takes much memory.
PlannedRow row_of(const PlannedPoint& point, sweep::PointState state, bool in_full) {
  return {point.program,
          name_of_file(point.machine->path),
          values_text(point),
          point.point.options.seed,
          state,
          {},
          in_full ? point.key : "",
          in_full ? point.command : ""};
}

/// What is known before anything is run.
SweepReport report_of(const SweepCommand& command, const sweep::Plan& plan,
                      const Pending& pending) {
  SweepReport report;
  report.version = version;
  report.sweep = command.spec.name;
  report.store = command.store;
  report.points = plan.size();
  report.excluded = plan.excluded();
  report.elsewhere = pending.elsewhere;
  report.known = pending.known;
  report.missing = static_cast<std::int64_t>(pending.points.size());
  report.dry_run = command.dry_run;
  return report;
}

/// Lists the points with an estimate; runs small ones for a second. `store` may be null.
Status show_dry_run(SweepCommand& command, const sweep::Plan& plan, const Pending& pending,
                    const sweep::Store* store, const sweep::SweepRuns& runs, const Sources& sources,
                    Console& console) {
  SweepReport report = report_of(command, plan, pending);
  Watch watch(command.how.limits.run);
  const auto stopped = [&] { return stopped_while(watch.stop(), "listing the points"); };
  const bool in_full =
      std::any_of(command.targets.begin(), command.targets.end(), [](const ResultTarget& target) {
        return target.format != Format::table && target.format != Format::markdown &&
               target.format != Format::latex;
      });
  report.rows.reserve(pending.points.size() + pending.known_points.size());
  for (const PendingPoint& pending_point : pending.points) {
    if (!watch.ask()) return stopped();
    const PlannedPoint point = plan.point(pending_point.number);
    report.rows.push_back(row_of(point, pending_point.state, in_full));
    if (command.why) report.rows.back().why = why_text(point, pending_point.state, store);
  }
  for (const std::int64_t number : pending.known_points) {
    if (!watch.ask()) return stopped();
    report.rows.push_back(row_of(plan.point(number), sweep::PointState::known, in_full));
  }
  if (!pending.points.empty()) {
    constexpr double trial = 1; // seconds
    const sweep::WorkEstimate work = sweep::estimate_work(plan, pending, runs, trial, sources);
    SweepEstimate& estimate = report.estimate.emplace();
    if (work.seconds) estimate.seconds = *work.seconds / static_cast<double>(command.how.jobs);
    estimate.from_runs = work.from_runs;
    estimate.bytes = work.bytes;
    estimate.largest = work.largest;
  }
  return write_results([&](Format format, TableStyle) { return render_sweep(report, format); },
                       command.targets, true, console);
}

// --- The runs.

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

Result<Exit> sweep(SweepCommand& command, OptionReader& options, Sources& sources,
                   Console& console) {
  const InterruptGuard guard;
  finish_command(options, sources, command);
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

} // namespace

Command sweep_command() {
  return {
      "sweep",
      "SWEEP.json | PROGRAM... | --command COMMAND [options]",
      "run a grid of parameters, machines and layouts into a store of results",
      "Run programs on machines for all combinations of values, each combination once, and keep\n"
      "every result in a store (SQLite). The same command goes on where it was stopped and runs\n"
      "only what the store does not have. Values of an option:\n"
      "  n=1024,4096      a list         n=2^10..2^20:pow2   powers of two\n"
      "  n=1..33          a range        n=1..33:2           in steps of 2\n"
      "A range includes both ends (in programs, lo..hi ends before hi).",
      call_with(sweep_options, sweep),
      {"memlane sweep prefix_sums sum -D n=2^10..2^14:pow2 -m hmm-titan-plain -m hmm-h200-plain "
       "--store sums.db",
       "memlane sweep sum -D n=256,1024 --set latency=1,100 -m umm-w32 --store sums.db "
       "--dry-run --why"}};
}

} // namespace memlane::cli
