// memlane demo: lessons that are computed when they are shown.
#include "command.hpp"
#include "files.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "pending_file.hpp"
#include "plan_runs.hpp"
#include "program.hpp"
#include "results.hpp"
#include "shipped_files.hpp"
#include "sweep_request.hpp"
#include "version.hpp"

#include "memlane/show/text_table.hpp"
#include "memlane/study/results/stored_result.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <sstream>

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

// ---- Running ----

/// The path of a CUDA source file, and its kernels: lines, with their numbers, from one that has
/// `__global__` to the next that begins with a closing brace.
Result<std::pair<std::string, std::string>> cuda_kernels_of(const fs::path& source) {
  std::string path = short_path(source.lexically_normal().string());
  const Result<std::string> text = read_file(path, std::size_t{1} << 20);
  if (!text) return text.errors();
  std::istringstream lines(*text);
  std::string kernels;
  bool is_kernel = false;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const bool begins = !is_kernel && line.find("__global__") != std::string::npos;
    if (begins && !kernels.empty()) kernels += '\n';
    is_kernel = is_kernel || begins;
    if (!is_kernel) continue;
    kernels += fmt::format("{:2}  {}\n", number, line);
    is_kernel = !line.starts_with('}');
  }
  return std::pair{std::move(path), std::move(kernels)};
}

/// The path of a program, and its own kernels as they are written.
Result<std::pair<std::string, std::string>> kernels_of(const std::string& name,
                                                       const LessonFile& lesson) {
  if (name.ends_with(".cu")) return cuda_kernels_of(fs::path(lesson.path).parent_path() / name);
  Sources sources;
  const Result<ProgramText> text = load_program_text(sources, {name});
  if (!text) return text.errors();
  std::string kernels;
  for (const lang::KernelDecl& kernel : text->program.kernels) {
    if (sources.path(kernel.span.file) != text->info.path) continue; // of a used program
    const std::string_view source = sources.text(kernel.span.file);
    kernels += std::string(source.substr(kernel.span.begin, kernel.span.end - kernel.span.begin));
    kernels += "\n";
  }
  return std::pair{text->info.path, kernels};
}

/// What a command prints for these words, with so many words more.
Result<std::string> output_of(const Command& command, const std::string& words,
                              const std::vector<std::string>& more, Sources& sources) {
  std::istringstream in(words);
  std::vector<std::string> line{std::istream_iterator<std::string>(in), {}};
  line.insert(line.end(), more.begin(), more.end());
  const Call call = command.call();
  const Result<Arguments> arguments = call.options.parse(line);
  if (!arguments) return arguments.errors();
  if (const Status right = check_words(command, call.options.words, *arguments); !right)
    return right.errors();
  OptionReader given(*arguments);
  call.options.receive(given, sources);
  std::string text;
  Console console;
  console.collect(text);
  const Result<Exit> exit = call.run(given, sources, console);
  const std::string shown = fmt::format("memlane {} {}", command.name, fmt::join(line, " "));
  if (!exit || *exit != Exit::done) {
    Diagnostic failed = error_in("", fmt::format("'{}' failed", shown));
    if (!exit) failed.notes = exit.errors();
    return failed;
  }
  if (!text.empty()) return text;
  return error_in("", fmt::format("'{}' prints nothing", shown), {"leave out -o"});
}

/// As text, and as JSON for a page, which plays it.
Result<PageTimeline> play_timeline(const std::string& words, bool for_page, Sources& sources) {
  static const Command command = timeline_command();
  PageTimeline timeline;
  timeline.title = "memlane timeline " + words;
  ErrorCollector errors;
  errors.take(output_of(command, words, {}, sources), timeline.text);
  if (for_page && errors.ok())
    errors.take(output_of(command, words, {"--format", "json"}, sources), timeline.json);
  if (!errors.ok()) return errors.errors();
  return timeline;
}

/// Runs what the lesson watches, and makes the values a view of its queries.
Status add_watched(LessonSpec& spec, Sources& sources) {
  std::vector<nlohmann::json> results;
  for (const std::string& words : spec.watched) {
    const Result<std::string> text = output_of(run_command(), words, {"--format", "json"}, sources);
    if (!text) return text.errors();
    results.push_back(nlohmann::json::parse(*text));
    if (results.back().contains("watch")) continue;
    return error_at(spec.span, fmt::format("watched: 'memlane run {}' watches nothing", words),
                    {"add --watch ARRAY"});
  }
  if (!results.empty())
    spec.figure.views.insert(spec.figure.views.begin(), watched_view(results, spec.span));
  return Done{};
}

