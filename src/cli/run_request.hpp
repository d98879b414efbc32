// What `memlane run` is asked for, and all that is loaded and open before the run starts.
#pragma once

#include "array_options.hpp"
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
  ProgramSelection program;
  MachineSelection machine;
  Status (*check_machine)(const MachineSpec&) = nullptr; ///< what the command asks of a machine
  std::vector<NameAndValue> inputs, outputs;             ///< arrays and files
  std::optional<std::string> trace;
  bool explain = false;             ///< --explain
  std::vector<std::string> tries;   ///< texts of --try
  std::vector<std::string> watches; ///< texts of --watch
  WatchAt watch_at = WatchAt::barrier;
  std::vector<ResultTarget> targets;
  RunOptions options; ///< without inputs and outputs
  std::vector<PriceRequest> prices;
  sweep::Engine engine = sweep::Engine::fast;
  CsvRows csv_rows = CsvRows::run;
  bool verbose = false;
};

std::vector<Option> run_options();
/// Errors stay in `options`.
RunRequest read_run_request(OptionReader& options);

struct PreparedRun {
  Sources& sources;
  sweep::CheckedProgram program = {};
  LoadedMachine machine = {};
  sweep::Point point = {}; ///< refers to `program`
  std::vector<std::pair<ArrayFile, PendingFile>> outputs = {};
  std::optional<PendingFile> trace = {};
  std::unique_ptr<WatchRecorder> watch = {}; ///< null: nothing is watched
};

/// Loads the program, the machine and the inputs, and opens the files that the run will write.
/// `errors` has those of the request: independent mistakes are reported together.
Status prepare(const RunRequest& request, ErrorCollector errors, PreparedRun& run);

} // namespace memlane::cli
