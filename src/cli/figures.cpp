// memlane figures: the figures of papers, simulated, drawn, and held against what was measured.
#include "clock.hpp"
#include "command.hpp"
#include "figure_files.hpp"
#include "files.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "pending_file.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "stored_points.hpp"
#include "sweep_progress.hpp"
#include "sweep_request.hpp"
#include "temporary_files.hpp"
#include "version.hpp"

#include "memlane/report/figure_result.hpp"
#include "memlane/report/stored_result.hpp"
#include "memlane/support/shell_words.hpp"
#include "memlane/support/text.hpp"
#include "memlane/sweep/point_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace memlane::cli {
namespace {

namespace fs = std::filesystem;

struct FiguresCommand {
  std::vector<std::string> names; ///< empty: all that are shipped
  bool quick = false;
  std::string store;  ///< empty: a temporary one
  std::string output; ///< a page or a folder; empty: none
  Format format = Format::table;
  std::size_t jobs = 1;
  Limits limits;
};

FiguresCommand read_command_line(OptionReader& options) {
  FiguresCommand command;
  command.names = options.values("only");
  command.quick = options.has("quick");
  command.store = options.text("store");
  command.output = options.text("output");
  command.jobs = read_jobs(options);
  command.limits = read_limits(options);
  command.limits.check = stop_check(0);
  if (options.has("format")) options.take(read_format(options.text("format")), command.format);
  const auto formats = {Format::table, Format::json, Format::markdown};
  if (std::find(formats.begin(), formats.end(), command.format) == formats.end())
    options.add(error_in("--format", fmt::format("figures has no {}", name_of(command.format)),
                         {"accepted: table, json, markdown",
                          "memlane results STORE --format csv prints the points of --store"}));
  return command;
}

/// A figure and the plans of its sweeps, in the order of the file.
struct PlannedFigure {
  FigureResult result;
  std::vector<sweep::Plan> plans;
  std::vector<std::optional<sweep::Plan>> beyond; ///< of sweeps with a continuation
};

Result<std::vector<PlannedFigure>> plan_figures(const FiguresCommand& command, Sources& sources) {
  ErrorCollector errors;
  std::vector<PlannedFigure> figures;
  Result<std::vector<FigureSpec>> specs = load_figures(sources, command.names, command.quick);
  if (!specs) return specs.errors();
  const sweep::SweepFiles files = sweep_files(sources);
  for (std::size_t k = 0; k < specs->size(); ++k) {
    FigureSpec& spec = (*specs)[k];
    PlannedFigure figure;
    for (const FigureSweep& one : spec.sweeps) {
      Result<sweep::Plan> plan = sweep::Plan::make(one.spec, files, sources);
      if (errors.check(plan)) figure.plans.push_back(std::move(*plan));
      figure.beyond.emplace_back();
      if (!one.continuation) continue;
      Result<sweep::Plan> beyond = sweep::Plan::make(one.continuation->beyond, files, sources);
      if (errors.check(beyond)) figure.beyond.back().emplace(std::move(*beyond));
    }
    figure.result.command =
        fmt::format("memlane figures --only {}{}",
                    shell_word(command.names.empty() ? spec.name : command.names[k]),
                    command.quick ? " --quick" : "");
    figure.result.spec = std::move(spec);
    figures.push_back(std::move(figure));
  }
  if (!errors.ok()) return errors.errors();
  return figures;
}

// ---- Running ----

/// What happened to all points.
struct FiguresRun {
  std::int64_t run = 0, stopped = 0, failed = 0, check_failed = 0;
  bool interrupted = false;
};

/// The sweeps of all figures, figure by figure.
std::vector<sweep::NamedPlan> plans_of(const std::vector<PlannedFigure>& figures) {
  std::vector<sweep::NamedPlan> plans;
  for (const PlannedFigure& figure : figures)
    for (std::size_t i = 0; i < figure.plans.size(); ++i)
      plans.push_back({figure.result.spec.sweeps[i].spec.name, &figure.plans[i]});
  return plans;
}

/// Runs what the store lacks of all figures. Their points share the cores: at the end of a figure
/// with one long point, the others go on.
Status run_points_of(const std::vector<sweep::NamedPlan>& named, const FiguresCommand& command,
                     sweep::Store& store, const Sources& sources, const Console& console,
                     FiguresRun& run) {
  std::vector<const sweep::Plan*> plans;
  for (const sweep::NamedPlan& one : named) plans.push_back(one.plan);
  sweep::SweepRequest request;
  request.runs.limits.run = command.limits;
  request.runs.describe = describe_results(sources);
  request.runs.clock = seconds_now;
  request.jobs = command.jobs;
  request.memory = command.limits.memory;
  const sweep::Pending pending =
      sweep::pending_points(plans, &store, {}, false, request.runs.limits);
  run.interrupted = pending.interrupted;
  if (pending.points.empty() || run.interrupted) return Done{};
  sweep::PointOrder order(pending);
  SweepProgress progress(order, pending.points.size(), command.jobs, seconds_now());
  ProgressLine line([&] { return progress.text(seconds_now()); });
  line.show_with(request.runs.limits.run);
  request.begin = [&](const sweep::PendingPoint& point, const std::string& label) {
    progress.begin(point, label, seconds_now());
    line.show();
  };
  request.end = [&](const sweep::PendingPoint& point, const sweep::EndedPoint& ended) {
    progress.end(point);
    if (ended.message.empty()) return line.show();
    line.erase();
    const sweep::NamedPlan& plan = named[static_cast<std::size_t>(point.sweep)];
    console.print_error(fmt::format("{}: {}: {}\n", plan.sweep,
                                    plan.plan->point(point.number).label, ended.message));
  };
  const Result<sweep::SweepSummary> summary =
      sweep::run_sweeps(named, pending, order, store, request, sources);
  if (!summary) return summary.errors();
  run.run = summary->run;
  run.interrupted = summary->interrupted;
  return Done{};
}

/// How to go on after Ctrl-C.
std::string interrupted_text(const FiguresCommand& command, bool is_temporary, std::int64_t run) {
  return is_temporary
             ? "interrupted; the results are lost, but with --store FILE the next run would go on\n"
             : fmt::format("interrupted after {}; the same command goes on, with the results in "
                           "{}\n",
                           counted(run, "point"), command.store);
}

// ---- What came out ----

/// The texts of all points of a figure, by their keys.
std::map<std::string, PointText> texts_of(const PlannedFigure& figure) {
  std::map<std::string, PointText> texts;
  for (const sweep::Plan& plan : figure.plans)
    for (std::int64_t number = 0; number < plan.size(); ++number) {
      const sweep::PlannedPoint point = plan.point(number);
      texts[point.key] = {point.label, point.command};
    }
  for (const auto& plan : figure.beyond)
    for (std::int64_t number = 0; plan && number < plan->size(); ++number) {
      const sweep::PlannedPoint point = plan->point(number);
      texts.try_emplace(point.key, PointText{point.label + ", by formula", ""});
    }
  return texts;
}

/// The rows of points that were not run.
Result<std::vector<sweep::AddedRow>> added_rows(PlannedFigure& figure, std::size_t i,
                                                const sweep::StoreReader& reader,
                                                const Sources& sources) {
  const sweep::Continuation& continuation = *figure.result.spec.sweeps[i].continuation;
  const sweep::CountOfRun count = [&](const std::string& key,
                                      const std::string& column) -> std::optional<double> {
    const auto rows =
        reader.rows({{column}, fmt::format("key = '{}' AND status = 'done'", key), {}});
    if (!rows || rows->rows.size() != 1) return std::nullopt;
    const sweep::Cell& cell = rows->rows[0][0];
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
    const auto* real = std::get_if<double>(&cell);
    return real ? std::optional(*real) : std::nullopt;
  };
  auto continued =
      sweep::continue_points(continuation, figure.plans[i], *figure.beyond[i], count, sources);
  if (!continued) return continued.errors();
  const std::vector<sweep::StoreColumn> columns = reader.columns();
  const auto shown_name = [&](const std::string& parameter) {
    const std::string other = "param_" + parameter;
    return std::any_of(columns.begin(), columns.end(),
                       [&](const sweep::StoreColumn& c) { return c.name == other; })
               ? other
               : parameter;
  };
  std::vector<sweep::AddedRow> rows;
  for (const sweep::ContinuedPoint& point : continued->points) {
    sweep::AddedRow row{point.largest, {}};
    sweep::ProgramInfo info;
    info.parameters = point.parameters;
    for (auto& [name, cell] : stored_parameters(info))
      row.cells.emplace_back(shown_name(name), cell);
    for (const auto& [column, value] : point.counts) row.cells.emplace_back(column, value);
    row.cells.emplace_back("key", figure.beyond[i]->point(point.number).key);
    rows.push_back(std::move(row));
  }
  auto& formulas = figure.result.formulas;
  formulas.insert(formulas.end(), continued->formulas.begin(), continued->formulas.end());
  return rows;
}

/// Points of a table that have no result, or a wrong one, and how many of each.
Status note_failed(FigureResult& result, const sweep::StoreReader& reader, const std::string& table,
                   const std::map<std::string, PointText>& texts, FiguresRun& all) {
  const auto rows = reader.select(fmt::format(
      "SELECT key, status, check_failed, coalesce(reason, stopped_by, 'a check failed') FROM {} "
      "WHERE basis = 'model' AND (status <> 'done' OR check_failed)",
      table));
  if (!rows) return rows.errors();
  for (const auto& row : rows->rows) {
    const auto text = [&](std::size_t i) {
      const auto* word = std::get_if<std::string>(&row[i]);
      return word ? *word : std::string();
    };
    const auto point = texts.find(text(0));
    result.failed.push_back(
        fmt::format("{}: {}", point == texts.end() ? text(0) : point->second.label, text(3)));
    ++(text(1) == "stopped" ? all.stopped : text(1) == "failed" ? all.failed : all.check_failed);
  }
  return Done{};
}

/// Fills the result of a figure from the store.
Status judge(PlannedFigure& figure, const std::string& store, const Sources& sources,
             FiguresRun& all) {
  Result<sweep::StoreReader> reader = sweep::StoreReader::open(store);
  if (!reader) return reader.errors();
  const std::map<std::string, PointText> texts = texts_of(figure);
  FigureResult& result = figure.result;
  for (std::size_t i = 0; i < figure.plans.size(); ++i) {
    sweep::PointTable table{result.spec.sweeps[i].table, {}, {}};
    for (std::int64_t number = 0; number < figure.plans[i].size(); ++number)
      table.keys.push_back(figure.plans[i].point(number).key);
    result.points += figure.plans[i].size();
    if (figure.beyond[i]) {
      auto rows = added_rows(figure, i, *reader, sources);
      if (!rows) return rows.errors();
      table.added = std::move(*rows);
    }
    if (const Status made = reader->add_table(table); !made) return made.errors();
    if (const Status noted = note_failed(result, *reader, table.name, texts, all); !noted)
      return noted.errors();
  }
  return judge_figure(
      result, [&](const std::string& sql) { return reader->select(sql); },
      [&](const std::string& key) {
        const auto found = texts.find(key);
        return found == texts.end() ? PointText{} : found->second;
      });
}

// ---- Output ----

/// Where figures are written.
struct FiguresOutput {
  PendingFile file; ///< the page, or the charts of one figure
  bool is_svg = false;
  std::string folder; ///< of charts; empty: none
};

enum class OutputKind { page, svg, folder };

/// What the name says: an ending of a page or of a picture; a folder that exists, or a name without
/// an ending.
Result<OutputKind> kind_of_output(const std::string& output, std::size_t figures) {
  const fs::path path = output;
  const std::string ending = path.extension().string();
  std::error_code ignored;
  if (fs::is_directory(path, ignored) || ending.empty()) return OutputKind::folder;
  if (ending == ".html" || ending == ".htm") return OutputKind::page;
  if (ending != ".svg")
    return error_in("-o", fmt::format("'{}' is no page, picture or folder", output),
                    {"end its name with .html or .svg; a folder's name ends with /"});
  if (figures > 1)
    return error_in("-o",
                    fmt::format("'{}' is one picture, and there are {} figures", output, figures),
                    {"choose one with --only, or name a folder or a page: figures.html"});
  return OutputKind::svg;
}

/// Opens a file, or makes a folder with a page, so that what is wrong is said before the runs.
Result<FiguresOutput> open_output(const std::string& output,
                                  const std::vector<PlannedFigure>& figures) {
  Result<OutputKind> kind = kind_of_output(output, figures.size());
  if (!kind) return kind.errors();
  const FigureSpec& first = figures.front().result.spec;
  if (*kind == OutputKind::svg && first.charts.empty())
    return error_in("-o", fmt::format("{} has no chart", first.name),
                    {"its verdicts and tables are on a page: name one that ends in .html"});
  if (*kind == OutputKind::folder) {
    std::error_code code;
    fs::create_directories(output, code);
    if (code) return error_in(output, "cannot make the folder: " + code.message());
  }
  const bool is_folder = *kind == OutputKind::folder;
  Result<PendingFile> file =
      PendingFile::open(is_folder ? (fs::path(output) / "index.html").string() : output);
  if (!file) return file.errors();
  return FiguresOutput{std::move(*file), *kind == OutputKind::svg, is_folder ? output : ""};
}

/// The page or the picture; into a folder, the page and each chart as SVG.
Status write_output(FiguresOutput& output, const std::vector<FigureResult>& figures) {
  if (output.is_svg) return output.file.write(charts_svg(figures.front().charts));
  const Status page = output.file.write(charts_page(figures_page(figures, version)));
  if (!page || output.folder.empty()) return page;
  for (const FigureResult& figure : figures)
    for (std::size_t i = 0; i < figure.charts.size(); ++i) {
      const std::string name = fmt::format("{}-{}.svg", figure.spec.name, i + 1);
      Result<PendingFile> file = PendingFile::open((fs::path(output.folder) / name).string());
      if (!file) return file.errors();
      if (Status written = file->write(chart_svg(figure.charts[i])); !written) return written;
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

Result<Exit> figures(OptionReader& options, Sources& sources, Console& console) {
  const InterruptGuard guard;
  FiguresCommand command = read_command_line(options);
  if (!options.ok()) return options.errors();
  Result<std::vector<PlannedFigure>> planned = plan_figures(command, sources);
  if (!planned) return planned.errors();
  std::optional<FiguresOutput> output;
  if (!command.output.empty()) {
    Result<FiguresOutput> opened = open_output(command.output, *planned);
    if (!opened) return opened.errors();
    output.emplace(std::move(*opened));
  }
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
  const Status ran = run_points_of(plans_of(*planned), command, *store, sources, console, run);
  if (!ran) return ran.errors();
  if (run.interrupted) {
    console.print_error(interrupted_text(command, temporary.has_value(), run.run));
    return Exit::interrupted;
  }
  ErrorCollector errors;
  std::vector<FigureResult> results;
  for (PlannedFigure& figure : *planned) {
    errors.check(judge(figure, command.store, sources, run));
    results.push_back(std::move(figure.result));
  }
  if (!errors.ok()) return errors.errors();
  if (output)
    if (const Status written = write_output(*output, results); !written) return written.errors();
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
      join_options(
          {{{"only", 0, "FIGURE", true, "one figure: a shipped one's name, or the path of a file"},
            {"quick", 0, "", false, "smaller sizes: all figures in under a minute"},
            {"output", 'o', "FILE", false,
             "FILE.html: a page with charts and verdicts; FILE.svg: the charts of one\n"
             "figure; a folder: the page, and each chart as SVG"},
            {"store", 0, "FILE", false,
             "keep the results there; a run that was stopped goes on with them"},
            {"format",
             0,
             "FORMAT",
             false,
             "of standard output: table, json, markdown",
             {"table", "json", "markdown"}},
            {"max-steps", 0, "N", false, "stop a point after N instructions"},
            {"max-memory", 0, "BYTES", false,
             "most bytes of arrays, of each point and of those that run at once; 2G"}},
           jobs_options()}),
      {"memlane figures --only 004-fig4 --quick",
       "memlane figures --only 003-counts -o counts.html"},
      figures};
}

} // namespace memlane::cli
