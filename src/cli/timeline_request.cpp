#include "timeline_request.hpp"

#include "memlane/support/suggest.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>

namespace memlane::cli {
namespace {

constexpr std::int64_t standard_requests = 10'000;
constexpr std::int64_t standard_text = 1000; // time units
constexpr std::int64_t piece_of_text = 256;

std::vector<Option> window_options() {
  return {{"window", 0, "A:B", false,
           "time units A to B - 1, from the start of the run; A: or :B leaves\n"
           "one end open"},
          {"launch", 0, "K", false, "the time units of launch K, from 0"},
          {"line", 0, "N", false, "those in which requests of line N of the program happen"}};
}

std::vector<Option> chart_options() {
  return {
      {"warps", 0, "A..B", false, "text: rows of warps A to B of each block"},
      {"blocks", 0, "A..B", false, "text: only what blocks A to B do"},
      {"rows", 0, "N", false, "text: at most N warps; 32 if not given"},
      {"every-unit", 0, "", false,
       "text: a column for each time unit; without it, a long stretch in\n"
       "which nothing changes is shortened"},
      {"requests", 0, "N", false,
       "the window ends when it has N requests; 10000 if not given, and\n"
       "of a text no limit"},
      {"format",
       0,
       "FORMAT",
       false,
       "text (the default), or json for other programs (its schema:\n"
       "'memlane explain schema timeline')",
       {"text", "json"}},
      {"html", 0, "", false, "a page that plays the window step by step"},
      {"perfetto", 0, "", false, "trace events for ui.perfetto.dev: 1 time unit is shown as 1 µs"},
      {"kanata", 0, "", false,
       "a log for the pipeline viewer Konata: requests are its instructions"},
      {"out", 'o', "FILE", false,
       "write to a file; the ending says the format if no option does: .json,\n"
       ".html, .perfetto, .kanata; others get a text"}};
}

/// An end of a window, or `standard` if it is left open.
std::optional<std::int64_t> end_of(std::string_view text, std::int64_t standard) {
  if (text.empty()) return standard;
  const auto number = number_of<std::int64_t>(text);
  return number && *number >= 0 ? number : std::nullopt;
}

void read_window(OptionReader& options, TimelineWindow& window) {
  const std::string text = options.text("window", ":");
  const auto colon = text.find(':');
  const auto from = end_of(std::string_view(text).substr(0, colon), 0);
  const auto to = colon == std::string::npos
                      ? std::nullopt
                      : end_of(std::string_view(text).substr(colon + 1), INT64_MAX);
  if (!from || !to) {
    options.add(error_in("--window", fmt::format("'{}' is no window", text),
                         {"give its first time unit and the one behind its last: --window 0:10 has "
                          "the first ten"}));
  } else if (*from > *to) {
    options.add(
        error_in("--window", fmt::format("{} has no time unit: it ends before it begins", text),
                 {fmt::format("give the smaller number first: --window {}:{}", *to, *from)}));
  } else if (*from == *to) {
    const std::int64_t first = std::min(*from, INT64_MAX - 1);
    options.add(
        error_in("--window", fmt::format("{} has no time unit: its end is not a part of it", text),
                 {fmt::format("time unit {0} alone is --window {0}:{1}", first, first + 1)}));
  } else {
    window.from = *from;
    window.to = *to;
  }
}

/// `A..B`, or one number.
void read_range(OptionReader& options, const char* option,
                std::pair<std::int64_t, std::int64_t>& range) {
  const auto given = options.value(option);
  if (!given) return;
  const auto dots = given->find("..");
  const auto first = number_of<std::int64_t>(std::string_view(*given).substr(0, dots));
  const auto last = dots == std::string::npos
                        ? first
                        : number_of<std::int64_t>(std::string_view(*given).substr(dots + 2));
  if (!first || !last || *first < 0 || *last < *first) {
    options.add(error_in(fmt::format("--{}", option), fmt::format("'{}' is no range", *given),
                         {fmt::format("give the first and the last number: --{} 0..7", option)}));
    return;
  }
  range = {*first, *last};
}

/// A format, and the endings of its files: the first is its own and asks for it.
struct NamedFormat {
  ChartFormat format;
  std::string_view name;   ///< in messages
  std::string_view option; ///< that asks for it
  std::array<std::string_view, 3> endings;
};
constexpr std::array<NamedFormat, 5> named_formats = {{
    {ChartFormat::text, "a text", "--format text", {".txt"}},
    {ChartFormat::json, "JSON", "--format json", {".json"}},
    {ChartFormat::html, "a page", "--html", {".html", ".htm"}},
    {ChartFormat::perfetto, "trace events", "--perfetto", {".perfetto", ".json", ".trace"}},
    {ChartFormat::kanata, "a log for Konata", "--kanata", {".kanata", ".log", ".txt"}},
}};
/// Of formats that time charts do not have.
constexpr std::array<std::string_view, 7> foreign_endings = {".svg", ".csv", ".jsonl", ".md",
                                                             ".tex", ".png", ".pdf"};

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
void check_ending(OptionReader& options, ChartFormat chosen) {
  const std::string path = options.text("out");
  const std::string_view ending = ending_of(path);
  const NamedFormat& own = named_formats[static_cast<std::size_t>(chosen)];
  if (ending.empty() || is_among(ending, own.endings)) return;
  if (is_among(ending, foreign_endings))
    return options.add(
        error_in("-o",
                 fmt::format("'{}' ends in {}, and a time chart is not written in that format",
                             path, ending),
                 {"endings of formats: .txt, .json, .html, .perfetto, .kanata"}));
  const auto other =
      std::find_if(named_formats.begin(), named_formats.end(),
                   [&](const NamedFormat& f) { return is_among(ending, f.endings); });
  if (other == named_formats.end()) return;
  options.add(error_in(
      "-o", fmt::format("'{}' would be {}, and {} says {}", path, own.name, ending, other->name),
      {fmt::format("end its name in {}, or choose {}", own.endings[0], other->option)}));
}

/// The format of an option, else the one that the file's ending says.
ChartFormat read_chart_format(OptionReader& options) {
  int formats = 0;
  for (const char* option : {"format", "html", "perfetto", "kanata"})
    formats += options.has(option);
  if (formats > 1)
    options.add(error_in("", "several formats are given",
                         {"give one of --format, --html, --perfetto and --kanata"}));
  if (options.has("html")) return ChartFormat::html;
  if (options.has("perfetto")) return ChartFormat::perfetto;
  if (options.has("kanata")) return ChartFormat::kanata;
  if (formats == 0) {
    const std::string path = options.text("out");
    const std::string_view ending = ending_of(path) == ".htm" ? ".html" : ending_of(path);
    const auto named = std::find_if(named_formats.begin(), named_formats.end(),
                                    [&](const NamedFormat& f) { return f.endings[0] == ending; });
    return named == named_formats.end() ? ChartFormat::text : named->format;
  }
  const std::string format = options.text("format");
  if (format == "text") return ChartFormat::text;
  if (format == "json") return ChartFormat::json;
  std::vector<std::string> help = did_you_mean(format, {"text", "json"});
  help.emplace_back(
      "accepted: text, json; --html, --perfetto and --kanata are options of their own");
  options.add(error_in("--format", fmt::format("unknown format '{}'", format), std::move(help)));
  return ChartFormat::text;
}

/// Errors for options that shape a text alone.
void check_text_options(OptionReader& options, ChartFormat format) {
  if (format == ChartFormat::text) return;
  for (const char* option : {"warps", "blocks", "rows", "every-unit"})
    if (options.has(option))
      options.add(error_in(fmt::format("--{}", option),
                           "it shapes a text, and the other formats have the whole window",
                           {"leave it out; --window, --launch and --line choose a window"}));
}

/// At most one of them chooses the window.
void check_choice(OptionReader& options) {
  std::vector<std::string_view> given;
  for (const char* option : {"window", "launch", "line"})
    if (options.has(option)) given.emplace_back(option);
  if (given.size() > 1)
    options.add(error_in(fmt::format("--{}", given[1]),
                         fmt::format("--{} chooses the window already", given[0]),
                         {"leave out one of them"}));
}

/// Numbers of the program's lines that make requests.
std::set<std::int32_t> lines_with_requests(const PreparedRun& run) {
  std::set<std::int32_t> lines;
  for (const std::int32_t kernel : run.point.code->kernels) {
    const ir::Function& function = run.point.code->functions[static_cast<std::size_t>(kernel)];
    for (const ir::Instruction& in : function.code)
      if (ir::makes_request(in.op) && in.span.file == 0)
        lines.insert(run.sources.begin(in.span).line);
  }
  return lines;
}

} // namespace

std::vector<Option> timeline_options() {
  return join_options(
      {machine_options(),
       program_options(),
       {{"input", 0, "ARRAY=FILE", true, "initial content of a memory array, as of 'memlane run'"}},
       seed_options(),
       races_options(),
       window_options(),
       chart_options(),
       {{"max-steps", 0, "N", false, "stop after N instructions (exit status 3)"},
        {"max-memory", 0, "BYTES", false, "most bytes of arrays, e.g. 500M; 2G if not given"}},
       limit_options()});
}

TimelineRequest read_timeline_request(OptionReader& options) {
  TimelineRequest request;
  request.run.recipe = read_recipe(options);
  request.run.recipe.verify = false;
  request.format = read_chart_format(options);
  check_ending(options, request.format);
  check_text_options(options, request.format);
  request.command = command_line("timeline", options, timeline_options());
  const bool is_text = request.format == ChartFormat::text;
  request.window.values = !is_text;
  request.window.most_requests =
      options.integer("requests", 1, INT64_MAX, is_text ? INT64_MAX : standard_requests);
  check_choice(options);
  read_window(options, request.window);
  if (options.has("launch")) request.window.launch = options.integer("launch", 0, INT64_MAX - 1, 0);
  if (options.has("line"))
    request.line = static_cast<std::int32_t>(options.integer("line", 1, INT32_MAX, 1));
  if (is_text) {
    request.window.piece = piece_of_text;
    request.window.only_line = request.line.has_value();
    const bool chosen = options.has("window") || options.has("launch") || options.has("line");
    if (!chosen && !options.has("requests")) request.window.to = standard_text;
  }
  read_range(options, "warps", request.style.warps);
  read_range(options, "blocks", request.style.blocks);
  request.style.most_warps = static_cast<std::size_t>(options.integer("rows", 1, 4096, 32));
  request.style.every_unit = options.has("every-unit");
  if (const auto path = options.value("out"); path && *path != "-") {
    Result<PendingFile> file = PendingFile::open(*path);
    if (options.check(file)) request.file.emplace(std::move(*file));
  }
  if (!request.file) request.style.columns = columns_of(STDOUT_FILENO);
  return request;
}

Result<TimelineWindow> window_of(const TimelineRequest& request, const PreparedRun& run) {
  TimelineWindow window = request.window;
  if (!request.line) return window;
  window.line = {0, *request.line};
  const std::set<std::int32_t> lines = lines_with_requests(run);
  if (lines.count(*request.line) > 0) return window;
  return error_in(
      "--line", fmt::format("line {} of {} makes no request", *request.line, run.program.info.path),
      {lines.empty() ? "no line does" : fmt::format("those that do: {}", fmt::join(lines, ", "))});
}

bool is_shortened(const TimelineRequest& request) {
  return request.format == ChartFormat::text && request.window.to == standard_text;
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
  const std::int64_t launches = recorder.launches();
  if (const auto launch = request.window.launch; launch && *launch < launches)
    return error_in("--launch", fmt::format("launch {} takes no time", *launch));
  if (request.window.launch)
    return error_in("--launch", fmt::format("there is no launch {}", *request.window.launch),
                    {launches == 0   ? "the run launches no kernel"
                     : launches == 1 ? "the run has one launch: --launch 0"
                                     : fmt::format("the run has launches 0 to {}", launches - 1)});
  if (request.line)
    return error_in("--line", fmt::format("line {} made no request in this run", *request.line),
                    {"other parameters may lead there: -D"});
  if (launches == 0) return error_in("", "the run launches no kernel, so it takes no time");
  return error_in("--window",
                  fmt::format("it begins at {}, and the run takes {} time units",
                              request.window.from, recorder.time()),
                  {fmt::format("choose one in 0:{}", recorder.time())});
}

} // namespace memlane::cli
