// memlane compare: several programs on several machines in one table.
#include "command.hpp"
#include "compare_arrays.hpp"
#include "interrupt.hpp"
#include "program.hpp"
#include "results.hpp"
#include "version.hpp"

#include "memlane/report/comparison.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

namespace memlane::cli {
namespace {

/// A program, and the -D that are for it.
struct Entry {
  std::string name;
  CheckedProgram program;
  Arguments arguments;
};

/// One program on one machine: its row, and the code if it can run.
struct Cell {
  ComparisonRow row;
  const MachineSpec* machine = nullptr;
  std::optional<ir::Program> code;
  Diagnostics errors; ///< why there is none
};

struct Work {
  Sources sources;
  std::vector<Entry> entries;
  std::vector<std::pair<std::string, LoadedMachine>> machines;
  std::vector<Cell> cells;
  RunOptions options;
  double tolerance = 0;
  std::vector<ResultTarget> targets;
  Comparison comparison;
};

void note(Diagnostics& errors, const Diagnostics& more) {
  errors.insert(errors.end(), more.begin(), more.end());
}

std::string defined_name(const std::string& text) { return text.substr(0, text.find('=')); }

bool has_param(const CheckedProgram& program, const std::string& name) {
  const auto& params = program.checked.program.params;
  return std::any_of(params.begin(), params.end(),
                     [&](const lang::ParamDecl& param) { return param.name.text == name; });
}

/// A -D is for the programs that have its parameter; one that none has is an error.
Status deal_definitions(const Arguments& arguments, std::vector<Entry>& entries) {
  Diagnostics errors;
  for (const std::string& text : arguments.values("define")) {
    const std::string name = defined_name(text);
    bool known = false;
    // Without a `=` every program takes it, to say what is wrong with it.
    const bool broken = !name_and_value("-D", "NAME=VALUE", text);
    for (Entry& entry : entries) {
      if (!broken && !has_param(entry.program, name)) continue;
      known = true;
      entry.arguments.options.emplace_back("define", text);
    }
    if (known) continue;
    std::vector<std::string> names;
    for (const Entry& entry : entries) {
      for (const auto& param : entry.program.checked.program.params) {
        names.push_back(param.name.text);
      }
    }
    errors.push_back(error_in("-D", fmt::format("no program has a parameter '{}'", name),
                              did_you_mean(name, names)));
  }
  if (!errors.empty()) return errors;
  return Done{};
}

Status load(const Arguments& arguments, Work& work) {
  Diagnostics errors;
  for (const std::string& name : arguments.words) {
    Result<CheckedProgram> program = load_checked_program(work.sources, name, Arguments{});
    if (program) {
      work.entries.push_back({name, std::move(*program), {}});
    } else {
      note(errors, program.errors());
    }
  }
  std::vector<std::string> machines = arguments.values("machine");
  if (machines.empty()) machines.emplace_back(standard_machine);
  for (const std::string& name : machines) {
    Result<LoadedMachine> machine =
        load_machine(work.sources, name, arguments.values("set"), machine_files());
    if (machine) {
      work.machines.emplace_back(name, std::move(*machine));
    } else {
      note(errors, machine.errors());
    }
  }
  // What a parameter is called is known only when every program could be read.
  if (!errors.empty()) return errors;
  return deal_definitions(arguments, work.entries);
}

/// `--tolerance 1e-6`.
Result<double> read_tolerance(const Arguments& arguments) {
  const std::string text = arguments.value("tolerance").value_or("0");
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (whole && number >= 0 && number < 1) return number;
  return error_in("--tolerance", fmt::format("'{}' is not a number from 0 to below 1", text));
}

Status read_options(const Arguments& arguments, Work& work) {
  Diagnostics errors;
  const auto take = [&](auto result, auto& into) {
    if (result) {
      into = std::move(*result);
    } else {
      note(errors, result.errors());
    }
  };
  std::int64_t seed = 1;
  take(integer_option(arguments, "seed", 0, INT64_MAX, 1), seed);
  take(read_limits(arguments), work.options.limits);
  take(result_targets(arguments), work.targets);
  take(read_tolerance(arguments), work.tolerance);
  work.options.seed = static_cast<std::uint64_t>(seed);
  work.options.allow_races = arguments.has("allow-races");
  work.comparison.version = version;
  work.comparison.seed = work.options.seed;
  if (!errors.empty()) return errors;
  return Done{};
}

/// Every program made ready for every machine, as far as the machine can run it.
void make_cells(Work& work) {
  for (const auto& [name, machine] : work.machines) {
    for (Entry& entry : work.entries) {
      Cell cell;
      cell.row.program = entry.name;
      cell.row.machine = name;
      cell.machine = &machine.spec;
      entry.program.info.parameters.clear();
      Result<ir::Program> code =
          compile(work.sources, entry.program, machine.spec, entry.arguments);
      cell.row.info = entry.program.info;
      if (code) {
        cell.code = std::move(*code);
      } else {
        cell.errors = code.errors();
        cell.row.ran = Ran::cannot_run;
        cell.row.reason = cell.errors.front().message;
      }
      work.cells.push_back(std::move(cell));
    }
  }
}

std::vector<std::string> names_in_list(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    names.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

Status choose_arrays(const Arguments& arguments, Work& work) {
  std::vector<Compared> programs;
  for (const Cell& cell : work.cells) {
    if (!cell.code) continue;
    programs.push_back({fmt::format("{} on {}", cell.row.program, cell.row.machine), &*cell.code});
  }
  const auto list = arguments.value("arrays");
  Result<CommonArrays> chosen =
      list ? asked_arrays(names_in_list(*list), programs) : common_arrays(programs);
  if (!chosen) return chosen.errors();
  work.options.outputs = chosen->names;
  work.comparison.arrays = chosen->names;
  work.comparison.remarks = chosen->remarks;
  return Done{};
}

/// The results that the others are held against: those of the first run that came to its end.
struct Reference {
  const Cell* cell = nullptr;
  RunResult result;
};

void hold_against(const Reference& reference, Cell& cell, const RunResult& result,
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

void note_end(Cell& cell, const RunResult& result) {
  cell.row.verify = result.verify;
  cell.row.counts = result.counts;
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

/// Runs all that can run; what is left after an interruption is shown as not run.
Exit run_all(Work& work, const Console& console) {
  const InterruptGuard guard;
  Reference reference;
  Cell* alone = nullptr; // the reference, as long as nothing was held against it
  Exit exit = Exit::done;
  for (Cell& cell : work.cells) {
    if (!cell.code) continue;
    if (exit == Exit::interrupted) {
      cell.row.ran = Ran::stopped;
      cell.row.reason = "interrupted before it began";
      continue;
    }
    Observer nobody;
    RunResult result = simulate(*cell.code, *cell.machine, work.options, work.sources, nobody);
    if (!result.errors.empty()) console.talk(render(result.errors, work.sources));
    note_end(cell, result);
    const Stop stop = result.stop;
    if (stop == Stop::none && !reference.cell) {
      reference = {&cell, std::move(result)};
      alone = &cell;
    } else if (stop == Stop::none) {
      hold_against(reference, cell, result, work.tolerance);
      if (alone && !work.comparison.arrays.empty()) alone->row.results = SameResults::equal;
      alone = nullptr;
    }
    exit = worse(exit, exit_of(cell.row, stop));
  }
  return exit;
}

bool any_different(const Work& work) {
  return std::any_of(work.cells.begin(), work.cells.end(),
                     [](const Cell& cell) { return cell.row.results == SameResults::different; });
}

Exit compare(const Arguments& arguments, Console& console) {
  if (arguments.words.empty()) {
    return console.fail(error_in("", "compare takes one or more programs",
                                 {"usage: memlane compare PROGRAM... [options]"}));
  }
  Work work;
  Diagnostics errors;
  if (Status read = read_options(arguments, work); !read) note(errors, read.errors());
  if (Status loaded = load(arguments, work); !loaded) note(errors, loaded.errors());
  if (!errors.empty()) return console.fail(errors, work.sources);
  make_cells(work);
  const bool any = std::any_of(work.cells.begin(), work.cells.end(),
                               [](const Cell& cell) { return cell.code.has_value(); });
  if (!any) {
    for (const Cell& cell : work.cells) note(errors, cell.errors);
    return console.fail(errors, work.sources);
  }
  if (Status chosen = choose_arrays(arguments, work); !chosen) {
    return console.fail(chosen.errors(), work.sources);
  }
  const Exit exit = run_all(work, console);
  if (!arguments.has("arrays") && any_different(work)) {
    console.talk(
        "help: --arrays A,B says which arrays must be equal at the end; without it all are "
        "compared that the programs have in common\n");
  }
  for (Cell& cell : work.cells) work.comparison.rows.push_back(std::move(cell.row));
  const Status written = write_results(
      [&](Format format, TableStyle style) {
        return render_comparison(work.comparison, format, style);
      },
      work.targets, console);
  return written ? exit : console.fail(written.errors(), work.sources);
}

std::vector<Option> options_of_compare() {
  std::vector<Option> options = {
      {"machine", 'm', "MACHINE", true,
       "a shipped machine or a path, once for each; umm-w32 if none is given"},
      {"set", 0, "KEY=VALUE", true, "sets a value of every machine, e.g. latency=30"},
      {"define", 'D', "NAME=VALUE", true, "a parameter of the programs that have it"},
      {"arrays", 0, "A,B", false,
       "memory arrays whose final contents must be equal; without it\n"
       "those that all programs have in one size"},
      {"tolerance", 0, "R", false, "real numbers may differ by R times their size; 0 if not given"},
      {"seed", 0, "N", false, "of random numbers; 1 if not given"},
      {"allow-races", 0, "", false, "counts races and goes on"}};
  for (const Option& option : result_options()) options.push_back(option);
  options.push_back({"max-steps", 0, "N", false, "stops a run after so many instructions"});
  options.push_back({"max-memory", 0, "BYTES", false, "most bytes of arrays of a run; 2G"});
  for (const Option& option : limit_options()) options.push_back(option);
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
      "where they differ, or a verify fails, the exit status is 1.",
      options_of_compare(),
      {"memlane compare prefix_simple prefix_sums -m dmm-w32 -m umm-w32 -D n=1024",
       "memlane compare scan_brent_kung scan_brent_kung_padded -m dmm-w32 --format csv"},
      compare};
}

} // namespace memlane::cli
