// A grade as one line of text, for learning platforms: `memlane-result-1.`, a packed text, a full
// stop, and eight digits of the text's SHA-256. The text is a line of JSON, and behind it the
// program that was graded. It has no secret: `--verify` grades the program again.
#pragma once

#include "memlane/grade/grading.hpp"

#include <string>
#include <string_view>

namespace memlane::grade {

/// Begins such a line; the version of the format follows.
inline constexpr std::string_view result_word = "memlane-result-";

/// What a line says.
struct ClaimedGrade {
  std::string version;        ///< memlane's
  std::string exercise;       ///< its name; a shipped one's or a teacher's
  std::int64_t more_seed = 0; ///< as `Grading::more_seed`
  GradeStatus status = GradeStatus::error;
  std::int64_t points = 0, most_points = 0;
  std::string program; ///< its text, or the PTX of the kernels
};

/// The parts of a line, for who packs the text: `head`, the packed text, `tail`.
struct ResultParts {
  std::string head, text, tail;
};
/// Errors: as of result_string.
Result<ResultParts> result_parts(const GradeResult& result, std::string_view version);
/// The line, without its end. Errors: nothing was graded, or the program has more than 1 MiB.
Result<std::string> result_string(const GradeResult& result, std::string_view version);

/// Reads a line that is trusted in nothing. Errors: it is none, is damaged, cut off or too large,
/// or is of another memlane than `version`; each with a way out. Adds its JSON to the sources.
Result<ClaimedGrade> read_result(std::string_view line, std::string_view version, Sources& sources);

/// `passed, 10 of 10 points`.
std::string grade_in_words(GradeStatus status, std::int64_t points, std::int64_t most_points);

} // namespace memlane::grade
