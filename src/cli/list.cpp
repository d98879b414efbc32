// memlane list: what is shipped.
#include "command.hpp"
#include "files.hpp"
#include "program.hpp"
#include "shipped_programs.hpp"

#include "memlane/lang/parse.hpp"
#include "memlane/report/text_table.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

namespace memlane::cli {
namespace {

/// What can be listed under a name.
struct Listed {
  std::string name;
  std::string folder; ///< of programs; also selects them
  std::string path;
};

bool matches(const std::string& pattern, const std::string& name) {
  return !name.empty() && fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

/// The entries that match one of the patterns (`scan*`) by name or folder, all if there is none; a
/// pattern that matches nothing is an error.
Result<std::vector<Listed>> select(std::vector<Listed> entries,
                                   const std::vector<std::string>& patterns,
                                   const std::string& kind) {
  if (entries.empty()) return nothing_shipped(kind);
  if (patterns.empty()) return entries;
  std::vector<bool> chosen(entries.size(), false);
  ErrorCollector errors;
  for (const std::string& pattern : patterns) {
    bool any = false;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (!matches(pattern, entries[i].name) && !matches(pattern, entries[i].folder)) continue;
      any = chosen[i] = true;
    }
    if (any) continue;
    std::vector<std::string> names;
    for (const Listed& entry : entries) names.push_back(entry.name);
    std::vector<std::string> help = did_you_mean(pattern, names);
    help.push_back(fmt::format("'memlane list {}' lists them all", kind));
    errors.add(error_in("", fmt::format("none of the {} matches '{}'", kind, pattern), help));
  }
  if (!errors.ok()) return errors.errors();
  std::vector<Listed> selected;
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (chosen[i]) selected.push_back(std::move(entries[i]));
  return selected;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// What is before two blanks, or up to a full stop before a capital letter.
std::string first_sentence(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  text.resize(std::min(text.find("  "), text.size()));
  for (std::size_t at = text.find(". "); at != std::string::npos; at = text.find(". ", at + 1)) {
    const bool capital = at + 2 < text.size() && text[at + 2] >= 'A' && text[at + 2] <= 'Z';
    if (capital) return text.substr(0, at + 1);
  }
  return text;
}

std::string sentence_of_program(const Listed& program) {
  Sources sources;
  const Result<ProgramText> text = load_program_text(sources, {program.path});
  return text ? first_sentence(text->program.doc)
              : "(has errors: memlane check " + program.name + ")";
}

std::string first_line_of_machine(const std::string& name) {
  Sources sources;
  const Result<LoadedMachine> machine = load_machine(sources, name, {}, machine_files());
  if (!machine) return "(has errors: memlane explain machine " + name + ")";
  const MachineSpec& spec = machine->spec;
  return spec.name.empty() ? first_line(spec.notes) : first_line(spec.name);
}

std::vector<Listed> entries_of(bool programs) {
  std::vector<Listed> entries;
  if (programs) {
    for (ShippedProgram& program : shipped_programs())
      entries.push_back(
          {std::move(program.name), std::move(program.folder), std::move(program.path)});
  } else {
    for (std::string& name : machine_files().shipped) entries.push_back({std::move(name), "", ""});
  }
  return entries;
}

/// A line for each entry; programs of a folder stand indented below its name.
std::string lines_about(const std::vector<Listed>& entries, bool programs) {
  TextTable table({Align::left, Align::left});
  std::string folder;
  for (const Listed& entry : entries) {
    if (entry.folder != folder) table.add({on_one_line(entry.folder, 60)});
    folder = entry.folder;
    table.add(
        {(folder.empty() ? "" : "  ") + on_one_line(entry.name, 60),
         on_one_line(programs ? sentence_of_program(entry) : first_line_of_machine(entry.name),
                     300)});
  }
  return table.text();
}

Result<Exit> list(OptionReader& options, Sources&, Console& console) {
  const std::vector<std::string>& words = options.words;
  if (words.empty())
    return error_in("", "list needs a word: programs or machines",
                    {"usage: memlane list programs|machines"});
  const std::string& kind = words.front();
  if (kind != "programs" && kind != "machines") {
    std::vector<std::string> help = did_you_mean(kind, {"programs", "machines"});
    help.emplace_back("programs and machines can be listed");
    return error_in("", fmt::format("cannot list '{}'", kind), help);
  }
  const bool programs = kind == "programs";
  const Result<std::vector<Listed>> entries =
      select(entries_of(programs), {words.begin() + 1, words.end()}, kind);
  if (!entries) return entries.errors();
  console.out(lines_about(*entries, programs));
  return Exit::done;
}

} // namespace

Command list_command() {
  return {
      "list",
      "programs|machines [NAME...]",
      "list the shipped programs or machines with a line about each",
      "List what is shipped, with a line about each. Names may have wildcards (quote them); the "
      "name of a folder lists its programs.",
      {},
      {"memlane list programs", "memlane list machines", "memlane list programs 'scan*'"},
      list};
}

} // namespace memlane::cli
