// memlane explain relations: what theorems about the AGPU say about one program, in numbers.
#include "explain.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "run_request.hpp"
#include "stored_points.hpp"

#include "memlane/study/verify/relations.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <utility>

namespace memlane::cli {
namespace {

constexpr std::string_view teaching_machine = "agpu-teaching";

Status only_agpu(const MachineSpec& machine) {
  if (machine.model == Model::agpu) return Done{};
  return error_in("-m",
                  fmt::format("the relations are about AGPUs, and '{}' is a machine of model {}",
                              machine.name, name_of(machine.model)),
                  {fmt::format("leave -m out for {0}, or set its numbers: -m {0} --set width={1} "
                               "--set multiprocessors={2} --set shared.capacity=…",
                               teaching_machine, machine.width, machine.multiprocessors)});
}

/// The relations are about PEM alone.
Result<PriceRequest> read_pem_price(const std::string& text) {
  Result<std::vector<PriceRequest>> prices = read_prices({text});
  if (!prices) return prices.errors();
  if (prices->front().model->name == "pem") return prices->front();
  return error_in("--price", fmt::format("'{}' is no price of model pem", text),
                  {"write it like this: " + price_model_named("pem")->example()});
}

/// Of the failed run, as `run` says it; else whether all relations hold.
Exit exit_of(const RelationsReport& report, const Sources& sources, const Console& console) {
  const auto& failed = report.relations.failed;
  if (!failed) return report.relations.hold() ? Exit::done : Exit::check_failed;
  const MachineSpec &machine = failed->machine, &asked = report.asked.machine;
  if (machine.multiprocessors != asked.multiprocessors || machine.is_volatile != asked.is_volatile)
    console.print_error(fmt::format("the run on {}{}:\n",
                                    counted(machine.multiprocessors, "multiprocessor"),
                                    machine.is_volatile ? "" : ", not volatile"));
  RunReport run;
  run.run = failed->result;
  return exit_of(run, sources, console);
}

/// All runs, with a line on a terminal that says how many have ended.
Result<Exit> explain_relations(OptionReader& options, Sources& sources, Console& console) {
  if (options.words.size() != 1)
    return error_in("", "explain relations takes one program",
                    {"usage: memlane explain relations PROGRAM [options]"});
  const InterruptGuard guard;
  sweep::RelationsRequest asked;
  RunRequest request = read_run_request(options);
  MachineSelection& machine = request.recipe.machine;
  if (!machine.chosen) machine = {std::string(teaching_machine), machine.overrides, true};
  request.check_machine = only_agpu;
  // Whole runs are side by side, not the blocks of one.
  asked.runs.jobs = std::exchange(request.side_by_side.threads, 1);
  asked.runs.memory = request.recipe.limits.memory;
  if (const auto price = options.value("price")) {
    PriceRequest value;
    if (options.take(read_pem_price(*price), value)) asked.price = value;
  }
  PreparedRun run{sources};
  if (Status ready = prepare(request, options, run); !ready) return ready.errors();

  std::size_t ended = 0, of_batch = 0; // a batch's count begins again at 1
  ProgressLine progress([&] { return fmt::format("{} of {} runs done", ended, of_batch); });
  progress.show_with(run.point.options.limits);
  asked.runs.progress = [&](std::size_t done, std::size_t total) {
    ended = done;
    of_batch = total;
    progress.show();
  };
  asked.point = run.point;
  RelationsReport report{{}, sweep::relations_of(asked, sources)};
  progress.erase();
  const sweep::Relations& relations = report.relations;
  report.asked =
      cli::report_of(run.point, run.machine.path, {run.point.code, true, relations.run, {}});
  const Exit exit = exit_of(report, sources, console);
  if (relations.relations.empty()) return exit;
  const Status written = write_results(
      [&](Format format, TableStyle) { return render_relations(report, format); }, request.targets,
      !relations.failed || is_whole(relations.failed->result.stop), console);
  if (!written) return written.errors();
  return exit;
}

std::vector<Option> relations_options() {
  return join_options(
      {{{"machine", 'm', "MACHINE", false,
         "an AGPU, a shipped machine or a path; agpu-teaching if not given"},
        {"set", 0, "KEY=VALUE", true, "set a value of the machine, e.g. multiprocessors=13"}},
       program_options(),
       {{"input", 0, "ARRAY=FILE", true, "initial content of a memory array, as run takes it"}},
       seed_options(),
       timing_only_options(),
       {{"price", 0, "PRICES", false,
         "prices of PEM's T = t + lambda q + sigma, as pem:lambda=400,sigma=10"}},
       result_options(),
       {{"max-steps", 0, "N", false, "stop a run after N instructions (exit status 3)"},
        {"max-memory", 0, "BYTES", false, "most bytes of arrays, e.g. 500M; 2G if not given"}},
       {{"max-seconds", 0, "S", false, "stop after S seconds of work (exit status 3)"}},
       engine_options(),
       jobs_options()});
}

} // namespace

Command explain_relations_command() {
  return {"explain relations",
          "PROGRAM [options]",
          "what theorems about the AGPU say about a program, in numbers",
          "Run a program on an AGPU, on machines with fewer multiprocessors, with one for each\n"
          "block, and on one that keeps its shared memories, always with the values of k, p and\n"
          "M of the first. Show what the theorems of Koike's dissertation that relate models of\n"
          "computation say about these runs: both sides, whether the relation holds, and whether\n"
          "the numbers are those of runs or evaluated from them. The exit status is 1 if a\n"
          "relation does not hold.",
          relations_options(),
          {"memlane explain relations reduction -D n=4096",
           "memlane explain relations reduction -D n=4096 --price pem:lambda=400,sigma=10",
           "memlane explain relations reduction -D n=2^26 --set width=32 --timing-only"},
          explain_relations,
          {},
          {}};
}

} // namespace memlane::cli
