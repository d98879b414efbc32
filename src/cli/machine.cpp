// memlane machine: machine files. Each word is a command of its own.
#include "command.hpp"
#include "cuda_driver.hpp"
#include "program.hpp"

#include <fmt/format.h>

namespace memlane::cli {
namespace {

struct FromGpuRequest {
  int device = 0;
};

void from_gpu_options(Options& options, FromGpuRequest& request) {
  options.add("device", "N", whole(&request.device, 0, 9999), "the GPU's number; 0");
}

Result<LoadedMachine> shipped_machine(Sources& sources, const measure::KnownGpu& known) {
  return load_machine(sources, std::string(known.machine), {}, machine_files());
}

/// Whether the GPU is one whose machine is shipped: several of one name differ in this.
Result<bool> is_shipped(const measure::GpuFacts& facts, const measure::KnownGpu& known,
                        Sources& sources) {
  const Result<LoadedMachine> machine = shipped_machine(sources, known);
  if (!machine) return machine.errors();
  return machine->spec.multiprocessors == facts.multiprocessors;
}

Result<Exit> machine_from_gpu(FromGpuRequest& request, Sources& sources, Console& console) {
  const Result<measure::GpuFacts> facts = facts_of_gpu(request.device);
  if (!facts) {
    Diagnostics errors = facts.errors();
    errors.front().help.emplace_back("take a shipped machine, such as -m hmm-rtx3080 or -m hmm-t4; "
                                     "'memlane list machines' lists them");
    return errors;
  }
  const measure::KnownGpu& nearest = measure::nearest_gpu(facts->capability);
  const Result<LoadedMachine> machine = shipped_machine(sources, nearest);
  if (!machine) return machine.errors();
  if (const measure::KnownGpu* const known = measure::gpu_called(facts->name)) {
    const Result<bool> shipped = is_shipped(*facts, *known, sources);
    if (!shipped) return shipped.errors();
    if (*shipped)
      console.print_error(
          fmt::format("the machine of this GPU is shipped: -m {}\n", known->machine));
  }
  console.out(to_json(measure::gpu_machine(*facts, nearest, machine->spec)).dump(2) + "\n");
  return Exit::done;
}

Command from_gpu_command() {
  return {"machine from-gpu",
          "[--device N]",
          "print a machine file for a GPU of this computer",
          "Ask NVIDIA's driver (libcuda.so.1) for the GPU's sizes, limits, clocks and bandwidth,\n"
          "and print the HMM that has them, with the keys of section 10 of configs/README.md. The\n"
          "driver knows no latencies and costs: they are guesses, those of the shipped machine of\n"
          "the GPU's compute capability. The file's notes say which these are. 'memlane gpu fit'\n"
          "fits some of them to measured times. Where there is no GPU, it says so and ends with\n"
          "status 2.",
          call_with(from_gpu_options, machine_from_gpu),
          {"memlane machine from-gpu > mine.json && memlane run sum_hmm -m ./mine.json"}};
}

} // namespace

Command machine_command() {
  Command command;
  command.name = "machine";
  command.usage = "COMMAND [options]";
  command.summary = "print the machine of a GPU";
  command.description = "Make machine files. 'memlane list machines' lists the shipped ones, and\n"
                        "'memlane explain machine' explains them.";
  command.words = {from_gpu_command()};
  command.examples = command.words.front().examples;
  return command;
}

} // namespace memlane::cli
