// memlane tune: the best value of a parameter.
#include "command.hpp"
#include "input_files.hpp"
#include "interrupt.hpp"
#include "kernel_command.hpp"
#include "plan_runs.hpp"
#include "results.hpp"
#include "sweep_request.hpp"
#include "version.hpp"

#include "memlane/lang/parse.hpp"
#include "memlane/lang/values.hpp"
#include "memlane/points/sweep_options.hpp"
#include "memlane/study/results/stored_result.hpp"
#include "memlane/study/tune/tuning_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace memlane::cli {
namespace {

/// More combinations of values are refused: their table would say nothing.
constexpr std::int64_t most_combinations = 10'000;

struct TuneRequest {
  SweepSelection values;
  TuningGrid grid; ///< of these
  std::vector<NameAndValue> naive;
  double within = 5; ///< percent
  std::string store; ///< empty: a temporary one
  PlanOptions how;
  std::vector<ResultTarget> targets;
};

/// Charts are another command's.
void refuse_charts(OptionReader& options) {
  for (const auto& [name, path] : options.given_options)
    if (name == "out" &&
        (path.ends_with(".svg") || path.ends_with(".html") || path.ends_with(".htm")))
      options.fail("-o", fmt::format("tune writes tables, and '{}' would be a chart", path),
                   fmt::format("keep the runs with --store FILE; 'memlane plot FILE -o {}' "
                               "draws them",
                               path));
}

Result<double> read_within(const std::string& text) {
  constexpr double most = 1000;
  const auto percent = number_of<double>(text.substr(0, text.find_last_not_of(" %") + 1));
  if (percent && *percent >= 0 && *percent <= most) return *percent;
  return error_in("--within", fmt::format("a percentage from 0 to 1000 is needed, not '{}'", text),
                  {"--within 5: values at most 5 % worse than the best are worth using"});
}

/// What varies: one axis or two.
void find_tuned(OptionReader& options, TuningGrid& grid) {
  const std::string& command = grid.spec.programs.front().command;
  if (const Status whole = check_times_all(command); !command.empty() && !whole)
    options.add(whole.errors().front());
  // Those of the first machine alone are last, so that the others have the same numbers on all.
  std::stable_partition(grid.spec.axes.begin(), grid.spec.axes.end(),
                        [](const auto& group) { return !is_fixed_key(group); });
  std::vector<std::string> titles, fixed;
  for (std::size_t group = 0; group < grid.spec.axes.size(); ++group) {
    const sweep::SweepAxis& axis = grid.spec.axes[group].front();
    (axis.size > 1 ? titles : fixed).push_back(axis.title());
    if (axis.size > 1) grid.tuned.push_back(group);
  }
  if (grid.tuned.empty())
    options.add(error_in(
        "",
        fixed.empty()
            ? "no parameter has values to compare"
            : fmt::format("nothing to compare: one value is given for {}", fmt::join(fixed, ", ")),
        {"give one several values, such as -D alpha=1,2,4 or -D n=2^4..2^8:pow2",
         command.empty() ? fmt::format("'memlane explain program {}' lists the parameters",
                                       grid.spec.programs.front().name)
                         : "{alpha} in the command is the value of -D alpha"}));
  if (grid.tuned.size() > 2)
    options.add(error_in(
        "", fmt::format("{} parameters vary: {}", grid.tuned.size(), fmt::join(titles, ", ")),
        {"tune compares one or two: give the others one value each",
         "'memlane sweep' runs any number, 'memlane results best' shows the best"}));
  const std::int64_t count = sweep::combinations(grid.spec);
  if (count / static_cast<std::int64_t>(grid.spec.seeds.size()) > most_combinations)
    options.add(error_in(
        "",
        fmt::format("{} combinations of values, at most {} are compared", count, most_combinations),
        {"take larger steps, such as :pow2",
         "'memlane sweep' runs more, 'memlane results best' shows the best"}));
}

/// The number that a value is or, as an expression, gives: `128`, `2^7`; none: it is a word.
std::optional<std::int64_t> number_of_value(Sources& sources, const std::string& text) {
  if (const auto plain = number_of<std::int64_t>(text)) return *plain;
  const std::int32_t file = sources.add("--naive", text);
  const auto expression =
      lang::parse_expression(sources, {file, 0, static_cast<std::uint32_t>(text.size())});
  if (!expression) return std::nullopt;
  const auto number = lang::whole_number_of(sources, *expression, "a value");
  return number ? std::optional(*number) : std::nullopt;
}

/// `--naive s=1` chooses the value of an axis that ratios refer to.
void read_naive(OptionReader& options, Sources& sources, const std::vector<NameAndValue>& naive,
                TuningGrid& grid) {
  constexpr std::int64_t most_listed = 20;
  grid.naive.assign(grid.tuned.size(), 0);
  for (const auto& [name, value] : naive) {
    bool found = false;
    const std::optional<std::int64_t> wanted = number_of_value(sources, value);
    std::vector<std::string> help;
    for (std::size_t k = 0; k < grid.tuned.size(); ++k) {
      const sweep::SweepAxis& axis = grid.axis(k);
      std::string values;
      for (std::int64_t number = 0; number < axis.size; ++number) {
        const std::string text = axis.value(number);
        if (number < most_listed) values += (number == 0 ? "" : ", ") + text;
        if (axis.name != name && axis.title() != name) continue;
        if (text != value && (!wanted || number_of_value(sources, text) != wanted)) continue;
        grid.naive[k] = static_cast<std::size_t>(number);
        found = true;
      }
      help.push_back(fmt::format("the values of {} are {}{}", axis.title(), values,
                                 axis.size > most_listed ? ", …" : ""));
    }
    if (!found)
      options.add(
          error_in("--naive", fmt::format("{}={} is not compared", name, value), std::move(help)));
  }
}

/// The machine that is tuned for, and those that confirm.
void read_machines(OptionReader& options, TuningGrid& grid) {
  const auto& machines = grid.spec.machines;
  if (machines.size() > 1)
    options.fail(
        "-m", "tune chooses for one machine",
        fmt::format("--confirm {} shows what it says of the best value", machines[1].name));
  std::set<std::string> known = {machines.front().name};
  for (const std::string& machine : grid.confirm)
    if (!known.insert(machine).second)
      options.fail("--confirm", fmt::format("{} is given twice", machine), "name another machine");
}

void tune_options(Options& options, TuneRequest& request) {
  options.words = {"program", 1, 1};
  add_sweep(options, request.values,
            "a shipped machine or a path; if none is given umm-w32, or one that\n"
            "fits the program");
  options.add("objective", "NAME", &request.grid.objective,
              "what shall be least: time, io, requests, stages, on an mmm bound,\n"
              "overhead, work, span, time; or a count of 'memlane explain counts'.\n"
              "If not given, bound on an mmm, time on others");
  options.add("naive", "NAME=VALUE", &request.naive,
              "the value that ratios refer to, for each parameter; its first if not given");
  options.add("within", "PERCENT", parsed(&request.within, read_within),
              "values so much worse than the best are worth using; 5 if not given");
  options.add("confirm", "MACHINE", &request.grid.confirm,
              "run the same values there, too, and say whether its best agrees. Values\n"
              "of --set that do not vary are those of -m alone");
  options.add("store", "FILE", &request.store,
              "keep the results in a store, as sweep does; what it has is not run again");
  add_targets(options, request.targets);
  add_plan(options, request.how);
  options.then([](OptionReader& given, Sources&) { refuse_charts(given); });
}

/// Finds what is tuned.
void finish_request(OptionReader& options, Sources& sources, TuneRequest& request) {
  TuningGrid& grid = request.grid;
  const sweep::SweepOptions& texts = request.values.options;
  if (request.values.file || texts.programs.size() + texts.commands.size() > 1)
    options.fail("",
                 request.values.file ? "tune takes a program, and no sweep file"
                                     : "tune takes one program or one command",
                 "usage: memlane tune PROGRAM -D NAME=VALUES -m MACHINE [options]");
  if (!options.ok() || !options.take(load_sweep(sources, request.values), grid.spec)) return;
  read_machines(options, grid);
  find_tuned(options, grid);
  if (options.ok()) read_naive(options, sources, request.naive, grid);
}

Result<PlansRun> run_values(const TuneRequest& request, const std::vector<TunedPlan>& plans,
                            sweep::Store& store, const Sources& sources) {
  std::vector<sweep::NamedPlan> named;
  for (const TunedPlan& one : plans) named.push_back({request.grid.spec.name, &one.plan});
  InputFiles inputs;
  PlanRuns how;
  how.retry = request.how.retry;
  how.request.runs = runs_with(request.how, inputs, sources);
  how.request.jobs = request.how.jobs;
  how.request.memory = request.how.limits.run.memory;
  return run_plans(named, std::move(how), store, sources);
}

/// By axis: the command with more values beyond the best, where it is the least or the greatest
/// value; empty: there is none, or none that is allowed.
std::vector<std::string> extensions(Arguments arguments, const TuningGrid& grid,
                                    const TunedMachine& machine, Sources& sources) {
  std::vector<std::string> commands(grid.tuned.size());
  std::erase_if(arguments.given_options,
                [](const auto& given) { return given.first == "out" || given.first == "format"; });
  for (std::size_t k = 0; machine.tuning && k < commands.size(); ++k) {
    const sweep::TuningLine& line = machine.tuning->lines[k];
    const sweep::SweepAxis& axis = grid.axis(k);
    const std::string more =
        line.at_least || line.at_greatest ? sweep::more_values(axis, line.at_greatest) : "";
    const std::vector<std::size_t>& best = machine.rows[machine.tuning->best].at;
    if (more.empty() || !can_try(grid, k, more, best, sweep_files(sources), sources)) continue;
    Arguments longer = arguments;
    longer.given_options.emplace_back(axis.kind == sweep::AxisKind::machine_key ? "set" : "define",
                                      axis.name + "=" + more);
    commands[k] = command_line(tune_command(), longer);
  }
  return commands;
}

/// The report of what the store has; `changed` are its changed inputs.
Result<TuningReport> report_of(const OptionReader& options, const TuneRequest& request,
                               const std::vector<TunedPlan>& plans, const std::string& store,
                               std::vector<std::string> changed, Sources& sources) {
  const sweep::SweepSpec& spec = request.grid.spec;
  Result<std::vector<TunedMachine>> machines = tuned_machines(request.grid, plans, store);
  if (!machines) return machines.errors();
  TuningReport report;
  report.version = version;
  report.program = plans.front().plan.point(0).program;
  report.axes = tuned_axes(request.grid, plans);
  report.machines = std::move(*machines);
  report.within = request.within;
  report.seeds = static_cast<std::int64_t>(spec.seeds.size());
  report.timing_only = spec.timing_only;
  find_best(report);
  report.changed_inputs = std::move(changed);
  report.extensions = extensions(options, request.grid, report.machines.front(), sources);
  return report;
}

/// How the values ended, the worst first.
Exit exit_of(const TuningReport& report) {
  bool check_failed = false, stopped = false, chosen = true;
  for (const TunedMachine& machine : report.machines) {
    chosen = chosen && machine.tuning.has_value();
    for (const TunedRow& row : machine.rows) {
      check_failed = check_failed || row.state == TunedState::check_failed || row.claim_failed;
      stopped = stopped || row.state == TunedState::stopped;
    }
  }
  if (stopped) return Exit::limit;
  if (check_failed) return Exit::check_failed;
  return chosen ? Exit::done : Exit::error;
}

Result<Exit> tune(TuneRequest& request, OptionReader& options, Sources& sources, Console& console) {
  const InterruptGuard guard;
  finish_request(options, sources, request);
  if (!options.ok()) return options.errors();
  const Result<std::vector<TunedPlan>> plans =
      plan_tuning(request.grid, sweep_files(sources), sources);
  if (!plans) return plans.errors();
  std::optional<TemporaryStore> temporary;
  std::string path = request.store;
  if (path.empty()) {
    Result<TemporaryStore> made = TemporaryStore::make();
    if (!made) return made.errors();
    temporary.emplace(std::move(*made));
    path = temporary->path();
  }
  Result<sweep::Store> store = sweep::Store::open(path, stored_columns());
  if (!store) return store.errors();
  // Found before the runs: what ends these early would end it, too.
  std::vector<std::string> changed = changed_inputs(request.grid, plans->front().plan, sources);
  const Result<PlansRun> run = run_values(request, *plans, *store, sources);
  if (!run) return run.errors();
  const Result<TuningReport> report =
      report_of(options, request, *plans, path, std::move(changed), sources);
  if (!report) return report.errors();
  const auto render = [&](Format format, TableStyle) { return render_tuning(*report, format); };
  if (Status done = write_results(render, request.targets, !run->interrupted, console); !done)
    return done.errors();
  if (!run->interrupted) return exit_of(*report);
  console.print_error(temporary ? "interrupted; with --store FILE the next run would go on\n"
                                : fmt::format("interrupted; the same command goes on, with the "
                                              "results in {}\n",
                                              path));
  return Exit::interrupted;
}

} // namespace

