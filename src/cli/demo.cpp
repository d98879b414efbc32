// memlane demo: lessons that are computed when they are shown.
#include "command.hpp"
#include "files.hpp"
#include "interrupt.hpp"
#include "lesson_run.hpp"
#include "options.hpp"
#include "pending_file.hpp"
#include "playground_page.hpp"
#include "shipped_files.hpp"
#include "version.hpp"

#include "memlane/show/text_table.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

namespace memlane::cli {
namespace {

namespace fs = std::filesystem;

struct DemoCommand {
  std::vector<std::string> words;
  std::vector<LessonFile> lessons; ///< to show
  std::size_t first = 0;           ///< number of the first among the shipped ones, from 0
  bool own = false;                ///< a file that is not shipped
  bool all = false, step = false, html = false;
  std::string output;
  std::size_t jobs = 1;
};

/// Errors for a file where a folder is needed, and the other way round, before anything runs.
void check_output(OptionReader& options, const DemoCommand& command) {
  if (!command.html || command.output.empty()) return;
  std::error_code none;
  const fs::path path = command.output;
  const bool is_folder = fs::is_directory(path, none);
  const bool is_file = !is_folder && fs::exists(path, none);
  if (command.all && is_file)
    options.fail("-o",
                 fmt::format("'{}' is a file, and --all writes a folder of pages", command.output),
                 "name a folder: -o lessons");
  else if (command.all && !is_folder && path.extension() == ".html")
    options.fail(
        "-o", fmt::format("'{}' is the name of a page, and --all writes a folder", command.output),
        fmt::format("name a folder: -o {}", path.stem().string()));
  else if (!command.all && is_folder)
    options.fail("-o", fmt::format("'{}' is a folder, and one lesson is a file", command.output),
                 "name a file, as -o lesson.html; --all writes all lessons to a folder");
}

/// Which lessons. Nothing is chosen without a word or --all.
void choose_lessons(OptionReader& options, DemoCommand& command) {
  const std::vector<LessonFile> shipped = shipped_lessons();
  const auto& words = command.words;
  if (words.size() > 1 || (command.all && !words.empty()))
    options.fail(
        "", command.all ? "--all shows every lesson, so no name is taken" : "demo takes one lesson",
        "usage: memlane demo NAME, or memlane demo --all");
  else if (command.all)
    command.lessons = shipped;
  else if (!words.empty() && fs::path(words.front()).extension() == ".json")
    command.lessons = {{fs::path(words.front()).stem().string(), words.front()}},
    command.own = true;
  else if (!words.empty() && options.take(find_lesson(shipped, words.front()), command.first))
    command.lessons = {shipped[command.first]};
  if (command.step && command.html)
    options.fail("--step", "a page cannot wait for keys", "leave out one of both");
  else if (command.step && isatty(STDIN_FILENO) != 1)
    options.fail("--step", "it waits for your answers, and standard input is no terminal",
                 "leave it out: the lesson is then shown as a whole");
  if (!command.output.empty() && !command.html)
    options.fail("-o", "only pages are written to files", "add --html");
  if (command.html && command.all && command.output.empty())
    options.fail("--all", "the pages need a folder", "name one: --html --all -o DIR");
  if (command.html && !command.all && words.empty())
    options.fail("--html", "a lesson is needed, or --all", "memlane demo NAME --html -o FILE.html");
  check_output(options, command);
}

void demo_options(Options& options, DemoCommand& command) {
  options.take_words("lesson", 0, &command.words);
  options.flag("step", &command.step,
               "ask for a guess before the answer, and wait between lessons");
  options.flag("all", &command.all, "every lesson, in order");
  options.flag("html", &command.html, "make a page; with --all one for each lesson and an index");
  options.add("out,o", "FILE|DIR", &command.output,
              "write the page there instead of standard output; with --all\n"
              "a folder, which a web server can offer as it is");
  add_jobs(options, command.jobs);
  options.then([&command](OptionReader& given, Sources&) { choose_lessons(given, command); });
}

/// Its number and its neighbours among the shipped lessons.
Status place_lesson(Lesson& lesson, std::size_t index, Sources& sources) {
  const std::vector<LessonFile> shipped = shipped_lessons();
  lesson.number = index + 1;
  if (index > 0) lesson.before = shipped[index - 1].name;
  if (index + 1 >= shipped.size()) return Done{};
  const Result<LessonSpec> next = load_lesson(sources, shipped[index + 1]);
  if (!next) return next.errors();
  lesson.next = shipped[index + 1].name;
  lesson.next_title = next->figure.title;
  return Done{};
}

// ---- Showing ----

/// A line of the terminal; none at its end (Ctrl-D).
std::optional<std::string> ask(Console& console, const std::string& prompt) {
  console.out(prompt);
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  return line;
}

/// Asks for a guess until one of the choices is named, or none is wanted; after a wrong one once
/// more. False: the end.
bool ask_for_guess(const Lesson& lesson, Console& console) {
  const std::size_t count = lesson.choices.size();
  for (bool again = false;;) {
    const std::string prompt = fmt::format("\nYour {}, 1 to {} (Enter: show the answer, q: stop): ",
                                           again ? "second guess" : "guess", count);
    const auto line = ask(console, prompt);
    if (!line || *line == "q") return false;
    console.out("\n");
    if (line->empty()) return true;
    const auto guess = number_of<std::size_t>(*line);
    if (!guess || *guess < 1 || *guess > count) {
      console.out(fmt::format("'{}' is none of them.\n", on_one_line(*line, 20)));
      continue;
    }
    console.out(lesson_reply(lesson, *guess - 1));
    if (again || *guess - 1 == lesson.right || count == 2) {
      console.out("\n");
      return true;
    }
    again = true;
  }
}

/// False: the reader stopped.
bool show(const Lesson& lesson, const DemoCommand& command, bool last, Console& console) {
  console.out(console.with_commands(lesson_question(lesson)));
  if (command.step && !ask_for_guess(lesson, console)) return false;
  if (!command.step) console.out("\n");
  console.out(console.with_commands(lesson_answer(lesson)));
  if (last) return true;
  console.out("\n");
  if (!command.step) return true;
  const auto line = ask(console, "(Enter: the next lesson, q: stop) ");
  console.out("\n");
  return line && *line != "q";
}

Status write_page(const std::string& path, const std::string& text) {
  Result<PendingFile> file = PendingFile::open(path);
  if (!file) return file.errors();
  return file->write(text);
}

/// The playground beside the lessons, for their links; false: it is not built.
Result<bool> copy_playground(const fs::path& folder) {
  if (!find_playground()) return false;
  const Result<std::string> text = playground_text();
  if (!text) return text.errors();
  const Status written = write_page((folder / "playground.html").string(), *text);
  if (!written) return written.errors();
  return true;
}

Status write_site(std::vector<Lesson>& lessons, const fs::path& folder) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) return error_in(folder.string(), "cannot make the folder: " + code.message());
  const Result<bool> playable = copy_playground(folder);
  if (!playable) return playable.errors();
  for (Lesson& lesson : lessons) {
    if (!*playable) lesson.play.address.clear();
    const Status written =
        write_page((folder / (lesson.name + ".html")).string(), lesson_page(lesson, true));
    if (!written) return written;
  }
  return write_page((folder / "index.html").string(), lessons_index(lessons, version));
}

