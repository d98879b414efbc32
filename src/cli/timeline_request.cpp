#include "timeline_request.hpp"

#include "command.hpp"

#include "memlane/support/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <tuple>

namespace memlane::cli {
namespace {

constexpr std::int64_t standard_text = 1000; // time units
constexpr std::int64_t piece_of_text = 256;

/// An end of a window, or `standard` if it is left open.
std::optional<std::int64_t> end_of(std::string_view text, std::int64_t standard) {
  if (text.empty()) return standard;
  const auto number = number_of<std::int64_t>(text);
  return number && *number >= 0 ? number : std::nullopt;
}

using Window = std::pair<std::int64_t, std::int64_t>;

Result<Window> read_window(const std::string& text) {
  const auto colon = text.find(':');
  const auto from = end_of(std::string_view(text).substr(0, colon), 0);
  const auto to = colon == std::string::npos
                      ? std::nullopt
                      : end_of(std::string_view(text).substr(colon + 1), INT64_MAX);
  if (!from || !to)
    return error_in("--window", fmt::format("'{}' is no window", text),
                    {"give its first time unit and the one behind its last: --window 0:10 has "
                     "the first ten"});
  if (*from > *to)
    return error_in("--window", fmt::format("{} has no time unit: it ends before it begins", text),
                    {fmt::format("give the smaller number first: --window {}:{}", *to, *from)});
  if (*from < *to) return Window(*from, *to);
  const std::int64_t first = std::min(*from, INT64_MAX - 1);
  return error_in("--window", fmt::format("{} has no time unit: its end is not a part of it", text),
                  {fmt::format("time unit {0} alone is --window {0}:{1}", first, first + 1)});
}

/// `A..B`, or one number.
OptionValue range(std::pair<std::int64_t, std::int64_t>* into) {
  return {[into](const Option& option, const std::string& text, ErrorCollector& errors) {
    const auto dots = text.find("..");
    const auto first = number_of<std::int64_t>(std::string_view(text).substr(0, dots));
    const auto last = dots == std::string::npos
                          ? first
                          : number_of<std::int64_t>(std::string_view(text).substr(dots + 2));
    if (first && last && *first >= 0 && *last >= *first) {
      *into = {*first, *last};
      return;
    }
    errors.add(
        error_in(fmt::format("--{}", option.name), fmt::format("'{}' is no range", text),
                 {fmt::format("give the first and the last number: --{} 0..7", option.name)}));
  }};
}

/// A format, and the endings of its files: the first is its own and asks for it.
struct NamedFormat {
  ChartFormat format;
  std::string_view name;   ///< in messages
  std::string_view option; ///< that asks for it
  std::array<std::string_view, 3> endings;
};
constexpr std::array<NamedFormat, 7> chart_formats = {{
    {ChartFormat::text, "a text", "--format text", {".txt"}},
    {ChartFormat::json, "JSON", "--format json", {".json"}},
    {ChartFormat::html, "a page", "--html", {".html", ".htm"}},
    {ChartFormat::perfetto, "trace events", "--perfetto", {".perfetto", ".json", ".trace"}},
    {ChartFormat::kanata, "a log for Konata", "--kanata", {".kanata", ".log", ".txt"}},
    {ChartFormat::svg, "an SVG", "--format svg", {".svg"}},
    {ChartFormat::memory, "a text", "--memory", {".txt"}},
}};
/// Of formats that time charts do not have.
constexpr std::array<std::string_view, 6> foreign_endings = {".csv", ".jsonl", ".md",
                                                             ".tex", ".png",   ".pdf"};

std::string_view ending_of(std::string_view path) {
  const auto name = path.substr(path.rfind('/') + 1);
  const auto dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot);
}

template <std::size_t N>
bool is_among(std::string_view ending, const std::array<std::string_view, N>& endings) {
  return !ending.empty() && std::find(endings.begin(), endings.end(), ending) != endings.end();
}

/// An error if the ending of the file says another format.
void check_ending(OptionReader& options, const std::string& path, ChartFormat chosen) {
  const std::string_view ending = ending_of(path);
  const NamedFormat& own = chart_formats[static_cast<std::size_t>(chosen)];
  if (ending.empty() || is_among(ending, own.endings)) return;
  if (is_among(ending, foreign_endings))
    return options.fail(
        "-o",
        fmt::format("'{}' ends in {}, and a time chart is not written in that format", path,
                    ending),
        "endings of formats: .txt, .svg, .json, .html, .perfetto, .kanata");
  const auto other =
      std::find_if(chart_formats.begin(), chart_formats.end(),
                   [&](const NamedFormat& f) { return is_among(ending, f.endings); });
  if (other == chart_formats.end()) return;
  options.fail("-o",
               fmt::format("'{}' would be {}, and {} says {}", path, own.name, ending, other->name),
               fmt::format("end its name in {}, or choose {}", own.endings[0], other->option));
}

/// What an option does that asks for a format.
struct FormatChoice {
  ChartFormat format = ChartFormat::text;
  int given = 0; ///< how many ask for one
};

/// The format of an option, else the one that the file's ending says.
ChartFormat chosen_format(OptionReader& options, const FormatChoice& choice,
                          const std::string& path) {
  if (choice.given > 1)
    options.fail("", "several formats are given",
                 "give one of --format, --html, --memory, --perfetto and --kanata");
  if (choice.given > 0) return choice.format;
  const std::string_view ending = ending_of(path) == ".htm" ? ".html" : ending_of(path);
  const auto named = std::find_if(chart_formats.begin(), chart_formats.end(),
                                  [&](const NamedFormat& f) { return f.endings[0] == ending; });
  return named == chart_formats.end() ? ChartFormat::text : named->format;
}

/// The options that ask for a format, and -o.
void add_formats(Options& options, TimelineRequest& request) {
  const auto choice = std::make_shared<FormatChoice>();
  const auto choose = [choice](ChartFormat format) {
    choice->format = format;
    choice->given += 1;
  };
  const auto asks_for = [choose](ChartFormat format) -> OptionValue::Read {
    return [=](const Option&, const std::string&, ErrorCollector&) { choose(format); };
  };
  constexpr std::array<ChartFormat, 3> words = {ChartFormat::text, ChartFormat::svg,
                                                ChartFormat::json};
  options.add(
      "format", "FORMAT",
      one_of_words([=](std::size_t k) { choose(words[k]); }, "format", {"text", "svg", "json"}),
      "text (the default), svg, the same as a picture, or json for other\n"
      "programs (its schema: 'memlane explain schema timeline')");
  options.add("html", "", asks_for(ChartFormat::html), "a page that plays the window step by step");
  options.add("memory", "", asks_for(ChartFormat::memory),
              "a text: banks and address groups that the request with the most\n"
              "stages accesses, of line N with --line N");
  options.add("perfetto", "", asks_for(ChartFormat::perfetto),
              "trace events for ui.perfetto.dev: 1 time unit is shown as 1 µs");
  options.add("kanata", "", asks_for(ChartFormat::kanata),
              "a log for the pipeline viewer Konata: requests are its instructions");
  options.add("out,o", "FILE", &request.out,
              "write to a file; the ending says the format if no option does: .svg,\n"
              ".json, .html, .perfetto, .kanata; others get a text");
  options.then([&request, choice](OptionReader& given, Sources&) {
    request.format = chosen_format(given, *choice, request.out);
    check_ending(given, request.out, request.format);
  });
}

/// Errors for options that shape what is drawn.
void check_drawn_options(OptionReader& options, ChartFormat format) {
  if (format == ChartFormat::text) return;
  for (const char* option : {"warps", "blocks", "rows"})
    if (options.has(option) && format != ChartFormat::svg)
      options.fail(fmt::format("--{}", option),
                   "it shapes a time chart as text or SVG, and the other formats have the whole "
                   "window",
                   "leave it out; --window, --launch and --line choose a window");
  if (options.has("every-unit"))
    options.fail("--every-unit",
                 "it shapes a time chart as text, and the other formats have each time unit",
                 "leave it out; --window, --launch and --line choose a window");
}

/// A line chooses the window alone.
void check_choice(OptionReader& options) {
  for (const char* option : {"window", "launch"})
    if (options.has("line") && options.has(option))
      options.fail("--line", fmt::format("--{} chooses the window already", option),
                   "leave out one of them");
}

/// The program's own file among the sources, which may have others before it.
std::int32_t file_of(const PreparedRun& run) {
  std::int32_t file = run.sources.count() - 1;
  while (file > 0 && run.sources.path(file) != run.program.info.path) --file;
  return file;
}

/// Numbers of the program's lines that make requests.
std::set<std::int32_t> lines_with_requests(const PreparedRun& run) {
  std::set<std::int32_t> lines;
  for (const std::int32_t kernel : run.point.code->kernels) {
    const ir::Function& function = run.point.code->functions[static_cast<std::size_t>(kernel)];
    for (const ir::Instruction& in : function.code)
      if (ir::makes_request(in.op) && in.span.file == file_of(run))
        lines.insert(run.sources.begin(in.span).line);
  }
  return lines;
}

} // namespace

