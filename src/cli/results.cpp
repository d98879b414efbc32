#include "results.hpp"

#include "memlane/points/point.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

namespace memlane::cli {
namespace {

struct Pairing {
  std::vector<std::pair<Format, std::string>> files;
  std::vector<Format> without_file;
};

/// One --format and one -o belong together whatever their order.
bool is_one_pair(const Arguments& arguments) {
  return arguments.values("format").size() == 1 && arguments.values("out").size() == 1;
}

Result<Pairing> pair_up(const Arguments& arguments) {
  Pairing pairing;
  bool to_screen = false;      // a file is `-`
  bool format_is_last = false; // of the options so far, the last of the two was --format
  for (const auto& [option, value] : arguments.given_options) {
    if (option == "format") {
      const Result<Format> format = read_format(value);
      if (!format) return format.errors();
      pairing.without_file.push_back(*format);
      format_is_last = true;
    } else if (option == "out" && value == "-") {
      to_screen = true;
      format_is_last = false;
    } else if (option == "out" && format_is_last) {
      pairing.files.emplace_back(pairing.without_file.back(), value);
      pairing.without_file.pop_back();
      format_is_last = false;
    } else if (option == "out") {
      pairing.files.emplace_back(format_of_path(value), value);
    }
  }
  if (to_screen && pairing.without_file.empty()) pairing.without_file.push_back(Format::table);
  if (!to_screen && is_one_pair(arguments) && !pairing.without_file.empty()) {
    pairing.files.front().first = pairing.without_file.front();
    pairing.without_file.clear();
  }
  return pairing;
}

} // namespace

Result<Format> read_format(const std::string& name) {
  if (const auto format = format_named(name)) return *format;
  std::vector<std::string> help = did_you_mean(name, format_names());
  help.push_back(fmt::format("accepted: {}", fmt::join(format_names(), ", ")));
  return error_in("--format", fmt::format("unknown format '{}'", name), help);
}

std::vector<Option> result_options(std::string_view formats) {
  return {{"format", 0, "FORMAT", true, formats, format_names()},
          {"out", 'o', "FILE", true,
           "write the result to a file, in the format given before it or that\n"
           "of its ending: .json, .csv, .jsonl, .md, .tex; others get a table.\n"
           "Several formats may each have a file"}};
}

std::vector<ResultTarget> read_targets(OptionReader& options) {
  std::vector<ResultTarget> targets;
  Pairing pairing;
  if (!options.take(pair_up(options), pairing)) return targets;
  if (pairing.without_file.size() > 1) {
    options.add(error_in("--format", "only one format can go to standard output",
                         {"give the others a file each: --format json -o result.json"}));
    return targets;
  }
  for (const auto& [format, path] : pairing.files) {
    Result<PendingFile> file = PendingFile::open(path);
    if (options.check(file)) targets.push_back({format, std::move(*file)});
  }
  for (Format format : pairing.without_file) targets.push_back({format, std::nullopt});
  if (targets.empty()) targets.push_back({Format::table, std::nullopt});
  return targets;
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
  return run.stop == Stop::interrupted ? Exit::interrupted : Exit::limit;
}

} // namespace memlane::cli