std::string list_of_lessons(Sources& sources, const std::vector<LessonFile>& shipped,
                            std::size_t columns) {
  TextTable table({Align::right, Align::left, Align::right, Align::prose});
  for (std::size_t i = 0; i < shipped.size(); ++i) {
    const Result<LessonSpec> lesson = load_lesson(sources, shipped[i]);
    table.add({std::to_string(i + 1), shipped[i].name,
               lesson ? fmt::format("{} min", lesson->minutes) : "",
               lesson ? lesson->about : "(has errors: memlane demo " + shipped[i].name + ")"});
  }
  return table.text(2, columns);
}

Result<Exit> demo(DemoCommand& command, Sources& sources, Console& console) {
  if (command.lessons.empty()) {
    const std::vector<LessonFile> shipped = shipped_lessons();
    if (shipped.empty()) return nothing_shipped("demos");
    console.out(console.with_commands(
        fmt::format("Short lessons. 'memlane demo 1' shows the first, and with --step it asks\n"
                    "for your guess before it answers.\n\n{}",
                    list_of_lessons(sources, shipped, console.style().columns))));
    return Exit::done;
  }
  std::vector<Lesson> lessons;
  FiguresRun run;
  for (std::size_t i = 0; i < command.lessons.size(); ++i) {
    // Only the runs note Ctrl-C; while the reader thinks, it ends memlane.
    std::optional<InterruptGuard> guard;
    guard.emplace();
    Result<Lesson> lesson =
        run_lesson(command.lessons[i], {command.html, command.jobs}, sources, console, run);
    // Also a Ctrl-C behind the last run's last check.
    run.interrupted = run.interrupted || stop_check(0)() == Stop::interrupted;
    guard.reset();
    if (run.interrupted) {
      console.print_error("interrupted\n");
      return Exit::interrupted;
    }
    if (!lesson) return lesson.errors();
    if (!command.own)
      if (const Status placed = place_lesson(*lesson, command.first + i, sources); !placed)
        return placed.errors();
    const bool last = i + 1 == command.lessons.size();
    if (!command.html && !show(*lesson, command, last, console)) return Exit::done;
    lessons.push_back(std::move(*lesson));
  }
  if (!command.html) return Exit::done;
  if (command.all) {
    if (const Status written = write_site(lessons, command.output); !written)
      return written.errors();
    console.out(fmt::format("{} and an index, in {}\n",
                            counted(static_cast<std::int64_t>(lessons.size()), "lesson"),
                            command.output));
    return Exit::done;
  }
  const std::string page = lesson_page(lessons.front(), false);
  if (command.output.empty()) {
    console.out(page);
    return Exit::done;
  }
  if (const Status written = write_page(command.output, page); !written) return written.errors();
  console.out(fmt::format("lesson {}, in {}\n", lessons.front().name, command.output));
  return Exit::done;
}

} // namespace

Command demo_command() {
  return {
      "demo",
      "[LESSON] [options]",
      "short lessons: how time is counted, from banks to whole algorithms",
      "Without a name, list the lessons. With a name or a number, show a lesson: a picture, a\n"
      "question, a run to change, and the reason with the numbers of runs that are made now.\n"
      "The first four teach how many time units an access to memory takes. A file that ends in\n"
      ".json is a lesson of your own (configs/README.md).",
      call_with(demo_options, demo),
      {"memlane demo", "memlane demo banks", "memlane demo 2 --html -o groups.html",
       "memlane demo --all --html -o lessons"}};
}

} // namespace memlane::cli
