#include "trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace memlane::cli {

Result<PendingFile> open_trace(const std::string& path, const std::vector<ResultTarget>& targets) {
  if (path != "-") return PendingFile::open(path);
  const bool taken = std::any_of(targets.begin(), targets.end(),
                                 [](const ResultTarget& target) { return !target.file; });
  if (!taken) return PendingFile::open("/dev/stdout");
  return error_in("--trace", "the result goes to standard output already",
                  {"send the result to a file: --trace - -o result.txt",
                   "or the trace: --trace trace.jsonl.gz"});
}

Result<TraceFile> TraceFile::begin(PendingFile& file) {
  const Result<int> descriptor = file.descriptor();
  if (!descriptor) return descriptor.errors();
  auto out = create_text(*descriptor, file.path());
  if (!out) return out.errors();
  return TraceFile(file, std::move(*out));
}

void TraceFile::stop_with(Limits& limits) {
  limits.check = [&out = *out_, check = limits.check] {
    if (!out.good()) return Stop::interrupted;
    return check ? check() : Stop::none;
  };
}

Status TraceFile::finish(bool whole, const Console& console) {
  if (!out_->close())
    return error_in("", fmt::format("cannot write '{}': writing failed", file_->path()));
  if (whole) return file_->keep();
  const Result<std::string> path = file_->keep_partial();
  if (!path) return path.errors();
  console.print_error(
      *path == file_->path()
          ? fmt::format("the trace in '{}' is partial: the run stopped\n", *path)
          : fmt::format("'{}' is not written: the run stopped; the partial trace is '{}'\n",
                        file_->path(), *path));
  return Done{};
}

} // namespace memlane::cli
