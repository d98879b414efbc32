#include "program.hpp"

#include "files.hpp"
#include "program_files.hpp"

#include "memlane/claim/claim.hpp"
#include "memlane/lang/parse.hpp"
#include "memlane/support/sha256.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace memlane::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_machine_bytes = std::size_t{1} << 20;

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

MachineFiles machine_files(const Limits& reading) {
  const fs::path folder = fs::path(data_home()) / "configs" / "machines";
  const auto read = [reading](const std::string& path) {
    return read_file(path, most_machine_bytes, {"a machine file is not that large"}, reading);
  };
  return {read, short_path(folder.string()), names_in(folder.string(), ".json")};
}

Result<ProgramText> load_program_text(Sources& sources, const ProgramSelection& selection) {
  ProgramFiles files(sources);
  const Result<std::int32_t> file = files.add_named(selection.name);
  if (!file) return file.errors();
  ProgramText text;
  text.info.path = sources.path(*file);
  text.info.sha256 = sha256(sources.text(*file));
  const lang::Replacements texts = replacements(sources, selection, text.info);
  const std::int32_t first_used = sources.count();
  const lang::UseLoader load = [&files](const lang::Name& used, const std::string& user) {
    return files.add_used(used, user);
  };
  Result<lang::Program> program = lang::load_program(sources, *file, load, texts);
  if (!program) return program.errors();
  for (std::int32_t used = first_used; used < sources.count(); ++used) {
    text.info.uses.emplace_back(sources.path(used), sha256(sources.text(used)));
  }
  text.info.races_allowed = lang::allowed_races(*program);
  text.info.all_races_allowed = program->allows_all_races() != nullptr;
  if (selection.allow_races) text.info.allow_all_races("--allow-races");
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
  const MachineFiles files = machine_files(sources.limits());
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

Status bind_values(sweep::Point& point, const std::vector<std::string>& definitions,
                   Sources& sources) {
  Result<std::vector<lang::ParamValue>> parameters = param_values(sources, definitions);
  if (!parameters) return parameters.errors();
  point.parameters = std::move(*parameters);
  Result<ir::Program> code = sweep::bind_point(point, sources);
  if (!code) return code.errors();
  point.code = std::make_shared<const ir::Program>(std::move(*code));
  return Done{};
}

Result<sweep::Point> bound_point(Sources& sources, const sweep::CheckedProgram& program,
                                 const MachineSpec& machine,
                                 const std::vector<std::string>& definitions) {
  sweep::Point point;
  point.program = &program;
  point.machine = machine;
  if (Status bound = bind_values(point, definitions, sources); !bound) return bound.errors();
  return point;
}

} // namespace memlane::cli
