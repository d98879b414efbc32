#include "program.hpp"

#include "files.hpp"

#include "memlane/claim/claim.hpp"
#include "memlane/lang/parse.hpp"
#include "memlane/support/sha256.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace memlane::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_program_bytes = std::size_t{16} << 20;
constexpr std::size_t most_machine_bytes = std::size_t{1} << 20;

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

lang::Replacements replacements(Sources& sources, const ProgramSelection& selection,
                                sweep::ProgramInfo& info) {
  lang::Replacements texts;
  for (const auto& [option, text] : selection.replaced) {
    const std::string name = "--" + option;
    auto& files = option == "fn" ? texts.fns : option == "type" ? texts.types : texts.layouts;
    files.push_back(sources.add(name, text));
    info.replaced.emplace_back(name, text);
  }
  return texts;
}

} // namespace

std::vector<std::string> shipped_programs() { return names_in(programs_folder(), ".lane"); }

MachineFiles machine_files() {
  const fs::path folder = fs::path(data_home()) / "configs" / "machines";
  const auto read = [](const std::string& path) {
    return read_file(path, most_machine_bytes, {"a machine file is not that large"});
  };
  return {read, short_path(folder.string()), names_in(folder.string(), ".json")};
}

Result<ProgramText> load_program_text(Sources& sources, const ProgramSelection& selection) {
  const Result<std::int32_t> file = add_program(sources, selection.name);
  if (!file) return file.errors();
  ProgramText text;
  text.info.path = sources.path(*file);
  text.info.sha256 = sha256(sources.text(*file));
  const lang::Replacements texts = replacements(sources, selection, text.info);
  const std::int32_t first_used = sources.count();
  Result<lang::Program> program = lang::load_program(sources, *file, use_loader(sources), texts);
  if (!program) return program.errors();
  for (std::int32_t used = first_used; used < sources.count(); ++used) {
    text.info.uses.emplace_back(sources.path(used), sha256(sources.text(used)));
  }
  if (program->races) {
    text.info.races_allowed = program->races->reason;
  } else if (selection.allow_races) {
    text.info.races_allowed = "--allow-races";
  }
  text.program = std::move(*program);
  return text;
}

Result<sweep::CheckedProgram> load_checked_program(Sources& sources,
                                                   const ProgramSelection& selection) {
  Result<ProgramText> text = load_program_text(sources, selection);
  if (!text) return text.errors();
  Result<lang::Checked> checked = lang::check(sources, std::move(text->program), claim_counts());
  if (!checked) return checked.errors();
  return sweep::CheckedProgram{std::move(*checked), std::move(text->info)};
}

Result<LoadedMachine> load_selected_machine(Sources& sources, const MachineSelection& selection) {
  const std::string& name = selection.name;
  const MachineFiles files = machine_files();
  const bool is_file = name.find('/') != std::string::npos || fs::path(name).extension() == ".json";
  if (files.shipped.empty() && !is_file) return nothing_shipped("machines");
  return load_machine(sources, name, selection.overrides, files);
}

Result<std::vector<lang::ParamValue>> param_values(Sources& sources,
                                                   const std::vector<std::string>& definitions) {
  std::vector<lang::ParamValue> values;
  ErrorCollector errors;
  for (const std::string& text : definitions) {
    NameAndValue pair;
    if (!errors.take(name_and_value("-D", "NAME=VALUE", text), pair)) continue;
    const std::string& name = pair.first;
    if (std::any_of(values.begin(), values.end(),
                    [&](const lang::ParamValue& earlier) { return earlier.name == name; }))
      errors.add(error_in("-D", fmt::format("parameter {} is given twice", name)));
    const std::int32_t file = sources.add("-D", text);
    const auto size = static_cast<std::uint32_t>(name.size());
    Result<lang::Expr> expression = lang::parse_expression(sources, file, size + 1);
    if (errors.check(expression))
      values.push_back({name, std::move(*expression), Span{file, 0, size}});
  }
  if (!errors.ok()) return errors.errors();
  return values;
}

Result<sweep::Point> bound_point(Sources& sources, const sweep::CheckedProgram& program,
                                 const MachineSpec& machine,
                                 const std::vector<std::string>& definitions) {
  Result<std::vector<lang::ParamValue>> parameters = param_values(sources, definitions);
  if (!parameters) return parameters.errors();
  sweep::Point point;
  point.program = &program;
  point.machine = machine;
  point.parameters = std::move(*parameters);
  Result<ir::Program> code = sweep::bind_point(point, sources);
  if (!code) return code.errors();
  point.code = std::make_shared<const ir::Program>(std::move(*code));
  return point;
}

} // namespace memlane::cli
