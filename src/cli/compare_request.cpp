#include "compare_request.hpp"

#include "input_files.hpp"
#include "kernel_command.hpp"
#include "program.hpp"

#include "memlane/machine/keys.hpp"
#include "memlane/points/command_program.hpp"
#include "memlane/points/point.hpp"
#include "memlane/support/suggest.hpp"

#include <boost/program_options/parsers.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace memlane::cli {
namespace {

using sweep::ComparedProgram;
using sweep::ComparedRun;

bool has_param(const ComparedProgram& one, const std::string& name) {
  const auto& params = one.program.checked.program.params;
  return std::any_of(params.begin(), params.end(),
                     [&](const lang::ParamDecl& param) { return param.name.text == name; });
}

bool defines(const ComparedProgram& one, const std::string& name) {
  return std::any_of(one.parameters.begin(), one.parameters.end(),
                     [&](const lang::ParamValue& value) { return value.name == name; });
}

/// What `--set` calls a letter of the papers; several names if that depends on the model.
std::string keys_of_letter(const std::string& letter) {
  std::string keys;
  for (const Model model : {Model::umm, Model::hmm}) {
    const auto key = key_of_letter(letter, model);
    if (key && keys != *key)
      keys += (keys.empty() ? "" : "=…, of an hmm --set ") + std::string(*key);
  }
  return keys;
}

Diagnostic unknown_parameter(const std::string& name,
                             const std::vector<ComparedProgram>& programs) {
  std::vector<std::string> names;
  for (const ComparedProgram& one : programs)
    for (const auto& param : one.program.checked.program.params) names.push_back(param.name.text);
  std::vector<std::string> help = did_you_mean(name, names);
  if (const std::string keys = keys_of_letter(name); !keys.empty())
    help.push_back(fmt::format("{} is the machine's: --set {}=…", name, keys));
  return error_in("-D", fmt::format("no program has a parameter '{}'", name), std::move(help));
}

/// Gives each definition to the programs that have its parameter and no definition of their own.
Status assign_definitions(const CompareRequest& request, Sources& sources,
                          std::vector<ComparedProgram>& programs) {
  ErrorCollector errors;
  std::set<std::string> given;
  const std::vector<std::string>& definitions = request.recipe.program.definitions;
  for (const std::string& text : definitions) {
    const std::string name = text.substr(0, text.find('='));
    if (!given.insert(name).second)
      errors.add(error_in("-D", fmt::format("parameter {} is given twice", name),
                          {fmt::format("a program in quotes may have its own: '{} -D {}'",
                                       request.programs.front(), text)}));
  }
  if (!errors.ok()) return errors.status();
  std::vector<lang::ParamValue> values;
  errors.take(param_values(sources, definitions), values);
  for (const lang::ParamValue& value : values) {
    bool known = false;
    for (ComparedProgram& one : programs) {
      if (!has_param(one, value.name)) continue;
      known = true;
      if (!defines(one, value.name)) one.parameters.push_back(value);
    }
    if (!known) errors.add(unknown_parameter(value.name, programs));
  }
  return errors.status();
}

/// A word of the command line as a program with options of its own: `"transpose --layout t=rows"`.
Result<ProgramSelection> read_program_word(const std::string& word) {
  if (word.find(" -") == std::string::npos) return ProgramSelection{word};
  std::vector<std::string> words;
  try {
    words = boost::program_options::split_unix(word);
  } catch (const std::exception&) { // a backslash with nothing to escape
    return error_in("",
                    fmt::format("the quotes and backslashes of '{}' do not fit together", word));
  }
  ProgramSelection program;
  Options options;
  add_program(options, program);
  options.take_word("program", &program.name);
  const Result<Arguments> arguments = options.parse(words);
  if (!arguments) {
    Diagnostics errors = arguments.errors();
    errors.back().help.push_back(
        fmt::format("a program in quotes may have -D, --fn, --type and --layout: '{}'", word));
    return errors;
  }
  if (arguments->words.size() != 1)
    return error_in(
        "", fmt::format("'{}' names {} programs, one is needed", word, arguments->words.size()));
  OptionReader given(*arguments);
  Sources none;
  options.receive(given, none);
  return program;
}

Result<ComparedProgram> load_program_word(const std::string& text, bool allow_races,
                                          Sources& sources) {
  Result<ProgramSelection> selection = read_program_word(text);
  if (!selection) return selection.errors();
  selection->allow_races = allow_races;
  Result<CheckedProgram> program = load_checked_program(sources, *selection);
  if (!program) return program.errors();
  ComparedProgram compared{text, std::move(*selection), std::move(*program)};
  ErrorCollector errors;
  errors.take(param_values(sources, compared.selection.definitions), compared.parameters);
  for (const lang::ParamValue& value : compared.parameters)
    if (!has_param(compared, value.name))
      errors.add(error_in(
          "-D", fmt::format("{} has no parameter '{}'", compared.selection.name, value.name)));
  if (!errors.ok()) return errors.errors();
  return compared;
}

/// `1e-6`.
Result<double> read_tolerance(const std::string& text) {
  const auto number = number_of<double>(text);
  if (number && *number >= 0 && *number < 1) return *number;
  return error_in("--tolerance", fmt::format("'{}' is not a number from 0 to below 1", text));
}

/// --all-models, and the options that need it or do not go with it.
void check_all_models(OptionReader& options, const CompareRequest& request) {
  for (const char* price : {"price", "prices"})
    if (options.has(price) && !request.all_models)
      options.fail(fmt::format("--{}", price), "only the table of all models has prices",
                   "add --all-models, or take memlane run");
  if (!request.all_models) return;
  for (const char* other : {"lines", "arrays", "tolerance", "store", "verbose"})
    if (options.has(other))
      options.fail("--all-models", fmt::format("it has no use for --{}", other),
                   "leave out one of the two");
  if (request.programs.size() != 1)
    options.fail("--all-models",
                 fmt::format("one program is priced, not {}", request.programs.size()),
                 "call memlane once for each program");
}

/// What only programs of memlane's language have.
void check_commands(OptionReader& options, const CompareRequest& request) {
  if (request.commands.empty()) return;
  for (const char* other :
       {"all-models", "timing-only", "arrays", "tolerance", "input", "allow-races"})
    if (options.has(other))
      options.fail(fmt::format("--{}", other), "runs of --command do not have it", "leave it out");
}

/// The commands with the programs that stand for them. Errors: a name without a value.
Status add_commands(const CompareRequest& request, Sources& sources,
                    std::vector<ComparedProgram>& programs) {
  ErrorCollector errors;
  std::vector<sweep::KernelCommand> commands;
  for (const std::string& text : request.commands) {
    sweep::SweptProgram swept;
    swept.command = text;
    Result<sweep::KernelCommand> command = load_kernel_command(swept, sources.limits());
    if (!errors.check(command) || !errors.check(check_times_all(text))) continue;
    const std::set<std::string> names = sweep::names_in_words(command->words);
    for (const std::string& name : names)
      if (std::none_of(request.recipe.program.definitions.begin(),
                       request.recipe.program.definitions.end(),
                       [&](const std::string& given) { return given.starts_with(name + '='); }))
        errors.add(error_in("--command", fmt::format("{{{}}} has no value", name),
                            {fmt::format("give one: -D {}=1024", name)}));
      else if (!sweep::is_parameter_name(name))
        errors.add(error_in("--command", fmt::format("{{{}}} cannot be a number", name),
                            {"take a name that is no word of memlane's language"}));
    commands.push_back(std::move(*command));
  }
  if (!errors.ok()) return errors.status();
  const std::vector<std::string> called = sweep::names_of_commands(commands);
  for (std::size_t k = 0; k < commands.size(); ++k) {
    Result<CheckedProgram> program =
        sweep::program_for(commands[k], sweep::names_in_words(commands[k].words), sources);
    if (!errors.check(program)) continue;
    ComparedProgram& compared =
        programs.emplace_back(ComparedProgram{called[k], {commands[k].path}, std::move(*program)});
    compared.command = commands[k];
  }
  return errors.status();
}

} // namespace

