// Lessons as pages that link to one another.
#include "memlane/report/charts_page.hpp"
#include "memlane/report/lesson.hpp"

#include <fmt/format.h>

namespace memlane {
namespace {

constexpr const char* index_name = "index.html";

std::string page_name(const std::string& lesson) { return lesson + ".html"; }

std::string title_of(const Lesson& lesson) {
  return lesson.number > 0 ? fmt::format("Lesson {}: {}", lesson.number, lesson.title)
                           : lesson.title;
}

} // namespace

std::string lesson_page(const Lesson& lesson, bool in_site) {
  ChartsPage page;
  page.title = title_of(lesson);
  page.paragraphs = lesson.text;
  PageSection question;
  question.heading = "Question";
  question.paragraphs = {lesson.question};
  for (std::size_t i = 0; i < lesson.choices.size(); ++i)
    question.choices.push_back({lesson.choices[i].text, lesson.choices[i].why, i == lesson.right});
  PageSection program;
  if (!lesson.program_text.empty())
    program.texts.push_back({lesson.program_path, lesson.program_text});
  PageSection runs;
  runs.heading = "The runs";
  runs.charts = lesson.charts;
  runs.tables = lesson.tables;
  runs.timelines = lesson.timelines;
  PageSection answer;
  answer.heading = "Answer";
  answer.paragraphs = lesson.answer;
  std::string commands;
  for (const std::string& command : lesson.commands) commands += command + "\n";
  if (!commands.empty()) answer.texts.push_back({"Try", commands});
  if (in_site) {
    page.links = {{"All lessons", index_name}};
    if (!lesson.before.empty()) page.links.push_back({"Back", page_name(lesson.before)});
    if (!lesson.next.empty()) {
      page.links.push_back({"Next", page_name(lesson.next)});
      answer.links = {{"Next: " + lesson.next_title, page_name(lesson.next)}};
    }
  }
  for (PageSection* section : {&program, &question, &runs, &answer})
    page.sections.push_back(std::move(*section));
  return charts_page(page);
}

std::string lessons_index(const std::vector<Lesson>& lessons, std::string_view version) {
  ChartsPage page;
  page.title = "Algorithms on theoretical GPU machines, in short lessons";
  page.paragraphs = {fmt::format(
      "Each lesson explains one thing, asks a question, and answers it with runs of memlane {}. "
      "The first four teach how many time units an access to memory takes; begin there.",
      version)};
  PageSection all;
  for (const Lesson& lesson : lessons)
    all.links.push_back({title_of(lesson), page_name(lesson.name), lesson.about});
  page.sections = {all};
  return charts_page(page);
}

} // namespace memlane
