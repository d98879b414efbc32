// memlane figures: the figures of papers, simulated, drawn, and held against what was measured.
#include "command.hpp"
#include "files.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "pending_file.hpp"
#include "picture_files.hpp"
#include "plan_runs.hpp"
#include "results.hpp"
#include "shipped_files.hpp"
#include "sweep_request.hpp"
#include "version.hpp"

#include "memlane/study/figures/result.hpp"
#include "memlane/study/results/stored_result.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace memlane::cli {
namespace {

namespace fs = std::filesystem;

struct FiguresCommand {
  std::vector<std::string> names; ///< empty: all that are shipped
  bool quick = false;
  std::string store;                ///< empty: a temporary one
  std::vector<std::string> outputs; ///< pages, pictures and folders
  Format format = Format::table;
  std::size_t jobs = 1;
  Limits limits;
};

void figures_options(Options& options, FiguresCommand& command) {
  options.words.hint = "--only chooses a figure, or a file of your own";
  options.add("only", "FIGURE", &command.names,
              "one figure: a shipped one's name, or the path of a file");
  options.flag("quick", &command.quick, "smaller sizes: all figures in under a minute");
  options.add("output,o", "FILE", &command.outputs,
              "FILE.html: a page with charts and verdicts; FILE.svg, .pdf or .tex: the\n"
              "charts of one figure; a folder: the page, and each chart as SVG and TeX.\n"
              "May be given several times");
  options.add("store", "FILE", &command.store,
              "keep the results there; a run that was stopped goes on with them");
  options.add("format", "FORMAT",
              one_of(&command.format, "format",
                     {{"table", Format::table},
                      {"json", Format::json},
                      {"markdown", Format::markdown},
                      {"latex", Format::latex}}),
              "of standard output: table, json, markdown or latex, which has the charts");
  options.add("max-steps", "N", whole(&command.limits.steps, 1),
              "stop a point after N instructions");
  options.add("max-memory", "BYTES", bytes(&command.limits.memory),
              "most bytes of arrays, of each point and of those that run at once; 2G");
  command.limits.memory = sweep::standard_memory;
  command.limits.check = stop_check(0);
  add_jobs(options, command.jobs);
}

Result<std::vector<PlannedFigure>> plan_figures(const FiguresCommand& command, Sources& sources) {
  ErrorCollector errors;
  std::vector<PlannedFigure> figures;
  Result<std::vector<FigureSpec>> specs = load_figures(sources, command.names, command.quick);
  if (!specs) return specs.errors();
  const sweep::SweepFiles files = sweep_files(sources);
  for (std::size_t k = 0; k < specs->size(); ++k) {
    FigureSpec& spec = (*specs)[k];
    std::string only = shell_word(command.names.empty() ? spec.name : command.names[k]);
    Result<PlannedFigure> figure = plan_figure(std::move(spec), files, sources);
    if (!errors.check(figure)) continue;
    figure->result.command =
        fmt::format("memlane figures --only {}{}", only, command.quick ? " --quick" : "");
    figures.push_back(std::move(*figure));
  }
  if (!errors.ok()) return errors.errors();
  return figures;
}

/// How to go on after Ctrl-C.
std::string interrupted_text(const FiguresCommand& command, bool is_temporary, std::int64_t run) {
  return is_temporary
             ? "interrupted; the results are lost, but with --store FILE the next run would go on\n"
             : fmt::format("interrupted after {}; the same command goes on, with the results in "
                           "{}\n",
                           counted(run, "point"), command.store);
}

// ---- Output ----

/// Where figures are written.
struct FiguresOutput {
  PendingFile file; ///< the page, or the charts of one figure
  PictureFormat format = PictureFormat::html;
  std::string folder; ///< of charts; empty: none
};

/// What the name says: an ending, or a folder that exists, or a name without an ending.
struct OutputKind {
  PictureFormat format = PictureFormat::html;
  bool is_folder = false;
};

Result<OutputKind> kind_of_output(const std::string& output,
                                  const std::vector<PlannedFigure>& figures) {
  const fs::path path = output;
  std::error_code ignored;
  if (fs::is_directory(path, ignored) || path.extension().empty()) {
    std::set<std::string> names;
    for (const PlannedFigure& figure : figures)
      if (const std::string& name = figure.result.spec.name; !names.insert(name).second)
        return error_in("-o",
                        fmt::format("two figures are named {}, as their pictures in '{}' "
                                    "would be",
                                    name, output),
                        {"rename one of the files, or write them into two folders"});
    return OutputKind{PictureFormat::html, true};
  }
  const auto format = picture_format_of(output);
  if (!format)
    return error_in("-o", fmt::format("'{}' is no page, picture or folder", output),
                    {"end its name with .html, .svg, .pdf or .tex; a folder's name ends with /"});
  if (*format == PictureFormat::html) return OutputKind{};
  if (figures.size() > 1)
    return error_in(
        "-o", fmt::format("'{}' is one picture, and there are {} figures", output, figures.size()),
        {"choose one with --only, or name a folder or a page: figures.html"});
  const FigureSpec& first = figures.front().result.spec;
  if (first.charts.empty())
    return error_in("-o", fmt::format("{} has no chart", first.name),
                    {"its verdicts and tables are on a page: name one that ends in .html"});
  if (Status can = can_write(*format, "-o"); !can) return can.errors();
  return OutputKind{*format};
}

/// Opens a file, or makes a folder with a page, so that what is wrong is said before the runs.
Result<FiguresOutput> open_output(const std::string& output,
                                  const std::vector<PlannedFigure>& figures) {
  Result<OutputKind> kind = kind_of_output(output, figures);
  if (!kind) return kind.errors();
  if (kind->is_folder) {
    std::error_code code;
    fs::create_directories(output, code);
    if (code) return error_in(output, "cannot make the folder: " + code.message());
  }
  Result<PendingFile> file =
      PendingFile::open(kind->is_folder ? (fs::path(output) / "index.html").string() : output);
  if (!file) return file.errors();
  return FiguresOutput{std::move(*file), kind->format, kind->is_folder ? output : ""};
}

Status write_charts(PendingFile& file, const std::vector<Chart>& charts, PictureFormat format,
                    const Console& console) {
  for (const Chart& chart : charts) warn_of_size(chart, console);
  const Result<std::string> text = picture_file(charts, format);
  return text ? file.write(*text) : text.errors();
}

/// The page or the picture; into a folder, the page and each chart as SVG and LaTeX.
Status write_output(FiguresOutput& output, const std::vector<FigureResult>& figures,
                    const Console& console) {
  if (output.format != PictureFormat::html)
    return write_charts(output.file, figures.front().charts, output.format, console);
  const Status page = output.file.write(charts_page(figures_page(figures, version)));
  if (!page || output.folder.empty()) return page;
  for (const FigureResult& figure : figures)
    for (std::size_t i = 0; i < figure.charts.size(); ++i)
      for (const char* ending : {".svg", ".tex"}) {
        const std::string name = fmt::format("{}-{}{}", figure.spec.name, i + 1, ending);
        Result<PendingFile> file = PendingFile::open((fs::path(output.folder) / name).string());
        if (!file) return file.errors();
        if (Status written =
                write_charts(*file, {figure.charts[i]}, *picture_format_of(name), console);
            !written)
          return written;
      }
  return Done{};
}

Exit exit_of(const std::vector<FigureResult>& figures, const FiguresRun& run) {
  if (run.failed > 0) return Exit::error;
  if (run.stopped > 0) return Exit::limit;
  const bool must = std::any_of(figures.begin(), figures.end(), [](const FigureResult& figure) {
    return std::any_of(figure.checks.begin(), figure.checks.end(),
                       [](const JudgedCheck& check) { return check.failed(); });
  });
  return must || run.check_failed > 0 ? Exit::check_failed : Exit::done;
}

/// Errors where points are missing since a limit stopped them.
Exit not_judged(const Diagnostics& errors, const FiguresRun& run, const Sources& sources,
                Console& console) {
  console.fail(errors, sources);
  console.print_error(fmt::format(
      "{} stopped at a limit: nothing is judged, and the errors above may come from that\n",
      counted(run.stopped, "point")));
  return Exit::limit;
}

Result<Exit> figures(FiguresCommand& command, Sources& sources, Console& console) {
  const InterruptGuard guard;
  Result<std::vector<PlannedFigure>> planned = plan_figures(command, sources);
  if (!planned) return planned.errors();
  ErrorCollector errors;
  std::vector<FiguresOutput> outputs;
  for (const std::string& path : command.outputs)
    if (Result<FiguresOutput> opened = open_output(path, *planned); errors.check(opened))
      outputs.push_back(std::move(*opened));
  if (!errors.ok()) return errors.errors();
  std::optional<TemporaryStore> temporary;
  if (command.store.empty()) {
    Result<TemporaryStore> made = TemporaryStore::make();
    if (!made) return made.errors();
    temporary.emplace(std::move(*made));
    command.store = temporary->path();
  }
  Result<sweep::Store> store = sweep::Store::open(command.store, stored_columns());
  if (!store) return store.errors();
  FiguresRun run;
  const Status ran =
      run_points_of(*planned, command.limits, command.jobs, *store, sources, console, run);
  if (!ran) return ran.errors();
  if (run.interrupted) {
    console.print_error(interrupted_text(command, temporary.has_value(), run.run));
    return Exit::interrupted;
  }
  std::vector<FigureResult> results;
  for (PlannedFigure& figure : *planned) {
    errors.check(judge_planned(figure, command.store, stop_check(0), sources, run));
    results.push_back(std::move(figure.result));
  }
  if (!errors.ok() && run.stopped > 0) return not_judged(errors.errors(), run, sources, console);
  if (!errors.ok() && run.queries_stopped > 0) {
    console.fail(errors.errors(), sources);
    return Exit::limit;
  }
  if (!errors.ok()) return errors.errors();
  for (FiguresOutput& output : outputs)
    if (const Status written = write_output(output, results, console); !written)
      return written.errors();
  console.out(render_figures(results, command.format, console.style(), version));
  return exit_of(results, run);
}

} // namespace

Command figures_command() {
  return {
      "figures",
      "[options]",
      "simulate the figures of the papers and say what the model shows",
      "Run the sweeps of the papers' figures and tables (configs/figures), draw them, and compute\n"
      "for each finding of a paper whether the model shows it. A finding that the model does not\n"
      "show is no error, except for exact numbers, which must hold (exit status 1).",
      call_with(figures_options, figures),
      {"memlane figures --only 004-fig4 --quick",
       "memlane figures --only 003-counts -o counts.html",
       "memlane figures --only 004-fig4 --quick -o fig4.html -o fig4.tex"}};
}

} // namespace memlane::cli
