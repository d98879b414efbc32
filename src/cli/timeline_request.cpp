#include "timeline_request.hpp"

#include "memlane/support/suggest.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <set>

namespace memlane::cli {
namespace {

constexpr std::int64_t standard_requests = 10'000;
constexpr std::int64_t standard_text = 1000; // time units
constexpr std::int64_t piece_of_text = 256, piece_of_line = 16;

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
       "write to a file; one that ends in .json gets JSON, .html the page"}};
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
                         {"give its first time unit and the one behind its last: --window 0:80"}));
  } else if (*from >= *to) {
    options.add(error_in("--window",
                         fmt::format("{} has no time unit: it ends before it begins", text),
                         {fmt::format("give the smaller number first: --window {}:{}", *to,
                                      std::max(*from, *to + 1))}));
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

/// The format of an option, else the one that the file's ending says.
ChartFormat read_chart_format(OptionReader& options) {
  const std::string path = options.text("out");
  int formats = 0;
  for (const char* option : {"format", "html", "perfetto", "kanata"})
    formats += options.has(option);
  if (formats > 1)
    options.add(error_in("", "several formats are given",
                         {"give one of --format, --html, --perfetto and --kanata"}));
  if (options.has("html") || (formats == 0 && path.ends_with(".html"))) return ChartFormat::html;
  if (options.has("perfetto")) return ChartFormat::perfetto;
  if (options.has("kanata")) return ChartFormat::kanata;
  const std::string format = options.text("format", path.ends_with(".json") ? "json" : "text");
  if (format == "text") return ChartFormat::text;
  if (format == "json") return ChartFormat::json;
  std::vector<std::string> help = did_you_mean(format, {"text", "json"});
  help.emplace_back(
      "accepted: text, json; --html, --perfetto and --kanata are options of their own");
  options.add(error_in("--format", fmt::format("unknown format '{}'", format), std::move(help)));
  return ChartFormat::text;
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
  request.run.program = read_program(options, options.words.front());
  request.run.machine = read_machine(options);
  request.run.options.limits = read_limits(options);
  request.run.options.seed = read_seed(options);
  request.run.options.verify = false;
  request.run.inputs = options.pairs("input", "ARRAY=FILE");
  request.format = read_chart_format(options);
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
    request.window.piece = request.line ? piece_of_line : piece_of_text;
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
