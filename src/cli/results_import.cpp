// memlane results import: measurements of a GPU as rows beside those of the model.
#include "gpu.hpp"
#include "stored_results.hpp"

#include "memlane/study/results/measured_rows.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

namespace memlane::cli {
namespace {

using Words = std::vector<std::string>;

void import_options(Options& options, Words& files) { options.take_words("file", 2, &files); }

Result<Exit> import_measured(Words& files, Sources& sources, Console& console) {
  const std::string& into = files.front();
  ErrorCollector errors;
  std::vector<sweep::StoredPoint> points;
  std::vector<bool> failed;
  for (std::size_t i = 1; i < files.size(); ++i) {
    const auto measured = read_measured_file(files[i], sources);
    if (!errors.check(measured)) continue;
    console.print_error(render(measured->warnings, sources));
    for (const measure::MeasuredPoint& point : measured->points) {
      points.push_back(measured_row(point, sources));
      failed.push_back(point.verified == measure::Verified::failed);
    }
  }
  if (!errors.ok()) return errors.errors();
  Result<sweep::Store> store = sweep::Store::open(into, measured_columns());
  if (!store) return store.errors();
  const Status added = store->in_one_commit([&]() -> Status {
    for (std::size_t i = 0; i < points.size(); ++i) {
      Status one = store->add(points[i], sweep::PointStatus::done, failed[i], "");
      if (!one) return one;
    }
    return Done{};
  });
  if (!added) return added.errors();
  console.out(fmt::format("{}: {} imported\n", into,
                          counted(static_cast<std::int64_t>(points.size()), "measured point")));
  return Exit::done;
}

} // namespace

Command results_import_command() {
  Command command;
  command.name = "results import";
  command.usage = "STORE MEASURED.jsonl...";
  command.summary = "add measurements of a GPU to a store";
  command.description =
      "Add measured points (of 'memlane gpu measure') as rows whose basis is 'measured': the\n"
      "same program and parameters beside the model's, with nanoseconds instead of time, and\n"
      "the device and the variant of the code. The store is made if there is none. A second\n"
      "measurement of the same kernel on the same device replaces the first.";
  command.examples = {"memlane results import measured.db measured.jsonl"};
  command.call = call_with(import_options, import_measured);
  return command;
}

} // namespace memlane::cli
