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

/// Pictures with what to see in them.
std::string picture_lines(const std::vector<PagePicture>& pictures) {
  std::string out;
  for (const PagePicture& picture : pictures) {
    out += paragraph_lines(picture.text, 0, columns);
    if (picture.table.rows.empty())
      out += fmt::format("  {}\n\n{}\n", picture.timeline.title, picture.timeline.text);
    else
      out += "\n" + table_lines(picture.table);
  }
  return out;
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
  std::string out = title_of(lesson) + "\n\n" + paragraph_lines(lesson.opening, 0, columns) + "\n";
  out += picture_lines(lesson.pictures);
  if (!lesson.program_text.empty())
    out += fmt::format("{}\n{}\n", lesson.program_path, indented(lesson.program_text));
  out += paragraph_lines("Question: " + lesson.question, 0, columns);
  for (std::size_t i = 0; i < lesson.choices.size(); ++i) {
    const std::string text = paragraph_lines(lesson.choices[i].text, 5, columns);
    out += fmt::format("  {}. {}", i + 1, text.substr(5));
  }
  if (lesson.play.text.empty()) return out;
  out += fmt::format("\nBefore you guess, try:\n  {}\n", lesson.play.text);
  return out + paragraph_lines(lesson.change, 0, columns);
}

std::string lesson_reply(const Lesson& lesson, std::size_t choice) {
  return paragraph_lines((choice == lesson.right ? "Right. " : "No. ") + lesson.choices[choice].why,
                         0, columns);
}

std::string lesson_answer(const Lesson& lesson) {
  std::string out = paragraph_lines(
      fmt::format("Answer: {}. {}", lesson.right + 1, lesson.choices[lesson.right].text), 0,
      columns);
  out += "\n" + picture_lines(lesson.after) + paragraphs(lesson.answer);
  for (const PageTable& table : lesson.tables) out += table_lines(table);
  if (!lesson.background.empty()) out += "Background\n\n" + paragraphs(lesson.background);
  if (!lesson.commands.empty()) {
    out += "Go on with:\n";
    for (const std::string& command : lesson.commands) out += fmt::format("  {}\n", command);
    out += "\n";
  }
  if (!lesson.next.empty())
    out += paragraph_lines(
        fmt::format("Next: memlane demo {} ({})", lesson.next, lesson.next_title), 0, columns);
  else if (lesson.number > 0) // a shipped one
    out += "That was the last lesson.\n";
  return out;
}

std::string lesson_page(const Lesson& lesson, bool in_site) {
  ChartsPage page;
  page.title = title_of(lesson);
  page.paragraphs = {lesson.opening};
  PageSection seen;
  seen.pictures = lesson.pictures;
  PageSection program;
  if (!lesson.program_text.empty())
    program.texts.push_back({lesson.program_path, lesson.program_text});
  PageSection question;
  question.heading = "Question";
  question.paragraphs = {lesson.question};
  for (std::size_t i = 0; i < lesson.choices.size(); ++i)
    question.choices.push_back({lesson.choices[i].text, lesson.choices[i].why, i == lesson.right});
  PageSection play;
  if (!lesson.play.text.empty()) {
    play.paragraphs = {"Before you guess, try it. " + lesson.change};
    if (in_site && !lesson.play.address.empty())
      play.links.push_back({"Open it in the playground", lesson.play.address});
    else
      play.command = lesson.play.text;
  }
  PageSection after;
  after.closed = "The runs and the reason";
  after.pictures = lesson.after;
  PageSection reason;
  reason.paragraphs = lesson.answer;
  reason.charts = lesson.charts;
  reason.tables = lesson.tables;
  PageSection background;
  background.heading = "Background";
  background.paragraphs = lesson.background;
  std::string commands;
  for (const std::string& command : lesson.commands) commands += command + "\n";
  if (!commands.empty()) background.texts.push_back({"Go on with", commands});
  if (in_site) {
    page.links = {{"All lessons", index_name}};
    if (!lesson.before.empty()) page.links.push_back({"Back", page_name(lesson.before)});
    if (!lesson.next.empty()) {
      page.links.push_back({"Next", page_name(lesson.next)});
      background.links = {{"Next: " + lesson.next_title, page_name(lesson.next)}};
    }
  }
  for (PageSection* section : {&seen, &program, &question, &play, &after, &reason, &background})
    page.sections.push_back(std::move(*section));
  return charts_page(page);
}

namespace {

/// The rows of the first strip of a chart.
std::string first_strip(const std::string& chart) {
  const std::size_t begin = chart.find("\ntime ") + 1, end = chart.find("\n  line", begin);
  return begin == 0 ? chart : chart.substr(begin, std::min(end, chart.find("\n\n", begin)) - begin);
}

/// What the index shows of a lesson: a picture of memory or a table if it has one, else a chart.
PagePicture small_picture(const Lesson& lesson) {
  for (const auto* all : {&lesson.pictures, &lesson.after})
    for (const PagePicture& picture : *all)
      if (picture.timeline.is_memory || !picture.table.rows.empty()) return picture;
  PagePicture chart = lesson.pictures.front();
  chart.timeline.json.clear();
  chart.timeline.text = first_strip(chart.timeline.text);
  return chart;
}

PageSection card_of(const Lesson& lesson) {
  PageSection card;
  card.heading = title_of(lesson);
  card.paragraphs = {lesson.about};
  card.pictures = {small_picture(lesson)};
  card.links = {{"Begin", page_name(lesson.name),
                 fmt::format("{} minutes{}", lesson.minutes,
                             lesson.needs.empty() ? "" : ", after " + lesson.needs)}};
  return card;
}

} // namespace

std::string lessons_index(const std::vector<Lesson>& lessons, std::string_view version) {
  ChartsPage page;
  page.title = "How GPUs spend their time, in short lessons";
  page.cards = true;
  page.paragraphs = {fmt::format(
      "Each lesson shows something, asks a question, and answers it with runs of memlane {}. The "
      "first four teach how many time units an access to memory takes; begin there.",
      version)};
  for (const Lesson& lesson : lessons) page.sections.push_back(card_of(lesson));
  return charts_page(page);
}

} // namespace memlane