namespace {

/// What depends on the format: drawn ones are short, texts are drawn piece by piece, others have
/// values.
void finish_request(OptionReader& given, TimelineRequest& request) {
  check_drawn_options(given, request.format);
  check_choice(given);
  TimelineWindow& window = request.window;
  const bool is_text = request.format == ChartFormat::text;
  const bool is_drawn = is_text || request.format == ChartFormat::svg;
  window.values = !is_drawn;
  if (!given.has("requests")) window.most_requests = is_text ? INT64_MAX : standard_requests;
  if (is_text) {
    window.piece = piece_of_text;
    window.only_line = request.line.has_value();
  }
  const bool chosen = given.has("window") || given.has("launch") || given.has("line");
  request.standard_end = is_drawn && !chosen && !given.has("requests");
  if (!request.out.empty() && request.out != "-") {
    Result<PendingFile> file = PendingFile::open(request.out);
    if (given.check(file)) request.file.emplace(std::move(*file));
  }
  if (!request.file) request.style.columns = columns_of(STDOUT_FILENO);
  request.command = command_line(timeline_command(), given);
}

} // namespace

void add_window(Options& options, TimelineWindow& window) {
  options.add("window", "A:B",
              {[&window](const Option&, const std::string& text, ErrorCollector& errors) {
                Window read(window.from, window.to);
                errors.take(read_window(text), read);
                std::tie(window.from, window.to) = read;
              }},
              "time units A to B - 1, from the start of the run; A: or :B leaves\n"
              "one end open");
}