Command tune_command() {
  return {
      "tune",
      "PROGRAM | --command COMMAND -D NAME=VALUES [-m MACHINE] [options]",
      "find the best value of a parameter, of the machine, or a layout",
      "Run a program with every value of one or two parameters, and say which is best, by how\n"
      "much against the first (naive) value, and which range is worth using. Parameters of the\n"
      "program, values of the machine (-D p=32,64, --set resident_blocks=1..4), layouts, fns and\n"
      "types can vary; values are written as for 'memlane sweep'. A value whose verify fails is\n"
      "not chosen, one whose exact claim fails is named; both give exit status 1. Values that\n"
      "cannot run are listed with the reason. --confirm asks another machine whether its best is\n"
      "the same. A command of cuda or ptx is tuned by names in its words: {n} is the value of -D\n"
      "n.",
      call_with(tune_options, tune),
      {"memlane tune --command \"ptx transpose.ptx --launch "
       "'{kernel}<<<(8,8),(32,8)>>>(out: float[256*256], in: float[256*256], 256)'\" "
       "-D kernel=naive,tiled,padded -m hmm-titan-plain",
       "memlane tune scan -D n=2^14 -D alpha=1,2,4,8,16 -m agpu-k40c --confirm hmm-titan-plain",
       "memlane tune transpose --layout \"t=rows,padded(1),diagonal\" -D n=64 -m hmm-titan-plain",
       "memlane tune multiply -D n=64 -D m=4,8,16,32 --set resident_blocks=1,2,4 "
       "-m hmm-titan-plain --store tuned.db && memlane plot tuned.db --x m -o tuned.html"},
      {{"naive-program", 0, "'memlane compare OTHER PROGRAM' compares with another program"}}};
}

} // namespace memlane::cli
