// The grade for a grade book.
#include "memlane/grade/grading.hpp"
#include "memlane/show/json_parts.hpp"
#include "memlane/support/json_table.hpp"

namespace memlane::grade {
namespace {

using schema::Json;

/// What the members of a grade describe: the result and what it takes to show it.
struct ShownGrade {
  const GradeResult* result;
  const Sources* sources;
  std::string_view version;
};

const schema::Table<GradedCriterion>& criterion_table() {
  static const schema::Table<GradedCriterion> table({
      {"name", "`correct`, `no races`, or the text of the exercise's claims",
       [](const GradedCriterion& c) { return c.spec.name; }},
      {"fulfilled", "in every run", &GradedCriterion::fulfilled},
      {"judged", "false: the runs do not tell whether it is fulfilled", &GradedCriterion::judged},
      {"earned", "false: the file goes no further than the skeleton, so it gets no points",
       &GradedCriterion::earned},
      {"points", "for it", [](const GradedCriterion& c) { return c.points(); }},
      {"most_points", "of the exercise for it",
       [](const GradedCriterion& c) { return c.spec.points; }},
      {"says", "why it is fulfilled or is not", &GradedCriterion::says},
      {"details", "places and numbers; may be empty", &GradedCriterion::details},
      {"worst_line", "the line of the file whose requests lost most stages to conflicts",
       [](const GradedCriterion& c) { return if_text(c.worst_line); }},
      {"hint", "of the exercise, where a run shows that it is not fulfilled",
       [](const GradedCriterion& c) { return if_text(c.hint()); }},
      {"ratio", "of a claim: the worst count divided by its formula", &GradedCriterion::ratio},
      {"factor", "the largest ratio that is accepted",
       [](const GradedCriterion& c) { return c.spec.factor; }},
      {"formula", "of the claim", [](const GradedCriterion& c) { return if_text(c.formula); }},
      {"run", "the label of the run that `says` is about",
       [](const GradedCriterion& c) { return if_text(c.run); }},
  });
  return table;
}

const schema::Table<GradedRun>& run_table() {
  static const schema::Table<GradedRun> table({
      {"label", "machine, parameters, and the seed if there are several", &GradedRun::label},
      {"machine", "path of the machine's file", &GradedRun::machine},
      {"parameters", parameters_schema(),
       [](const GradedRun& run) {
         ProgramInfo info;
         info.parameters = run.parameters;
         return parameters_json(info);
       }},
      {"seed", "of random numbers", &GradedRun::seed},
      {"correct", "it ended with the right result", &GradedRun::correct},
      {"judged", "false: a limit ended it, or it was given up because of its races",
       [](const GradedRun& run) { return run.judged(); }},
      {"reason", "why it is not correct, or not judged",
       [](const GradedRun& run) { return if_text(run.reason); }},
      {"races", "found; the run was repeated with races allowed", &GradedRun::races},
      {"stopped_by", schema::word(schema::names_up_to(Stop::interrupted), "what ended the run"),
       &GradedRun::stop},
      {"time", "time units", &GradedRun::time},
  });
  return table;
}

/// The first line of each message: `path:line:column: error: …`.
std::vector<std::string> first_lines(const Diagnostics& errors, const Sources& sources) {
  std::vector<std::string> lines;
  for (const Diagnostic& error : errors) {
    std::string text = render(error, sources);
    text.resize(std::min(text.find('\n'), text.size()));
    lines.push_back(std::move(text));
  }
  return lines;
}

const schema::Table<ShownGrade>& grade_table() {
  static const schema::Table<ShownGrade> table({
      {"tool", tool_schema(), [](const ShownGrade& shown) { return tool_json(shown.version); }},
      {"exercise", "its name", [](const ShownGrade& shown) { return shown.result->exercise; }},
      {"title", "of the exercise", [](const ShownGrade& shown) { return shown.result->title; }},
      {"exercise_path", "its file",
       [](const ShownGrade& shown) { return shown.result->exercise_path; }},
      {"file", "the program that was graded",
       [](const ShownGrade& shown) { return shown.result->file; }},
      {"sha256", sha256_schema(), [](const ShownGrade& shown) { return shown.result->sha256; }},
      {"status",
       schema::word(schema::names_up_to(GradeStatus::stopped),
                    "error: the file cannot be run; stopped: a limit was reached"),
       [](const ShownGrade& shown) { return shown.result->status; }},
      {"points", "of the file", [](const ShownGrade& shown) { return shown.result->points(); }},
      {"most_points", "of the exercise",
       [](const ShownGrade& shown) { return shown.result->most_points(); }},
      {"criteria", criterion_table(), "a criterion", "in the order of the exercise",
       [](const ShownGrade& shown) -> const std::vector<GradedCriterion>& {
         return shown.result->criteria;
       }},
      {"runs", run_table(), "a run", "in their order, up to the first that reached a limit",
       [](const ShownGrade& shown) -> const std::vector<GradedRun>& { return shown.result->runs; }},
      {"errors", schema::list(schema::text("path:line:column: error: …"), "of the file"),
       [](const ShownGrade& shown) { return first_lines(shown.result->errors, *shown.sources); }},
  });
  return table;
}

} // namespace

nlohmann::ordered_json grade_json(const GradeResult& result, const Sources& sources,
                                  std::string_view version) {
  return grade_table().json({&result, &sources, version});
}

nlohmann::ordered_json grade_schema() {
  return schema::document("The result of memlane grade", grade_table().schema("a grade"));
}

} // namespace memlane::grade
