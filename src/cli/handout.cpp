// memlane handout: what students get of exercises.
#include "command.hpp"
#include "files.hpp"
#include "graded_file.hpp"
#include "pending_file.hpp"
#include "shipped_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

namespace memlane::cli {
namespace {

namespace fs = std::filesystem;

struct HandoutRequest {
  std::vector<std::string> exercises;
  std::optional<std::string> folder;
};

void handout_options(Options& options, HandoutRequest& request) {
  options.take_words("exercise", 0, &request.exercises);
  options.add("output,o", "FOLDER", &request.folder, "where the files go");
}

/// A file of an exercise, as students get it.
struct HandedOut {
  std::string name, text;
};

Result<std::vector<HandedOut>> files_of(const std::string& name, Sources& sources) {
  const Result<grade::ExerciseSpec> exercise = load_sound_exercise(sources, name);
  if (!exercise) return exercise.errors();
  const std::string stem =
      exercise->path.substr(0, exercise->path.size() - grade::exercise_ending.size());
  std::vector<HandedOut> files;
  ErrorCollector errors;
  for (const std::string_view ending :
       {std::string_view(".lane"), std::string_view(".cu"), std::string_view(".ptx"),
        grade::check_ending, grade::exercise_ending}) {
    const std::string path = stem + std::string(ending);
    std::error_code code;
    if (!fs::exists(path, code)) continue;
    Result<std::string> text = read_file(
        path, std::size_t{4} << 20, {"a file of an exercise is not that large"}, sources.limits());
    if (!errors.check(text)) continue;
    if (ending == grade::exercise_ending) *text = grade::as_handed_out(*text);
    files.push_back({exercise->name + std::string(ending), std::move(*text)});
  }
  if (!errors.ok()) return errors.errors();
  return files;
}

/// What is there stays: students may have worked on it.
Status write_new(const std::string& folder, const HandedOut& file, Sources& sources) {
  const std::string path = (fs::path(folder) / file.name).string();
  std::error_code code;
  if (!fs::exists(path, code)) {
    Result<PendingFile> opened = PendingFile::open(path);
    return opened ? opened->write(file.text) : Status(opened.errors());
  }
  const Result<std::string> there = read_file(path, std::size_t{4} << 20, {}, sources.limits());
  if (there && *there == file.text) return Done{};
  return error_in(path, "this file is there, with another content",
                  {"take a new folder, or remove the file"});
}

Result<Exit> run_handout(HandoutRequest& request, Sources& sources, Console& console) {
  if (!request.folder)
    return error_in("--output", "is missing", {"for example: memlane handout -o exercises"});
  ErrorCollector errors;
  std::vector<HandedOut> files;
  for (const std::string& name : request.exercises.empty() ? exercise_names() : request.exercises) {
    Result<std::vector<HandedOut>> more = files_of(name, sources);
    if (errors.check(more)) files.insert(files.end(), more->begin(), more->end());
  }
  if (!errors.ok()) return errors.errors();
  std::error_code code;
  fs::create_directories(*request.folder, code);
  if (code) return error_in(*request.folder, fmt::format("cannot be made: {}", code.message()));
  for (const HandedOut& file : files) errors.check(write_new(*request.folder, file, sources));
  if (!errors.ok()) return errors.errors();
  for (const HandedOut& file : files)
    console.out((fs::path(*request.folder) / file.name).string() + "\n");
  return Exit::done;
}

} // namespace

Command handout_command() {
  return {"handout",
          "[EXERCISE...] -o FOLDER",
          "copy exercises for students, without their solutions",
          "Write the files of exercises, of all shipped ones if none is named, to a folder: what\n"
          "students complete, and what 'grade' judges it by. Solutions are not among them.\n"
          "A file that is there with another content is an error. Prints the files' paths.",
          call_with(handout_options, run_handout),
          {"memlane handout -o handed-out", "memlane handout map 14_transpose -o handed-out"}};
}

} // namespace memlane::cli
