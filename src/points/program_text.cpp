#include "memlane/points/program_text.hpp"

#include "memlane/claim/claim.hpp"
#include "memlane/support/sha256.hpp"

#include <utility>

namespace memlane::sweep {
namespace {

lang::Replacements replacements(Sources& sources, const ProgramSelection& selection,
                                ProgramInfo& info) {
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

Result<ProgramText> read_program(Sources& sources, const ProgramSource& source,
                                 const ProgramSelection& selection) {
  ProgramText text;
  text.info.path = sources.path(source.file);
  text.info.sha256 = sha256(sources.text(source.file));
  const lang::Replacements texts = replacements(sources, selection, text.info);
  const std::int32_t first_used = sources.count();
  Result<lang::Program> program = lang::load_program(sources, source.file, source.loader, texts);
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

Result<CheckedProgram> check_program(Sources& sources, const ProgramSource& source,
                                     const ProgramSelection& selection) {
  Result<ProgramText> text = read_program(sources, source, selection);
  if (!text) return text.errors();
  Result<lang::Checked> checked = lang::check(sources, std::move(text->program), claim_counts());
  if (!checked) return checked.errors();
  return CheckedProgram{std::move(*checked), std::move(text->info)};
}

} // namespace memlane::sweep
