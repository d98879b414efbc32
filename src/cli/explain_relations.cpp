// memlane explain relations: what theorems about the AGPU say about one program, in numbers.
#include "explain.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "run_request.hpp"
#include "version.hpp"

#include "memlane/study/results/point_results.hpp"
#include "memlane/study/verify/relations.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <utility>

namespace memlane::cli {
namespace {

constexpr std::string_view teaching_machine = "agpu-teaching";

struct ExplainRelationsRequest {
  RunRequest run;
  sweep::RelationsRequest asked;
};

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
Result<std::optional<PriceRequest>> read_pem_price(const std::string& text) {
  Result<std::vector<PriceRequest>> prices = read_prices({text});
  if (!prices) return prices.errors();
  if (prices->front().model->name == "pem") return std::optional(prices->front());
  return error_in("--price", fmt::format("'{}' is no price of model pem", text),
                  {"write it like this: " + price_model_named("pem")->example()});
}

void relations_options(Options& options, ExplainRelationsRequest& request) {
  Recipe& recipe = request.run.recipe;
  options.take_word("program", &recipe.program.name);
  add_machine(options, recipe.machine,
              "an AGPU, a shipped machine or a path; agpu-teaching if not given");
  add_program(options, recipe.program);
  options.add("input", "ARRAY=FILE", &recipe.inputs,
              "initial content of a memory array, as run takes it");
  add_seed(options, recipe.seed);
  add_timing_only(options, recipe.timing_only, {});
  options.add("price", "PRICES", parsed(&request.asked.price, read_pem_price),
              "prices of PEM's T = t + lambda q + sigma, as pem:lambda=400,sigma=10");
  add_targets(options, request.run.targets);
  options.add("max-steps", "N", whole(&recipe.limits.steps, 1),
              "stop a run after N instructions (exit status 3)");
  options.add("max-memory", "BYTES", bytes(&recipe.limits.memory),
              "most bytes of arrays, e.g. 500M; 2G if not given");
  add_seconds(options, recipe.limits);
  add_engine(options, recipe.engine);
  add_jobs(options, request.asked.runs.jobs);
  request.run.check_machine = only_agpu;
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
Result<Exit> explain_relations(ExplainRelationsRequest& request, OptionReader& options,
                               Sources& sources, Console& console) {
  const InterruptGuard guard;
  MachineSelection& machine = request.run.recipe.machine;
  if (!machine.chosen) machine = {std::string(teaching_machine), machine.overrides, true};
  PreparedRun run{sources};
  if (Status ready = prepare(request.run, options, run); !ready) return ready.errors();

  sweep::RelationsRequest& asked = request.asked;
  asked.runs.memory = request.run.recipe.limits.memory;
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
  report.asked = memlane::report_of(run.point, run.machine.path,
                                    {run.point.code, true, relations.run, {}}, version);
  const Exit exit = exit_of(report, sources, console);
  if (relations.relations.empty()) return exit;
  const Status written = write_results(
      [&](Format format, TableStyle) { return render_relations(report, format); },
      request.run.targets, !relations.failed || is_whole(relations.failed->result.stop), console);
  if (!written) return written.errors();
  return exit;
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
          call_with(relations_options, explain_relations),
          {"memlane explain relations reduction -D n=4096",
           "memlane explain relations reduction -D n=4096 --price pem:lambda=400,sigma=10",
           "memlane explain relations reduction -D n=2^26 --set width=32 --timing-only"}};
}

} // namespace memlane::cli
