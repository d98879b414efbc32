#include "sweep_request.hpp"

#include "files.hpp"
#include "input_files.hpp"
#include "program.hpp"

#include "memlane/points/sweep_file.hpp"
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

std::vector<Option> sweep_selection_options() {
  return join_options({{{"machine", 'm', "MACHINE", true,
                         "a shipped machine or a path, once for each; if none is given umm-w32,\n"
                         "or one that fits the programs"}},
                       axis_options()});
}

std::vector<Option> axis_options() {
  return join_options(
      {{{"define", 'D', "NAME=VALUES", true,
         "values of a parameter that all programs have, or of a letter of the\n"
         "machine (p, w, l, d, L; on an MMM Z, U, P):\n"
         "n=1024,4096, n=2^10..2^20:pow2 (each twice the one before), n=1..33:2\n"
         "(step 2), n=1..33. Both ends are included, unlike the language's\n"
         "lo..hi. Given again, the option adds values"},
        {"set", 0, "KEY=VALUES", true, "values of the machine, e.g. shared.latency=1,10,100"},
        {"layout", 0, "ARRAY=LAYOUTS", true, "layouts of an array, e.g. \"t=rows,padded(1)\""},
        {"type", 0, "NAME=TYPES", true, "types, e.g. value=int,float"},
        {"fn", 0, "TEXT", true,
         "a fn, e.g. \"combine(x, y) = max(x, y)\"; each more one of the same\n"
         "name is another value"},
        {"where", 0, "CONDITION", false,
         "run only points with this condition over parameters and the machine,\n"
         "in the language of programs: \"m*m*3 <= capacity\""},
        {"seeds", 0, "N", false, "run each point with the seeds 1 to N; 1 if not given"},
        {"input", 0, "ARRAY=FILE", true,
         "initial content of a memory array, for the programs that have it,\n"
         "as run takes it"},
        {"no-verify", 0, "", false, "skip the check of each result"}},
       races_options(),
       timing_only_options(),
       pram_options(),
       price_options()});
}

SweepSelection read_sweep_selection(OptionReader& options, Sources& sources) {
  SweepSelection selection;
  sweep::SweepOptions& texts = selection.options;
  for (const std::string& word : options.words) {
    if (!is_sweep_file(word)) {
      texts.programs.push_back(word);
    } else if (selection.file) {
      options.add(error_in("", fmt::format("{} and {} are two sweep files", *selection.file, word),
                           {"run them one after the other, into one store"}));
    } else {
      selection.file = word;
    }
  }
  texts.machines = options.values("machine");
  texts.definitions = options.values("define");
  texts.settings = options.values("set");
  texts.layouts = options.values("layout");
  texts.types = options.values("type");
  texts.fns = options.values("fn");
  texts.inputs = options.values("input");
  texts.where = options.text("where");
  if (options.has("where") && texts.where.empty())
    options.add(error_in("--where", "the condition is empty", {"leave the option out"}));
  if (options.has("seeds")) texts.seeds = options.integer("seeds", 1, 1'000'000, 1);
  texts.timing_only = read_timing_only(options, {"allow-races", "input"});
  texts.verify = !options.has("no-verify");
  texts.allow_races = options.has("allow-races");
  texts.pram = options.has("pram");
  texts.prices = read_price_options(options, sources);
  return selection;
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
  if (!selection.file)
    return sweep::read_sweep_options(
        sources, options,
        options.machines.empty() ? fitting_machine(options.programs, sources.limits()) : "");
  const Result<std::int32_t> file = add_sweep_file(sources, *selection.file);
  if (!file) return file.errors();
  Result<sweep::SweepSpec> sweep = sweep::read_sweep_file(sources, *file);
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
  files.input_hash = [&sources](const std::string& source) {
    return input_hash(source, sources.limits());
  };
  return files;
}

} // namespace memlane::cli
