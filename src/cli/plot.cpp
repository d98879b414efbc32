// memlane plot: charts of the points of result stores.
#include "command.hpp"
#include "files.hpp"
#include "pending_file.hpp"

#include "memlane/study/figures/store_chart.hpp"
#include "memlane/study/pages/charts_page.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace memlane::cli {
namespace {

constexpr std::size_t largest_printed = 16 << 20;

enum class PlotFormat { svg, html };

struct PlotFiles {
  std::vector<std::string> stores;
  std::optional<std::string> printed;
  PlotFormat format = PlotFormat::svg;
  std::optional<PendingFile> out;
};

PlotKind read_kind(OptionReader& options) {
  const std::string text = options.text("kind");
  if (text == "scatter") return PlotKind::scatter;
  if (text == "bar") return PlotKind::bar;
  if (text != "line")
    options.add(error_in("--kind", fmt::format("'{}' is no kind of chart", text),
                         {"line, scatter or bar"}));
  return PlotKind::line;
}

LogAxes read_log_axes(OptionReader& options) {
  LogAxes axes;
  for (const std::string& axis : split_list(options.text("log"))) {
    axes.x = axes.x || axis == "x";
    axes.y = axes.y || axis == "y";
    if (axis != "x" && axis != "y" && axis != "none")
      options.add(error_in("--log", fmt::format("'{}' is no axis", axis), {"x, y, x,y or none"}));
  }
  return axes;
}

PlotRequest read_plot_request(OptionReader& options) {
  PlotRequest request;
  request.x = options.value("x");
  if (const auto names = options.value("y")) request.y = split_list(*names);
  const auto list = [&](std::string_view name) -> std::optional<std::vector<std::string>> {
    const auto names = options.value(name);
    if (!names) return std::nullopt;
    return *names == "none" ? std::vector<std::string>() : split_list(*names);
  };
  request.by = list("by");
  request.panels = list("panels");
  request.where = options.text("where");
  if (options.has("log")) request.log = read_log_axes(options);
  if (options.has("kind")) request.kind = read_kind(options);
  request.title = options.text("title");
  return request;
}

/// --format, else what the ending of -o says, else SVG.
PlotFormat read_plot_format(OptionReader& options) {
  const std::string path = options.text("out");
  const auto ends = [&](std::string_view ending) { return path.ends_with(ending); };
  const std::string text = options.text("format", ends(".html") || ends(".htm") ? "html" : "svg");
  if (text != "svg" && text != "html")
    options.add(
        error_in("--format", fmt::format("'{}' is no format of charts", text), {"svg or html"}));
  else if (!options.has("format") && !path.empty() && !ends(".svg") && text == "svg" &&
           path.rfind("/dev/", 0) != 0)
    options.add(error_in("-o", fmt::format("'{}' does not say whether it is SVG or HTML", path),
                         {"end its name with .svg or .html, or add --format svg"}));
  return text == "html" ? PlotFormat::html : PlotFormat::svg;
}

PlotFiles read_plot_files(OptionReader& options) {
  PlotFiles files;
  files.stores = options.words;
  if (files.stores.empty())
    options.add(error_in("", "plot takes a result store, or several",
                         {"usage: memlane plot STORE... [options]"}));
  files.printed = options.value("printed");
  files.format = read_plot_format(options);
  const auto out = options.value("out");
  if (!out) return files;
  Result<PendingFile> file = PendingFile::open(*out);
  if (options.check(file)) files.out = std::move(*file);
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

/// `18 points, 2 series, 1 panel`.
std::string contents_text(const Chart& chart) {
  std::int64_t points = 0;
  std::set<std::string> series;
  for (const ChartPanel& panel : chart.panels) {
    for (const ChartSeries& one : panel.series) {
      points += static_cast<std::int64_t>(one.points.size());
      series.insert(fmt::format("{} {}", name_of(one.basis), one.name));
    }
  }
  return fmt::format("{}, {}, {}", counted(points, "point"),
                     counted(static_cast<std::int64_t>(series.size()), "series", "series"),
                     counted(static_cast<std::int64_t>(chart.panels.size()), "panel"));
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
  const std::string contents = contents_text(made->chart);
  const std::string text =
      files.format == PlotFormat::svg ? chart_svg(made->chart) : page_of(std::move(made->chart));
  if (!files.out) {
    console.out(text);
    return Exit::done;
  }
  if (Status written = files.out->write(text); !written) return written.errors();
  if (files.out->path().rfind("/dev/", 0) != 0)
    console.out(fmt::format("{}: {}\n", files.out->path(), contents));
  return Exit::done;
}

} // namespace

Command plot_command() {
  return {
      "plot",
      "STORE... [options]",
      "draw a chart of the points of result stores",
      "Draw the points of one or several result stores as a chart: SVG, or one HTML page that\n"
      "needs no network and shows each point's configuration and command. Without --x, x is\n"
      "the column of numbers with the most values; without --y, y is the time; without --by,\n"
      "what else differs makes series. Axes are logarithmic where x grows by factors.\n"
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
       {"log", 0, "AXES", false, "logarithmic axes: x, y, x,y or none", {"x", "y", "x,y", "none"}},
       {"kind", 0, "KIND", false, "line, scatter or bar", {"line", "scatter", "bar"}},
       {"title", 0, "TEXT", false, "above the chart"},
       {"format",
        0,
        "FORMAT",
        false,
        "svg or html; if not given, what the ending of -o says",
        {"svg", "html"}},
       {"out", 'o', "FILE", false, "write a file instead of standard output"}},
      {"memlane sweep sum prefix_sums -D n=2^6..2^12:pow2 -m hmm-titan --store sums.db",
       "memlane plot sums.db -o sums.html",
       "memlane plot sums.db --y global_stages --where \"program = 'sum'\" --kind bar -o "
       "stages.svg"},
      plot_stores};
}

} // namespace memlane::cli
