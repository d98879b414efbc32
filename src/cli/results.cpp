#include "results.hpp"

#include "interrupt.hpp"

#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

namespace memlane::cli {
namespace {

struct Pairing {
  std::vector<std::pair<Format, std::string>> files;
  std::vector<Format> without_file;
};

Result<Format> read_format(const std::string& name) {
  if (const auto format = format_named(name)) return *format;
  std::vector<std::string> help = did_you_mean(name, format_names());
  help.push_back(
      fmt::format("there are {}; give --format once for each", fmt::join(format_names(), ", ")));
  return error_in("--format", fmt::format("unknown format '{}'", name), help);
}

/// One --format and one -o belong together whatever their order.
bool is_one_pair(const Arguments& arguments) {
  return arguments.values("format").size() == 1 && arguments.values("out").size() == 1;
}

Result<Pairing> pair_up(const Arguments& arguments) {
  Pairing pairing;
  bool to_screen = false;      // a file is `-`
  bool format_is_last = false; // of the options so far, the last of the two was --format
  for (const auto& [option, value] : arguments.options) {
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

std::vector<Option> result_options() {
  return {{"format", 0, "FORMAT", true, "table (the default), json, csv, jsonl, markdown or latex"},
          {"out", 'o', "FILE", true,
           "writes the result to a file, in the format given before it or\n"
           "that of its ending: .json, .csv, .jsonl, .md, .tex, of any other\n"
           "a table;\n"
           "several formats may each have a file"}};
}

std::vector<Option> limit_options() {
  return {{"max-time", 0, "UNITS", false, "stops at so many time units (exit status 3)"},
          {"max-seconds", 0, "S", false, "stops after so many seconds of work (exit status 3)"}};
}

Result<Limits> read_limits(const Arguments& arguments) {
  Limits limits;
  Diagnostics errors;
  const auto read = [&](const Result<std::int64_t>& number, std::int64_t& into) {
    if (number) {
      into = *number;
    } else {
      errors.insert(errors.end(), number.errors().begin(), number.errors().end());
    }
  };
  std::int64_t seconds = 0;
  read(integer_option(arguments, "max-steps", 1, INT64_MAX, INT64_MAX), limits.steps);
  read(bytes_option(arguments, "max-memory", std::int64_t{2} << 30), limits.memory);
  read(integer_option(arguments, "max-time", 1, INT64_MAX, INT64_MAX), limits.time);
  read(integer_option(arguments, "max-seconds", 1, 1'000'000'000, 0), seconds);
  if (!errors.empty()) return errors;
  limits.check = stop_check(static_cast<double>(seconds));
  return limits;
}

Result<std::vector<ResultTarget>> result_targets(const Arguments& arguments) {
  const Result<Pairing> pairing = pair_up(arguments);
  if (!pairing) return pairing.errors();
  if (pairing->without_file.size() > 1) {
    return error_in("--format", "only one format can go to standard output",
                    {"give the others a file each: --format json -o result.json"});
  }
  std::vector<ResultTarget> targets;
  Diagnostics errors;
  for (const auto& [format, path] : pairing->files) {
    Result<PendingFile> file = PendingFile::open(path);
    if (file) {
      targets.push_back({format, std::move(*file)});
    } else {
      errors.insert(errors.end(), file.errors().begin(), file.errors().end());
    }
  }
  if (!errors.empty()) return errors;
  if (Status apart = check_apart(files_of(targets), {}); !apart) return apart.errors();
  for (Format format : pairing->without_file) targets.push_back({format, std::nullopt});
  if (targets.empty()) targets.push_back({Format::table, std::nullopt});
  return targets;
}

std::vector<FileInUse> files_of(const std::vector<ResultTarget>& targets) {
  std::vector<FileInUse> files;
  for (const ResultTarget& target : targets) {
    if (target.file) files.push_back({target.file->path(), "-o"});
  }
  return files;
}

std::vector<FileInUse> files_of(const Sources& sources, const std::string& first) {
  std::vector<FileInUse> files;
  for (std::int32_t file = 0; file < sources.count(); ++file) {
    files.push_back({sources.path(file), file == 0 ? first : "read by this command"});
  }
  return files;
}

Status write_results(const Render& render, std::vector<ResultTarget>& targets, Console& console) {
  Diagnostics errors;
  for (ResultTarget& target : targets) {
    if (!target.file) {
      console.out(render(target.format, console.style()));
      continue;
    }
    const Status written = target.file->write(render(target.format, TableStyle{}));
    if (!written) {
      errors.insert(errors.end(), written.errors().begin(), written.errors().end());
    }
  }
  if (!errors.empty()) return errors;
  return Done{};
}

Status write_results(const RunReport& report, const Sources& sources,
                     std::vector<ResultTarget>& targets, Console& console) {
  return write_results(
      [&](Format format, TableStyle style) { return render_run(report, sources, format, style); },
      targets, console);
}

std::string_view words_for(Stop stop) {
  switch (stop) {
  case Stop::steps: return "stopped at the limit of --max-steps";
  case Stop::time: return "stopped at the limit of --max-time";
  case Stop::memory: return "stopped at the limit of --max-memory";
  case Stop::wall_clock: return "stopped at the limit of --max-seconds";
  case Stop::interrupted: return "interrupted";
  case Stop::none:
  case Stop::error: break;
  }
  return "";
}

Exit exit_of(const RunReport& report, const Sources& sources, const Console& console) {
  const RunResult& run = report.run;
  if (!run.errors.empty()) console.talk(render(run.errors, sources));
  if (run.stop == Stop::none) {
    return any_check_failed(report) ? Exit::check_failed : Exit::done;
  }
  const std::string reached = run.reached.empty() ? "" : fmt::format("reached: {}\n", run.reached);
  if (run.stop == Stop::error) {
    console.talk(reached);
    return Exit::error;
  }
  console.talk(fmt::format("{}\n{}", words_for(run.stop), reached));
  return run.stop == Stop::interrupted ? Exit::interrupted : Exit::limit;
}

} // namespace memlane::cli
