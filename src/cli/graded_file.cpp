#include "graded_file.hpp"

#include "files.hpp"
#include "interrupt.hpp"
#include "nvcc.hpp"
#include "program.hpp"

#include "memlane/claim/claim.hpp"
#include "memlane/grade/grading.hpp"
#include "memlane/lang/parse.hpp"
#include "memlane/support/sha256.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

namespace memlane::cli {
namespace {

/// The check program of the exercise, which lies beside its file.
Result<CheckedProgram> load_check(Sources& sources, const grade::ExerciseSpec& exercise) {
  std::string path = exercise.path;
  path.resize(path.size() - grade::exercise_ending.size());
  Result<CheckedProgram> check =
      load_checked_program(sources, {path + std::string(grade::check_ending)});
  if (!check) return check.errors();
  if (const Status fits = grade::check_exercise(exercise, *check); !fits) return fits.errors();
  return grade::with_all_arrays(std::move(*check));
}

/// The machines of the exercise; its check program is the only program.
sweep::SweepFiles files_for_grading(Sources& sources, const CheckedProgram& check) {
  sweep::SweepFiles files;
  files.program = [&check](const std::string&, const auto&) -> Result<CheckedProgram> {
    return check;
  };
  files.machine = [&sources](const std::string& name, const std::vector<std::string>& overrides) {
    return load_selected_machine(sources, {name, overrides, true});
  };
  return files;
}

/// The file that is graded. Errors of its program are part of the grade.
struct GradedFile {
  grade::Submission submission;
  std::optional<CheckedProgram> program;
  Diagnostics errors;

  /// As it is now: it refers to the program.
  grade::Submission as_submission() const {
    grade::Submission now = submission;
    if (program) now.program = &*program;
    return now;
  }
};

/// Reads a program that must be one file: nothing of other files can be graded as its own.
Result<CheckedProgram> load_one_file(Sources& sources, std::int32_t file) {
  const lang::UseLoader refuse = [](const lang::Name& used,
                                    const std::string&) -> Result<std::int32_t> {
    return error_at(used.span, "a program that is graded is one file and uses no other",
                    {"write what it needs into the file itself"});
  };
  Result<lang::Program> program = lang::load_program(sources, file, refuse, {});
  if (!program) return program.errors();
  Result<lang::Checked> checked = lang::check(sources, std::move(*program), claim_counts());
  if (!checked) return checked.errors();
  ProgramInfo info;
  info.path = sources.path(file);
  info.sha256 = sha256(sources.text(file));
  return CheckedProgram{std::move(*checked), std::move(info)};
}

constexpr std::size_t most_graded_bytes = std::size_t{4} << 20;

bool is_cuda(const std::string& path) { return path.ends_with(".cu") || path.ends_with(".ptx"); }

Result<GradedFile> load_graded_file(Sources& sources, const std::string& path) {
  Result<std::string> text =
      read_file(path, most_graded_bytes, {"an exercise is not that large"}, sources.limits());
  if (!text) return text.errors();
  GradedFile file;
  file.submission = {path, sha256(*text), nullptr, ""};
  if (is_cuda(path)) {
    // Nothing of a student's host program runs: nvcc compiles the kernels alone.
    Result<std::string> ptx =
        path.ends_with(".ptx") ? text : ptx_of_source(path, "grade", sources.limits());
    if (ptx)
      file.submission.ptx = std::move(*ptx);
    else
      file.errors = ptx.errors();
    return file;
  }
  Result<CheckedProgram> program = load_one_file(sources, sources.add(path, std::move(*text)));
  if (program)
    file.program = std::move(*program);
  else
    file.errors = program.errors();
  return file;
}

/// None: there is no such file, or it has errors.
Result<std::optional<GradedFile>> load_skeleton(Sources& sources,
                                                const grade::ExerciseSpec& exercise) {
  const std::string path = skeleton_of(exercise);
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return std::optional<GradedFile>();
  Result<GradedFile> file = load_graded_file(sources, path);
  if (!file) return file.errors();
  if (!file->errors.empty()) return std::optional<GradedFile>();
  return std::optional(std::move(*file));
}

/// An exercise asks for a program of the language, or for kernels.
Status check_kind(const grade::ExerciseSpec& exercise, const std::string& path) {
  if (exercise.launches.empty() && is_cuda(path))
    return error_in(path, fmt::format("{} asks for a program of the language", exercise.name),
                    {"'memlane list exercises' lists those for CUDA, too"});
  if (!exercise.launches.empty() && !is_cuda(path))
    return error_in(path, fmt::format("{} asks for CUDA kernels", exercise.name),
                    {"hand in a file .cu or, made by nvcc -ptx -lineinfo, .ptx"});
  return Done{};
}

} // namespace

std::string skeleton_of(const grade::ExerciseSpec& exercise) {
  const std::string stem =
      exercise.path.substr(0, exercise.path.size() - grade::exercise_ending.size());
  return stem + (exercise.launches.empty() ? ".lane" : ".ptx");
}

Result<grade::GradeResult> grade_path(const std::string& path, const grade::ExerciseSpec& exercise,
                                      std::uint64_t more_seed, Sources& sources) {
  if (const Status fits = check_kind(exercise, path); !fits) return fits.errors();
  const Result<CheckedProgram> check = load_check(sources, exercise);
  if (!check) return check.errors();

  grade::Grading grading;
  grading.exercise = &exercise;
  grading.check = &*check;
  grading.files = files_for_grading(sources, *check);
  grading.more_seed = more_seed;
  grading.limits.check = stop_check(static_cast<double>(exercise.limits.seconds));
  Limits reading = grading.limits;
  reading.memory = exercise.limits.memory;
  sources.set_limits(reading);
  Result<GradedFile> file = load_graded_file(sources, path);
  if (!file) return file.errors();
  if (!file->errors.empty())
    return grade::ungraded(exercise, file->submission.path, file->submission.sha256,
                           std::move(file->errors));
  const Result<std::optional<GradedFile>> skeleton = load_skeleton(sources, exercise);
  if (!skeleton) return skeleton.errors();
  const std::optional<grade::Submission> first =
      *skeleton ? std::optional((*skeleton)->as_submission()) : std::nullopt;
  if (first) grading.skeleton = &*first;
  return grade::grade_file(grading, file->as_submission(), sources);
}

} // namespace memlane::cli
