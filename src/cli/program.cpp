#include "program.hpp"

#include "files.hpp"
#include "shipped_files.hpp"
#include "shipped_programs.hpp"

#include "memlane/support/result.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace memlane::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_program_bytes = std::size_t{16} << 20;

// --- A program's files: the one that a command names, and those that it uses.

/// The files of one program, each read once, even if it is reached by several paths.
class ProgramFiles {
public:
  explicit ProgramFiles(Sources& sources) : sources_(sources) {}

  /// The number of the program that a command names, by its path or by a shipped program's name.
  Result<std::int32_t> add_named(const std::string& name);
  /// The number of the program in `use name`: beside the file that uses it, else a shipped one.
  Result<std::int32_t> add_used(const lang::Name& used, const std::string& user);

private:
  Result<std::int32_t> add(const std::string& path);

  Sources& sources_;
  std::map<fs::path, std::int32_t> files_; ///< by canonical path
};

bool is_path(const std::string& name) {
  const std::string_view ending = ".lane";
  return name.find('/') != std::string::npos ||
         (name.size() > ending.size() &&
          name.compare(name.size() - ending.size(), ending.size(), ending) == 0);
}

/// What to do instead, if no shipped program has this name.
std::vector<std::string> help_for_unknown(const std::string& name,
                                          const std::vector<std::string>& known) {
  const std::vector<std::string> files = names_in(".", ".lane");
  if (std::find(files.begin(), files.end(), name) != files.end())
    return {fmt::format("{}.lane is in this folder: a program of your own is named with its ending",
                        name)};
  std::vector<std::string> all = known;
  all.insert(all.end(), files.begin(), files.end());
  const auto near = nearest(name, all);
  if (near && std::find(known.begin(), known.end(), *near) == known.end())
    return {fmt::format("did you mean '{}.lane', of this folder?", *near)};
  return did_you_mean(name, all);
}

/// The path has no file: it may mean a shipped program by the wrong folder.
Diagnostics add_shipped_namesake(Diagnostics errors, const std::string& path) {
  const std::string name = fs::path(path).stem().string();
  const Result<std::string> shipped = find_shipped_program(name);
  if (shipped && !shipped->empty() && !errors.empty())
    errors.front().help.push_back(
        fmt::format("'{}' alone is the name of the shipped program {}", name, *shipped));
  return errors;
}

Result<std::int32_t> ProgramFiles::add(const std::string& path) {
  std::error_code code;
  fs::path canonical = fs::weakly_canonical(path, code);
  if (code) canonical = path;
  if (const auto known = files_.find(canonical); known != files_.end()) return known->second;
  Result<std::string> text = read_file(path, most_program_bytes, {}, sources_.limits());
  if (!text) return text.errors();
  const std::int32_t file = sources_.add(path, std::move(*text));
  files_.emplace(std::move(canonical), file);
  return file;
}

Result<std::int32_t> ProgramFiles::add_named(const std::string& name) {
  if (is_path(name)) {
    Result<std::int32_t> file = add(name);
    std::error_code code;
    if (file || fs::exists(name, code)) return file;
    return add_shipped_namesake(file.errors(), name);
  }
  const Result<std::string> path = find_shipped_program(name);
  if (!path) return path.errors();
  if (!path->empty()) return add(*path);
  if (const std::string exercise = path_of_exercise(name); !exercise.empty()) return add(exercise);
  const std::vector<std::string> known = shipped_program_names();
  if (known.empty()) return nothing_shipped("programs");
  std::vector<std::string> help = help_for_unknown(name, known);
  help.emplace_back("'memlane list programs' lists the shipped ones; a path has a '/' or ends in "
                    ".lane");
  return error_in("", fmt::format("no shipped program is named '{}'", name), help);
}

Result<std::int32_t> ProgramFiles::add_used(const lang::Name& used, const std::string& user) {
  const auto at_use = [&](Diagnostics errors) {
    for (Diagnostic& error : errors) error.span = used.span;
    return errors;
  };
  const fs::path beside = fs::path(user).parent_path();
  std::error_code code;
  std::string path = short_path((beside / (used.text + ".lane")).string());
  if (!fs::exists(path, code)) {
    Result<std::string> shipped = find_shipped_program(used.text);
    if (!shipped) return at_use(shipped.errors());
    path = std::move(*shipped);
  }
  if (!path.empty()) {
    Result<std::int32_t> file = add(path);
    if (!file) return at_use(file.errors());
    return file;
  }
  std::vector<std::string> known = names_in(beside.empty() ? "." : beside.string(), ".lane");
  for (std::string& name : shipped_program_names()) known.push_back(std::move(name));
  return error_at(
      used.span,
      fmt::format("there is no '{}.lane' beside this file, nor a shipped one", used.text),
      did_you_mean(used.text, known));
}

// --- Programs, machines and points.

constexpr std::size_t most_machine_bytes = std::size_t{1} << 20;

} // namespace

MachineFiles machine_files(const Limits& reading) {
  const fs::path folder = fs::path(data_home()) / "configs" / "machines";
  const auto read = [reading](const std::string& path) {
    return read_file(path, most_machine_bytes, {"a machine file is not that large"}, reading);
  };
  return {read, short_path(folder.string()), names_in(folder.string(), ".json")};
}

namespace {

/// The number of the selected program's file, and how to load those that it uses.
Result<sweep::ProgramSource> find_program(Sources& sources, const ProgramSelection& selection) {
  const auto files = std::make_shared<ProgramFiles>(sources);
  const Result<std::int32_t> file = files->add_named(selection.name);
  if (!file) return file.errors();
  return sweep::ProgramSource{*file, [files](const lang::Name& used, const std::string& user) {
                                return files->add_used(used, user);
                              }};
}

} // namespace

Result<ProgramText> load_program_text(Sources& sources, const ProgramSelection& selection) {
  const Result<sweep::ProgramSource> found = find_program(sources, selection);
  if (!found) return found.errors();
  return sweep::read_program(sources, *found, selection);
}

Result<CheckedProgram> load_checked_program(Sources& sources, const ProgramSelection& selection) {
  const Result<sweep::ProgramSource> found = find_program(sources, selection);
  if (!found) return found.errors();
  return sweep::check_program(sources, *found, selection);
}

Result<LoadedMachine> load_selected_machine(Sources& sources, const MachineSelection& selection) {
  const std::string& name = selection.name;
  const MachineFiles files = machine_files(sources.limits());
  const bool is_file = name.find('/') != std::string::npos || fs::path(name).extension() == ".json";
  if (files.shipped.empty() && !is_file) return nothing_shipped("machines");
  return load_machine(sources, name, selection.overrides, files);
}

} // namespace memlane::cli
