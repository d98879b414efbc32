#include "results.hpp"

#include "memlane/points/point.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace memlane::cli {
namespace {

/// What --format and -o said so far.
struct Pairing {
  std::vector<std::pair<Format, std::string>> files;
  std::vector<Format> without_file;
  std::size_t formats = 0, outs = 0; ///< how often they were given
  bool to_screen = false;            ///< a file is `-`
  bool format_is_last = false;       ///< of the two options

  void add_format(Format format) {
    without_file.push_back(format);
    formats += 1;
    format_is_last = true;
  }
  void add_file(const std::string& path) {
    outs += 1;
    const bool takes_format = std::exchange(format_is_last, false) && path != "-";
    if (path == "-") {
      to_screen = true;
    } else {
      files.emplace_back(takes_format ? without_file.back() : format_of_path(path), path);
    }
    if (takes_format) without_file.pop_back();
  }
};

/// `pairing` is complete.
void open_targets(Pairing& pairing, std::vector<ResultTarget>& targets, ErrorCollector& errors) {
  if (pairing.to_screen && pairing.without_file.empty())
    pairing.without_file.push_back(Format::table);
  // One --format and one -o belong together whatever their order.
  const bool is_one_pair = pairing.formats == 1 && pairing.outs == 1;
  if (!pairing.to_screen && is_one_pair && !pairing.without_file.empty()) {
    pairing.files.front().first = pairing.without_file.front();
    pairing.without_file.clear();
  }
  if (pairing.without_file.size() > 1)
    return errors.add(error_in("--format", "only one format can go to standard output",
                               {"give the others a file each: --format json -o result.json"}));
  for (const auto& [format, path] : pairing.files) {
    Result<PendingFile> file = PendingFile::open(path);
    if (errors.check(file)) targets.push_back({format, std::move(*file)});
  }
  for (Format format : pairing.without_file) targets.push_back({format, std::nullopt});
  if (targets.empty()) targets.push_back({Format::table, std::nullopt});
}

} // namespace

std::vector<std::pair<std::string, Format>> named_formats() {
  std::vector<std::pair<std::string, Format>> all;
  for (const std::string& name : format_names()) all.emplace_back(name, *format_named(name));
  return all;
}

void add_targets(Options& options, std::vector<ResultTarget>& targets, std::string_view formats) {
  const auto pairing = std::make_shared<Pairing>();
  OptionValue format =
      one_of_words([pairing](std::size_t k) { pairing->add_format(named_formats()[k].second); },
                   "format", format_names());
  format.many = true;
  options.add("format", "FORMAT", std::move(format), formats);
  options.add("out,o", "FILE",
              {[pairing](const Option&, const std::string& path, ErrorCollector&) {
                 pairing->add_file(path);
               },
               true},
              "write the result to a file, in the format given before it or that\n"
              "of its ending: .json, .csv, .jsonl, .md, .tex; others get a table.\n"
              "Several formats may each have a file");
  options.then([&targets, pairing](OptionReader& given, Sources&) {
    open_targets(*pairing, targets, given);
  });
}

OptionValue opened(std::optional<PendingFile>* into) {
  return {[into](const Option&, const std::string& path, ErrorCollector& errors) {
    Result<PendingFile> file = PendingFile::open(path);
    if (errors.check(file)) into->emplace(std::move(*file));
  }};
}

bool is_whole(Stop stop) { return stop != Stop::interrupted && stop != Stop::wall_clock; }

Status write_file(PendingFile& file, const std::string& text, bool whole, const Console& console) {
  if (whole) return file.write(text);
  const Result<std::string> path = file.write_partial(text);
  if (!path) return path.errors();
  if (*path != file.path())
    console.print_error(
        fmt::format("'{}' is not written: the work was stopped; what is known is in '{}'\n",
                    file.path(), *path));
  return Done{};
}

Status write_results(const Render& render, std::vector<ResultTarget>& targets, bool whole,
                     Console& console) {
  ErrorCollector errors;
  for (ResultTarget& target : targets) {
    if (!target.file) {
      std::string text = render(target.format, console.style());
      console.out(target.format == Format::table ? console.with_commands(std::move(text)) : text);
    } else {
      errors.check(write_file(*target.file, render(target.format, TableStyle{}), whole, console));
    }
  }
  return errors.status();
}

Status write_results(const RunReport& report, const Sources& sources,
                     std::vector<ResultTarget>& targets, Console& console) {
  return write_results(
      [&](Format format, TableStyle style) { return render_run(report, sources, format, style); },
      targets, is_whole(report.run.stop), console);
}

Exit exit_of(const RunReport& report, const Sources& sources, const Console& console) {
  const RunResult& run = report.run;
  if (!run.errors.empty()) console.print_error(render(run.errors, sources));
  if (run.stop == Stop::none) {
    return any_check_failed(report) ? Exit::check_failed : Exit::done;
  }
  const std::string reached = run.reached.empty() ? "" : fmt::format("reached: {}\n", run.reached);
  if (run.stop == Stop::error) {
    console.print_error(reached);
    return Exit::error;
  }
  console.print_error(fmt::format("{}\n{}", sweep::stop_text(run.stop), reached));
  return exit_after(run.stop);
}

} // namespace memlane::cli
