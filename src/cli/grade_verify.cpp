// memlane grade --verify: result strings against the grades of the programs in them.
#include "files.hpp"
#include "grade_request.hpp"
#include "graded_file.hpp"
#include "shipped_files.hpp"
#include "version.hpp"

#include "memlane/grade/verified_rows.hpp"
#include "memlane/support/suggest.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace memlane::cli {
namespace {

using grade::ResultVerdict;
using grade::VerifiedRow;

constexpr std::size_t most_result_lines = std::size_t{64} << 20; // of standard input

std::string_view without_blanks(std::string_view text, std::string_view blanks = " \t\r\n") {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

/// The result string in a line, and what is before it: `ada,memlane-result-1.…,2026-01-31`.
struct ResultLine {
  std::string from;
  std::string_view result;
};

ResultLine result_line(std::string_view line) {
  const std::size_t at = line.find(grade::result_word);
  if (at == std::string_view::npos) return {"", without_blanks(line)};
  const std::string_view result = line.substr(at);
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
  return {on_one_line(without_blanks(line.substr(0, at), " \t\r\n,;:\"'"), 200),
          result.substr(0, result.find_first_not_of(letters))};
}

struct NumberedLine {
  std::size_t number = 0; ///< in the input, from 1
  std::string text;
};

/// Those that are not empty.
std::vector<NumberedLine> lines_of(std::string_view text) {
  std::vector<NumberedLine> lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!without_blanks(line).empty()) lines.push_back({number, std::string(line)});
  }
  return lines;
}

/// The exercise of --exercise, else the shipped one of exactly this name: the string is not
/// trusted with a path.
Result<grade::ExerciseSpec> exercise_of(const GradeRequest& request,
                                        const grade::ClaimedGrade& claimed, Sources& sources) {
  const std::vector<std::string> shipped = exercise_names();
  if (!request.exercise &&
      std::find(shipped.begin(), shipped.end(), claimed.exercise) == shipped.end()) {
    std::vector<std::string> help = did_you_mean(claimed.exercise, shipped);
    help.emplace_back("--exercise FOLDER/NAME names a teacher's own");
    return error_in("", fmt::format("no shipped exercise is named {}", in_quotes(claimed.exercise)),
                    std::move(help));
  }
  return load_exercise(sources, request.exercise ? request.exercise : claimed.exercise, "");
}

/// Errors: it cannot be checked.
Result<VerifiedRow> verify_line(const GradeRequest& request, const std::string& text,
                                Sources& sources) {
  const ResultLine line = result_line(text);
  Result<grade::ClaimedGrade> claimed = grade::read_result(line.result, version, sources);
  if (!claimed) return claimed.errors();
  const Result<grade::ExerciseSpec> exercise = exercise_of(request, *claimed, sources);
  if (!exercise) return exercise.errors();
  VerifiedRow row{line.from, ResultVerdict::differs, *claimed, std::nullopt, ""};
  row.says = fmt::format("it is for {}, not for {}", claimed->exercise, exercise->name);
  if (claimed->exercise != exercise->name) return row;
  const auto seed = static_cast<std::uint64_t>(claimed->more_seed);
  const Result<grade::GradeResult> result =
      grade_program(claimed->program, *exercise, request.more_seed.value_or(seed), sources);
  if (!result) return result.errors();
  // How far a program comes in seconds depends on the computer.
  const bool by_clock = result->stop == Stop::wall_clock || result->stop == Stop::interrupted;
  if (by_clock && claimed->status != result->status)
    return stopped_while(result->stop, "grading its program, which has the exercise's seconds");
  return grade::verified_row(std::move(*claimed), grade::row_of(line.from, *result, sources));
}

VerifiedRow row_of_line(const GradeRequest& request, const NumberedLine& line) {
  Sources sources;
  Result<VerifiedRow> verified = verify_line(request, line.text, sources);
  VerifiedRow row =
      verified ? std::move(*verified) : grade::refused_row(verified.errors(), sources);
  row.from = result_line(line.text).from;
  if (row.from.empty()) row.from = fmt::format("line {}", line.number);
  return row;
}

Exit exit_of_rows(const std::vector<VerifiedRow>& rows) {
  ResultVerdict worst = ResultVerdict::holds;
  for (const VerifiedRow& row : rows) worst = std::max(worst, row.verdict);
  switch (worst) {
  case ResultVerdict::holds: return Exit::done;
  case ResultVerdict::differs: return Exit::check_failed;
  case ResultVerdict::refused: break;
  }
  return Exit::error;
}

Result<Exit> verify_many(const GradeRequest& request, Sources& sources, Console& console) {
  if (request.format == Format::json)
    return error_in("--format", "json is one result string",
                    {"--format jsonl has a line for each"});
  if (request.exercise)
    if (const auto spec = load_exercise(sources, request.exercise, ""); !spec) return spec.errors();
  const Result<std::string> text =
      read_file("-", most_result_lines, {"result strings of a class are less"}, sources.limits());
  if (!text) return text.errors();
  const std::vector<NumberedLine> lines = lines_of(*text);
  if (lines.empty())
    return error_in("", "standard input has no result string",
                    {"it has one a line; what is before it on its line, such as a name, is shown"});
  const std::vector<VerifiedRow> rows = print_rows<VerifiedRow>(
      request, grade::verified_columns(), lines.size(),
      [&](std::size_t i) { return row_of_line(request, lines[i]); }, console);
  return rows.size() < lines.size() ? Exit::interrupted : exit_of_rows(rows);
}

} // namespace

Result<Exit> verify_results(const GradeRequest& request, Sources& sources, Console& console) {
  if (request.file == "-") return verify_many(request, sources, console);
  const Result<VerifiedRow> row = verify_line(request, request.file, sources);
  if (!row) return row.errors();
  console.out(grade::verified_columns().text_in(
      request.format, "", {*row}, [&] { return grade::verified_text(*row); },
      [&] { return grade::verified_columns().json().json(*row); }));
  return exit_of_rows({*row});
}

} // namespace memlane::cli
