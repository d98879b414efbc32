// What `memlane run` is asked for, and all that is loaded and open before the run starts.
#pragma once

#include "input_files.hpp"
#include "options.hpp"
#include "pending_file.hpp"
#include "program.hpp"
#include "results.hpp"

#include "memlane/count/watch.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace memlane::cli {

struct RunRequest {
  Recipe recipe;
  Status (*check_machine)(const MachineSpec&) = nullptr; ///< what the command asks of a machine
  std::vector<NameAndValue> outputs;                     ///< arrays and files
  std::optional<std::string> trace;
  bool details = false, each_claim = false; ///< --details, --claims
  bool explain = false;                     ///< --explain
  std::vector<std::string> tries;           ///< texts of --try
  std::vector<std::string> watches;         ///< texts of --watch
  WatchAt watch_at = WatchAt::barrier;
  std::vector<ResultTarget> targets;
  SideBySide side_by_side;
  CsvRows csv_rows = CsvRows::run;
  bool verbose = false;
};

/// The options of `memlane run` that fill the request.
void add_run(Options& options, RunRequest& request);

struct PreparedRun {
  explicit PreparedRun(Sources& texts) : sources(texts), inputs(texts) {}

  Sources& sources;
  InputFiles inputs; ///< for runs that are derived from this one, too
  CheckedProgram program = {};
  LoadedMachine machine = {};
  sweep::Point point = {}; ///< refers to `program`
  std::vector<std::pair<ArrayFile, PendingFile>> outputs = {};
  std::optional<PendingFile> trace = {};
  std::unique_ptr<WatchRecorder> watch = {}; ///< null: nothing is watched
};

/// Loads the program, the machine and the inputs, and opens the files that the run will write.
/// The request then names the machine. `errors` has those of the request: independent mistakes are
/// reported together.
Status prepare(RunRequest& request, ErrorCollector errors, PreparedRun& run);

} // namespace memlane::cli
