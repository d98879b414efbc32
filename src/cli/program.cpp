#include "program.hpp"

#include "files.hpp"

#include "memlane/claim/claim.hpp"
#include "memlane/config/keys.hpp"
#include "memlane/count/simulate.hpp"
#include "memlane/lang/lower.hpp"
#include "memlane/lang/parse.hpp"
#include "memlane/report/sha256.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace memlane::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_program_bytes = std::size_t{16} << 20;

std::string programs_folder() { return (fs::path(data_home()) / "programs").string(); }

bool is_path(const std::string& name) {
  const std::string_view ending = ".lane";
  return name.find('/') != std::string::npos ||
         (name.size() > ending.size() &&
          name.compare(name.size() - ending.size(), ending.size(), ending) == 0);
}

/// Reads a text of the program, notes it in `info`, and gives it a number.
Result<std::int32_t> add_file(Sources& sources, const std::string& path) {
  Result<std::string> text = read_file(path, most_program_bytes);
  if (!text) return text.errors();
  return sources.add(path, std::move(*text));
}

Result<std::int32_t> add_program(Sources& sources, const std::string& name) {
  if (is_path(name)) return add_file(sources, name);
  const std::vector<std::string> known = shipped_programs();
  if (std::find(known.begin(), known.end(), name) != known.end()) {
    return add_file(sources, short_path((fs::path(programs_folder()) / (name + ".lane")).string()));
  }
  if (known.empty()) return nothing_shipped("programs");
  const std::string here = name + ".lane";
  const std::vector<std::string> files = names_in(".", ".lane");
  const bool beside = std::find(files.begin(), files.end(), name) != files.end();
  std::vector<std::string> help;
  if (beside) {
    help.push_back(fmt::format("{} is in this folder: a program of your own is named with its "
                               "ending",
                               here));
  } else {
    std::vector<std::string> all = known;
    all.insert(all.end(), files.begin(), files.end());
    help = did_you_mean(name, all);
    const auto near = nearest(name, all);
    if (near && std::find(known.begin(), known.end(), *near) == known.end())
      help = {fmt::format("did you mean '{}.lane', of this folder?", *near)};
  }
  help.emplace_back("'memlane list programs' lists the shipped ones; a path has a '/' or ends in "
                    ".lane");
  return error_in("", fmt::format("no shipped program is named '{}'", name), help);
}

/// `use name`: beside the file that uses it, else among the shipped programs.
lang::UseLoader use_loader(Sources& sources) {
  return [&sources](const lang::Name& used, const std::string& user) -> Result<std::int32_t> {
    const fs::path beside = fs::path(user).parent_path();
    std::error_code code;
    for (const fs::path& folder : {beside, fs::path(programs_folder())}) {
      const fs::path path = folder / (used.text + ".lane");
      if (!fs::exists(path, code)) continue;
      Result<std::int32_t> file = add_file(sources, short_path(path.string()));
      if (file) return file;
      return error_at(used.span, file.errors().front().message);
    }
    std::vector<std::string> known = names_in(beside.empty() ? "." : beside.string(), ".lane");
    for (std::string& name : shipped_programs()) known.push_back(std::move(name));
    return error_at(
        used.span,
        fmt::format("there is no '{}.lane' beside this file, nor a shipped one", used.text),
        did_you_mean(used.text, known));
  };
}

/// What `--set` calls the letters of programs.
std::map<std::string, std::string> keys_of_letters(const MachineSpec& machine) {
  std::map<std::string, std::string> keys;
  for (const auto& [letter, value] : letters(machine))
    if (const auto key = key_of_letter(letter, machine.model)) keys.emplace(letter, *key);
  return keys;
}

lang::Replacements replacements(Sources& sources, const Arguments& arguments, ProgramInfo& info) {
  lang::Replacements texts;
  const auto add = [&](std::string_view option, std::vector<std::int32_t>& files) {
    for (const std::string& text : arguments.values(option)) {
      const std::string name = fmt::format("--{}", option);
      files.push_back(sources.add(name, text));
      info.replaced.emplace_back(name, text);
    }
  };
  add("fn", texts.fns);
  add("type", texts.types);
  add("layout", texts.layouts);
  return texts;
}

} // namespace

std::vector<Option> machine_options() {
  return {{"machine", 'm', "MACHINE", false,
           "a shipped machine or a path; umm-w32 if not given\n"
           "('memlane list machines' lists the shipped ones)"},
          {"set", 0, "KEY=VALUE", true, "sets a value of the machine, e.g. latency=30"}};
}

