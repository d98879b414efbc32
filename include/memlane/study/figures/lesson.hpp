// A lesson: pictures, a question about some runs, a guess, and the reason with the numbers of these
// runs. Read from a file (configs/lessons/*.json).
#pragma once

#include "memlane/study/figures/result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

struct LessonChoice {
  std::string text, why;
};

/// What a lesson shows; one of memory, chart and table is not empty.
struct LessonPicture {
  std::string text;          ///< what to see in it
  std::string memory, chart; ///< words behind `memlane timeline`
  std::string table;         ///< the title of one of the lesson's tables
};

/// Texts name numbers in braces, `{n}`, which the query `numbers` gives.
struct LessonSpec {
  FigureSpec figure; ///< name, title, runs, charts and tables
  std::string about; ///< a line for lists
  std::int64_t minutes = 0;
  std::vector<std::string> needs; ///< names of lessons
  std::string opening, question;
  std::vector<LessonPicture> pictures, after; ///< before the guess, and after it
  std::string program;                        ///< whose kernels are shown; empty: none
  std::string play, change; ///< words behind `memlane run`, and what to change in that run
  std::vector<std::string> answer, background, commands;
  std::vector<std::string> watched; ///< each the words behind `memlane run`, with --watch
  std::vector<LessonChoice> choices;
  FigureQuery numbers;
  Span span; ///< the whole file
};

/// Reads a lesson that is in `sources`. Returns all independent errors, each with its place.
Result<LessonSpec> read_lesson(Sources& sources, std::int32_t file, const std::string& name);

/// A lesson with the numbers of its runs in its texts.
struct Lesson {
  std::string name, title, about;
  std::size_t number = 0; ///< its number among the shipped lessons, from 1; 0: not shipped
  std::int64_t minutes = 0;
  std::string needs; ///< the lessons to read before: `lessons 1 and 4`; empty: none
  std::string opening, question, change;
  std::vector<PagePicture> pictures, after; ///< their JSON is for pages alone
  std::string program_path, program_text;   ///< the kernels
  PageLink play; ///< the command to change before the guess; in a site, its playground's address
  std::vector<std::string> answer, background, commands;
  std::vector<LessonChoice> choices;
  std::size_t right = 0; ///< index of a choice
  std::vector<PageTable> tables;
  std::vector<Chart> charts;
  std::string next, next_title; ///< the following lesson; empty: there is none
  std::string before;           ///< the name of the one before
};

/// The view of what `memlane run --watch … --format json` printed for each of a lesson's watched
/// runs, by which queries find the values at the end of a run.
FigureView watched_view(const std::vector<nlohmann::json>& results, Span span);

/// Fills the texts with the numbers of the runs. `figure` is judged: its charts and tables are
/// taken. Errors: the query gives not one row, no `right` from 1 on, or lacks a number of a text.
Result<Lesson> judge_lesson(const LessonSpec& spec, FigureResult figure,
                            const FigureSelect& select);

/// A lesson in 80 columns: up to the question with its choices and the run to change, and from the
/// runs on.
std::string lesson_question(const Lesson& lesson);
std::string lesson_answer(const Lesson& lesson);
/// Whether a choice is right, and why.
std::string lesson_reply(const Lesson& lesson, std::size_t choice);

/// A page; it links to `index.html` and to its neighbours if `in_site`. On a page, each choice
/// opens to say whether it is right.
std::string lesson_page(const Lesson& lesson, bool in_site);
/// The page with links to all lessons, beside which they lie as NAME.html.
std::string lessons_index(const std::vector<Lesson>& lessons, std::string_view version);

/// The keys of lessons, in display order.
std::vector<FileKey> lesson_keys();
/// The JSON Schema of such a file, for editors.
nlohmann::ordered_json lesson_schema();

} // namespace memlane
