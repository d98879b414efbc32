// memlane results best: what wins for each value of a column.
#include "options.hpp"
#include "stored_results.hpp"
#include "version.hpp"

#include "memlane/store/comparison.hpp"

#include <fmt/format.h>

namespace memlane::cli {
namespace {

struct BestRequest {
  std::string store;
  sweep::BestQuery query;
  std::vector<ResultTarget> targets;
};

void best_options(Options& options, BestRequest& request) {
  options.take_word("store", &request.store);
  add_by(options, request.query.by);
  options.add("per", "A,B,...", list(&request.query.per),
              "one row for each combination of these columns");
  options.flag("largest", &request.query.largest, "the largest value, not the least");
  add_where(options, request.query.where);
  add_targets(options, request.targets);
}

Result<Exit> best(BestRequest& request, Sources&, Console& console) {
  const sweep::BestQuery& query = request.query;
  const Result<sweep::StoreReader> reader = sweep::StoreReader::open(request.store);
  if (!reader) return reader.errors();
  const Result<sweep::Rows> rows = sweep::best_rows(*reader, query);
  if (!rows) return rows.errors();
  if (rows->rows.empty())
    return error_in(request.store,
                    fmt::format("no point that ended without a failed check has a {}{}", query.by,
                                query.where.empty() ? "" : " and meets the condition"),
                    {"'memlane results STORE --columns status,check_failed' shows how they ended"});
  const Status written =
      write_rows({std::string(version), "Best " + query.by, *rows, {}}, request.targets, console);
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
  command.examples = {
      "memlane sweep sum prefix_sums -D n=64,128 --store best.db && memlane results best best.db "
      "--by global_stages --per n"};
  command.call = call_with(best_options, best);
  return command;
}

} // namespace memlane::cli