std::optional<ChartFormat> chart_format_of(std::string_view path) {
  const std::string_view ending = ending_of(path);
  for (const NamedFormat& format : chart_formats)
    if (ending == format.endings.front()) return format.format;
  return std::nullopt;
}

void timeline_options(Options& options, TimelineRequest& request) {
  Recipe& recipe = request.run.recipe;
  recipe.verify = false;
  options.take_word("program", &recipe.program.name);
  add_machine(options, recipe.machine);
  add_program(options, recipe.program);
  options.add("input", "ARRAY=FILE", &recipe.inputs,
              "initial content of a memory array, as of 'memlane run'");
  add_seed(options, recipe.seed);
  add_races(options, recipe.program.allow_races);
  add_atomics(options, recipe.atomics);
  add_window(options, request.window);
  options.add("launch", "K", whole(&request.window.launch, 0, INT64_MAX - 1),
              "the time units of launch K, from 0; --window counts from its\n"
              "beginning");
  options.add("line", "N", whole(&request.line, 1, INT32_MAX),
              "those in which requests of line N of the program happen");
  options.add("warps", "A..B", range(&request.style.warps),
              "text, SVG: rows of warps A to B of each block");
  options.add("blocks", "A..B", range(&request.style.blocks),
              "text, SVG: only what blocks A to B do");
  options.add("rows", "N", whole(&request.style.most_warps, 1, 4096),
              "text, SVG: at most N warps; 32 if not given");
  options.flag("every-unit", &request.style.every_unit,
               "text: a column for each time unit; without it, a long stretch in\n"
               "which nothing changes is shortened");
  options.add("requests", "N", whole(&request.window.most_requests, 1),
              "the window ends when it has N requests; 10000 if not given, and\n"
              "of a text no limit");
  add_formats(options, request);
  add_limits(options, recipe.limits);
  options.then([&request](OptionReader& given, Sources&) { finish_request(given, request); });
}

Result<TimelineWindow> window_of(const TimelineRequest& request, const PreparedRun& run) {
  TimelineWindow window = request.window;
  // Before its first block, a launch only costs time.
  if (request.standard_end) window.to = standard_text + run.machine.spec.launch_cost.value;
  if (!request.line) return window;
  window.line = {file_of(run), *request.line};
  const std::set<std::int32_t> lines = lines_with_requests(run);
  if (lines.count(*request.line) > 0) return window;
  return error_in(
      "--line", fmt::format("line {} of {} makes no request", *request.line, run.program.info.path),
      {lines.empty() ? "no line does" : fmt::format("those that do: {}", fmt::join(lines, ", "))});
}

namespace {

/// `there is no warp 90`, `there are no blocks 7 to 9`.
std::string there_is_no(const char* what, const std::pair<std::int64_t, std::int64_t>& range) {
  if (range.first == range.second) return fmt::format("there is no {} {}", what, range.first);
  return fmt::format("there are no {}s {} to {}", what, range.first, range.second);
}

} // namespace

Diagnostic nothing_chosen(const TimelineRequest& request, const ChartedParts& parts) {
  const auto& [warps, blocks] = std::pair(request.style.warps, request.style.blocks);
  if (blocks.first >= parts.blocks)
    return error_in(
        "--blocks", there_is_no("block", blocks),
        {parts.blocks == 1
             ? "launches of the window have one block: leave it out"
             : fmt::format("the window has blocks 0 to {0}: --blocks 0..{0}", parts.blocks - 1)});
  if (warps.first >= parts.warps)
    return error_in("--warps", there_is_no("warp", warps),
                    {parts.warps == 1 ? "blocks of the window have one warp: leave it out"
                                      : fmt::format("blocks have warps 0 to {0}: --warps 0..{0}",
                                                    parts.warps - 1)});
  return error_in(
      "--blocks", "none of these blocks runs in the window",
      {fmt::format("those that do: --blocks {}..{}", parts.first_block, parts.last_block)});
}

Diagnostic nothing_in_window(const TimelineRequest& request, const TimelineRecorder& recorder) {
  if (request.line && !request.window.launch)
    return error_in("--line", fmt::format("line {} made no request in this run", *request.line),
                    {"other parameters may lead there: -D"});
  return memlane::nothing_in_window(request.window, recorder, "--launch");
}

} // namespace memlane::cli
