// Where results go, and in which format: --format and -o, as run and replay have them.
#pragma once

#include "arguments.hpp"
#include "console.hpp"
#include "files.hpp"
#include "pending_file.hpp"

#include "memlane/show/run_report.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace memlane::cli {

/// Formats by name, as --format takes them.
std::vector<std::pair<std::string, Format>> named_formats();

/// One rendering of a result: into a file, or to standard output.
struct ResultTarget {
  Format format = Format::table;
  std::optional<PendingFile> file;
};

/// --format and -o. Pairs formats with files: a file takes the format given just before it, else
/// what its ending says; at most one format is left for standard output. Files are opened, so that
/// what is wrong with them is said before the run.
void add_targets(
    Options& options, std::vector<ResultTarget>& targets,
    std::string_view formats = "table (the default), json, csv, jsonl, markdown or latex");

/// Opens the file that an option names.
OptionValue opened(std::optional<PendingFile>* into);

/// Writes a result to all of them, as `render` gives it in each format.
using Render = std::function<std::string(Format, TableStyle)>;
/// Whether what ended so is worth the place of an earlier result: not after Ctrl-C or
/// --max-seconds, which come at any moment.
bool is_whole(Stop stop);
/// Writes the file. A text that is not `whole`, since the work was stopped, never takes the place
/// of a file: it goes to FILE.partial, and standard error says so.
Status write_file(PendingFile& file, const std::string& text, bool whole, const Console& console);
/// What is not `whole` since the work was stopped goes to FILE.partial instead of FILE.
Status write_results(const Render& render, std::vector<ResultTarget>& targets, bool whole,
                     Console& console);
Status write_results(const RunReport& report, const Sources& sources,
                     std::vector<ResultTarget>& targets, Console& console);

/// The exit status of a run; says on standard error why it stopped, if it did, and what was
/// reached.
Exit exit_of(const RunReport& report, const Sources& sources, const Console& console);

} // namespace memlane::cli
