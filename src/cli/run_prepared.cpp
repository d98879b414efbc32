#include "run_prepared.hpp"

#include "array_options.hpp"
#include "files.hpp"
#include "pieces.hpp"
#include "timing_only.hpp"

#include "memlane/ir/without_data.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cli {
namespace {

/// Collects the errors of independent steps, so that all are shown at once.
class Collector {
public:
  template <class T>
  bool take(Result<T> result, T& into) {
    if (result) {
      into = std::move(*result);
      return true;
    }
    errors_.insert(errors_.end(), result.errors().begin(), result.errors().end());
    return false;
  }
  const Diagnostics& errors() const { return errors_; }
  bool ok() const { return errors_.empty(); }

private:
  Diagnostics errors_;
};

/// `-` is standard output, unless the result goes there.
Result<PendingFile> open_trace(const std::string& path, const std::vector<ResultTarget>& targets) {
  if (path != "-") return PendingFile::open(path);
  const bool taken = std::any_of(targets.begin(), targets.end(),
                                 [](const ResultTarget& target) { return !target.file; });
  if (!taken) return PendingFile::open("/dev/stdout");
  return error_in("--trace", "the result goes to standard output already",
                  {"send the result to a file: --trace - -o result.txt",
                   "or the trace: --trace trace.jsonl.gz"});
}

std::vector<FileInUse> written_files(const PreparedRun& run) {
  std::vector<FileInUse> files = files_of(run.targets);
  for (const auto& [output, file] : run.outputs) {
    files.push_back({output.path, fmt::format("--output {}", output.array->name)});
  }
  if (run.trace) files.push_back({run.trace->path(), "--trace"});
  return files;
}

std::vector<FileInUse> read_files(const PreparedRun& run) {
  std::vector<FileInUse> files;
  for (const ArrayFile& input : run.inputs) {
    files.push_back({input.path, fmt::format("read by --input {}", input.array->name)});
  }
  for (FileInUse& file : files_of(run.sources, "the program")) files.push_back(std::move(file));
  return files;
}

Status open_files(const Arguments& arguments, PreparedRun& run, Collector& collector) {
  collector.take(array_files(arguments, run.code, "input"), run.inputs);
  std::vector<ArrayFile> outputs;
  collector.take(array_files(arguments, run.code, "output"), outputs);
  Diagnostics errors = collector.errors();
  const auto note = [&](const Diagnostics& more) {
    errors.insert(errors.end(), more.begin(), more.end());
  };
  for (const ArrayFile& output : outputs) {
    Result<PendingFile> file = PendingFile::open(output.path);
    if (!file) {
      note(file.errors());
      continue;
    }
    run.outputs.emplace_back(output, std::move(*file));
    run.options.outputs.push_back(output.array->name);
  }
  if (const auto path = arguments.value("trace")) {
    Result<PendingFile> file = open_trace(*path, run.targets);
    if (file) {
      run.trace.emplace(std::move(*file));
    } else {
      note(file.errors());
    }
  }
  for (const ArrayFile& input : run.inputs) {
    Result<std::vector<ir::Value>> values =
        read_array_file(run.sources, input.path, *input.array, run.options.limits);
    if (!values) {
      note(values.errors());
      continue;
    }
    run.options.inputs[input.array->name] = std::move(*values);
    run.program.info.inputs.emplace_back(input.array->name, input.path);
  }
  if (!errors.empty()) return errors;
  return check_apart(written_files(run), read_files(run));
}

} // namespace

Status prepare(const Arguments& arguments, PreparedRun& run) {
  Collector collector;
  if (collector.take(read_limits(arguments), run.options.limits))
    run.sources.set_limits(run.options.limits);
  collector.take(load_checked_program(run.sources, arguments.words.front(), arguments),
                 run.program);
  collector.take(load_asked_machine(run.sources, arguments), run.machine);
  collector.take(read_engine(arguments), run.engine);
  collector.take(read_jobs(arguments), run.options.side_by_side.threads);
  run.options.side_by_side.run = work_together;
  collector.take(result_targets(arguments), run.targets);
  std::int64_t seed = 1;
  collector.take(integer_option(arguments, "seed", 0, INT64_MAX, 1), seed);
  run.options.seed = static_cast<std::uint64_t>(seed);
  run.options.allow_races = allow_races(arguments, run.program.info);
  run.options.verify = !arguments.has("no-verify");
  if (!collector.ok()) return collector.errors();
  if (!collector.take(compile(run.sources, run.program, run.machine.spec, arguments), run.code)) {
    return collector.errors();
  }
  run.options.timing_only = arguments.has("timing-only");
  if (run.options.timing_only) {
    if (Status alone = check_timing_only(arguments, {"output", "trace", "allow-races"}); !alone)
      return alone.errors();
    if (!collector.take(ir::without_data(run.code, run.options.limits), run.code))
      return collector.errors();
  }
  return open_files(arguments, run, collector);
}

} // namespace memlane::cli
