#include "question.hpp"

#include "memlane/lang/words.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace memlane::web {
namespace {

constexpr std::string_view machine_folder = "configs/machines";

/// A place that the program's text has; a message elsewhere names its file.
void add_place(Json& out, Span span, const Sources& sources, std::int32_t own) {
  if (!span.known()) return;
  const Position begin = sources.begin(span);
  out["file"] = sources.path(span.file);
  out["line"] = begin.line;
  out["column"] = begin.column;
  if (span.file != own) return;
  out["begin"] = span.begin;
  out["end"] = span.end;
}

} // namespace

lang::UseLoader used_programs(const Shipped& shipped, Sources& sources) {
  return [&shipped, &sources](const lang::Name& used,
                              const std::string& user) -> Result<std::int32_t> {
    const auto programs = shipped_in(shipped, "programs", ".lane");
    std::string path = user.substr(0, user.rfind('/') + 1) + used.text + ".lane";
    if (const auto named = programs.find(used.text);
        !shipped.files.contains(path) && named != programs.end())
      path = named->second;
    const auto file = shipped.files.find(path);
    if (file != shipped.files.end()) {
      for (std::int32_t known = 0; known < sources.count(); ++known)
        if (sources.path(known) == path) return known;
      return sources.add(path, file->second);
    }
    std::vector<std::string> names;
    for (const auto& [name, own] : programs) names.push_back(name);
    return error_at(used.span, fmt::format("no shipped program is named '{}'", used.text),
                    did_you_mean(used.text, names));
  };
}

MachineFiles machine_files(const Shipped& shipped) {
  MachineFiles files;
  files.directory = machine_folder;
  for (const auto& [name, path] : shipped_in(shipped, machine_folder, ".json"))
    files.shipped.push_back(name);
  files.read = [&shipped](const std::string& path) -> Result<std::string> {
    if (const auto file = shipped.files.find(path); file != shipped.files.end())
      return file->second;
    return error_in("", fmt::format("there is no '{}'", path));
  };
  return files;
}

