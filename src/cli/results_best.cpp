// memlane results best: what wins for each value of a column.
#include "options.hpp"
#include "stored_results.hpp"
#include "version.hpp"

#include "memlane/store/comparison.hpp"

#include <fmt/format.h>

namespace memlane::cli {
namespace {

Result<Exit> best(OptionReader& options, Sources&, Console& console) {
  static const Command self = results_best_command();
  if (const Status words = check_words(options, 1, 1, self); !words) return words.errors();
  sweep::BestQuery query;
  query.by = options.text("by", query.by);
  query.largest = options.has("largest");
  query.where = options.text("where");
  if (options.has("per")) query.per = split_list(options.text("per"));
  std::vector<ResultTarget> targets = read_targets(options);
  if (!options.ok()) return options.errors();
  const Result<sweep::StoreReader> reader = sweep::StoreReader::open(options.words.front());
  if (!reader) return reader.errors();
  const Result<sweep::Rows> rows = sweep::best_rows(*reader, query);
  if (!rows) return rows.errors();
  if (rows->rows.empty())
    return error_in(options.words.front(),
                    fmt::format("no point that ended without a failed check has a {}{}", query.by,
                                query.where.empty() ? "" : " and meets the condition"),
                    {"'memlane results STORE --columns status,check_failed' shows how they ended"});
  const Status written =
      write_rows({std::string(version), "Best " + query.by, *rows, {}}, targets, console);
  if (!written) return written.errors();
  return Exit::done;
}

} // namespace

Command results_best_command() {
  Command command;
  command.name = "results best";
  command.usage = "STORE [--by COLUMN] [--per A,B,...] [options]";
  command.summary = "the row with the least time, for each value of a column";
  command.description =
      "For each value of the columns --per, show the row with the least --by: which layout,\n"
      "alpha, d or machine wins. ties says how many other rows are as good, next_best is the\n"
      "second best as a multiple of the best, rows says how many were compared. Points that\n"
      "failed a check or were stopped do not count.";
  command.options =
      join_options({by_options(),
                    {{"per", 0, "A,B,...", false, "one row for each combination of these columns"},
                     {"largest", 0, "", false, "the largest value, not the least"}},
                    where_options(),
                    result_options()});
  command.examples = {"memlane results import best.db tests/measure/synthetic.jsonl && memlane "
                      "results best best.db --by nanoseconds --per n"};
  command.run = best;
  return command;
}

} // namespace memlane::cli
