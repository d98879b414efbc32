// Grades of many files as rows: of a class, and of the programs that an exercise is checked with.
#pragma once

#include "memlane/grade/grading.hpp"
#include "memlane/show/columns.hpp"

#include <string>
#include <vector>

namespace memlane::grade {

/// A file's grade for an exercise, in a line.
struct GradeRow {
  std::string file; ///< relative to the folder that is graded
  std::string exercise;
  GradeStatus status = GradeStatus::error;
  std::int64_t points = 0, most_points = 0;
  std::vector<std::string> lacks; ///< criteria that a run shows not to be fulfilled
  std::string says;               ///< of the first of these, or the file's first error
  std::string sha256;
};

GradeRow row_of(const std::string& file, const GradeResult& result, const Sources& sources);
/// Of a file that no exercise judges.
GradeRow row_of(const std::string& file, const Diagnostics& errors, const Sources& sources);

/// For tables, CSV and JSON lines.
const Columns<GradeRow>& grade_columns();

/// What a program that an exercise is checked with came to.
struct CheckedFile {
  std::string role; ///< `solution`, `skeleton`, `false solution`
  GradeRow row;
  std::string wrong; ///< what should be otherwise; empty: nothing
};

/// The solution must pass.
CheckedFile checked_solution(GradeRow row);
/// The skeleton must get no points, and not pass.
CheckedFile checked_skeleton(GradeRow row);
/// It must lack exactly these criteria.
CheckedFile checked_false(GradeRow row, const FalseSolution& solution);

/// A line each, with the reason below it; 80 columns wide.
std::string checked_text(const std::vector<CheckedFile>& files);

} // namespace memlane::grade
