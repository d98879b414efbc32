#include "compare_work.hpp"

#include "command.hpp"
#include "compare_arrays.hpp"
#include "timing_only.hpp"
#include "version.hpp"

#include "memlane/config/keys.hpp"
#include "memlane/ir/without_data.hpp"
#include "memlane/support/suggest.hpp"

#include <boost/program_options/parsers.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace memlane::cli {
namespace {

void note(Diagnostics& errors, const Diagnostics& more) {
  errors.insert(errors.end(), more.begin(), more.end());
}

std::string defined_name(const std::string& text) { return text.substr(0, text.find('=')); }

bool has_param(const CheckedProgram& program, const std::string& name) {
  const auto& params = program.checked.program.params;
  return std::any_of(params.begin(), params.end(),
                     [&](const lang::ParamDecl& param) { return param.name.text == name; });
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

/// Whether the program has a -D of its own for the parameter.
bool defines(const Arguments& arguments, const std::string& name) {
  const std::vector<std::string> texts = arguments.values("define");
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return defined_name(text) == name; });
}

/// A -D is for the programs that have its parameter; one that none has is an error.
Status deal_definitions(const Arguments& arguments, std::vector<ComparedProgram>& entries) {
  Diagnostics errors;
  std::set<std::string> given;
  for (const std::string& text : arguments.values("define")) {
    const std::string name = defined_name(text);
    if (!given.insert(name).second) {
      errors.push_back(
          error_in("-D", fmt::format("parameter {} is given twice", name),
                   {fmt::format("a program in quotes may have its own: '{} -D {}'",
                                entries.empty() ? "PROGRAM" : entries.front().name, text)}));
      continue;
    }
    bool known = false;
    // Without a `=` every program takes it, to say what is wrong with it.
    const bool broken = !name_and_value("-D", "NAME=VALUE", text);
    for (ComparedProgram& entry : entries) {
      if (!broken && !has_param(entry.program, name)) continue;
      known = true;
      if (!defines(entry.arguments, name)) entry.arguments.options.emplace_back("define", text);
    }
    if (known) continue;
    std::vector<std::string> names;
    for (const ComparedProgram& entry : entries) {
      for (const auto& param : entry.program.checked.program.params) {
        names.push_back(param.name.text);
      }
    }
    std::vector<std::string> help = did_you_mean(name, names);
    if (const std::string keys = keys_of_letter(name); !keys.empty())
      help.push_back(fmt::format("{} is the machine's: --set {}=…", name, keys));
    errors.push_back(
        error_in("-D", fmt::format("no program has a parameter '{}'", name), std::move(help)));
  }
  if (!errors.empty()) return errors;
  return Done{};
}

/// A word of the command line as a program with options of its own: `"transpose --layout t=rows"`.
Result<Arguments> program_word(const std::string& word) {
  Arguments plain;
  plain.words = {word};
  if (word.find(" -") == std::string::npos) return plain;
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
  if (arguments->words.size() == 1) return arguments;
  return error_in(
      "", fmt::format("'{}' names {} programs, one is needed", word, arguments->words.size()));
}

Status load_entry(const std::string& word, ComparisonWork& work) {
  Result<Arguments> own = program_word(word);
  if (!own) return own.errors();
  Result<CheckedProgram> program = load_checked_program(work.sources, own->words.front(), *own);
  if (!program) return program.errors();
  for (const std::string& text : own->values("define")) {
    const std::string name = defined_name(text);
    if (!name_and_value("-D", "NAME=VALUE", text) || has_param(*program, name)) continue;
    return error_in("-D", fmt::format("{} has no parameter '{}'", own->words.front(), name));
  }
  work.entries.push_back({word, std::move(*program), std::move(*own)});
  return Done{};
}

Status load(const Arguments& arguments, ComparisonWork& work) {
  Diagnostics errors;
  for (const std::string& word : arguments.words)
    if (Status loaded = load_entry(word, work); !loaded) note(errors, loaded.errors());
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
  for (ComparedProgram& entry : work.entries) allow_races(arguments, entry.program.info);
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

Status read_options(const Arguments& arguments, ComparisonWork& work) {
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
  work.sources.set_limits(work.options.limits);
  take(read_engine(arguments), work.engine);
  take(read_jobs(arguments), work.jobs);
  take(result_targets(arguments), work.targets);
  take(read_tolerance(arguments), work.tolerance);
  work.options.seed = static_cast<std::uint64_t>(seed);
  work.options.timing_only = arguments.has("timing-only");
  if (Status alone = check_timing_only(arguments, {"arrays", "tolerance", "allow-races", "input"});
      !alone)
    note(errors, alone.errors());
  work.comparison.timing_only = work.options.timing_only;
  work.verbose = arguments.has("verbose");
  work.comparison.version = version;
  work.comparison.seed = work.options.seed;
  if (!errors.empty()) return errors;
  return Done{};
}

} // namespace

Status prepare(const Arguments& arguments, ComparisonWork& work) {
  Diagnostics errors;
  if (Status read = read_options(arguments, work); !read) note(errors, read.errors());
  if (Status loaded = load(arguments, work); !loaded) note(errors, loaded.errors());
  if (!errors.empty()) return errors;
  return Done{};
}

namespace {

/// An error in one line, with its place.
std::string reason_of(const Diagnostic& error, const Sources& sources) {
  if (!error.span.known()) return error.message;
  return fmt::format("{} (line {})", error.message, sources.begin(error.span).line);
}

} // namespace

void make_cells(ComparisonWork& work) {
  for (const auto& [name, machine] : work.machines) {
    for (ComparedProgram& entry : work.entries) {
      ComparisonCell cell;
      cell.row.program = entry.name;
      cell.row.machine = name;
      cell.machine = &machine.spec;
      entry.program.info.parameters.clear();
      Result<ir::Program> code =
          compile(work.sources, entry.program, machine.spec, entry.arguments);
      cell.row.info = entry.program.info;
      if (code && work.options.timing_only) code = ir::without_data(*code, work.options.limits);
      if (code) {
        cell.code = std::move(*code);
      } else {
        cell.errors = code.errors();
        cell.row.ran = Ran::cannot_run;
        cell.row.reason = reason_of(cell.errors.front(), work.sources);
      }
      work.cells.push_back(std::move(cell));
    }
  }
}

namespace {

std::vector<std::string> names_in_list(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    names.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

} // namespace

Status choose_arrays(const Arguments& arguments, ComparisonWork& work) {
  if (work.options.timing_only) return Done{};
  std::vector<Compared> programs;
  for (const ComparisonCell& cell : work.cells) {
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

} // namespace memlane::cli
