// Lessons in a terminal of 80 columns.
#include "paragraph.hpp"

#include "memlane/report/lesson.hpp"
#include "memlane/report/text_table.hpp"

#include <fmt/format.h>

#include <sstream>

namespace memlane {
namespace {

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
    aligns.push_back(i < table.texts ? Align::left : Align::right);
  TextTable text(std::move(aligns));
  for (const auto& row : table.rows) text.add(row);
  return fmt::format("{}\n{}\n", table.title, text.text(2));
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

} // namespace memlane
