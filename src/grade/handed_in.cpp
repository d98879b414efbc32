#include "memlane/grade/handed_in.hpp"

#include "memlane/claim/claim.hpp"
#include "memlane/lang/parse.hpp"
#include "memlane/support/sha256.hpp"

#include <fmt/format.h>

namespace memlane::grade {
namespace {

Result<CheckedProgram> check_one_file(Sources& sources, std::int32_t file) {
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

Result<CheckedProgram> checked_check(const ToGrade& what) {
  Result<CheckedProgram> check = what.check(check_of(*what.exercise));
  if (!check) return check.errors();
  if (const Status fits = check_exercise(*what.exercise, *check); !fits) return fits.errors();
  return with_all_arrays(std::move(*check));
}

/// The path of an exercise's file with another ending.
std::string beside(const ExerciseSpec& exercise, std::string_view ending) {
  return exercise.path.substr(0, exercise.path.size() - exercise_ending.size()) +
         std::string(ending);
}

} // namespace

bool is_cuda(const std::string& path) { return path.ends_with(".cu") || path.ends_with(".ptx"); }

HandedIn handed_in_kernels(const std::string& path, const std::string& sha256,
                           Result<std::string> ptx) {
  HandedIn file;
  file.submission = {path, sha256, nullptr, ""};
  if (ptx)
    file.submission.text = std::move(*ptx);
  else
    file.errors = ptx.errors();
  return file;
}

HandedIn handed_in(Sources& sources, const std::string& path, std::string text) {
  const std::string hash = sha256(text);
  if (is_cuda(path)) return handed_in_kernels(path, hash, std::move(text));
  HandedIn file;
  file.submission = {path, hash, nullptr, text};
  Result<CheckedProgram> program = check_one_file(sources, sources.add(path, std::move(text)));
  if (program)
    file.program = std::move(*program);
  else
    file.errors = program.errors();
  return file;
}

Status check_kind(const ExerciseSpec& exercise, const std::string& path) {
  if (exercise.launches.empty() && is_cuda(path))
    return error_in(path, fmt::format("{} asks for a program of the language", exercise.name),
                    {"'memlane list exercises' lists those for CUDA, too"});
  if (!exercise.launches.empty() && !is_cuda(path))
    return error_in(path, fmt::format("{} asks for CUDA kernels", exercise.name),
                    {"hand in a file .cu or, made by nvcc -ptx -lineinfo, .ptx"});
  return Done{};
}

std::string ending_of(const ExerciseSpec& exercise) {
  return exercise.launches.empty() ? ".lane" : ".ptx";
}

std::string check_of(const ExerciseSpec& exercise) { return beside(exercise, check_ending); }

std::string skeleton_of(const ExerciseSpec& exercise) {
  return beside(exercise, ending_of(exercise));
}

Result<GradeResult> grade(const ToGrade& what, Sources& sources) {
  const Result<CheckedProgram> check = checked_check(what);
  if (!check) return check.errors();
  Grading grading;
  grading.exercise = what.exercise;
  grading.check = &*check;
  // The check program is the only program.
  grading.files.program = [&check](const std::string&, const auto&) { return check; };
  grading.files.machine = what.machine;
  grading.more_seed = what.more_seed;
  grading.limits.check = what.stop;
  Limits reading = grading.limits;
  reading.memory = what.exercise->limits.memory;
  sources.set_limits(reading);
  Result<HandedIn> file = what.file();
  if (!file) return file.errors();
  if (!file->errors.empty()) return ungraded(grading, file->submission, std::move(file->errors));
  // One that cannot run is none.
  const Result<std::optional<HandedIn>> skeleton = what.skeleton(skeleton_of(*what.exercise));
  if (!skeleton) return skeleton.errors();
  const bool runs = *skeleton && (*skeleton)->errors.empty();
  const std::optional<Submission> first =
      runs ? std::optional((*skeleton)->as_submission()) : std::nullopt;
  if (first) grading.skeleton = &*first;
  return grade_file(grading, file->as_submission(), sources);
}

} // namespace memlane::grade
