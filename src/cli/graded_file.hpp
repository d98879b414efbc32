// A student's file, judged by an exercise: what is read for it, and its limits.
#pragma once

#include "memlane/grade/grading.hpp"

#include <cstdint>
#include <string>

namespace memlane::cli {

/// An exercise for several students. Errors: those of its file and of its check program, which no
/// student can mend.
Result<grade::ExerciseSpec> load_sound_exercise(Sources& sources, const std::string& name);

/// The file at `path`, judged by the exercise and compared with its skeleton. `more_seed` is added
/// to the exercise's seeds. Errors: a file of the wrong kind or that is not there, those of the
/// exercise and its check program. Errors of the file's program are in the result.
Result<grade::GradeResult> grade_path(const std::string& path, const grade::ExerciseSpec& exercise,
                                      std::uint64_t more_seed, Sources& sources);

/// The same of a text: a program of the language, or the PTX of kernels, as the exercise asks for.
Result<grade::GradeResult> grade_program(const std::string& text,
                                         const grade::ExerciseSpec& exercise,
                                         std::uint64_t more_seed, Sources& sources);

} // namespace memlane::cli
