// memlane list: what is shipped.
#include "command.hpp"
#include "files.hpp"
#include "program.hpp"

#include "memlane/lang/parse.hpp"
#include "memlane/report/text_table.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

namespace memlane::cli {
namespace {

/// The names that match one of the patterns (`scan*`), all if there is none; a pattern that
/// matches nothing is an error.
Result<std::vector<std::string>> select(const std::vector<std::string>& names,
                                        const std::vector<std::string>& patterns,
                                        std::string_view kind) {
  if (patterns.empty() && !names.empty()) return names;
  if (names.empty()) {
    return nothing_shipped(kind);
  }
  std::vector<bool> chosen(names.size(), false);
  ErrorCollector errors;
  for (const std::string& pattern : patterns) {
    bool any = false;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool matches = fnmatch(pattern.c_str(), names[i].c_str(), 0) == 0;
      any = any || matches;
      chosen[i] = chosen[i] || matches;
    }
    if (!any) {
      std::vector<std::string> help = did_you_mean(pattern, names);
      help.push_back(fmt::format("'memlane list {}' lists them all", kind));
      errors.add(
          error_in("", fmt::format("none of the {} matches '{}'", kind, pattern), std::move(help)));
    }
  }
  if (!errors.ok()) return errors.errors();
  std::vector<std::string> selected;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (chosen[i]) selected.push_back(names[i]);
  }
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

std::string sentence_of_program(const std::string& name) {
  Sources sources;
  const Result<ProgramText> text = load_program_text(sources, {name});
  return text ? first_sentence(text->program.doc) : "(has errors: memlane check " + name + ")";
}

std::string first_line_of_machine(const std::string& name) {
  Sources sources;
  const Result<LoadedMachine> machine = load_machine(sources, name, {}, machine_files());
  if (!machine) return "(has errors: memlane explain machine " + name + ")";
  const MachineSpec& spec = machine->spec;
  return spec.name.empty() ? first_line(spec.notes) : first_line(spec.name);
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
  const Result<std::vector<std::string>> names =
      select(programs ? shipped_programs() : machine_files().shipped,
             {words.begin() + 1, words.end()}, kind);
  if (!names) return names.errors();
  TextTable table({Align::left, Align::left});
  for (const std::string& name : *names)
    table.add(
        {on_one_line(name, 60),
         on_one_line(programs ? sentence_of_program(name) : first_line_of_machine(name), 300)});
  console.out(table.text());
  return Exit::done;
}

} // namespace

Command list_command() {
  return {"list",
          "programs|machines [NAME...]",
          "list the shipped programs or machines with a line about each",
          "List what is shipped, with a line about each. Names may have wildcards (quote them).",
          {},
          {"memlane list programs", "memlane list machines", "memlane list programs 'scan*'"},
          list};
}

} // namespace memlane::cli
