#include "compare_request.hpp"

#include "input_files.hpp"
#include "point_writer.hpp"
#include "program.hpp"

#include "memlane/config/keys.hpp"
#include "memlane/support/suggest.hpp"
#include "memlane/sweep/point_key.hpp"

#include <boost/program_options/parsers.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace memlane::cli {
namespace {

using sweep::ComparedProgram;
using sweep::ComparedRun;

/// A program of the command line, with options of its own.
struct ProgramWord {
  sweep::CheckedProgram program;
  std::vector<lang::ParamValue> parameters = {};

  bool has_param(const std::string& name) const {
    const auto& params = program.checked.program.params;
    return std::any_of(params.begin(), params.end(),
                       [&](const lang::ParamDecl& param) { return param.name.text == name; });
  }
  bool defines(const std::string& name) const {
    return std::any_of(parameters.begin(), parameters.end(),
                       [&](const lang::ParamValue& value) { return value.name == name; });
  }
};

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

Diagnostic unknown_parameter(const std::string& name, const std::vector<ProgramWord>& words) {
  std::vector<std::string> names;
  for (const ProgramWord& word : words)
    for (const auto& param : word.program.checked.program.params) names.push_back(param.name.text);
  std::vector<std::string> help = did_you_mean(name, names);
  if (const std::string keys = keys_of_letter(name); !keys.empty())
    help.push_back(fmt::format("{} is the machine's: --set {}=…", name, keys));
  return error_in("-D", fmt::format("no program has a parameter '{}'", name), std::move(help));
}

/// Gives each definition to the programs that have its parameter and no definition of their own.
Status assign_definitions(const CompareRequest& request, Sources& sources,
                          std::vector<ProgramWord>& words) {
  ErrorCollector errors;
  std::set<std::string> given;
  for (const std::string& text : request.definitions) {
    const std::string name = text.substr(0, text.find('='));
    if (!given.insert(name).second)
      errors.add(error_in("-D", fmt::format("parameter {} is given twice", name),
                          {fmt::format("a program in quotes may have its own: '{} -D {}'",
                                       request.programs.front(), text)}));
  }
  if (!errors.ok()) return errors.status();
  std::vector<lang::ParamValue> values;
  errors.take(param_values(sources, request.definitions), values);
  for (const lang::ParamValue& value : values) {
    bool known = false;
    for (ProgramWord& word : words) {
      if (!word.has_param(value.name)) continue;
      known = true;
      if (!word.defines(value.name)) word.parameters.push_back(value);
    }
    if (!known) errors.add(unknown_parameter(value.name, words));
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
  Result<Arguments> arguments = read_arguments(words, program_options());
  if (!arguments) {
    Diagnostics errors = arguments.errors();
    errors.back().help.push_back(
        fmt::format("a program in quotes may have -D, --fn, --type and --layout: '{}'", word));
    return errors;
  }
  if (arguments->words.size() != 1)
    return error_in(
        "", fmt::format("'{}' names {} programs, one is needed", word, arguments->words.size()));
  return read_program(OptionReader(*arguments), arguments->words.front());
}

Result<ProgramWord> load_program_word(const std::string& text, bool allow_races, Sources& sources) {
  Result<ProgramSelection> selection = read_program_word(text);
  if (!selection) return selection.errors();
  selection->allow_races = allow_races;
  Result<sweep::CheckedProgram> program = load_checked_program(sources, *selection);
  if (!program) return program.errors();
  ProgramWord word{std::move(*program)};
  ErrorCollector errors;
  errors.take(param_values(sources, selection->definitions), word.parameters);
  for (const lang::ParamValue& value : word.parameters)
    if (!word.has_param(value.name))
      errors.add(
          error_in("-D", fmt::format("{} has no parameter '{}'", selection->name, value.name)));
  if (!errors.ok()) return errors.errors();
  return word;
}

/// `--tolerance 1e-6`.
double read_tolerance(OptionReader& options) {
  const std::string text = options.text("tolerance", "0");
  const auto number = number_of<double>(text);
  if (number && *number >= 0 && *number < 1) return *number;
  options.add(error_in("--tolerance", fmt::format("'{}' is not a number from 0 to below 1", text)));
  return 0;
}

/// The inputs whose arrays the program has.
std::vector<NameAndValue> inputs_of(const std::vector<NameAndValue>& inputs,
                                    const ir::Program& code) {
  std::vector<NameAndValue> own;
  for (const NameAndValue& input : inputs)
    if (sweep::memory_array_of(code, input.first)) own.push_back(input);
  return own;
}

} // namespace

std::vector<Option> compare_options() {
  return join_options(
      {{{"machine", 'm', "MACHINE", true,
         "a shipped machine or a path, once for each; if none is given umm-w32,\n"
         "or one that fits the programs"},
        {"set", 0, "KEY=VALUE", true, "set a value of every machine, e.g. latency=30"},
        {"define", 'D', "NAME=VALUE", true, "a parameter of the programs that have it"},
        {"lines", 0, "", false,
         "compare two runs line by line: requests, stages and lost stages.\n"
         "One program on two machines or with two layouts is matched by\n"
         "line numbers, two programs by their texts. CSV and JSON Lines then\n"
         "have the lines, and not the runs"},
        {"all-models", 0, "", false,
         "one program on one machine of every model, or on those of -m, with\n"
         "the counts of a PRAM and all prices: one table of numbers"}},
       price_options(),
       {{"input", 0, "ARRAY=FILE", true,
         "initial content of a memory array, for the programs that have it,\n"
         "as run takes it"},
        {"arrays", 0, "A,B", false,
         "memory arrays whose final contents must be equal; without it\n"
         "those that all programs have in one size"},
        {"tolerance", 0, "R", false,
         "real numbers may differ by R times their size; 0 if not given"}},
       seed_options(),
       races_options(),
       timing_only_options(),
       point_store_options(),
       result_options(),
       {{"max-steps", 0, "N", false, "stop a run after N instructions"},
        {"max-memory", 0, "BYTES", false, "most bytes of arrays of a run; 2G"}},
       limit_options(),
       engine_options(),
       verbose_options(),
       jobs_options()});
}

namespace {

/// --all-models, and the options that need it or do not go with it.
void read_all_models(OptionReader& options, CompareRequest& request) {
  request.all_models = options.has("all-models");
  for (const char* price : {"price", "prices"})
    if (options.has(price) && !request.all_models)
      options.add(error_in(fmt::format("--{}", price), "only the table of all models has prices",
                           {"add --all-models, or take memlane run"}));
  if (!request.all_models) return;
  for (const char* other : {"lines", "arrays", "tolerance", "store", "verbose"})
    if (options.has(other))
      options.add(error_in("--all-models", fmt::format("it has no use for --{}", other),
                           {"leave out one of the two"}));
  if (request.programs.size() != 1)
    options.add(error_in("--all-models",
                         fmt::format("one program is priced, not {}", request.programs.size()),
                         {"call memlane once for each program"}));
}

} // namespace

CompareRequest read_compare_request(OptionReader& options) {
  CompareRequest request;
  request.programs = options.words;
  RunOptions& run = request.common.options;
  run.seed = read_seed(options);
  run.limits = read_limits(options);
  request.common.engine = read_engine(options);
  request.common.claims = options.has("store"); // a stored result has them
  request.comparison.jobs = read_jobs(options);
  request.comparison.memory = run.limits.memory;
  request.targets = read_targets(options);
  request.store = options.value("store");
  request.comparison.tolerance = read_tolerance(options);
  request.comparison.lines = options.has("lines");
  run.timing_only = read_timing_only(options, {"arrays", "tolerance", "allow-races", "input"});
  std::vector<std::string> machines = options.values("machine");
  request.machines_chosen = !machines.empty();
  if (machines.empty()) machines.emplace_back(standard_machine);
  for (const std::string& name : machines)
    request.machines.push_back({name, options.values("set"), request.machines_chosen});
  request.definitions = options.values("define");
  request.inputs = options.pairs("input", "ARRAY=FILE");
  if (const auto arrays = options.value("arrays")) request.arrays = split_list(*arrays);
  request.allow_races = options.has("allow-races");
  request.verbose = options.has("verbose");
  read_all_models(options, request);
  return request;
}

Result<std::vector<ComparedProgram>> load_programs(const CompareRequest& request,
                                                   Sources& sources) {
  ErrorCollector errors;
  std::vector<ProgramWord> words;
  for (const std::string& text : request.programs) {
    Result<ProgramWord> word = load_program_word(text, request.allow_races, sources);
    if (errors.check(word)) words.push_back(std::move(*word));
  }
  // What a parameter is called is known only when every program could be read.
  if (errors.ok()) errors.check(assign_definitions(request, sources, words));
  if (!errors.ok()) return errors.errors();
  std::vector<ComparedProgram> programs;
  for (std::size_t k = 0; k < words.size(); ++k)
    programs.push_back(
        {request.programs[k], std::move(words[k].program), std::move(words[k].parameters)});
  return programs;
}

Result<std::vector<sweep::NamedMachine>> load_machines(const CompareRequest& request,
                                                       Sources& sources) {
  ErrorCollector errors;
  std::vector<sweep::NamedMachine> machines;
  for (const MachineSelection& selection : request.machines) {
    Result<LoadedMachine> machine = load_selected_machine(sources, selection);
    if (!errors.check(machine)) continue;
    const auto same = std::find_if(machines.begin(), machines.end(), [&](const auto& known) {
      return sweep::same_machine(known.second.spec, machine->spec);
    });
    if (same == machines.end()) {
      machines.emplace_back(selection.name, std::move(*machine));
      continue;
    }
    // One run, under both names.
    same->first = sweep::joined_names(same->first, selection.name);
    std::string& name = same->second.spec.name;
    name = name == machine->spec.name ? same->first : sweep::joined_names(name, machine->spec.name);
  }
  if (!errors.ok()) return errors.errors();
  return machines;
}

std::string command_of(const CompareRequest& request, const sweep::ComparisonRow& row,
                       const sweep::Point& point) {
  const auto values = sweep::parameter_texts(row.info.parameters);
  Recipe recipe;
  const Result<ProgramSelection> program = read_program_word(row.program);
  recipe.program.name = program ? program->name : row.info.path; // it was read before
  for (const auto& [option, text] : row.info.replaced)
    recipe.program.replaced.emplace_back(option.substr(2), text);
  for (const lang::ParamValue& own : point.parameters)
    for (const auto& [name, value] : values)
      if (name == own.name) recipe.program.definitions.push_back(name + "=" + value);
  recipe.program.allow_races = request.allow_races;
  recipe.machine = {"", request.machines.front().overrides}; // the same of all
  // Of several names of one machine, the first.
  for (const MachineSelection& selection : request.machines)
    if (recipe.machine.name.empty() && (row.machine + " = ").starts_with(selection.name + " = "))
      recipe.machine.name = selection.name;
  recipe.inputs = row.info.inputs;
  recipe.seed = point.options.seed;
  recipe.timing_only = point.options.timing_only;
  recipe.limits = point.options.limits;
  return sweep::command_text(recipe);
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
  for (const auto& [name, path] : request.inputs)
    if (std::find(known.begin(), known.end(), name) == known.end())
      errors.add(error_in("--input", fmt::format("no program has a memory array '{}'", name),
                          did_you_mean(name, known)));
  InputFiles files(sources);
  for (ComparedRun& run : runs) {
    if (!errors.ok() || !run.point.code) continue;
    run.point.input_sources = inputs_of(request.inputs, *run.point.code);
    run.row.info.inputs = run.point.input_sources;
    errors.check(files.add(*run.point.code, run.point));
  }
  return errors.status();
}

} // namespace memlane::cli
