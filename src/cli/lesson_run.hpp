// A lesson's runs: its points, its pictures, and what it watches.
#pragma once

#include "console.hpp"
#include "shipped_files.hpp"

#include "memlane/study/figures/figure_points.hpp"

#include <cstddef>

namespace memlane::cli {

struct LessonRun {
  bool for_page = false; ///< pictures as JSON, too, and the address of the run to change
  std::size_t jobs = 1;
};

/// Runs a lesson's points and fills it with their numbers. `run` says whether that was interrupted;
/// the lesson is then empty.
Result<Lesson> run_lesson(const LessonFile& file, const LessonRun& how, Sources& sources,
                          const Console& console, FiguresRun& run);

} // namespace memlane::cli
