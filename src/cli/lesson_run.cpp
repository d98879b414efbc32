#include "lesson_run.hpp"

#include "command.hpp"
#include "files.hpp"
#include "interrupt.hpp"
#include "plan_runs.hpp"
#include "playground_page.hpp"
#include "program.hpp"
#include "results.hpp"
#include "sweep_request.hpp"

#include "memlane/points/kernel_command.hpp"
#include "memlane/study/results/stored_result.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <sstream>
#include <utility>

namespace memlane::cli {
namespace {

namespace fs = std::filesystem;

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
    std::istringstream lines(
        std::string(source.substr(kernel.span.begin, kernel.span.end - kernel.span.begin)));
    int number = sources.begin(kernel.span).line;
    for (std::string line; std::getline(lines, line); ++number)
      kernels += fmt::format("{:2}  {}\n", number, line);
  }
  return std::pair{text->info.path, kernels};
}

/// What a command prints for these words.
Result<std::string> printed(const Command& command, const std::vector<std::string>& line,
                            Sources& sources) {
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

/// What a command prints for these words, with so many words more. It has sources of its own, so
/// that a chart shows no other; only errors are in the lesson's.
Result<std::string> output_of(const Command& command, const std::string& words,
                              const std::vector<std::string>& more, Sources& sources) {
  Result<std::vector<std::string>> line = sweep::shell_words(words);
  if (!line) return line.errors();
  line->insert(line->end(), more.begin(), more.end());
  Sources own;
  Result<std::string> text = printed(command, *line, own);
  return text ? text : printed(command, *line, sources);
}

/// Draws the pictures of a lesson, as text and for a page as JSON, too.
class PictureMaker {
public:
  PictureMaker(bool for_page, Sources& sources) : for_page_(for_page), sources_(sources) {}

  /// The pictures of a list; their texts and tables are there already.
  Status draw_all(const std::vector<LessonPicture>& specs, std::vector<PagePicture>& pictures) {
    ErrorCollector errors;
    for (std::size_t i = 0; i < specs.size(); ++i)
      errors.check(draw(specs[i], pictures[i].timeline));
    return errors.status();
  }

private:
  Status draw(const LessonPicture& spec, PageTimeline& timeline) {
    timeline.is_memory = !spec.memory.empty();
    const std::string& words = timeline.is_memory ? spec.memory : spec.chart;
    if (words.empty()) return Done{}; // a table
    timeline.title = "memlane timeline " + words;
    ErrorCollector errors;
    const bool as_memory = timeline.is_memory;
    errors.take(
        output_of(command_, words,
                  as_memory ? std::vector<std::string>{"--memory"} : std::vector<std::string>{},
                  sources_),
        timeline.text);
    if (errors.ok())
      timeline.text = as_memory ? without_heading(timeline.text) : chart_body(timeline.text);
    if (for_page_ && errors.ok())
      errors.take(output_of(command_, words, {"--format", "json"}, sources_), timeline.json);
    return errors.status();
  }

  /// The first line says program and machine, as the command does.
  static std::string without_heading(const std::string& text) {
    return text.substr(text.find('\n') + 1);
  }

  /// Without its heading; with the legend if no chart before it has one.
  std::string chart_body(const std::string& text) {
    return std::exchange(needs_legend_, false) ? without_heading(text)
                                               : text.substr(text.find("\n\n") + 2);
  }

  const bool for_page_;
  Sources& sources_;
  const Command command_ = timeline_command();
  bool needs_legend_ = true;
};

/// The run to change: its command, and for a page its address in the playground.
Status offer_play(const std::string& words, bool for_page, PageLink& play) {
  if (words.empty()) return Done{};
  play.text = "memlane run " + words;
  if (!for_page) return Done{};
  ErrorCollector errors;
  errors.take(playground_address(words), play.address);
  return errors.status();
}

/// `lessons 1 and 4`: the numbers of shipped lessons.
Result<std::string> lessons_before(const LessonSpec& spec) {
  const std::vector<LessonFile> shipped = shipped_lessons();
  std::vector<std::string> numbers;
  for (const std::string& name : spec.needs) {
    const Result<std::size_t> found = find_lesson(shipped, name);
    if (!found) return error_at(spec.span, fmt::format("needs: no lesson is named '{}'", name));
    numbers.push_back(std::to_string(*found + 1));
  }
  if (numbers.empty()) return std::string();
  return fmt::format("{} {}", numbers.size() == 1 ? "lesson" : "lessons", fmt::join(numbers, ", "));
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

} // namespace

Result<Lesson> run_lesson(const LessonFile& file, const LessonRun& how, Sources& sources,
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
    const Status ran =
        run_points_of(figures, limits, how.jobs, *store, sources, console, run, true);
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
  ErrorCollector errors;
  PictureMaker maker(how.for_page, sources);
  errors.check(maker.draw_all(spec->pictures, lesson->pictures));
  errors.check(maker.draw_all(spec->after, lesson->after));
  errors.take(lessons_before(*spec), lesson->needs);
  errors.check(offer_play(spec->play, how.for_page, lesson->play));
  if (!errors.ok()) return errors.errors();
  return lesson;
}

} // namespace memlane::cli
