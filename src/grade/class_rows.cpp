#include "memlane/grade/class_rows.hpp"

#include "memlane/show/text_table.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace memlane::grade {
namespace {

std::string first_line(const Diagnostics& errors, const Sources& sources) {
  if (errors.empty()) return "";
  const std::string text = render(errors.front(), sources);
  return text.substr(0, text.find('\n'));
}

std::string lacks_text(const GradeRow& row) {
  return fmt::format("{}", fmt::join(row.lacks, "; "));
}

std::string one_line(const GradedCriterion& criterion) {
  std::string text = criterion.spec.name + ": " + criterion.says;
  if (!criterion.details.empty()) text += "; " + on_one_line(criterion.details, 200);
  return text;
}

std::string points_of(const GradeRow& row) {
  return fmt::format("{} of {}", row.points, row.most_points);
}

} // namespace

GradeRow row_of(const std::string& file, const GradeResult& result, const Sources& sources) {
  GradeRow row;
  row.file = file;
  row.exercise = result.exercise;
  row.status = result.status;
  row.points = result.points();
  row.most_points = result.most_points();
  row.sha256 = result.sha256;
  for (const GradedCriterion& criterion : result.criteria) {
    // Of what is not judged, such as the time of a wrong result, a file lacks nothing.
    if (criterion.fulfilled || !criterion.judged || criterion.run.empty()) continue;
    row.lacks.push_back(criterion.spec.name);
    if (row.says.empty()) row.says = one_line(criterion);
  }
  if (row.says.empty() && result.stop != Stop::none)
    for (const GradedCriterion& criterion : result.criteria)
      if (!criterion.details.empty()) { // of the run that was stopped
        row.says = one_line(criterion);
        break;
      }
  if (!result.errors.empty()) row.says = first_line(result.errors, sources);
  return row;
}

GradeRow row_of(const std::string& file, const Diagnostics& errors, const Sources& sources) {
  GradeRow row;
  row.file = file;
  row.status = stop_of(errors) == Stop::none ? GradeStatus::error : GradeStatus::stopped;
  row.says = first_line(errors, sources);
  return row;
}

const Columns<GradeRow>& grade_columns() {
  using C = Column<GradeRow>;
  static const Columns<GradeRow> columns(
      {C(Shown{.heading = "file", .width = 24}, "file", "relative to the folder", &GradeRow::file),
       C(Shown{.heading = "exercise", .width = 20}, "exercise",
         "empty: the file is not named like one", &GradeRow::exercise),
       C(Shown{"status"}, "status",
         schema::word(schema::names_up_to(GradeStatus::stopped),
                      "error: the file cannot be run; stopped: a limit was reached"),
         &GradeRow::status),
       C(Shown{"points", Align::right}, "points", "of the file", &GradeRow::points),
       C(Shown{"of", Align::right}, "most_points", "of the exercise", &GradeRow::most_points),
       C(Shown{.heading = "lacks", .width = 60}, "lacks", "criteria, with \"; \" between them",
         lacks_text),
       C("says", "why the first of these is not fulfilled, the limit, or the file's first error",
         &GradeRow::says),
       C("sha256", sha256_schema(), &GradeRow::sha256)});
  return columns;
}

CheckedFile checked_solution(GradeRow row) {
  CheckedFile checked{"solution", std::move(row), ""};
  if (checked.row.status != GradeStatus::passed)
    checked.wrong = "it does not pass: " + checked.row.says;
  return checked;
}

CheckedFile checked_skeleton(GradeRow row) {
  CheckedFile checked{"skeleton", std::move(row), ""};
  if (checked.row.status == GradeStatus::passed)
    checked.wrong = "it passes, so that nothing is left to do";
  else if (checked.row.status != GradeStatus::not_yet)
    checked.wrong = "it does not run: " + checked.row.says;
  else if (checked.row.points > 0)
    checked.wrong = "it gets points";
  return checked;
}

CheckedFile checked_false(GradeRow row, const FalseSolution& solution) {
  CheckedFile checked{"false solution", std::move(row), ""};
  const std::set<std::string> lacks(checked.row.lacks.begin(), checked.row.lacks.end());
  if (checked.row.status == GradeStatus::passed)
    checked.wrong = "it passes";
  else if (checked.row.status != GradeStatus::not_yet)
    checked.wrong = "it is not judged: " + checked.row.says;
  else if (lacks != std::set<std::string>(solution.lacks.begin(), solution.lacks.end()))
    checked.wrong =
        fmt::format("it lacks {}, not {}", fmt::join(lacks, ", "), fmt::join(solution.lacks, ", "));
  return checked;
}

std::string checked_text(const std::vector<CheckedFile>& files) {
  std::string text;
  for (const CheckedFile& checked : files) {
    const bool good = checked.wrong.empty();
    text += fmt::format("  {} {:<14}  {:>8}  {}\n", good ? "+" : "-", checked.role,
                        points_of(checked.row), checked.row.file);
    const std::string& why = good ? checked.row.says : checked.wrong;
    if (!why.empty()) text += paragraph_lines(why, 6, 80);
  }
  const auto wrong = std::count_if(files.begin(), files.end(),
                                   [](const CheckedFile& file) { return !file.wrong.empty(); });
  return text + (wrong == 0
                     ? "\nall as it should be\n"
                     : fmt::format("\n{} of {} not as they should be\n", wrong,
                                   counted(static_cast<std::int64_t>(files.size()), "program")));
}

} // namespace memlane::grade
