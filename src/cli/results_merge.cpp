// memlane results merge: shards of a sweep into one store.
#include "stored_results.hpp"

#include "memlane/store/merge.hpp"
#include "memlane/support/files.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

namespace memlane::cli {
namespace {

struct MergeRequest {
  std::vector<std::string> stores; ///< the first gets the points of the others
  sweep::MergeChoice choice = sweep::MergeChoice::neither;
};

void merge_options(Options& options, MergeRequest& request) {
  options.take_words("store", 2, &request.stores);
  options.add("keep", "first|last",
              one_of(&request.choice, "choice",
                     {{"first", sweep::MergeChoice::first}, {"last", sweep::MergeChoice::last}}),
              "of two different results of a point, the one of OUT or of the\n"
              "store that is named first, or the last");
}

Result<Exit> merge(MergeRequest& request, OptionReader& options, Sources&, Console& console) {
  const std::string& into = request.stores.front();
  // All are opened before the first is merged.
  std::vector<sweep::StoreReader> stores;
  for (std::size_t i = 1; i < request.stores.size(); ++i) {
    const std::string& from = request.stores[i];
    if (same_file(into, from)) {
      options.fail("", fmt::format("'{}' would be merged into itself", from),
                   "name the stores whose points it gets");
      continue;
    }
    Result<sweep::StoreReader> reader = sweep::StoreReader::open(from);
    if (options.check(reader)) stores.push_back(std::move(*reader));
  }
  if (!options.ok()) return options.errors();
  sweep::MergeCounts sum;
  for (const sweep::StoreReader& from : stores) {
    const Result<sweep::MergeCounts> counts = sweep::merge_store(into, from, request.choice);
    if (!counts) return counts.errors();
    sum.added += counts->added;
    sum.known += counts->known;
    sum.replaced += counts->replaced;
  }
  console.out(fmt::format("{}: {} added, {} known, {} replaced\n", into,
                          counted(sum.added, "point"), sum.known, sum.replaced));
  return Exit::done;
}

} // namespace

Command results_merge_command() {
  Command command;
  command.name = "results merge";
  command.usage = "OUT IN... [--keep first|last]";
  command.summary = "add the points of stores to another: shards of a sweep";
  command.description =
      "Add the points of the stores IN to OUT, which is made if there is none. A point that\n"
      "two stores have with the same counts is stored once; with different counts it is an\n"
      "error, unless --keep chooses. A point that was stopped at a limit gives way to one that\n"
      "was not.";
  command.examples = {
      "memlane sweep sum -D n=64,128 --shard 1/2 --store a.db && memlane sweep sum -D n=64,128 "
      "--shard 2/2 --store b.db && memlane results merge all.db a.db b.db"};
  command.call = call_with(merge_options, merge);
  return command;
}

} // namespace memlane::cli