std::vector<Option> program_options() {
  return {{"define", 'D', "NAME=VALUE", true, "a parameter of the program, e.g. n=2^12"},
          {"fn", 0, "TEXT", true, "replaces a fn, e.g. \"combine(x, y) = max(x, y)\""},
          {"type", 0, "NAME=TYPE", true, "replaces a type, e.g. value=float"},
          {"layout", 0, "ARRAY=LAYOUT", true, "replaces a layout, e.g. \"t=padded(1)\""}};
}

std::vector<std::string> shipped_programs() { return names_in(programs_folder(), ".lane"); }

MachineFiles machine_files() {
  const fs::path folder = fs::path(data_home()) / "configs" / "machines";
  return machine_files_on_disk(short_path(folder.string()));
}

Result<ProgramText> load_program_text(Sources& sources, const std::string& name,
                                      const Arguments& arguments) {
  const Result<std::int32_t> file = add_program(sources, name);
  if (!file) return file.errors();
  ProgramText text;
  text.info.path = sources.path(*file);
  text.info.sha256 = sha256(sources.text(*file));
  const lang::Replacements texts = replacements(sources, arguments, text.info);
  const std::int32_t first_used = sources.count();
  Result<lang::Program> program = lang::load_program(sources, *file, use_loader(sources), texts);
  if (!program) return program.errors();
  for (std::int32_t used = first_used; used < sources.count(); ++used) {
    text.info.uses.emplace_back(sources.path(used), sha256(sources.text(used)));
  }
  if (program->races) text.info.races_allowed = program->races->reason;
  text.program = std::move(*program);
  return text;
}

Result<CheckedProgram> load_checked_program(Sources& sources, const std::string& name,
                                            const Arguments& arguments) {
  Result<ProgramText> text = load_program_text(sources, name, arguments);
  if (!text) return text.errors();
  Result<lang::Checked> checked = lang::check(sources, std::move(text->program), claim_counts());
  if (!checked) return checked.errors();
  return CheckedProgram{std::move(*checked), std::move(text->info)};
}

bool allow_races(const Arguments& arguments, ProgramInfo& program) {
  if (arguments.has("allow-races") && program.races_allowed.empty())
    program.races_allowed = "--allow-races";
  return !program.races_allowed.empty();
}

Result<LoadedMachine> load_asked_machine(Sources& sources, const Arguments& arguments) {
  const std::string name = arguments.value("machine").value_or(std::string(standard_machine));
  const MachineFiles files = machine_files();
  const bool is_file = name.find('/') != std::string::npos || fs::path(name).extension() == ".json";
  if (files.shipped.empty() && !is_file) return nothing_shipped("machines");
  return load_machine(sources, name, arguments.values("set"), files);
}

Result<std::vector<lang::ParamValue>> param_values(Sources& sources, const Arguments& arguments) {
  std::vector<lang::ParamValue> values;
  Diagnostics errors;
  const auto note = [&](const Diagnostics& more) {
    errors.insert(errors.end(), more.begin(), more.end());
  };
  for (const std::string& text : arguments.values("define")) {
    const auto pair = name_and_value("-D", "NAME=VALUE", text);
    if (!pair) {
      note(pair.errors());
      continue;
    }
    const std::string& name = pair->first;
    for (const lang::ParamValue& earlier : values) {
      if (earlier.name == name) {
        note({error_in("-D", fmt::format("parameter {} is given twice", name))});
      }
    }
    const std::int32_t file = sources.add("-D", text);
    const auto size = static_cast<std::uint32_t>(name.size());
    Result<lang::Expr> expression = lang::parse_expression(sources, file, size + 1);
    if (!expression) {
      note(expression.errors());
    } else {
      values.push_back({name, std::move(*expression), Span{file, 0, size}});
    }
  }
  if (!errors.empty()) return errors;
  return values;
}

Result<ir::Program> compile(Sources& sources, CheckedProgram& program, const MachineSpec& machine,
                            const Arguments& arguments) {
  Result<std::vector<lang::ParamValue>> params = param_values(sources, arguments);
  if (!params) return params.errors();
  const lang::Bindings bindings{letters(machine), machine.name, std::move(*params), "-D",
                                keys_of_letters(machine)};
  Result<ir::Program> code = lang::lower(program.checked, bindings, sources);
  if (!code) return code;
  if (Status possible = check_machine(*code, machine); !possible) return possible.errors();
  for (const ir::Constant& constant : code->constants) {
    if (constant.param) program.info.parameters.push_back(constant);
  }
  return code;
}

} // namespace memlane::cli