void compare_options(Options& options, CompareRequest& request) {
  Recipe& recipe = request.recipe;
  options.take_words("program", 1, &request.programs);
  options.words.except = "command";
  options.add("command", "COMMAND", &request.commands,
              "your own kernels, as a program: 'cuda PROGRAM ARGUMENTS' or 'ptx FILE.ptx\n"
              "--launch …'; {n} in it is the number of -D n");
  add_machines(options, request.machines,
               "a shipped machine or a path, once for each; if none is given umm-w32,\n"
               "or one that fits the programs");
  options.add("define,D", "NAME=VALUE", &recipe.program.definitions,
              "a parameter of the programs that have it");
  options.flag("lines", &request.comparison.lines,
               "compare two runs line by line: requests, stages and lost stages.\n"
               "One program on two machines or with two layouts is matched by\n"
               "line numbers, two programs by their texts. CSV and JSON Lines then\n"
               "have the lines, and not the runs");
  options.flag("all-models", &request.all_models,
               "one program on one machine of every model, or on those of -m, with\n"
               "the counts of a PRAM and all prices: one table of numbers");
  add_prices(options, recipe.prices);
  options.add("input", "ARRAY=FILE", &recipe.inputs,
              "initial content of a memory array, for the programs that have it,\n"
              "as run takes it");
  options.add("arrays", "A,B", list(&request.arrays),
              "memory arrays whose final contents must be equal; without it\n"
              "those that all programs have in one size");
  options.add("tolerance", "R", parsed(&request.comparison.tolerance, read_tolerance),
              "real numbers may differ by R times their size; 0 if not given");
  add_seed(options, recipe.seed);
  add_races(options, recipe.program.allow_races);
  add_atomics(options, recipe.atomics);
  add_timing_only(options, recipe.timing_only, {"arrays", "tolerance", "allow-races", "input"});
  add_point_store(options, request.store);
  add_targets(options, request.targets);
  add_limits(options, recipe.limits);
  add_engine(options, recipe.engine);
  add_verbose(options, request.verbose);
  add_jobs(options, request.comparison.jobs);
  options.then([&request](OptionReader& given, Sources&) {
    request.comparison.memory = request.recipe.limits.memory;
    check_all_models(given, request);
    check_commands(given, request);
  });
}

