// memlane grade: students' programs against exercises.
#include "command.hpp"
#include "grade_request.hpp"
#include "graded_file.hpp"
#include "options.hpp"
#include "results.hpp"
#include "shipped_files.hpp"
#include "version.hpp"

#include "memlane/grade/class_rows.hpp"
#include "memlane/grade/handed_in.hpp"
#include "memlane/grade/result_string.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>

namespace memlane::cli {
namespace {

namespace fs = std::filesystem;
using grade::GradeRow;

void grade_options(Options& options, GradeRequest& request) {
  options.take_word("file", &request.file);
  options.add("exercise,e", "EXERCISE", &request.exercise,
              "a shipped exercise (its name or number), or FOLDER/NAME of your\n"
              "own; if not given, the one that the file is named after");
  options.add(
      "seed", "N",
      whole_number([&request](std::int64_t seed) { request.more_seed = seed; }, 0, INT64_MAX / 2),
      "add N to the seeds of the exercise: its random data are others than\n"
      "those that students have seen");
  options.flag("check", &request.check,
               "FILE is an exercise: its solution must pass, its skeleton get no\n"
               "points, and each false solution lack what the exercise says");
  options.flag("result", &request.result,
               "print the grade as one line, for a learning platform, to standard output;\n"
               "the grade itself goes to standard error");
  options.flag("verify", &request.verify,
               "FILE is such a line, or -: many, one a line, from standard input.\n"
               "Grade the program in it again and compare the grades");
  add_jobs(options, request.jobs,
           "files of a folder, or lines, side by side; one a core if not given");
  options.add("format", "FORMAT",
              one_of(&request.format, "format",
                     {{"table", Format::table},
                      {"json", Format::json},
                      {"csv", Format::csv},
                      {"jsonl", Format::jsonl}}),
              "table (the default), csv or jsonl, with a row a file; of one file also\n"
              "json, with all criteria and runs");
  options.then([&request](OptionReader& given, Sources&) {
    const std::string what = request.check ? "--check" : "--verify";
    if (request.check && request.verify)
      given.fail("--verify", "--check is given, too", "leave one of them out");
    if (request.result && (request.check || request.verify))
      given.fail("--result", what + " prints no result string", "leave one of them out");
    if (request.result && request.format != Format::table)
      given.fail("--result", "it is one line, and in no format", "leave --format out");
  });
}

Exit exit_of(const grade::GradeResult& result) {
  if (result.stop == Stop::interrupted) return Exit::interrupted;
  switch (result.status) {
  case grade::GradeStatus::passed: return Exit::done;
  case grade::GradeStatus::not_yet: return Exit::check_failed;
  case grade::GradeStatus::error: return Exit::error;
  case grade::GradeStatus::stopped: return Exit::limit;
  }
  return Exit::error;
}

Result<grade::GradeResult> grade_asked(const GradeRequest& request, Sources& sources) {
  const Result<std::string> path = path_of_graded(request.file);
  if (!path) return path.errors();
  const Result<grade::ExerciseSpec> exercise = load_exercise(sources, request.exercise, *path);
  if (!exercise) return exercise.errors();
  return grade_path(*path, *exercise, request.more_seed.value_or(0), sources);
}

Result<Exit> grade_one(const GradeRequest& request, Sources& sources, Console& console) {
  const Result<grade::GradeResult> result = grade_asked(request, sources);
  if (!result) return result.errors();
  if (request.result && result->stop != Stop::interrupted) {
    const Result<std::string> line = grade::result_string(*result, version);
    console.print_error(grade::grade_text(*result, sources));
    if (!line) return line.errors();
    console.out(*line + '\n');
    return exit_of(*result);
  }
  const std::vector<GradeRow> row = {grade::row_of(result->file, *result, sources)};
  console.out(grade::grade_columns().text_in(
      request.format, "", row,
      [&] { return console.with_commands(grade::grade_text(*result, sources)); },
      [&] { return grade::grade_json(*result, sources, version); }));
  return exit_of(*result);
}

// --- a folder

/// What is in a folder and its folders.
struct HandedInFiles {
  std::vector<std::string> files; ///< that students may have handed in
  std::vector<std::string> links; ///< to such files, or to folders: not followed
};

/// Each in the order of their paths, without hidden files.
HandedInFiles handed_in(const std::string& folder) {
  HandedInFiles found;
  std::error_code code;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, code);
  for (; !code && at != fs::recursive_directory_iterator(); at.increment(code)) {
    const std::string name = at->path().filename().string();
    const bool hidden = name.starts_with('.');
    if (hidden && at->is_directory(code)) at.disable_recursion_pending();
    if (hidden) continue;
    const bool is_program =
        (name.ends_with(".lane") || name.ends_with(".cu") || name.ends_with(".ptx")) &&
        !name.ends_with(grade::check_ending);
    if (at->is_symlink(code) && (is_program || at->is_directory(code)))
      found.links.push_back(at->path().string());
    else if (is_program && at->is_regular_file(code))
      found.files.push_back(at->path().string());
  }
  std::sort(found.files.begin(), found.files.end());
  std::sort(found.links.begin(), found.links.end());
  return found;
}

/// Why links are left out; empty: there are none.
std::string text_about(const std::vector<std::string>& links) {
  if (links.empty()) return "";
  return fmt::format(
      "{} not followed, since a link may lead to the file of another student: {}",
      counted(static_cast<std::int64_t>(links.size()), "symbolic link is", "symbolic links are"),
      on_one_line(fmt::format("{}", fmt::join(links, ", ")), 400));
}

/// Of a file; an exercise beside it is not taken for the teacher's.
GradeRow row_of_file(const GradeRequest& request, const std::string& path) {
  std::string shown = fs::path(path).lexically_relative(request.file).string();
  // Spreadsheets read a cell that begins so as a formula; the path stays the same.
  if (shown.find_first_of("=+-@") == 0) shown.insert(0, "./");
  const std::string stem = fs::path(path).stem().string();
  const std::string exercise = request.exercise ? *request.exercise : exercise_called(stem);
  Sources sources;
  if (exercise.empty())
    return grade::row_of(shown, Diagnostics{error_in(shown, "it is not named like an exercise")},
                         sources);
  const Result<grade::ExerciseSpec> spec = load_exercise(sources, exercise, path);
  if (!spec) return grade::row_of(shown, spec.errors(), sources);
  const Result<grade::GradeResult> result =
      grade_path(path, *spec, request.more_seed.value_or(0), sources);
  if (result) return grade::row_of(shown, *result, sources);
  GradeRow row = grade::row_of(shown, result.errors(), sources);
  row.exercise = spec->name;
  return row;
}

/// A row a file. Those of CSV and JSON lines are printed as they come, so that none is lost.
Result<Exit> grade_folder(const GradeRequest& request, Sources& sources, Console& console) {
  if (request.result)
    return error_in("--result", "a result string is the grade of one file",
                    {"--format csv has a row for each file of a folder"});
  if (request.format == Format::json)
    return error_in("--format", "json is the grade of one file",
                    {"--format jsonl has a line for each file of a folder"});
  if (request.exercise)
    if (const auto spec = load_sound_exercise(sources, *request.exercise); !spec)
      return spec.errors();
  const HandedInFiles found = handed_in(request.file);
  if (found.files.empty() && found.links.empty())
    return error_in("", fmt::format("'{}' has no file .lane, .cu or .ptx", request.file),
                    {"a folder of a class has files that are named like exercises, such as "
                     "CLASS/STUDENT/01_map.lane, or with --exercise files of any name"});
  const std::string links = text_about(found.links);
  const std::string way = fmt::format(
      "'cp -rL {} COPY' makes a folder with files in place of links", shell_word(request.file));
  if (found.files.empty())
    return error_in("", fmt::format("'{}' has no file to grade: {}", request.file, links), {way});
  if (!links.empty()) console.print_error(fmt::format("note: {}\n  help: {}\n", links, way));
  const std::vector<GradeRow> rows = print_rows<GradeRow>(
      request, grade::grade_columns(), found.files.size(),
      [&](std::size_t i) { return row_of_file(request, found.files[i]); }, console);
  return rows.size() == found.files.size() ? Exit::done : Exit::interrupted;
}

// --- an exercise

Result<GradeRow> row_of_own(const std::string& path, const grade::ExerciseSpec& exercise,
                            Sources& sources) {
  const Result<grade::GradeResult> result = grade_path(path, exercise, 0, sources);
  if (!result) return result.errors();
  return grade::row_of(path, *result, sources);
}

Result<Exit> check_exercise(const GradeRequest& request, Sources& sources, Console& console) {
  const Result<grade::ExerciseSpec> exercise = load_exercise(sources, request.file, "");
  if (!exercise) return exercise.errors();
  if (exercise->solution.empty())
    return error_in(exercise->path, "the exercise names no solution",
                    {"\"solution\": \"NAME.solution.lane\" is a path relative to this file"});
  const auto beside = [&](const std::string& path) {
    return (fs::path(exercise->path).parent_path() / path).lexically_normal().string();
  };
  std::vector<grade::CheckedFile> files;
  ErrorCollector errors;
  const auto add = [&](const std::string& path, const auto& checked) {
    Result<GradeRow> row = row_of_own(path, *exercise, sources);
    if (errors.check(row)) files.push_back(checked(std::move(*row)));
  };
  add(beside(exercise->solution), grade::checked_solution);
  if (const std::string skeleton = grade::skeleton_of(*exercise); fs::exists(skeleton))
    add(skeleton, grade::checked_skeleton);
  for (const grade::FalseSolution& solution : exercise->false_solutions)
    add(beside(solution.file),
        [&](GradeRow row) { return grade::checked_false(std::move(row), solution); });
  if (!errors.ok()) return errors.errors();
  console.out(fmt::format("exercise  {}: {}\n\n", exercise->name, exercise->title) +
              grade::checked_text(files));
  const bool good =
      std::all_of(files.begin(), files.end(), [](const auto& file) { return file.wrong.empty(); });
  return good ? Exit::done : Exit::check_failed;
}

Result<Exit> run_grade(GradeRequest& request, Sources& sources, Console& console) {
  const InterruptGuard guard;
  if (request.check) return check_exercise(request, sources, console);
  if (request.verify) return verify_results(request, sources, console);
  std::error_code code;
  if (fs::is_directory(request.file, code)) return grade_folder(request, sources, console);
  return grade_one(request, sources, console);
}

} // namespace

