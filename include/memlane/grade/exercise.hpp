// An exercise: what its teacher requires of a program. Read from NAME.grade.json; the inputs, the
// right results and the claims are in the program NAME.check.lane beside it (programs/README.md,
// "Exercises").
#pragma once

#include "memlane/lang/checked_program.hpp"
#include "memlane/points/sweep_spec.hpp"
#include "memlane/support/json_text.hpp"
#include "memlane/support/result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::grade {

/// Criteria that every exercise has; all others are the texts of claims in its check program.
inline constexpr std::string_view correct = "correct", no_races = "no races";
/// What the names of an exercise's files end in.
inline constexpr std::string_view exercise_ending = ".grade.json", check_ending = ".check.lane";

struct CriterionSpec {
  std::string name;
  std::int64_t points = 0;
  /// Of a claim with O: the largest ratio of its count to its formula that is accepted.
  std::optional<double> factor;
  std::string hint; ///< shown if a program does not fulfil it; may be empty
  Span span;        ///< where the name is written
};

/// A program that teachers keep because students write such ones, and it must not pass.
struct FalseSolution {
  std::string file;               ///< its path, relative to the exercise's file
  std::vector<std::string> lacks; ///< all criteria that its runs show not to be fulfilled
};

/// What a program may use in a run, and `seconds` in all runs together.
struct GradeLimits {
  std::int64_t steps = 5'000'000;
  std::int64_t memory = std::int64_t{256} << 20; ///< bytes
  std::int64_t seconds = 60;
};

struct ExerciseSpec {
  std::string name; ///< `01_map`
  std::string path; ///< the path of NAME.grade.json
  std::string title;
  std::vector<sweep::SweepSpec> runs; ///< each with the check program alone
  std::vector<std::string> results;   ///< memory arrays that are compared
  std::vector<Span> result_spans;
  /// For kernels in CUDA, which these launch in order: `k<<<n/32, 32>>>(a, c, n)`, with memory
  /// arrays and integer parameters of the check program. Empty: programs of the language are asked
  /// for.
  std::vector<std::string> launches;
  double tolerance = 0; ///< what reals may differ by, relative to max(1, |right value|)
  std::vector<CriterionSpec> criteria;
  GradeLimits limits;
  // For `grade --check`; students do not get them.
  std::string solution; ///< a path, relative to `path`; empty: none
  std::vector<FalseSolution> false_solutions;
};

/// Reads an exercise file that is in `sources`; the check program is `NAME.check.lane` in the same
/// folder. Returns all independent errors, each with its place. Cost: the size of the file.
Result<ExerciseSpec> read_exercise(Sources& sources, std::int32_t file, const std::string& name);

/// Compares the file with its check program: results must be its memory arrays, criteria its
/// claims, and every claim a criterion; claims with O have a factor, exact ones have none.
Status check_exercise(const ExerciseSpec& exercise, const CheckedProgram& check);

/// The text of an exercise's file without the keys that are the teacher's: `writeOnly` in its
/// schema. Requires that it was read.
std::string as_handed_out(const std::string& text);

/// The keys of exercise files, in display order.
std::vector<FileKey> exercise_keys();
/// The JSON Schema (draft 7) of such a file, for editors.
nlohmann::ordered_json exercise_schema();

} // namespace memlane::grade
