// memlane results merge: shards of a sweep into one store.
#include "stored_results.hpp"

#include "memlane/store/merge.hpp"
#include "memlane/support/files.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

namespace memlane::cli {
namespace {

sweep::MergeChoice read_choice(OptionReader& options) {
  const std::string keep = options.text("keep");
  if (keep == "first") return sweep::MergeChoice::first;
  if (keep == "last") return sweep::MergeChoice::last;
  if (options.has("keep"))
    options.add(error_in("--keep", fmt::format("'first' or 'last' is needed, not '{}'", keep)));
  return sweep::MergeChoice::neither;
}

Result<Exit> merge(OptionReader& options, Sources&, Console& console) {
  static const Command self = results_merge_command();
  if (const Status words = check_words(options, 2, SIZE_MAX, self); !words) return words.errors();
  const std::string& into = options.words.front();
  const sweep::MergeChoice choice = read_choice(options);
  // All are opened before the first is merged.
  std::vector<sweep::StoreReader> stores;
  for (std::size_t i = 1; i < options.words.size(); ++i) {
    const std::string& from = options.words[i];
    if (same_file(into, from)) {
      options.add(error_in("", fmt::format("'{}' would be merged into itself", from),
                           {"name the stores whose points it gets"}));
      continue;
    }
    Result<sweep::StoreReader> reader = sweep::StoreReader::open(from);
    if (options.check(reader)) stores.push_back(std::move(*reader));
  }
  if (!options.ok()) return options.errors();
  sweep::MergeCounts sum;
  for (const sweep::StoreReader& from : stores) {
    const Result<sweep::MergeCounts> counts = sweep::merge_store(into, from, choice);
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
  command.options = {{"keep",
                      0,
                      "first|last",
                      false,
                      "of two different results of a point, the one of OUT or of the\n"
                      "store that is named first, or the last",
                      {"first", "last"}}};
  command.examples = {
      "memlane results import a.db tests/measure/synthetic.jsonl && memlane results "
      "merge all.db a.db"};
  command.run = merge;
  return command;
}

} // namespace memlane::cli
