// The file of --trace, which a run writes as it goes.
#pragma once

#include "console.hpp"
#include "pending_file.hpp"
#include "results.hpp"

#include "memlane/support/limits.hpp"
#include "memlane/trace/compressed_files.hpp"

#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace memlane::cli {

/// Opens it before the run. `-` is standard output, unless the result goes there.
Result<PendingFile> open_trace(const std::string& path, const std::vector<ResultTarget>& targets);

class TraceFile {
public:
  /// Begins to write; refers to the file. Errors: it cannot be written.
  static Result<TraceFile> begin(PendingFile& file);

  std::ostream& out() { return *out_; }
  /// A full disk stops the run: what follows could not be written either.
  void stop_with(Limits& limits);
  /// Puts the file in its place. The trace of a stopped run is no whole one: it never takes the
  /// place of a file.
  Status finish(bool whole, const Console& console);

private:
  TraceFile(PendingFile& file, std::unique_ptr<OutputFile> out)
      : file_(&file), out_(std::move(out)) {}

  PendingFile* file_;
  std::unique_ptr<OutputFile> out_;
};

} // namespace memlane::cli
