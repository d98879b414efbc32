// From what a student hands in, and an exercise, to the grade: the way that the command line and
// the playground share. Neither files nor a clock are needed here; the caller brings them.
#pragma once

#include "memlane/grade/grading.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace memlane::grade {

/// A file that was read. Errors of its program are part of its grade.
struct HandedIn {
  Submission submission; ///< without the program
  std::optional<CheckedProgram> program;
  Diagnostics errors;

  /// As it is now: it refers to the program.
  Submission as_submission() const {
    Submission now = submission;
    if (program) now.program = &*program;
    return now;
  }
};

/// Kernels have a file .cu or .ptx.
bool is_cuda(const std::string& path);

/// Of a program of the language, or of kernels in PTX if the path says so. A program must be one
/// file: nothing of other files can be graded as its own.
HandedIn handed_in(Sources& sources, const std::string& path, std::string text);
/// Of kernels that were compiled from a text of this hash, or could not be.
HandedIn handed_in_kernels(const std::string& path, const std::string& sha256,
                           Result<std::string> ptx);

/// An exercise asks for a program of the language, or for kernels. Errors: it does not fit `path`.
Status check_kind(const ExerciseSpec& exercise, const std::string& path);

/// What a grade is made of, each read when it is needed, under the exercise's limits.
struct ToGrade {
  const ExerciseSpec* exercise = nullptr;
  std::function<Result<CheckedProgram>(const std::string& path)> check;
  decltype(sweep::SweepFiles::machine) machine;
  std::function<Result<HandedIn>()> file;
  /// None: there is no skeleton.
  std::function<Result<std::optional<HandedIn>>(const std::string& path)> skeleton;
  std::function<Stop()> stop;  ///< also after the exercise's seconds
  std::uint64_t more_seed = 0; ///< as in `Grading`
};

/// Errors: a file that cannot be read, those of the exercise and its check program. Errors of the
/// file's program are in the result.
Result<GradeResult> grade(const ToGrade& what, Sources& sources);

/// What is handed in is `.lane` or `.ptx`.
std::string ending_of(const ExerciseSpec& exercise);
/// NAME.check.lane beside the exercise's file.
std::string check_of(const ExerciseSpec& exercise);
/// What students complete, beside the exercise's file. Kernels are there as PTX, too, so that they
/// need no nvcc.
std::string skeleton_of(const ExerciseSpec& exercise);

/// The launches of an exercise for kernels as `memlane ptx --launch` takes them, with arrays of
/// their own, for its bound check program; `random(lo, hi)` of its arrays is kept, other initial
/// values are not.
Result<std::vector<std::string>> launch_texts(const ExerciseSpec& exercise,
                                              const ir::Program& check, const MachineSpec& machine,
                                              Sources& sources);

} // namespace memlane::grade
