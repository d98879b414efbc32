#include "graded_file.hpp"

#include "files.hpp"
#include "interrupt.hpp"
#include "nvcc.hpp"
#include "program.hpp"
#include "shipped_files.hpp"

#include "memlane/grade/handed_in.hpp"
#include "memlane/support/sha256.hpp"

#include <filesystem>
#include <optional>
#include <utility>

namespace memlane::cli {
namespace {

constexpr std::size_t most_graded_bytes = std::size_t{4} << 20;

Result<grade::HandedIn> load_graded_file(Sources& sources, const std::string& path) {
  Result<std::string> text =
      read_file(path, most_graded_bytes, {"an exercise is not that large"}, sources.limits());
  if (!text) return text.errors();
  if (!path.ends_with(".cu")) return grade::handed_in(sources, path, std::move(*text));
  // Nothing of a student's host program runs: nvcc compiles the kernels alone.
  return grade::handed_in_kernels(path, sha256(*text),
                                  ptx_of_source(path, "grade", sources.limits()));
}

Result<std::optional<grade::HandedIn>> load_skeleton(Sources& sources, const std::string& path) {
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return std::optional<grade::HandedIn>();
  Result<grade::HandedIn> file = load_graded_file(sources, path);
  if (!file) return file.errors();
  return std::optional(std::move(*file));
}

Result<grade::GradeResult> grade_handed_in(const grade::ExerciseSpec& exercise,
                                           std::uint64_t more_seed, Sources& sources,
                                           std::function<Result<grade::HandedIn>()> file) {
  grade::ToGrade what;
  what.exercise = &exercise;
  what.check = [&sources](const std::string& path) {
    return load_checked_program(sources, {path});
  };
  what.machine = [&sources](const std::string& name, const std::vector<std::string>& overrides) {
    return load_selected_machine(sources, {name, overrides, true});
  };
  what.file = std::move(file);
  what.skeleton = [&sources](const std::string& path) { return load_skeleton(sources, path); };
  what.stop = stop_check(static_cast<double>(exercise.limits.seconds));
  what.more_seed = more_seed;
  return grade::grade(what, sources);
}

} // namespace

Result<grade::ExerciseSpec> load_sound_exercise(Sources& sources, const std::string& name) {
  Result<grade::ExerciseSpec> exercise = load_exercise(sources, name, "");
  if (!exercise) return exercise;
  const auto check = load_checked_program(sources, {grade::check_of(*exercise)});
  if (!check) return check.errors();
  return exercise;
}

Result<grade::GradeResult> grade_path(const std::string& path, const grade::ExerciseSpec& exercise,
                                      std::uint64_t more_seed, Sources& sources) {
  if (const Status fits = grade::check_kind(exercise, path); !fits) return fits.errors();
  return grade_handed_in(exercise, more_seed, sources,
                         [&] { return load_graded_file(sources, path); });
}

Result<grade::GradeResult> grade_program(const std::string& text,
                                         const grade::ExerciseSpec& exercise,
                                         std::uint64_t more_seed, Sources& sources) {
  const std::string path = exercise.name + grade::ending_of(exercise);
  return grade_handed_in(exercise, more_seed, sources, [&]() -> Result<grade::HandedIn> {
    return grade::handed_in(sources, path, text);
  });
}

} // namespace memlane::cli
