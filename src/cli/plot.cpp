// memlane plot: charts of the points of result stores.
#include "command.hpp"
#include "files.hpp"
#include "results.hpp"

#include "memlane/study/figures/store_chart.hpp"
#include "memlane/study/pages/charts_page.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cli {
namespace {

constexpr std::size_t largest_printed = 16 << 20;

struct PlotCommand {
  std::vector<std::string> stores;
  std::optional<std::string> printed;
  bool is_page = false; ///< else SVG
  std::optional<PendingFile> out;
  PlotRequest request;
};

/// `a,b`, or `none`.
template <class Names>
OptionValue list_or_none(Names* into) {
  return {[into](const Option&, const std::string& text, ErrorCollector&) {
    *into = text == "none" ? std::vector<std::string>() : split_list(text);
  }};
}

Result<std::optional<LogAxes>> read_log_axes(const std::string& text) {
  LogAxes axes;
  for (const std::string& axis : split_list(text)) {
    axes.x = axes.x || axis == "x";
    axes.y = axes.y || axis == "y";
    if (axis != "x" && axis != "y" && axis != "none")
      return error_in("--log", fmt::format("'{}' is no axis", axis),
                      {"accepted: x, y, x,y or none"});
  }
  return std::optional(axes);
}

/// Without --format, the ending of -o says the format.
void find_format(OptionReader& given, PlotCommand& command) {
  const auto path = given.value("out");
  if (!path || given.has("format")) return;
  command.is_page = path->ends_with(".html") || path->ends_with(".htm");
  if (!command.is_page && !path->ends_with(".svg") && !path->starts_with("/dev/"))
    given.fail("-o", fmt::format("'{}' does not say whether it is SVG or HTML", *path),
               "end its name with .svg or .html, or add --format svg");
}

void plot_options(Options& options, PlotCommand& command) {
  PlotRequest& request = command.request;
  options.take_words("result store", 1, &command.stores);
  options.add("x", "COLUMN", &request.x,
              "a parameter, a letter or key of the machine (p, shared.latency), or\n"
              "another column of the store");
  options.add("y", "COLUMNS", list(&request.y),
              "what is drawn, e.g. time,agpu_time; the time if not given");
  options.add("by", "COLUMNS", list_or_none(&request.by),
              "a series for each of their values, e.g. program,machine_name;\n"
              "none: a single one");
  options.add("panels", "COLUMNS", list_or_none(&request.panels),
              "a panel for each of their values; none: a single one");
  options.add("where", "CONDITION", &request.where,
              "of rows, in SQL: \"n >= 1024 AND program = 'sum'\"");
  options.add("printed", "FILE.csv", &command.printed,
              "values of a paper, drawn beside the rows. The first line names columns\n"
              "of the store, the x and the y axis among them, or 'series'");
  OptionValue log = parsed(&request.log, read_log_axes);
  log.choices = {"x", "y", "x,y", "none"};
  options.add("log", "AXES", log, "logarithmic axes: x, y, x,y or none");
  options.add("kind", "KIND",
              one_of(&request.mark, "kind",
                     {{"line", Mark::line}, {"scatter", Mark::points}, {"bar", Mark::bars}}),
              "line, scatter or bar");
  options.add("title", "TEXT", &request.title, "above the chart");
  options.add("format", "FORMAT",
              one_of(&command.is_page, "format", {{"svg", false}, {"html", true}}),
              "svg or html; if not given, what the ending of -o says");
  options.add("out,o", "FILE", opened(&command.out), "write a file instead of standard output");
  options.then([&command](OptionReader& given, Sources&) { find_format(given, command); });
}

Result<PrintedValues> load_printed(const std::optional<std::string>& path, Sources& sources) {
  if (!path) return PrintedValues();
  Result<std::string> text = read_file(*path, largest_printed);
  if (!text) return text.errors();
  return read_printed_values(sources, sources.add(*path, std::move(*text)));
}

/// `sums` for `results/sums.db`; the whole path where two would be called the same.
std::vector<std::string> names_of(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    std::string name = path.substr(path.rfind('/') + 1);
    name = name.substr(0, name.rfind('.'));
    if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return paths;
    names.push_back(std::move(name));
  }
  return names;
}

std::string page_of(Chart chart) {
  ChartsPage page;
  page.title = chart.title;
  page.sections.emplace_back();
  page.sections.back().charts = {std::move(chart)};
  return charts_page(page);
}

Result<Exit> plot_stores(PlotCommand& files, OptionReader& options, Sources& sources,
                         Console& console) {
  ErrorCollector errors = options;
  const Result<PrintedValues> printed = load_printed(files.printed, sources);
  errors.check(printed);
  std::vector<sweep::StoreReader> readers;
  for (const std::string& path : files.stores) {
    Result<sweep::StoreReader> reader = sweep::StoreReader::open(path);
    if (errors.check(reader)) readers.push_back(std::move(*reader));
  }
  if (!errors.ok()) return errors.errors();
  std::vector<PlottedStore> stores;
  const std::vector<std::string> names = names_of(files.stores);
  for (std::size_t i = 0; i < readers.size(); ++i) stores.push_back({names[i], &readers[i]});
  Result<StoreChart> made = store_chart(stores, files.request, *printed);
  if (!made) return made.errors();
  for (const std::string& warning : made->warnings)
    console.print_error(fmt::format("warning: {}\n", warning));
  const std::string text = files.is_page ? page_of(made->chart) : chart_svg(made->chart);
  if (!files.out) {
    console.out(text);
    return Exit::done;
  }
  if (Status written = files.out->write(text); !written) return written.errors();
  if (!files.out->path().starts_with("/dev/"))
    console.out(fmt::format("{}: {}\n", files.out->path(), made->contents));
  return Exit::done;
}

} // namespace

Command plot_command() {
  return {"plot",
          "STORE... [options]",
          "draw a chart of the points of result stores",
          "Draw the points of one or several result stores as a chart: SVG, or one HTML page that\n"
          "needs no network and shows each point's configuration and command. Without --x, x is\n"
          "the column of numbers with the most values; without --y, y is the time; without --by,\n"
          "each combination of what else 'memlane results' shows of the rows is a series, except\n"
          "numbers that follow from x. Axes are logarithmic where x grows by factors.\n"
          "Measured rows of a store ('memlane results import') and printed values have dashes and\n"
          "markers of their own. Runs that differ only in their seed are drawn as their mean.",
          call_with(plot_options, plot_stores),
          {"memlane sweep sum prefix_sums -D n=2^6..2^12:pow2 -m hmm-titan-plain --store sums.db",
           "memlane plot sums.db -o sums.html",
           "memlane plot sums.db --y global_stages --where \"program = 'sum'\" --kind bar -o "
           "stages.svg"}};
}

} // namespace memlane::cli
