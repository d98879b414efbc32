// A student's program against an exercise.
//
// It is a program of the language or, where the exercise asks for CUDA, kernels in PTX: the
// exercise launches them.
//
// A program runs as it is, with three things of the exercise in place of its own: the values of
// the parameters, the contents of the memory arrays, and the judgement of the result. Its verify
// does not run. The check program runs by itself, so that no declaration of the student's file can
// change what is right or what a claim means.
#pragma once

#include "memlane/grade/exercise.hpp"
#include "memlane/points/plan.hpp"
#include "memlane/show/run_report.hpp"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::grade {

enum class GradeStatus : std::uint8_t { passed, not_yet, error, stopped };
/// `passed`, `not yet`, `error`, `stopped`.
std::string_view name_of(GradeStatus status);

/// The program on one machine, with one value of each parameter, and one seed.
struct GradedRun {
  std::string label;   ///< `umm-w32, n=1024, seed 2`
  std::string command; ///< the command that shows such a run of the file with its own data
  std::string machine; ///< its name in the exercise
  std::vector<ir::Constant> parameters;
  std::uint64_t seed = 1;
  bool correct = false;   ///< it ended with the right result
  std::string reason;     ///< why it did not, or why it is not judged
  std::int64_t races = 0; ///< the number of races found
  Diagnostics messages;   ///< errors and races, each with its place
  std::int64_t time = 0;  ///< time units
  Stop stop = Stop::none; ///< a limit that ended the run
  /// Instructions of its repetition with races allowed, which was given up; 0: it was not.
  std::int64_t given_up_after = 0;
  RunResult result;                 ///< includes its counts
  std::vector<ClaimOutcome> claims; ///< the check program's claims; empty unless the run is correct

  /// It ended, with a right result or a wrong one.
  bool judged() const { return stop == Stop::none && given_up_after == 0; }
};

/// What came out for a criterion.
struct GradedCriterion {
  CriterionSpec spec;
  bool fulfilled = false;
  bool judged = true;  ///< the runs tell whether it is fulfilled
  bool earned = true;  ///< false: the file goes no further than the skeleton
  std::string says;    ///< why it is fulfilled or is not, in a sentence
  std::string details; ///< a place or numbers; may be empty
  /// Of a claim that does not hold: the line whose requests lost most stages, and its source on a
  /// line of its own; empty: no request did.
  std::string worst_line;
  std::optional<double> ratio; ///< a claim's worst count / formula
  std::optional<double> off;   ///< how many times the count is too large, or too small
  std::string formula;         ///< the claim's formula: `n/w + l`
  std::string run;             ///< label of the run that `says` is about

  std::int64_t points() const { return fulfilled && earned ? spec.points : 0; }
  /// The hint where a run shows that it is not fulfilled; else empty.
  std::string hint() const { return fulfilled || run.empty() ? "" : spec.hint; }
};

struct GradeResult {
  std::string exercise, title, exercise_path;
  std::string file, sha256; ///< the student's
  std::string graded;       ///< its program's text, or its kernels' PTX
  std::uint64_t more_seed = 0;
  GradeStatus status = GradeStatus::error;
  std::vector<GradedRun> runs;
  std::vector<GradedCriterion> criteria;
  Diagnostics errors; ///< why the file cannot be run
  Stop stop = Stop::none;

  std::int64_t points() const;
  std::int64_t most_points() const;
};

/// What a student hands in.
struct Submission {
  std::string path, sha256;
  const CheckedProgram* program = nullptr; ///< null: kernels
  std::string text; ///< the program's, or the PTX of kernels; lines are those of the file
};

/// What grading needs from its caller.
struct Grading {
  const ExerciseSpec* exercise = nullptr;
  const CheckedProgram* check = nullptr;
  /// What students begin with; null: not known, or it cannot run. It earns no points.
  const Submission* skeleton = nullptr;
  sweep::SweepFiles files; ///< `program` and `machine`; the first is asked for the check program
  Limits limits;           ///< `check` may stop the work
  /// Added to the seeds of the exercise: other random data than students have seen.
  std::uint64_t more_seed = 0;
};

/// The check program as grading uses it: all its memory arrays exist, mentioned or not.
CheckedProgram with_all_arrays(CheckedProgram check);

/// Runs the student's file on all runs of the exercise and judges it. Stops after a run that
/// reaches a limit. A file that would get some of the points is compared with the skeleton: it
/// gets them if it fulfils a criterion that the skeleton lacks, or comes twice as near to one.
/// Errors: those of the exercise alone (a machine or value that does not exist, a
/// check program that fails, a claim that never applies). Those of the file are in the result.
Result<GradeResult> grade_file(const Grading& grading, const Submission& file, Sources& sources);
/// The result for a file that has errors, or takes longer to read than the limits allow.
GradeResult ungraded(const Grading& grading, const Submission& file, Diagnostics errors);

/// The grade as text for a terminal of 80 columns, or as JSON; ends with a line end.
std::string grade_text(const GradeResult& result, const Sources& sources);
nlohmann::ordered_json grade_json(const GradeResult& result, const Sources& sources,
                                  std::string_view version);
nlohmann::ordered_json grade_schema();

} // namespace memlane::grade
