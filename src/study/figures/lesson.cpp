// Lessons: read, and filled with the numbers of their runs.
#include "memlane/study/figures/lesson.hpp"

#include "numbers.hpp"
#include "reader.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace memlane {

Result<LessonSpec> read_lesson(Sources& sources, std::int32_t file, const std::string& name) {
  LessonSpec lesson;
  lesson.figure.name = name;
  lesson.figure.plain = true;
  FigureReader reader(sources, lesson.figure);
  const auto root = read_json(sources, file, "a lesson", reader.errors);
  if (root && reader.check(*root, "lesson", "")) {
    reader.read_parts(*root);
    lesson.span = root->span;
    lesson.about = text_of_member(*root, "about");
    lesson.text = lines_of_member(*root, "text");
    lesson.answer = lines_of_member(*root, "answer");
    lesson.commands = lines_of_member(*root, "try");
    lesson.program = text_of_member(*root, "program");
    lesson.timelines = lines_of_member(*root, "timelines");
    lesson.watched = lines_of_member(*root, "watched");
    lesson.question = text_of_member(*root, "question");
    lesson.numbers = query_of(*root, "numbers");
    for (const JsonValue& choice : find_member(*root, "choices")->items)
      lesson.choices.push_back({text_of_member(choice, "text"), text_of_member(choice, "why")});
    if (lesson.choices.size() < 2 || lesson.choices.size() > 9)
      reader.errors.push_back(
          error_at(find_member(*root, "choices")->span,
                   fmt::format("choices: {} are given, 2 to 9 are needed", lesson.choices.size())));
  }
  if (!reader.errors.empty()) return reader.errors;
  return lesson;
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
