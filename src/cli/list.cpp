// memlane list: what is shipped.
#include "list.hpp"

#include "command.hpp"
#include "files.hpp"
#include "program.hpp"
#include "shipped_files.hpp"
#include "shipped_programs.hpp"

#include "memlane/lang/parse.hpp"
#include "memlane/show/text_table.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

namespace memlane::cli {
namespace {

bool matches(const std::string& pattern, const std::string& name) {
  return !name.empty() && fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

/// The entries that match one of the patterns (`scan*`) by name or folder, all if there is none; a
/// pattern that matches nothing is an error.
Result<std::vector<Listed>> select(const Listing& listing,
                                   const std::vector<std::string>& patterns) {
  std::vector<Listed> entries = listing.entries();
  const std::string kind(listing.kind);
  if (entries.empty()) return nothing_shipped(kind);
  if (patterns.empty()) return entries;
  std::vector<bool> chosen(entries.size(), false);
  ErrorCollector errors;
  for (const std::string& pattern : patterns) {
    bool any = false;
    const std::string known = listing.name_of ? listing.name_of(pattern) : "";
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].name != known && !matches(pattern, entries[i].name) &&
          !matches(pattern, entries[i].folder))
        continue;
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

/// The comments that a text begins with.
std::string opening_comments(const std::string& text) {
  std::size_t end = 0;
  while (text.compare(end, 2, "//") == 0) end = std::min(text.find('\n', end), text.size() - 1) + 1;
  return text.substr(0, end);
}

/// Reads only what a program begins with: `memlane check` says whether it has errors.
std::string sentence_of_program(const Listed& program) {
  Sources sources;
  const Result<std::string> text = read_file(program.path, std::size_t{1} << 20);
  if (!text) return "(cannot be read: memlane check " + program.name + ")";
  const auto opening =
      lang::parse_text(sources, sources.add(program.path, opening_comments(*text)));
  return opening ? first_sentence(opening->doc) : "";
}

std::string first_line_of_machine(const Listed& listed) {
  Sources sources;
  const Result<LoadedMachine> machine = load_machine(sources, listed.name, {}, machine_files());
  if (!machine) return "(has errors: memlane explain machine " + listed.name + ")";
  const MachineSpec& spec = machine->spec;
  return spec.name.empty() ? first_line(spec.notes) : first_line(spec.name);
}

std::vector<Listed> programs() {
  std::vector<Listed> entries;
  for (ShippedProgram& program : shipped_programs())
    entries.push_back(
        {std::move(program.name), std::move(program.folder), std::move(program.path)});
  return entries;
}

std::vector<Listed> machines() {
  std::vector<Listed> entries;
  for (std::string& name : machine_files().shipped) entries.push_back({std::move(name), "", ""});
  return entries;
}

std::vector<Listed> exercises() {
  std::vector<Listed> entries;
  for (std::string& name : exercise_names()) entries.push_back({std::move(name), "", ""});
  return entries;
}

std::string title_of_exercise(const Listed& exercise) {
  Sources sources;
  const auto spec = load_exercise(sources, exercise.name, "");
  return spec ? spec->title : "(has errors: memlane grade " + exercise.name + ")";
}

std::vector<Listed> demos() {
  std::vector<Listed> entries;
  for (LessonFile& lesson : shipped_lessons())
    entries.push_back({std::move(lesson.name), "", std::move(lesson.path)});
  return entries;
}

std::string lesson_called(const std::string& word) {
  const std::vector<LessonFile> shipped = shipped_lessons();
  const Result<std::size_t> index = find_lesson(shipped, word);
  return index ? shipped[*index].name : "";
}

std::string about_of_lesson(const Listed& listed) {
  Sources sources;
  const Result<LessonSpec> lesson = load_lesson(sources, {listed.name, listed.path});
  return lesson ? lesson->about : "(has errors: memlane demo " + listed.name + ")";
}

/// A line for each entry; programs of a folder stand indented below its name.
std::string lines_about(const std::vector<Listed>& entries, const Listing& listing,
                        std::size_t columns) {
  TextTable table({Align::left, Align::prose});
  std::string folder;
  for (const Listed& entry : entries) {
    if (entry.folder != folder) table.add({on_one_line(entry.folder, 60)});
    folder = entry.folder;
    table.add({(folder.empty() ? "" : "  ") + on_one_line(entry.name, 60),
               on_one_line(listing.about(entry), 110)});
  }
  return table.text(0, columns);
}

using Words = std::vector<std::string>;

void list_options(Options& options, Words& words) { options.take_words("word", 0, &words); }

Result<Exit> list_shipped(Words& words, Sources&, Console& console) {
  std::vector<std::string> kinds;
  for (const Listing& listing : listings()) kinds.emplace_back(listing.kind);
  const std::string& kind = words.empty() ? kinds.front() : words.front();
  const Listing* listing = find_listing(kind);
  if (!listing) {
    std::vector<std::string> help = did_you_mean(kind, kinds);
    help.push_back(fmt::format("can be listed: {}", fmt::join(kinds, ", ")));
    return error_in("", fmt::format("cannot list '{}'", kind), help);
  }
  const Result<std::vector<Listed>> entries =
      select(*listing, {words.begin() + (words.empty() ? 0 : 1), words.end()});
  if (!entries) return entries.errors();
  console.out(lines_about(*entries, *listing, console.style().columns));
  return Exit::done;
}

} // namespace

const std::vector<Listing>& listings() {
  static const std::vector<Listing> all = {
      {"programs", programs, sentence_of_program},
      {"machines", machines, first_line_of_machine},
      {"exercises", exercises, title_of_exercise, exercise_called},
      {"demos", demos, about_of_lesson, lesson_called}};
  return all;
}

const Listing* find_listing(std::string_view kind) {
  for (const Listing& listing : listings())
    if (listing.kind == kind) return &listing;
  return nullptr;
}

Command list_command() {
  return {
      "list",
      "[programs [PROGRAM...]] | machines [MACHINE...] | exercises [EXERCISE...] |\n"
      "                    demos [LESSON...]",
      "list the shipped programs, machines, exercises or demos with a line about each",
      "List what is shipped, with a line about each. Names may have wildcards (quote them); the "
      "name of a folder lists its programs. Exercises and demos have numbers, too.",
      call_with(list_options, list_shipped),
      {"memlane list programs", "memlane list machines", "memlane list programs 'scan*'",
       "memlane list exercises", "memlane list exercises 5"}};
}

} // namespace memlane::cli