Result<std::vector<ComparedProgram>> load_programs(const CompareRequest& request,
                                                   Sources& sources) {
  ErrorCollector errors;
  std::vector<ComparedProgram> programs;
  for (const std::string& text : request.programs) {
    Result<ComparedProgram> one =
        load_program_word(text, request.recipe.program.allow_races, sources);
    if (errors.check(one)) programs.push_back(std::move(*one));
  }
  errors.check(add_commands(request, sources, programs));
  // What a parameter is called is known only when every program could be read.
  if (errors.ok()) errors.check(assign_definitions(request, sources, programs));
  if (!errors.ok()) return errors.errors();
  return programs;
}

Result<std::vector<sweep::ComparedMachine>> load_machines(const CompareRequest& request,
                                                          Sources& sources) {
  ErrorCollector errors;
  std::vector<sweep::ComparedMachine> machines;
  for (const MachineSelection& selection : request.machines) {
    Result<LoadedMachine> machine = load_selected_machine(sources, selection);
    if (!errors.check(machine)) continue;
    const auto same = std::find_if(machines.begin(), machines.end(), [&](const auto& known) {
      return sweep::same_machine(known.machine.spec, machine->spec);
    });
    if (same == machines.end()) {
      machines.push_back({selection.name, selection, std::move(*machine)});
      continue;
    }
    // One run, under both names.
    same->name = sweep::joined_names(same->name, selection.name);
    std::string& name = same->machine.spec.name;
    name = name == machine->spec.name ? same->name : sweep::joined_names(name, machine->spec.name);
  }
  if (!errors.ok()) return errors.errors();
  return machines;
}

Status read_inputs(const CompareRequest& request, Sources& sources,
                   std::vector<ComparedRun>& runs) {
  std::vector<std::string> known;
  for (const ComparedRun& run : runs) {
    if (!run.point.code) continue;
    for (const ir::Array& array : run.point.code->arrays)
      if (array.space == ir::Space::memory) known.push_back(array.name);
  }
  ErrorCollector errors;
  for (const auto& [name, path] : request.recipe.inputs)
    if (std::find(known.begin(), known.end(), name) == known.end())
      errors.add(error_in("--input", fmt::format("no program has a memory array '{}'", name),
                          did_you_mean(name, known)));
  InputFiles files(sources);
  for (ComparedRun& run : runs) {
    if (!errors.ok() || !run.point.code) continue;
    std::erase_if(run.recipe.inputs, [&](const NameAndValue& input) {
      return !sweep::memory_array_of(*run.point.code, input.first);
    });
    run.point.input_sources = run.row.info.inputs = run.recipe.inputs;
    errors.check(files.add(*run.point.code, run.point));
  }
  return errors.status();
}

} // namespace memlane::cli
