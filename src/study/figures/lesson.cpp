// Lessons: read, and filled with the numbers of their runs.
#include "memlane/study/figures/lesson.hpp"

#include "numbers.hpp"
#include "reader.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace memlane {

namespace {

const Record<LessonChoice>& choice_record() {
  static const Record<LessonChoice> record = {
      "choice",
      "a choice",
      {{"text", "the choice", kinds::text(), &LessonChoice::text, required},
       {"why", "why it is right or wrong", kinds::text(), &LessonChoice::why, required}}};
  return record;
}

void read_choices(const JsonPlace& place, LessonSpec& lesson) {
  kinds::list(choice_record().kind()).read(place, lesson.choices);
  const std::size_t count = lesson.choices.size();
  if (place.value.kind == JsonKind::array && (count < 2 || count > 9))
    place.fail(fmt::format("{} are given, 2 to 9 are needed", count));
}

const Record<LessonSpec>& lesson_record() {
  using L = LessonSpec;
  static const Record<L> record = {"lesson", "a lesson",
                                   {{"$schema", "of editors", kinds::text()},
                                    {"title", "what it is about, in a few words", kinds::text(),
                                     [](L & lesson) -> auto& {return lesson.figure.title;
}
, required
} // namespace
, {"about", "a line for the list of lessons", kinds::text(), &L::about, required},
    {"text", "what is explained before the question; a paragraph each", kinds::lines(), &L::text,
     required},
    {"program",
     "a program whose kernels are shown, or the path of a .cu file from this file's folder",
     kinds::text(), &L::program},
    {"question", "about the runs", kinds::text(), &L::question, required},
    {"choices", "answers to choose from", kinds::list(choice_record().kind()).schema, read_choices,
     required},
    {"sweeps", "the runs, as a figure has them", sweeps_schema(),
     [](const JsonPlace& place, L& lesson) { read_sweeps(place, lesson.figure); }, required},
    {"watched",
     "runs with `--watch`, each the words behind `memlane run`; their last values are the view "
     "`watched`: `run`, the number of the run from 1, `element` (`y[4]`), `value`",
     kinds::lines(), &L::watched},
    {"views", "as of a figure", views_kind(), [](L& lesson) -> auto& {return lesson.figure.views;
} // namespace memlane
}
,
    {"numbers",
     "a SELECT that gives one row: `right`, the number of the right choice, from 1, and the "
     "numbers that texts name in braces, `{n}`",
     query_kind(), &L::numbers, required},
    {"tables", "as of a figure", tables_kind(), [](L& lesson) -> auto& {return lesson.figure.tables;
}
}
, {"charts", "as of a figure; for pages", charts_kind(),
   [](L& lesson) -> auto& {return lesson.figure.charts;
}
}
,
    {"timelines",
     "runs whose time charts are shown, each the words behind `memlane timeline`; pages play "
     "them",
     kinds::lines(), &L::timelines},
    {"answer", "three sentences, a paragraph each or together", kinds::lines(), &L::answer,
     required},
{
  "try", "commands to go on with", kinds::lines(), &L::commands
}
}
, [](const JsonPlace& place, L& lesson) { lesson.span = place.value.span; }
}
;
return record;
}

} // namespace

Result<LessonSpec> read_lesson(Sources& sources, std::int32_t file, const std::string& name) {
  LessonSpec lesson;
  lesson.figure.name = name;
  lesson.figure.plain = true;
  return read_record(sources, file, lesson_record(), std::move(lesson));
}

std::vector<FileKey> lesson_keys() { return keys_of(lesson_record(), choice_record()); }

nlohmann::ordered_json lesson_schema() {
  return file_schema("A lesson of memlane", lesson_record());
}

FigureView watched_view(const std::vector<nlohmann::json>& results, Span span) {
  std::vector<std::string> rows;
  for (std::size_t run = 0; run < results.size(); ++run) {
    const nlohmann::json& watch = results[run].at("watch");
    std::map<std::string, std::string> last; // by element; points are in order of time
    for (const nlohmann::json& point : watch.at("points")) {
      const nlohmann::json& part = watch.at("parts").at(point.at("part").get<std::size_t>());
      const std::string text = part.at("text"), array = text.substr(0, text.find('['));
      for (std::size_t i = 0; i < point.at("values").size(); ++i)
        last[array + part.at("elements").at(i).get<std::string>()] = point.at("values")[i].dump();
    }
    for (const auto& [element, value] : last)
      rows.push_back(fmt::format("({}, '{}', {})", run + 1, element, value));
  }
  return {"watched",
          {fmt::format("SELECT column1 AS run, column2 AS element, column3 AS value FROM (VALUES "
                       "{})",
                       fmt::join(rows, ", ")),
           span}};
}

namespace {

/// The choice that the row's `right` names.
Result<std::size_t> right_choice(const LessonSpec& spec, const sweep::Rows& rows) {
  const auto wrong = [&](const std::string& message) {
    return error_at(spec.numbers.span, "numbers: " + message,
                    {fmt::format("right is the number of the right choice, from 1 to {}: CASE WHEN "
                                 "... THEN 1 ... END AS right",
                                 spec.choices.size())});
  };
  if (rows.rows.size() != 1)
    return wrong(fmt::format("the query gives {} rows, not one", rows.rows.size()));
  const auto column = std::find(rows.columns.begin(), rows.columns.end(), "right");
  if (column == rows.columns.end()) return wrong("the query has no column right");
  const sweep::Cell& cell =
      rows.rows.front()[static_cast<std::size_t>(column - rows.columns.begin())];
  const auto* right = std::get_if<std::int64_t>(&cell);
  if (!right || *right < 1 || *right > static_cast<std::int64_t>(spec.choices.size()))
    return wrong(fmt::format("right is {}", cell_in_words(cell)));
  return static_cast<std::size_t>(*right - 1);
}

} // namespace

Result<Lesson> judge_lesson(const LessonSpec& spec, FigureResult figure,
                            const FigureSelect& select) {
  const Result<sweep::Rows> rows =
      rows_of(spec.numbers, "numbers", spec.figure, with_views(spec.figure.views, select));
  if (!rows) return rows.errors();
  const Result<std::size_t> right = right_choice(spec, *rows);
  if (!right) return right.errors();
  ErrorCollector errors;
  const auto fill = [&](const std::string& text, const std::string& path) {
    std::string out;
    errors.take(filled(text, spec.span, path, *rows, true), out);
    return out;
  };
  const auto fill_all = [&](const std::vector<std::string>& texts, const std::string& path) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < texts.size(); ++i)
      out.push_back(fill(texts[i], fmt::format("{}[{}]", path, i)));
    return out;
  };
  Lesson lesson;
  lesson.name = spec.figure.name;
  lesson.title = spec.figure.title;
  lesson.about = spec.about;
  lesson.text = fill_all(spec.text, "text");
  lesson.answer = fill_all(spec.answer, "answer");
  lesson.commands = spec.commands;
  lesson.question = fill(spec.question, "question");
  for (std::size_t i = 0; i < spec.choices.size(); ++i)
    lesson.choices.push_back({fill(spec.choices[i].text, fmt::format("choices[{}].text", i)),
                              fill(spec.choices[i].why, fmt::format("choices[{}].why", i))});
  lesson.right = *right;
  lesson.tables = std::move(figure.tables);
  for (PageTable& table : lesson.tables) table.title = fill(table.title, "tables[].title");
  lesson.charts = std::move(figure.charts);
  if (!errors.ok()) return errors.errors();
  return lesson;
}

} // namespace memlane
