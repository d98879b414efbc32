// Lessons in a terminal, and as pages that link to one another.
#include "memlane/show/text_table.hpp"
#include "memlane/study/figures/lesson.hpp"
#include "memlane/study/pages/charts_page.hpp"

#include <fmt/format.h>

#include <sstream>

namespace memlane {
namespace {

// --- in a terminal of 80 columns

constexpr std::size_t columns = 78;

std::string paragraphs(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += paragraph_lines(text, 0, columns) + "\n";
  return out;
}

std::string indented(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    out += (line.empty() ? "" : "  ") + line + "\n";
  return out;
}

std::string table_lines(const PageTable& table) {
  std::vector<Align> aligns;
  for (std::size_t i = 0; i < table.rows.front().size(); ++i)
    aligns.push_back(table.texts.contains(i) ? Align::left : Align::right);
  TextTable text(std::move(aligns));
  for (const auto& row : table.rows) text.add(row);
  return fmt::format("{}\n{}\n", table.title, text.text(2));
}

// --- pages

constexpr const char* index_name = "index.html";

std::string page_name(const std::string& lesson) { return lesson + ".html"; }

std::string title_of(const Lesson& lesson) {
  return lesson.number > 0 ? fmt::format("Lesson {}: {}", lesson.number, lesson.title)
                           : lesson.title;
}

} // namespace

std::string lesson_question(const Lesson& lesson) {
  std::string out = lesson.number > 0 ? fmt::format("Lesson {}: {}\n", lesson.number, lesson.title)
                                      : lesson.title + "\n";
  out += "\n" + paragraphs(lesson.text);
  if (!lesson.program_text.empty())
    out += fmt::format("{}\n{}\n", lesson.program_path, indented(lesson.program_text));
  out += paragraph_lines("Question: " + lesson.question, 0, columns);
  for (std::size_t i = 0; i < lesson.choices.size(); ++i) {
    const std::string text = paragraph_lines(lesson.choices[i].text, 5, columns);
    out += fmt::format("  {}. {}", i + 1, text.substr(5));
  }
  return out;
}

std::string lesson_reply(const Lesson& lesson, std::size_t choice) {
  return paragraph_lines((choice == lesson.right ? "Right. " : "No. ") + lesson.choices[choice].why,
                         0, columns);
}

std::string lesson_answer(const Lesson& lesson) {
  std::string out;
  for (const PageTable& table : lesson.tables) out += table_lines(table);
  for (const PageTimeline& timeline : lesson.timelines)
    out += fmt::format("{}\n{}\n", timeline.title, timeline.text);
  out += paragraph_lines(
      fmt::format("Answer: {}. {}", lesson.right + 1, lesson.choices[lesson.right].text), 0,
      columns);
  out += paragraphs(lesson.answer);
  if (!lesson.commands.empty()) {
    out += "Try:\n";
    for (const std::string& command : lesson.commands) out += fmt::format("  {}\n", command);
    out += "\n";
  }
  out += lesson.next.empty() ? "That was the last lesson.\n"
                             : paragraph_lines(fmt::format("Next: memlane demo {} ({})",
                                                           lesson.next, lesson.next_title),
                                               0, columns);
  return out;
}

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
