// The grade for a terminal: criteria, points, and what to look at.
#include "memlane/grade/grading.hpp"
#include "memlane/points/point.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace memlane::grade {
namespace {

constexpr std::size_t columns = 80;

/// The text in lines of at most `width` columns, broken at blanks; its own line ends stay.
std::vector<std::string> lines_of(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::string_view paragraph = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(paragraph.size() + 1, text.size()));
    std::string line;
    for (std::size_t at = 0; at < paragraph.size();) {
      const std::size_t end = std::min(paragraph.find(' ', at), paragraph.size());
      const std::string_view word = paragraph.substr(at, end - at);
      if (!line.empty() && display_width(line) + 1 + display_width(word) > width)
        lines.push_back(std::exchange(line, ""));
      if (!line.empty()) line += ' ';
      line += word;
      at = end + 1;
    }
    lines.push_back(line);
  }
  return lines;
}

std::string points_text(const GradedCriterion& criterion) {
  return fmt::format("{} of {}", criterion.points(), criterion.spec.points);
}

/// Criteria below each other: mark, name, points, and sentences in the last column.
std::string criteria_text(const GradeResult& result) {
  std::size_t names = 0, points = 0;
  for (const GradedCriterion& criterion : result.criteria) {
    names = std::max(names, display_width(criterion.spec.name));
    points = std::max(points, points_text(criterion).size());
  }
  const std::size_t indent = 8 + names + points;
  const std::size_t width = std::max<std::size_t>(columns - std::min(columns, indent), 30);
  std::string text;
  std::set<std::string> shown; // two claims may complain about the same line
  for (const GradedCriterion& criterion : result.criteria) {
    std::string sentences = criterion.says;
    if (!criterion.details.empty()) sentences += '\n' + criterion.details;
    if (!criterion.worst_line.empty() && shown.insert(criterion.worst_line).second)
      sentences += '\n' + criterion.worst_line;
    if (!criterion.hint().empty()) sentences += "\nhint: " + criterion.hint();
    std::string begin =
        fmt::format("  {} {}{}  {:>{}}  ", criterion.fulfilled ? "+" : "-", criterion.spec.name,
                    std::string(names - display_width(criterion.spec.name), ' '),
                    points_text(criterion), points);
    for (const std::string& line : lines_of(sentences, width)) {
      text += begin + line + '\n';
      begin.assign(indent, ' ');
    }
  }
  return text;
}

/// Why fulfilled criteria have no points.
std::string skeleton_text(const GradeResult& result) {
  const bool earned = std::all_of(result.criteria.begin(), result.criteria.end(),
                                  [](const GradedCriterion& c) { return c.earned; });
  return earned
             ? ""
             : "\nThe exercise's skeleton fulfils as much. Points begin with a criterion that it\n"
               "lacks, or with half of its ratio.\n";
}

/// The first message of a run, as a compiler would show it.
std::string message_text(const GradeResult& result, const Sources& sources) {
  for (const GradedRun& run : result.runs)
    if (!run.messages.empty()) return '\n' + render(run.messages.front(), sources);
  return "";
}

/// The first run that a criterion complains about.
const GradedRun* run_to_look_at(const GradeResult& result) {
  for (const GradedCriterion& criterion : result.criteria) {
    if (criterion.fulfilled || criterion.run.empty()) continue;
    for (const GradedRun& run : result.runs)
      if (run.label == criterion.run) return &run;
  }
  return nullptr;
}

} // namespace

std::string grade_text(const GradeResult& result, const Sources& sources) {
  std::string text = fmt::format("exercise   {}: {}\njudged by  {}\nfile       {}\n\n",
                                 result.exercise, result.title, result.exercise_path, result.file);
  text += criteria_text(result) + skeleton_text(result);
  if (!result.errors.empty()) text += '\n' + render(result.errors, sources);
  text += message_text(result, sources);
  if (const GradedRun* run = run_to_look_at(result)) {
    if (result.status == GradeStatus::not_yet && !run->command.empty())
      text += fmt::format("\nto see such a run, with the data of your file:\n  {}\n", run->command);
  }
  const std::string verdict = result.status == GradeStatus::error
                                  ? "the file cannot be run"
                                  : std::string(name_of(result.status));
  text += fmt::format("\n{}: {} of {}\n", verdict, result.points(),
                      counted(result.most_points(), "point"));
  return escape_controls(text, "\n\t"); // a student's program has messages of its own
}

} // namespace memlane::grade