Command grade_command() {
  return {
      "grade",
      "FILE | FOLDER | --verify LINE | --check EXERCISE [options]",
      "judge students' programs by the exercises they are for",
      "Run a program on the sizes, machines and data of an exercise and judge it: is the result\n"
      "right, are there races, does the time stay near the bound. The program's own verify,\n"
      "claims and data do not count. Where an exercise asks for CUDA, FILE is a .cu file, which\n"
      "nvcc compiles, or a .ptx file; the exercise launches its kernels, and no host code runs.\n"
      "Of a folder, all programs in it and its folders are judged, each by the exercise that it\n"
      "is named after or, with --exercise, by that one.\n"
      "A line that --result prints holds the program and its grade; --verify grades the program\n"
      "again. What is before such a line in its own line of standard input, such as a name and a\n"
      "comma, is shown beside the verdict.\n"
      "Exit status: 0 passed, 1 not yet, 2 the file has an error, 3 a limit of the exercise was\n"
      "reached; of a folder 0, whatever its grades are. With --verify: 0 all is as the lines say,\n"
      "1 a line says something else, 2 a line cannot be checked.",
      call_with(grade_options, run_grade),
      {"memlane list exercises", "memlane grade 01_map",
       "memlane grade 01_map --exercise map --format json",
       "memlane handout -o class/ada && memlane grade class --format csv",
       "memlane grade --check 14_transpose", "memlane grade 01_map --result"}};
}

} // namespace memlane::cli
