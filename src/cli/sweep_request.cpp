#include "sweep_request.hpp"

#include "files.hpp"
#include "input_files.hpp"
#include "kernel_command.hpp"
#include "kernel_options.hpp"
#include "program.hpp"

#include "memlane/points/sweep_file.hpp"
#include "memlane/ptx/price.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace memlane::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_sweep_bytes = std::size_t{16} << 20;

bool is_sweep_file(const std::string& word) { return fs::path(word).extension() == ".json"; }

/// A file in this folder, else the shipped one of that name.
std::string path_of_sweep(const std::string& word) {
  std::error_code code;
  if (word.find('/') != std::string::npos || fs::exists(word, code)) return word;
  const fs::path shipped = fs::path(data_home()) / "configs" / "sweeps" / word;
  return fs::exists(shipped, code) ? short_path(shipped.string()) : word;
}

Result<std::int32_t> add_sweep_file(Sources& sources, const std::string& word) {
  const std::string path = path_of_sweep(word);
  Result<std::string> text =
      read_file(path, most_sweep_bytes, {"a sweep file is not that large"}, sources.limits());
  if (text) return sources.add(path, std::move(*text));
  Diagnostics errors = text.errors();
  const std::string folder = (fs::path(data_home()) / "configs" / "sweeps").string();
  const std::vector<std::string> shipped = names_in(folder, ".json");
  if (const auto near = nearest(fs::path(word).stem().string(), shipped))
    errors.back().help.push_back(fmt::format("a shipped sweep is {}.json", *near));
  return errors;
}

} // namespace

namespace {

/// Tells the sweep file from programs.
void find_sweep_file(OptionReader& given, SweepSelection& selection) {
  std::erase_if(selection.options.programs, [&](const std::string& word) {
    if (!is_sweep_file(word)) return false;
    if (selection.file)
      given.fail("", fmt::format("{} and {} are two sweep files", *selection.file, word),
                 "run them one after the other, into one store");
    else
      selection.file = word;
    return true;
  });
}

} // namespace

void add_axes(Options& options, sweep::SweepOptions& texts, std::string_view machines) {
  options.add("machine,m", "MACHINE", &texts.machines, machines);
  options.add("define,D", "NAME=VALUES", &texts.definitions,
              "values of a parameter that all programs have, or of a letter of the\n"
              "machine (p, w, l, d, L; on an MMM Z, U, P):\n"
              "n=1024,4096, n=2^10..2^20:pow2 (each twice the one before), n=1..33:2\n"
              "(step 2), n=1..33. Both ends are included, unlike the language's\n"
              "lo..hi. Given again, the option adds values");
  options.add("set", "KEY=VALUES", &texts.settings,
              "values of the machine, e.g. shared.latency=1,10,100");
  options.add("layout", "ARRAY=LAYOUTS", &texts.layouts,
              "layouts of an array, e.g. \"t=rows,padded(1)\"");
  options.add("type", "NAME=TYPES", &texts.types, "types, e.g. value=int,float");
  options.add("fn", "TEXT", &texts.fns,
              "a fn, e.g. \"combine(x, y) = max(x, y)\"; each more one of the same\n"
              "name is another value");
  add_where(options, texts.where,
            "run only points with this condition over parameters and the machine,\n"
            "in the language of programs: \"m*m*3 <= capacity\"");
}

void add_content(Options& options, sweep::SweepOptions& texts) {
  options.add("input", "ARRAY=FILE", &texts.inputs,
              "initial content of a memory array, for the programs that have it,\n"
              "as run takes it");
  options.flag("no-verify", &texts.verify, "skip the check of each result");
  add_races(options, texts.allow_races);
}

void add_sweep(Options& options, SweepSelection& selection, std::string_view machines) {
  sweep::SweepOptions& texts = selection.options;
  options.words.receive = [&texts](const auto& words) { texts.programs = words; };
  options.words.except = "command";
  options.add("command", "COMMAND", &texts.commands,
              "instead of a program: 'cuda PROGRAM ARGUMENTS' or 'ptx FILE.ptx\n"
              "--launch …', as memlane takes it; {n} in it is the value of -D n");
  add_axes(options, texts, machines);
  options.add("seeds", "N", whole(&texts.seeds, 1, 1'000'000),
              "run each point with the seeds 1 to N; 1 if not given");
  add_content(options, texts);
  add_timing_only(options, texts.timing_only, {"allow-races", "input"});
  add_pram(options, texts.pram);
  add_prices(options, texts.prices);
  options.then([&selection, &texts](OptionReader& given, Sources&) {
    find_sweep_file(given, selection);
    for (const std::string& command : texts.commands)
      if (command.starts_with("cuda") && given.has("engine"))
        given.fail("--engine", "runs of 'cuda' have one engine", "leave it out");
  });
}

namespace {

/// The machine of a sweep for which none is named. A program that cannot be read is an error of its
/// plan.
std::string fitting_machine(const std::vector<std::string>& names, const Limits& limits) {
  Sources sources;
  sources.set_limits(limits);
  std::vector<CheckedProgram> programs;
  for (const std::string& name : names)
    if (auto program = load_checked_program(sources, {name}))
      programs.push_back(std::move(*program));
  std::vector<const lang::Checked*> checked;
  for (const CheckedProgram& program : programs) checked.push_back(&program.checked);
  return std::string(sweep::default_machine(checked).name);
}

} // namespace

Result<sweep::SweepSpec> load_sweep(Sources& sources, const SweepSelection& selection) {
  const sweep::SweepOptions& options = selection.options;
  if (!selection.file) {
    Result<sweep::SweepSpec> sweep = sweep::read_sweep_options(
        sources, options,
        !options.machines.empty()   ? ""
        : !options.commands.empty() ? std::string(kernel_machine)
                                    : fitting_machine(options.programs, sources.limits()));
    if (sweep && options.programs.empty() && !options.commands.empty()) {
      const Result<sweep::KernelCommand> first =
          load_kernel_command(sweep->programs.front(), sources.limits());
      if (!first) return first.errors();
      sweep->name = fs::path(first->path).stem().generic_string();
    }
    return sweep;
  }
  const Result<std::int32_t> file = add_sweep_file(sources, *selection.file);
  if (!file) return file.errors();
  Result<sweep::SweepSpec> sweep = sweep::read_sweep_file(sources, *file, options.machines);
  if (!sweep) return sweep;
  return sweep::change_sweep(sources, std::move(*sweep), options);
}

sweep::SweepFiles sweep_files(Sources& sources) {
  sweep::SweepFiles files;
  files.program = [&sources](const std::string& name, const std::vector<NameAndValue>& replaced) {
    return load_checked_program(sources, {name, replaced});
  };
  files.machine = [&sources](const std::string& name, const std::vector<std::string>& overrides) {
    return load_selected_machine(sources, {name, overrides, true});
  };
  files.command = [&sources](const sweep::SweptProgram& swept) {
    return load_kernel_command(swept, sources.limits());
  };
  files.check_words = check_launches;
  files.fits_kernels = ptx::Pricing::check;
  files.input_hash = [&sources](const std::string& source) {
    return input_hash(source, sources.limits());
  };
  return files;
}

} // namespace memlane::cli
