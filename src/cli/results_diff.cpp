// memlane results diff: two stores, or two parts of one, with a threshold as exit status.
#include "options.hpp"
#include "stored_results.hpp"
#include "version.hpp"

#include "memlane/store/comparison.hpp"

#include <fmt/format.h>

#include <cmath>

namespace memlane::cli {
namespace {

/// `5%` or `0.05` as a share. A number from 1 may be meant as either.
Result<double> read_share(const std::string& given) {
  std::string text = given;
  const bool percent = !text.empty() && text.back() == '%';
  if (percent) text.pop_back();
  const auto number = number_of<double>(text);
  if (!number || !std::isfinite(*number) || *number < 0)
    return error_in("--threshold", fmt::format("'{}' is no share", given),
                    {"write a percentage or a fraction: 5% or 0.05"});
  if (percent) return *number / 100;
  if (*number >= 1)
    return error_in("--threshold", fmt::format("{} means {:.10g} %", given, 100 * *number),
                    {fmt::format("write a percentage: {0}% or {1:.10g}%", given, 100 * *number)});
  return *number;
}

struct DiffRequest {
  std::string left, right;
  sweep::DiffQuery query;
  double threshold = 0;
  std::vector<ResultTarget> targets;
};

void diff_options(Options& options, DiffRequest& request) {
  sweep::DiffQuery& query = request.query;
  options.words = {"store", 1, 2, [&request](const auto& words) {
                     request.left = words.front();
                     request.right = words.back();
                   }};
  options.add("threshold", "SHARE", parsed(&request.threshold, read_share),
              "exit status 1 only where a value changed by more, in either\n"
              "direction, as a percentage or a fraction of the left value: 5% is\n"
              "0.05. Without it, any change counts");
  add_by(options, query.by);
  options.add("on", "A,B,...", list(&query.on), "match points by these columns alone");
  options.add("left", "CONDITION", &query.left_where, "the points of A");
  options.add("right", "CONDITION", &query.right_where,
              "the points of B, or of A if there is no B");
  options.flag("all", &query.all, "show equal points too");
  add_where(options, query.where);
  add_targets(options, request.targets);
  options.then([](OptionReader& given, Sources&) {
    if (given.words.size() == 1 && !(given.has("left") && given.has("right")))
      given.fail("", "one store is compared with itself",
                 "name a second store, or two parts of this one: --left \"program = 'sum'\" "
                 "--right \"program = 'sum_hmm'\"");
  });
}

StoredRows rows_of(const sweep::StoreDiff& diff) {
  const auto largest =
      std::isfinite(diff.largest_change) ? sweep::Cell(diff.largest_change) : sweep::Cell();
  return {std::string(version),
          "Differences",
          diff.rows,
          {{"matched", diff.matched},
           {"equal", diff.equal},
           {"changed", diff.changed},
           {"only_left", diff.only_left},
           {"only_right", diff.only_right},
           {"left_out", diff.left_out},
           {"largest_change", largest}}};
}

Result<Exit> diff(DiffRequest& request, Sources&, Console& console) {
  const Result<sweep::StoreReader> left = sweep::StoreReader::open(request.left);
  const Result<sweep::StoreReader> right = sweep::StoreReader::open(request.right);
  ErrorCollector errors;
  errors.check(left);
  if (request.left != request.right) errors.check(right);
  if (!errors.ok()) return errors.errors();
  const Result<sweep::StoreDiff> found = sweep::diff_rows(*left, *right, request.query);
  if (!found) return found.errors();
  const Status written = write_rows(rows_of(*found), request.targets, console);
  print_left_out(found->left_out, console);
  if (!written) return written.errors();
  return found->largest_change > request.threshold ? Exit::check_failed : Exit::done;
}

} // namespace

Command results_diff_command() {
  Command command;
  command.name = "results diff";
  command.usage = "A B | A --left CONDITION --right CONDITION [--threshold SHARE] [options]";
  command.summary = "compare two stores, or two parts of one";
  command.description =
      "Match the points of two stores by what was run (program, machine, parameters, seed) and\n"
      "show those with another time: left, right, and ratio, right / left. The version and the\n"
      "text of the program do not matter. With --left and --right, parts of stores are compared;\n"
      "what all of one part has and none of the other, such as the machine, does not have to\n"
      "match. Points that are not done are left out. The exit status is 1 if a ratio is further\n"
      "from 1 than the threshold.";
  command.examples = {"memlane sweep sum -D n=64,128 --store old.db && memlane sweep sum -D "
                      "n=64,128 --store new.db "
                      "&& memlane results diff old.db new.db --by global_stages --threshold 5%"};
  command.call = call_with(diff_options, diff);
  return command;
}

} // namespace memlane::cli
