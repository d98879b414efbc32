// memlane plot: charts of the points of result stores.
#include "command.hpp"
#include "files.hpp"
#include "options.hpp"
#include "picture_files.hpp"
#include "results.hpp"

#include "memlane/chart/layout.hpp"
#include "memlane/study/figures/paper_chart.hpp"
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
  std::vector<std::string> curves; ///< as written
  std::optional<ChartLook> size;
  std::optional<PictureFormat> format; ///< as given
  std::vector<PendingFile> outs;       ///< none: standard output
  PlotRequest request;                 ///< x and y: as written, until read_columns

  /// Of a file, or of standard output.
  PictureFormat format_of(const PendingFile* file) const {
    if (format) return *format;
    return (file ? picture_format_of(file->path()) : std::nullopt).value_or(PictureFormat::svg);
  }
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

Result<std::optional<ChartLook>> read_size(const std::string& text) {
  Result<ChartLook> look = look_of_size("--size", text);
  if (!look) return look.errors();
  return std::optional(*look);
}

/// Errors: a list that names a column twice, which would be drawn twice; an empty condition.
void check_columns(OptionReader& given, const PlotRequest& request) {
  const auto check = [&](const char* option, const std::vector<std::string>& names) {
    for (auto name = names.begin(); name != names.end(); ++name)
      if (std::find(names.begin(), name, *name) != name)
        return given.fail(option, fmt::format("'{}' is named twice", *name), "leave one out");
  };
  check("--y", request.y);
  if (request.by) check("--by", *request.by);
  check("--panels", request.panels);
}

/// Without --format, the ending of -o says the format; they must not contradict each other.
void check_file(OptionReader& given, const PlotCommand& command, const std::string& path) {
  const auto format = picture_format_of(path);
  if (!command.format && !format && !path.starts_with("/dev/"))
    given.fail("-o", fmt::format("'{}' does not say its format", path),
               "end its name with .svg, .html, .pdf or .tex, or add --format svg");
  else if (command.format && format && *format != *command.format)
    given.fail("-o",
               fmt::format("the name '{}' is of another format than --format {}", path,
                           *given.value("format")),
               "leave --format out, or change the ending of the name");
}

void check_formats(OptionReader& given, PlotCommand& command) {
  std::vector<PictureFormat> formats;
  for (const PendingFile& file : command.outs) {
    check_file(given, command, file.path());
    formats.push_back(command.format_of(&file));
  }
  if (formats.empty() && !given.has("out")) formats.push_back(command.format_of(nullptr));
  const auto is_pdf = std::find(formats.begin(), formats.end(), PictureFormat::pdf);
  if (is_pdf != formats.end())
    given.check(can_write(PictureFormat::pdf, command.outs.empty() ? "--format" : "-o"));
  if (is_pdf != formats.end() && command.outs.empty())
    given.fail("--format", "a PDF is not for standard output", "add -o chart.pdf");
  if (!command.size) return;
  if (std::find(formats.begin(), formats.end(), PictureFormat::html) != formats.end())
    given.fail("--size", "a page takes its width from the window", "leave --size out");
  command.size->legend = command.request.look.legend;
  command.size->bare = !given.has("title");
  command.request.look = *command.size;
}