/// Runs a lesson's points and fills it with their numbers.
Result<Lesson> run_lesson(const LessonFile& file, const DemoCommand& command, Sources& sources,
                          const Console& console, FiguresRun& run) {
  Result<LessonSpec> spec = load_lesson(sources, file);
  if (!spec) return spec.errors();
  if (const Status added = add_watched(*spec, sources); !added) return added.errors();
  Result<PlannedFigure> planned = plan_figure(spec->figure, sweep_files(sources), sources);
  if (!planned) return planned.errors();
  Result<TemporaryStore> temporary = TemporaryStore::make();
  if (!temporary) return temporary.errors();
  std::vector<PlannedFigure> figures;
  figures.push_back(std::move(*planned));
  {
    Result<sweep::Store> store = sweep::Store::open(temporary->path(), stored_columns());
    if (!store) return store.errors();
    Limits limits;
    limits.memory = sweep::standard_memory;
    limits.check = stop_check(0);
    const Status ran = run_points_of(figures, limits, command.jobs, *store, sources, console, run);
    if (!ran) return ran.errors();
  }
  if (run.interrupted) return Lesson{};
  PlannedFigure& figure = figures.front();
  const Result<FigureSelect> select =
      select_over(figure, temporary->path(), stop_check(0), sources, run);
  if (!select) return select.errors();
  if (const Status judged = judge_points(figure, *select); !judged) return judged.errors();
  if (run.failed + run.stopped > 0) // a result that is wrong may be the lesson
    return error_in(file.path, "a run of the lesson has no result",
                    {fmt::format("{}", fmt::join(figure.result.failed, "; "))});
  Result<Lesson> lesson = judge_lesson(*spec, std::move(figure.result), *select);
  if (!lesson) return lesson;
  if (!spec->program.empty()) {
    const auto kernels = kernels_of(spec->program, file);
    if (!kernels) return kernels.errors();
    std::tie(lesson->program_path, lesson->program_text) = *kernels;
  }
  for (const std::string& words : spec->timelines) {
    Result<PageTimeline> timeline = play_timeline(words, command.html, sources);
    if (!timeline) return timeline.errors();
    lesson->timelines.push_back(std::move(*timeline));
  }
  return lesson;
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

Status write_site(const std::vector<Lesson>& lessons, const std::string& folder) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) return error_in(folder, "cannot make the folder: " + code.message());
  for (const Lesson& lesson : lessons) {
    const Status written = write_page((fs::path(folder) / (lesson.name + ".html")).string(),
                                      lesson_page(lesson, true));
    if (!written) return written;
  }
  return write_page((fs::path(folder) / "index.html").string(), lessons_index(lessons, version));
}

std::string list_of_lessons(Sources& sources, const std::vector<LessonFile>& shipped) {
  TextTable table({Align::right, Align::left, Align::left});
  for (std::size_t i = 0; i < shipped.size(); ++i) {
    const Result<LessonSpec> lesson = load_lesson(sources, shipped[i]);
    table.add({std::to_string(i + 1), shipped[i].name,
               lesson ? lesson->about : "(has errors: memlane demo " + shipped[i].name + ")"});
  }
  return table.text(2);
}

Result<Exit> demo(DemoCommand& command, Sources& sources, Console& console) {
  if (command.lessons.empty()) {
    const std::vector<LessonFile> shipped = shipped_lessons();
    if (shipped.empty()) return nothing_shipped("demos");
    console.out(console.with_commands(
        fmt::format("Short lessons. 'memlane demo 1' shows the first, and with --step it asks\n"
                    "for your guess before it answers.\n\n{}",
                    list_of_lessons(sources, shipped))));
    return Exit::done;
  }
  std::vector<Lesson> lessons;
  FiguresRun run;
  for (std::size_t i = 0; i < command.lessons.size(); ++i) {
    // Only the runs note Ctrl-C; while the reader thinks, it ends memlane.
    std::optional<InterruptGuard> guard;
    guard.emplace();
    Result<Lesson> lesson = run_lesson(command.lessons[i], command, sources, console, run);
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
      "Without a name, list the lessons. With a name or a number, show a lesson: an\n"
      "explanation, a program, a question, runs, and the answer with the numbers of these runs.\n"
      "The first four teach how many time units an access to memory takes. A file that ends in\n"
      ".json is a lesson of your own (configs/README.md).",
      call_with(demo_options, demo),
      {"memlane demo", "memlane demo banks", "memlane demo 2 --html -o groups.html",
       "memlane demo --all --html -o lessons"}};
}

} // namespace memlane::cli