std::string text_in(const Json& question, const char* member) {
  const auto found = question.find(member);
  return found != question.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t number_in(const Json& question, const char* member, std::int64_t otherwise) {
  const auto found = question.find(member);
  return found != question.end() && found->is_number_integer() ? found->get<std::int64_t>()
                                                               : otherwise;
}

std::vector<std::string> texts_in(const Json& question, const char* member) {
  std::vector<std::string> texts;
  const auto found = question.find(member);
  if (found == question.end() || !found->is_array()) return texts;
  for (const Json& text : *found)
    if (text.is_string()) texts.push_back(text.get<std::string>());
  return texts;
}

std::map<std::string, std::string> shipped_in(const Shipped& shipped, std::string_view folder,
                                              std::string_view ending) {
  std::map<std::string, std::string> named;
  for (const auto& [path, text] : shipped.files) {
    if (!path.starts_with(folder) || !path.ends_with(ending)) continue;
    const std::size_t name = path.rfind('/') + 1;
    named.emplace(path.substr(name, path.size() - name - ending.size()), path);
  }
  return named;
}

Json errors_json(const Diagnostics& errors, const Sources& sources, std::int32_t own) {
  auto all = Json::array();
  for (const Diagnostic& error : errors) {
    Json one;
    add_place(one, error.span, sources, own);
    one["place"] = error.place;
    one["message"] = error.message;
    one["help"] = error.help;
    if (!error.notes.empty()) one["notes"] = errors_json(error.notes, sources, own);
    all.push_back(std::move(one));
  }
  return all;
}

std::int64_t seconds_of(const Json& question) {
  constexpr std::int64_t usual = 10, longest = 3600;
  return std::clamp<std::int64_t>(number_in(question, "seconds", usual), 1, longest);
}

Diagnostic stop_error(Stop stop, const std::string& reached, const Json& question) {
  if (stop == Stop::memory)
    return error_in("", "the arrays need more memory than a page has, 256 MiB",
                    {"choose smaller numbers, or run it in a terminal: memlane run"});
  return error_in("",
                  fmt::format("stopped after {} seconds{}", seconds_of(question),
                              reached.empty() ? "" : ": it reached " + reached),
                  {"choose smaller numbers, see that every loop ends, or run it in a terminal: "
                   "memlane run"});
}

bool has_counted(const RunResult& run) {
  if (run.stop == Stop::none) return true;
  return run.stop != Stop::error && (run.counts.time.value > 0 || !run.accesses.empty());
}

Diagnostics with_way_out(const Diagnostics& errors, const Json& question) {
  const Stop stop = stop_of(errors);
  return stop == Stop::none ? errors : Diagnostics{stop_error(stop, "", question)};
}

std::string name_in_terminal(const Shipped& shipped, const std::string& path,
                             const std::string& text) {
  const std::string file = path.substr(path.rfind('/') + 1);
  const auto own = shipped.files.find(path);
  const bool is_shipped = own != shipped.files.end() && own->second == text;
  return is_shipped && !path.starts_with(exercise_folder) ? file.substr(0, file.rfind('.')) : file;
}

void read_limits(const Json& asked, const std::function<Stop()>& check, Question& question) {
  sweep::Recipe& recipe = question.recipe;
  recipe.seed = static_cast<std::uint64_t>(number_in(asked, "seed", 1));
  constexpr std::int64_t most_bytes = std::int64_t{256} << 20; // a page has less than a terminal
  recipe.limits.memory = most_bytes;
  recipe.limits.check = check;
  question.sources.set_limits(recipe.limits);
}

Status read_program(const Shipped& shipped, const Json& asked, const std::function<Stop()>& check,
                    Question& question) {
  sweep::Recipe& recipe = question.recipe;
  recipe.program.name = text_in(asked, "path");
  if (recipe.program.name.empty()) recipe.program.name = "program.lane";
  recipe.program.definitions = texts_in(asked, "define");
  for (const std::string& layout : texts_in(asked, "layout"))
    recipe.program.replaced.emplace_back("layout", layout);
  read_limits(asked, check, question);
  const std::int32_t file = question.sources.add(recipe.program.name, text_in(asked, "text"));
  Result<CheckedProgram> program = sweep::check_program(
      question.sources, {file, used_programs(shipped, question.sources)}, recipe.program);
  if (!program) return program.errors();
  question.program = std::move(*program);
  return Done{};
}

void select_machine(const Json& asked, Question& question) {
  sweep::MachineSelection& selection = question.recipe.machine;
  selection.name = text_in(asked, "machine");
  selection.chosen = !selection.name.empty();
  selection.overrides = texts_in(asked, "set");
}

Status read_machine(const Shipped& shipped, Question& question) {
  const sweep::MachineSelection& selection = question.recipe.machine;
  Result<LoadedMachine> machine =
      load_machine(question.sources, selection.name, selection.overrides, machine_files(shipped));
  if (!machine) return machine.errors();
  question.machine = std::move(*machine);
  return Done{};
}

Status read_all(const Shipped& shipped, const Json& asked, const std::function<Stop()>& check,
                Question& question) {
  if (Status read = read_program(shipped, asked, check, question); !read) return read;
  select_machine(asked, question);
  question.recipe.machine.fit({&question.program.checked});
  return read_machine(shipped, question);
}

Json list(const Shipped& shipped) {
  Json answer;
  for (const auto& [name, path] : shipped_in(shipped, "programs", ".lane"))
    if (!path.starts_with(exercise_folder))
      answer["programs"].push_back({{"name", name}, {"path", path}});
  answer["exercises"] = exercises(shipped);
  const MachineFiles files = machine_files(shipped);
  for (const std::string& name : files.shipped) {
    Sources sources;
    const Result<LoadedMachine> machine = load_machine(sources, name, {}, files);
    if (machine)
      answer["machines"].push_back(
          {{"name", name}, {"title", machine->spec.name}, {"model", name_of(machine->spec.model)}});
  }
  for (const lang::Word& word : lang::words())
    answer["words"].push_back({{"kind", name_of(word.kind)},
                               {"name", word.name},
                               {"usage", word.usage},
                               {"meaning", word.meaning}});
  return answer;
}

} // namespace memlane::web