void plot_options(Options& options, PlotCommand& command) {
  PlotRequest& request = command.request;
  options.take_words("result store", 1, &command.stores);
  options.add("x", "COLUMN", &request.x,
              "a parameter, a letter or key of the machine (p, shared.latency),\n"
              "another column of the store, or a formula over columns, as 'results\n"
              "--columns' takes it: \"n/p as per_thread\"");
  options.add("y", "COLUMNS", list(&request.y),
              "what is drawn, e.g. time,agpu_time or \"time/n\"; the time if not given.\n"
              "min(…) and max(…) draw the least and the greatest of a series at one x");
  options.add("by", "COLUMNS", list_or_none(&request.by),
              "a series for each of their values, e.g. program,machine_name;\n"
              "none: a single one");
  options.add("panels", "COLUMNS", list_or_none(&request.panels),
              "a panel for each of their values; none: a single one");
  add_where(options, request.where, "of rows, in SQL: \"n >= 1024 AND program = 'sum'\"");
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
  options.add("title", "TEXT", &request.title, "above the chart; \"\": none");
  options.add("x-label", "TEXT", &request.x_label, "of the x axis, in place of the column's name");
  options.add("y-label", "TEXT", &request.y_label, "of the y axis");
  options.add("curve", "FORMULA", &command.curves,
              "a curve of a formula over columns, in the language of claims, e.g.\n"
              "\"3*(n/w + log2(n)) as bound\"; \"O(n/w + log2(n))\" has the least factor\n"
              "that no simulated point exceeds. claims: what the programs claim about\n"
              "y, with the values of their results. May be given several times");
  options.add("size", "WxH", parsed(&command.size, read_size),
              "of the picture in a paper, e.g. 3.5inx2.4in or 88x60mm (mm, cm, pt, or\n"
              "in, which 3.5x2.4 are): texts have 8 points, and there is no title unless\n"
              "--title gives one");
  options.add("legend", "PLACE",
              one_of(&request.look.legend, "place",
                     {{"top", LegendPlace::top},
                      {"bottom", LegendPlace::bottom},
                      {"none", LegendPlace::none}}),
              "top, bottom or none");
  options.add("format", "FORMAT",
              one_of(&command.format, "format",
                     {{"svg", PictureFormat::svg},
                      {"html", PictureFormat::html},
                      {"pdf", PictureFormat::pdf},
                      {"latex", PictureFormat::latex}}),
              "svg, html, pdf or latex (TikZ with pgfplots); if not given, what the\n"
              "ending of -o says: .svg, .html, .pdf, .tex");
  OptionValue out = {[&command](const Option&, const std::string& path, ErrorCollector& errors) {
                       Result<PendingFile> file = PendingFile::open(path);
                       if (errors.check(file)) command.outs.push_back(std::move(*file));
                     },
                     true};
  options.add("out,o", "FILE", std::move(out),
              "write a file instead of standard output; given several times, all of\n"
              "them: -o chart.svg -o chart.tex");
  options.then([&command](OptionReader& given, Sources&) {
    check_columns(given, command.request);
    check_formats(given, command);
  });
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
  page.title = chart.title.empty() ? "A plot" : chart.title; // browsers show it above the page
  page.sections.emplace_back();
  page.sections.back().charts = {std::move(chart)};
  return charts_page(page);
}

/// `(…)`, closed only by its last character.
bool is_one_bracket(std::string_view text) {
  int depth = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    depth += text[k] == '(' ? 1 : text[k] == ')' ? -1 : 0;
    if (depth == 0) return k > 0 && k + 1 == text.size();
  }
  return false;
}

/// What formulas may name: columns that any of the stores has, and `more`.
ColumnNames names_for_formulas(const std::vector<sweep::StoreReader>& readers,
                               std::vector<std::string> more) {
  ColumnNames names;
  names.aggregates = false;
  names.known = [&readers, more = std::move(more)](const std::string& name) {
    return std::find(more.begin(), more.end(), name) != more.end() ||
           std::any_of(readers.begin(), readers.end(), [&](const sweep::StoreReader& reader) {
             return reader.check_columns({name}, "").ok();
           });
  };
  names.suggestions = [&readers](const std::string& name) {
    return readers.front().suggestions(name);
  };
  return names;
}

/// `worst_value` of `max(worst_value)`: of several rows, the one with the greatest is drawn.
/// `max(n, 5)`, of one row, stays.
std::optional<Aggregate> take_extreme(std::string& formula) {
  for (const auto& [word, extreme] :
       {std::pair("min", Aggregate::least), std::pair("max", Aggregate::greatest)}) {
    if (!formula.starts_with(word) || !is_one_bracket(formula.substr(3))) continue;
    const std::string inside = formula.substr(4, formula.size() - 5);
    if (inside.empty() || split_list(inside).size() != 1) continue;
    formula = inside;
    return extreme;
  }
  return std::nullopt;
}

/// Puts the names of formulas in place of what --x and --y say, and the formulas beside them.
Status read_columns(PlotRequest& request, const std::vector<sweep::StoreReader>& readers,
                    Sources& sources) {
  const ColumnNames names = names_for_formulas(readers, {"store", "series"});
  ErrorCollector errors;
  const auto read = [&](const char* option, std::string& item) {
    auto [text, name] = formula_and_name(item);
    if (text.empty() || name.empty())
      return errors.add(error_in(option, fmt::format("'{}' lacks a formula or a name", item),
                                 {"as in: time/n as ratio"}));
    item = name;
    if (name == text && (names.known(text) || is_column_word(text))) return;
    std::optional<Aggregate> of_rows;
    if (option == std::string_view("--y")) of_rows = take_extreme(text);
    Result<ColumnFormula> formula = read_column_formula(sources, option, text, names);
    if (errors.check(formula))
      request.columns.push_back({option, name, std::move(*formula), of_rows});
  };
  if (request.x) read("--x", *request.x);
  for (std::string& y : request.y) read("--y", y);
  for (auto one = request.columns.begin(); one != request.columns.end(); ++one)
    for (auto other = request.columns.begin(); other != one; ++other)
      if (one->name == other->name)
        errors.add(error_in(one->option, fmt::format("two formulas are called '{}'", one->name),
                            {"give one another name: FORMULA as NAME"}));
  return errors.status();
}

