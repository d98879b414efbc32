// memlane bank: banks, address groups and stages of one warp's access, and what other layouts would
// make of it.
#include "bank_expression.hpp"
#include "bank_request.hpp"
#include "command.hpp"
#include "version.hpp"

#include "memlane/report/bank_report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cli {
namespace {

std::vector<BankUnit> units_of(const std::string& name, const MachineSpec& machine) {
  std::vector<BankUnit> units;
  const bool both = machine.shared && machine.global;
  if (machine.shared) units.push_back({name, both ? "shared" : "memory", machine.shared->kind});
  if (machine.global) units.push_back({name, both ? "global" : "memory", machine.global->kind});
  return units;
}

BankRequest request_of(const BankCommand& command, const MachineSpec& machine,
                       const LaneIndices& elements) {
  BankRequest request;
  request.access = bank_access(machine.width, elements);
  request.row_length = command.row > 0         ? command.row
                       : command.shape.empty() ? machine.width
                                               : command.shape.back();
  request.layouts = layout_stages(machine.width, elements, request.row_length);
  const std::int64_t words = command.bytes / 4;
  if (words > 1 && machine.width % words == 0)
    request.split = split_stages(machine.width, elements, words);
  return request;
}

Result<BankReport> report_of(Sources& sources, const BankCommand& command) {
  std::vector<LoadedMachine> machines;
  std::int64_t lanes = 1;
  for (const MachineSelection& selection : command.machines) {
    Result<LoadedMachine> machine = load_selected_machine(sources, selection);
    if (!machine) return machine.errors();
    lanes = std::max(lanes, machine->spec.width);
    machines.push_back(std::move(*machine));
  }
  const Result<BankProgram> program = bank_program(sources, command, lanes);
  if (!program) return program.errors();
  BankReport report;
  report.version = version;
  report.expression = command.expression;
  report.parameters = command.parameters;
  report.active = command.active;
  report.warp = command.warp;
  report.bytes = command.bytes;
  report.row_reason = command.row > 0         ? "--row"
                      : command.shape.empty() ? "the width; --row N for others"
                                              : "--shape";
  std::vector<LaneIndices> of_requests;
  for (std::size_t m = 0; m < machines.size(); ++m) {
    const MachineSpec& machine = machines[m].spec;
    if (machine.model == Model::mmm)
      return error_in("-m", "an MMM has neither banks nor address groups",
                      {"choose a DMM, a UMM, an HMM or an AGPU"});
    const auto elements = elements_on(sources, *program, command, machine);
    if (!elements) return elements.errors();
    const auto same = std::find(of_requests.begin(), of_requests.end(), *elements);
    const auto number = static_cast<std::size_t>(same - of_requests.begin());
    if (same == of_requests.end()) {
      of_requests.push_back(*elements);
      report.requests.push_back(request_of(command, machine, *elements));
    }
    for (BankUnit& unit : units_of(command.machines[m].name, machine))
      report.requests[number].units.push_back(std::move(unit));
  }
  return report;
}

Result<Exit> bank(OptionReader& options, Sources& sources, Console& console) {
  if (options.words.size() != 1)
    return error_in("", fmt::format("bank takes one expression, not {}", options.words.size()),
                    {"put it in quotes: memlane bank \"thread * stride\" -D stride=4"});
  BankCommand command = read_bank_command(options);
  if (!options.ok()) return options.errors();
  const Result<BankReport> report = report_of(sources, command);
  if (!report) return report.errors();
  const Status written =
      write_results([&](Format format, TableStyle) { return render_bank(*report, format); },
                    command.targets, true, console);
  if (!written) return written.errors();
  return Exit::done;
}

} // namespace

Command bank_command() {
  return {"bank",
          "EXPR [-m MACHINE]... [options]",
          "show banks, address groups and stages of one warp's access",
          "Show which bank and which address group each lane of a warp accesses, how many stages\n"
          "the request has on a DMM and a UMM, and what paddings, the diagonal and XOR swizzles\n"
          "would make of it. EXPR is an address in words, in the language of programs; it may use\n"
          "thread, lane, warp, the machine's letters and the names of -D. An element of an array\n"
          "is written with its indices, and the array's shape: \"t[lane, 0]\" --shape 32,32.",
          bank_options(),
          {"memlane bank \"(thread*stride) % 1024\" -D stride=4",
           "memlane bank \"t[lane, 0]\" --shape 32,32",
           "memlane bank \"lane*16\" --row 16 -m dmm-w32 -m hmm-h200",
           "memlane bank \"lane\" --bytes 16 --active \"lane < 8\"",
           "memlane bank \"thread / 2\" --warp 3 --format csv"},
          bank};
}

} // namespace memlane::cli
