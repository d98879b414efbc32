// memlane plot: charts of the points of result stores.
#include "command.hpp"
#include "files.hpp"
#include "options.hpp"

#include "memlane/study/figures/store_chart.hpp"
#include "memlane/study/pages/charts_page.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cli {
namespace {

constexpr std::size_t largest_printed = 16 << 20;

struct PlotFiles {
  std::vector<std::string> stores;
  std::optional<std::string> printed;
  bool is_page = false; ///< else SVG
  std::optional<PendingFile> out;
};

/// The number of the word among `words`; none without the option. Errors: another word; `help`
/// lists these.
std::optional<std::size_t> read_word(OptionReader& options, std::string_view name,
                                     const std::vector<std::string>& words, const char* help) {
  const auto word = options.value(name);
  if (!word) return std::nullopt;
  const auto found = std::find(words.begin(), words.end(), *word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  options.add(error_in(fmt::format("--{}", name), fmt::format("unknown value '{}'", *word),
                       {fmt::format("accepted: {}", help)}));
  return std::nullopt;
}

const std::vector<std::string> plot_kinds = {"line", "scatter", "bar"};
const std::vector<std::string> plot_axes = {"x", "y", "x,y", "none"};
const std::vector<std::string> plot_formats = {"svg", "html"};

/// None without the option.
std::optional<LogAxes> read_log_axes(OptionReader& options) {
  if (!options.has("log")) return std::nullopt;
  LogAxes axes;
  for (const std::string& axis : split_list(options.text("log"))) {
    axes.x = axes.x || axis == "x";
    axes.y = axes.y || axis == "y";
    if (axis != "x" && axis != "y" && axis != "none")
      options.add(
          error_in("--log", fmt::format("'{}' is no axis", axis), {"accepted: x, y, x,y or none"}));
  }
  return axes;
}

PlotRequest read_plot_request(OptionReader& options) {
  const auto list_or_none = [&](std::string_view name) {
    const std::string names = options.text(name, "none");
    return names == "none" ? std::vector<std::string>() : split_list(names);
  };
  PlotRequest request;
  request.x = options.value("x");
  request.y = split_list(options.text("y"));
  if (options.has("by")) request.by = list_or_none("by");
  request.panels = list_or_none("panels");
  request.where = options.text("where");
  request.log = read_log_axes(options);
  if (const auto kind = read_word(options, "kind", plot_kinds, "line, scatter or bar"))
    request.mark = std::vector{Mark::line, Mark::points, Mark::bars}[*kind];
  request.title = options.text("title");
  return request;
}

/// --format decides the format; without it the ending of -o does; without both it is SVG.
PlotFiles read_plot_files(OptionReader& options) {
  PlotFiles files;
  files.stores = options.words;
  if (files.stores.empty())
    options.add(error_in("", "plot takes a result store, or several",
                         {"usage: memlane plot STORE... [options]"}));
  files.printed = options.value("printed");
  const std::string path = options.text("out");
  const bool ends_as_page = path.ends_with(".html") || path.ends_with(".htm");
  files.is_page =
      read_word(options, "format", plot_formats, "svg or html").value_or(ends_as_page ? 1 : 0) == 1;
  if (!options.has("format") && !path.empty() && !path.ends_with(".svg") && !ends_as_page &&
      !path.starts_with("/dev/"))
    options.add(error_in("-o", fmt::format("'{}' does not say whether it is SVG or HTML", path),
                         {"end its name with .svg or .html, or add --format svg"}));
  files.out = open_file(options, "out");
  return files;
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

Result<Exit> plot_stores(OptionReader& options, Sources& sources, Console& console) {
  PlotFiles files = read_plot_files(options);
  const PlotRequest request = read_plot_request(options);
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
  Result<StoreChart> made = store_chart(stores, request, *printed);
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
          {{"x", 0, "COLUMN", false,
            "a parameter, a letter or key of the machine (p, shared.latency), or\n"
            "another column of the store"},
           {"y", 0, "COLUMNS", false, "what is drawn, e.g. time,agpu_time; the time if not given"},
           {"by", 0, "COLUMNS", false,
            "a series for each of their values, e.g. program,machine_name;\n"
            "none: a single one"},
           {"panels", 0, "COLUMNS", false, "a panel for each of their values; none: a single one"},
           {"where", 0, "CONDITION", false, "of rows, in SQL: \"n >= 1024 AND program = 'sum'\""},
           {"printed", 0, "FILE.csv", false,
            "values of a paper, drawn beside the rows. The first line names columns\n"
            "of the store, the x and the y axis among them, or 'series'"},
           {"log", 0, "AXES", false, "logarithmic axes: x, y, x,y or none", plot_axes},
           {"kind", 0, "KIND", false, "line, scatter or bar", plot_kinds},
           {"title", 0, "TEXT", false, "above the chart"},
           {"format", 0, "FORMAT", false, "svg or html; if not given, what the ending of -o says",
            plot_formats},
           {"out", 'o', "FILE", false, "write a file instead of standard output"}},
          {"memlane sweep sum prefix_sums -D n=2^6..2^12:pow2 -m hmm-titan --store sums.db",
           "memlane plot sums.db -o sums.html",
           "memlane plot sums.db --y global_stages --where \"program = 'sum'\" --kind bar -o "
           "stages.svg"},
          plot_stores};
}

} // namespace memlane::cli
