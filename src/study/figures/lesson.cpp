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

const Record<LessonPicture>& picture_record() {
  using P = LessonPicture;
  static const Record<P> record = {
      "picture",
      "a picture",
      {{"text", "what to see in it", kinds::text(), &P::text, required},
       {"memory",
        "the memory at the costliest request of a run, the words behind `memlane timeline`; "
        "`--line` "
        "chooses a line",
        kinds::text(), &P::memory},
       {"chart", "a run's time chart, the words behind `memlane timeline`; pages play it",
        kinds::text(), &P::chart},
       {"table", "the title of one of the lesson's tables, which is shown here instead",
        kinds::text(), &P::table}},
      [](const JsonPlace& place, P& picture) {
        const int given = static_cast<int>(!picture.memory.empty()) +
                          static_cast<int>(!picture.chart.empty()) +
                          static_cast<int>(!picture.table.empty());
        if (given != 1) place.fail("needs one of memory, chart and table");
      }};
  return record;
}

Kind<std::vector<LessonPicture>> pictures_kind() { return kinds::some(picture_record().kind()); }

/// A part of the lesson's figure, as the member of a key.
template <class Part>
auto of_figure(Part FigureSpec::*part) {
  return [part](LessonSpec & lesson) -> auto& { return lesson.figure.*part; };
}

constexpr std::int64_t most_minutes = 120;

const Record<LessonSpec>& lesson_record() {
  using L = LessonSpec;
  static const Record<L> record = {
      "lesson",
      "a lesson",
      {{"$schema", "of editors", kinds::text()},
       {"title", "what it is about, in a few words", kinds::text(), of_figure(&FigureSpec::title),
        required},
       {"about", "a line for the list of lessons", kinds::text(), &L::about, required},
       {"minutes", "how long a reader takes", kinds::whole(1, most_minutes), &L::minutes, required},
       {"needs", "the names of lessons to read before", kinds::list(kinds::text()), &L::needs},
       {"opening", "the sentence that begins it, above the pictures", kinds::text(), &L::opening,
        required},
       {"pictures", "what is seen before the question", pictures_kind(), &L::pictures, required},
       {"program",
        "a program whose kernels are shown, or the path of a .cu file from this file's folder",
        kinds::text(), &L::program},
       {"question", "about the runs", kinds::text(), &L::question, required},
       {"choices", "answers to choose from", kinds::list(choice_record().kind()).schema,
        read_choices, required},
       {"play",
        "a run to change before the guess, the words behind `memlane run`; pages of `--all` open "
        "it in the playground",
        kinds::text(), &L::play},
       {"change", "what to change in it, and what to watch", kinds::text(), &L::change},
       {"sweeps", "the runs, as a figure has them", sweeps_schema(),
        [](const JsonPlace& place, L& lesson) { read_sweeps(place, lesson.figure); }, required},
       {"watched",
        "runs with `--watch`, each the words behind `memlane run`; their last values are the view "
        "`watched`: `run`, the number of the run from 1, `element` (`y[4]`), `value`",
        kinds::lines(), &L::watched},
       {"views", "as of a figure", views_kind(), of_figure(&FigureSpec::views)},
       {"numbers",
        "a SELECT that gives one row: `right`, the number of the right choice, from 1, and the "
        "numbers that texts name in braces, `{n}`",
        query_kind(), &L::numbers, required},
       {"tables", "as of a figure; a text that begins with `✗` is shown as wrong", tables_kind(),
        of_figure(&FigureSpec::tables)},
       {"charts", "as of a figure; for pages", charts_kind(), of_figure(&FigureSpec::charts)},
       {"after", "what is seen after the guess", pictures_kind(), &L::after},
       {"answer", "the reason; a paragraph each", kinds::lines(), &L::answer, required},
       {"background", "what papers say of it, in their letters; a paragraph each", kinds::lines(),
        &L::background},
       {"try", "commands to go on with", kinds::lines(), &L::commands}},
      [](const JsonPlace& place, L& lesson) {
        lesson.span = place.value.span;
        check_table_names(place, lesson.figure);
      }};
  return record;
}

} // namespace

Result<LessonSpec> read_lesson(Sources& sources, std::int32_t file, const std::string& name) {
  LessonSpec lesson;
  lesson.figure.name = name;
  lesson.figure.plain = true;
  return read_record(sources, file, lesson_record(), std::move(lesson));
}

std::vector<FileKey> lesson_keys() {
  return keys_of(lesson_record(), picture_record(), choice_record());
}

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

/// The table of this title, which is taken out of the list.
Result<PageTable> taken_table(const std::string& title, std::vector<PageTable>& tables, Span span) {
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const PageTable& table) { return table.title == title; });
  if (found == tables.end())
    return error_at(span, fmt::format("a picture shows the table '{}', which is none of the "
                                      "lesson's",
                                      title));
  PageTable table = std::move(*found);
  tables.erase(found);
  return table;
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
  lesson.minutes = spec.minutes;
  lesson.opening = fill(spec.opening, "opening");
  lesson.answer = fill_all(spec.answer, "answer");
  lesson.background = fill_all(spec.background, "background");
  lesson.change = fill(spec.change, "change");
  lesson.commands = spec.commands;
  lesson.question = fill(spec.question, "question");
  for (std::size_t i = 0; i < spec.choices.size(); ++i)
    lesson.choices.push_back({fill(spec.choices[i].text, fmt::format("choices[{}].text", i)),
                              fill(spec.choices[i].why, fmt::format("choices[{}].why", i))});
  lesson.right = *right;
  lesson.tables = std::move(figure.tables);
  for (PageTable& table : lesson.tables) table.title = fill(table.title, "tables[].title");
  lesson.charts = std::move(figure.charts);
  const auto pictures = [&](const std::vector<LessonPicture>& all, const std::string& path) {
    std::vector<PagePicture> out;
    for (std::size_t i = 0; i < all.size(); ++i) {
      PagePicture& picture = out.emplace_back();
      picture.text = fill(all[i].text, fmt::format("{}[{}].text", path, i));
      if (!all[i].table.empty())
        errors.take(taken_table(fill(all[i].table, path), lesson.tables, spec.span), picture.table);
    }
    return out;
  };
  lesson.pictures = pictures(spec.pictures, "pictures");
  lesson.after = pictures(spec.after, "after");
  if (!errors.ok()) return errors.errors();
  return lesson;
}

} // namespace memlane