Status read_curves(const PlotCommand& command, const std::vector<sweep::StoreReader>& readers,
                   Sources& sources, std::vector<PlotCurve>& curves) {
  std::vector<std::string> computed;
  for (const PlotColumn& column : command.request.columns) computed.push_back(column.name);
  ColumnNames names = names_for_formulas(readers, std::move(computed));
  names.suggestions = [of_column = names.suggestions](const std::string& name) {
    std::vector<std::string> help = of_column(name);
    help.emplace_back("a program's fns are no columns: --curve claims draws what it claims with "
                      "them");
    return help;
  };
  ErrorCollector errors;
  for (const std::string& text : command.curves) {
    auto [formula, name] = formula_and_name(text);
    if (name == formula) name.clear();
    if (formula == "claims" && !names.known(formula)) {
      if (!name.empty())
        errors.add(error_in("--curve", "the curves of claims have their formulas as names",
                            {"leave 'as' out"}));
      curves.push_back({"", formula, {}, false, true});
      continue;
    }
    const bool is_bound = formula.starts_with("O(");
    if (is_bound && !is_one_bracket(formula.substr(1))) {
      errors.add(error_in("--curve", fmt::format("'{}': O(…) has to be the whole formula", formula),
                          {"write what is added or multiplied inside: O(n + 5)"}));
      continue;
    }
    if (is_bound) formula.erase(0, 1);
    Result<ColumnFormula> read = read_column_formula(sources, "--curve", formula, names);
    if (errors.check(read)) curves.push_back({name, formula, std::move(*read), is_bound});
  }
  return errors.status();
}

/// What a picture without a title and a caption does not say.
void print_notes(const Chart& chart, const Console& console) {
  if (!chart.look.bare) return;
  for (const std::string& note : {sentence_about_undrawn(chart), chart.caption})
    if (!note.empty()) console.print_error(fmt::format("note: {}\n", note));
}

Result<Exit> write_pictures(PlotCommand& files, const StoreChart& made, Console& console) {
  const auto text_in = [&](PictureFormat format) -> Result<std::string> {
    if (format == PictureFormat::html) return page_of(made.chart);
    return picture_file({made.chart}, format);
  };
  warn_of_size(made.chart, console);
  if (files.outs.empty()) {
    const Result<std::string> text = text_in(files.format_of(nullptr));
    if (!text) return text.errors();
    console.out(*text);
  }
  for (PendingFile& file : files.outs) {
    const Result<std::string> text = text_in(files.format_of(&file));
    if (!text) return text.errors();
    if (Status written = file.write(*text); !written) return written.errors();
    if (!file.path().starts_with("/dev/"))
      console.out(fmt::format("{}: {}\n", file.path(), made.contents));
  }
  return Exit::done;
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
  if (Status read = read_columns(files.request, readers, sources); !read) return read.errors();
  if (Status read = read_curves(files, readers, sources, files.request.curves); !read)
    return read.errors();
  Result<StoreChart> made = store_chart(stores, files.request, *printed);
  if (!made) return made.errors();
  for (const std::string& warning : made->warnings)
    console.print_error(fmt::format("warning: {}\n", warning));
  print_notes(made->chart, console);
  return write_pictures(files, *made, console);
}

} // namespace

Command plot_command() {
  return {
      "plot",
      "STORE... [options]",
      "draw a chart of the points of result stores",
      "Draw the points of one or several result stores as a chart: SVG, PDF or TikZ for papers,\n"
      "or one HTML page that needs no network and shows each point's configuration and\n"
      "command. Without --x, x is the column of numbers with the most values; without --y, y\n"
      "is the time; without --by, each combination of what else 'memlane results' shows of\n"
      "the rows is a series, except numbers that follow from x. Axes are logarithmic where x\n"
      "grows by factors. Measured rows of a store ('memlane results import') and printed\n"
      "values have dashes and markers of their own. Runs that differ only in their seed are\n"
      "drawn as their mean, with a bar from the least to the greatest. Of inputs that\n"
      "'memlane worst' tried (--y worst_value), the greatest value is drawn.",
      call_with(plot_options, plot_stores),
      {"memlane sweep sum prefix_sums -D n=2^6..2^12:pow2 -m hmm-titan-plain --store sums.db",
       "memlane plot sums.db -o sums.html",
       "memlane plot sums.db --y global_stages --where \"program = 'sum'\" --kind bar -o "
       "stages.svg",
       "memlane plot sums.db --curve \"O(n/w + l*log2(n))\" --size 3.5inx2.4in -o "
       "sums.tex"}};
}

} // namespace memlane::cli
