// memlane results: the rows of a store, and the words of the group.
#include "stored_results.hpp"

#include "options.hpp"
#include "version.hpp"

#include "memlane/claim/column_formula.hpp"
#include "memlane/show/json_parts.hpp"
#include "memlane/study/results/row_table.hpp"
#include "memlane/study/results/stored_check.hpp"
#include "memlane/support/suggest.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace memlane::cli {
namespace {

struct ResultsRequest {
  std::string store;
  TableRequest table;
  std::string caption = "Results", label;
  bool all_columns = false;
  std::optional<std::string> key; ///< --json: of one point
  std::vector<ResultTarget> targets;
};

/// What other tables have no place for must not be lost in silence.
void check_paper_options(OptionReader& given, const std::vector<ResultTarget>& targets) {
  const auto any = [&](auto... formats) {
    return std::any_of(targets.begin(), targets.end(),
                       [&](const ResultTarget& to) { return ((to.format == formats) || ...); });
  };
  if (given.has("label") && !any(Format::latex))
    given.add(error_in("--label", "only a LaTeX table has a label", {"add --format latex"}));
  const std::string label = given.value("label").value_or("");
  if (label.find_first_of("{}\\%#&^$~ \n") != label.npos)
    given.add(error_in("--label", fmt::format("'{}' is no label of LaTeX", label),
                       {"letters, digits and : - . / _ make one: tab:times"}));
  if (given.has("caption") && !any(Format::latex, Format::markdown))
    given.add(error_in("--caption", "only a Markdown or LaTeX table has a caption",
                       {"add --format latex or --format markdown"}));
}

/// `a,b desc`.
OptionValue order_list(std::vector<sweep::OrderColumn>* into) {
  return {[into](const Option&, const std::string& text, ErrorCollector&) {
    into->clear();
    for (const std::string& column : split_list(text)) into->push_back(sweep::order_column(column));
  }};
}

void results_options(Options& options, ResultsRequest& request) {
  sweep::RowQuery& rows = request.table.query.rows;
  options.take_word("store", &request.store);
  add_where(options, rows.where);
  options.add("columns", "A,B,...", list(&rows.columns),
              "columns, in this order; 'all' for every one. Without it: what was\n"
              "run, where it differs between the rows, the time, and how points\n"
              "ended if one is not done. Formulas over columns are some, too, in the\n"
              "language of claims: \"time/n as ratio\", \"min(time, agpu_time)\"");
  options.add("group-by", "A,B,...", list(&request.table.group_by),
              "one row for all rows with the same values of these columns. Other\n"
              "columns are aggregates: mean(time), median, min, max, sd, sum, count,\n"
              "and formulas over them: \"max(time)/mean(time)\"");
  options.add("pivot", "COLUMN", &request.table.pivot,
              "a column for each value of this one; the one column of --columns that\n"
              "does not say what was run fills the cells");
  options.add("caption", "TEXT", &request.caption, "of a Markdown or LaTeX table");
  options.add("label", "NAME", &request.label, "of a LaTeX table: \\ref{NAME}");
  options.add("order", "A,B,...", order_list(&rows.order),
              "sort by these, or by columns of --columns; \"n desc\" begins with the\n"
              "greatest. By program, machine, parameters if not given");
  options.add("limit", "N", whole(&rows.most, 1), "at most N rows");
  options.add("baseline", "NAME", &request.table.query.baseline,
              "add the value of a program, layout or machine at the same\n"
              "parameters, and the speedup over it. --where chooses the rows; their\n"
              "baselines are looked up in the whole store. Points that are not done\n"
              "are left out");
  options.add("json", "KEY", &request.key,
              "print the whole result of one point, as run --format json does; the\n"
              "first digits of its key suffice");
  add_by(options, request.table.query.by);
  add_targets(options, request.targets);
  options.then([&request](OptionReader& given, Sources&) {
    check_paper_options(given, request.targets);
    if (given.has("by") && !given.has("baseline"))
      given.add(error_in("--by", "only baselines are compared by a column",
                         {"add --baseline NAME, or show the column: --columns program,COLUMN"}));
    request.table.with_baseline = given.has("baseline");
    request.all_columns = given.value("columns") == "all";
  });
}

/// The point's result, of a key or its beginning.
Result<Exit> print_point(const sweep::StoreReader& reader, const std::string& path,
                         const std::string& key, Console& console) {
  const Result<std::vector<std::string>> keys = reader.keys_like(key);
  if (!keys) return keys.errors();
  const std::vector<std::string> help = {
      fmt::format("'memlane results {} --columns program,key' lists the keys", path)};
  if (keys->empty())
    return error_in("--json", fmt::format("no point of {} has the key '{}'", path, key), help);
  if (keys->size() > 1)
    return error_in("--json", fmt::format("several keys of {} begin with '{}'", path, key), help);
  const Result<std::string> json = reader.json(keys->front());
  if (!json) return json.errors();
  if (json->empty())
    return error_in("--json", fmt::format("point {} ended without a result", keys->front()),
                    {"its columns status, stopped_by and reason say why"});
  const auto parsed = schema::Json::parse(*json, nullptr, false);
  console.out(parsed.is_discarded() ? *json + "\n" : json_text(parsed, 2));
  return Exit::done;
}

/// Whether the rows are shown as they are in the store.
bool is_plain(const TableRequest& table, const sweep::StoreReader& reader) {
  if (!table.group_by.empty() || !table.pivot.empty()) return false;
  const sweep::RowQuery& rows = table.query.rows;
  std::vector<std::string> names = rows.columns;
  for (const sweep::OrderColumn& column : rows.order) names.push_back(column.name);
  return reader.check_columns(names, "--columns").ok();
}

Result<RowTable> read_rows(const TableRequest& request, const sweep::StoreReader& reader,
                           Sources& sources) {
  if (!is_plain(request, reader)) return row_table(reader, request, sources);
  if (!request.with_baseline) {
    Result<sweep::Rows> rows = reader.rows(request.query.rows);
    if (!rows) return rows.errors();
    return RowTable{std::move(*rows), {}, 0, {}};
  }
  Result<sweep::RowsWithBaseline> rows = sweep::rows_with_baseline(reader, request.query);
  if (!rows) return rows.errors();
  return RowTable{std::move(rows->rows), {}, rows->left_out, {}};
}

/// The caption, and the names of columns behind `as`.
std::vector<std::string> labels_of(const ResultsRequest& request) {
  std::vector<std::string> labels = {request.caption};
  for (const std::string& item : request.table.query.rows.columns)
    if (auto [formula, name] = formula_and_name(item); name != formula)
      labels.push_back(std::move(name));
  return labels;
}

/// In a group, a point whose check failed looks like any other.
Status note_failed_checks(const sweep::StoreReader& reader, const sweep::RowQuery& shown,
                          RowTable& table) {
  sweep::RowQuery query;
  query.columns = {"check_failed"};
  query.where = shown.where;
  if (!reader.check_columns(query.columns, "--columns").ok()) return Done{};
  const Result<sweep::Rows> rows = reader.rows(query);
  if (!rows) return rows.errors();
  const auto failed = std::count_if(rows->rows.begin(), rows->rows.end(), [](const auto& row) {
    return sweep::number_in(row[0]).value_or(0) != 0;
  });
  if (failed > 0)
    table.notes.push_back(
        fmt::format("{} of {} failed a check: --where 'check_failed = 0' leaves "
                    "out such points",
                    failed, counted(static_cast<std::int64_t>(rows->rows.size()), "point")));
  return Done{};
}

Diagnostic nothing_to_show(const std::string& path, const sweep::RowQuery& query,
                           std::int64_t left_out) {
  const std::string help = fmt::format("'memlane results {}' shows all points", path);
  if (left_out > 0)
    return error_in(path, fmt::format("none of the {} is done", counted(left_out, "point")),
                    {help});
  if (query.where.empty()) return error_in(path, "the store has no points yet");
  return error_in("--where", fmt::format("no point of {} meets the condition", path), {help});
}

Result<Exit> results(ResultsRequest& request, Sources& sources, Console& console) {
  const std::string& path = request.store;
  const Result<sweep::StoreReader> reader = sweep::StoreReader::open(path);
  if (!reader) return reader.errors();
  if (request.key) return print_point(*reader, path, *request.key, console);
  sweep::RowQuery& query = request.table.query.rows;
  if (request.all_columns) {
    query.columns.clear();
    for (const sweep::StoreColumn& column : reader->columns()) query.columns.push_back(column.name);
  }
  Result<RowTable> table = read_rows(request.table, *reader, sources);
  if (!table) return table.errors();
  const Result<std::int64_t> trials = reader->trials_left_out(query);
  if (!trials) return trials.errors();
  if (table->rows.rows.empty()) return nothing_to_show(path, query, table->left_out);
  if (!is_plain(request.table, *reader))
    if (Status counted = note_failed_checks(*reader, query, *table); !counted)
      return counted.errors();
  StoredRows shown{std::string(version), request.caption,    std::move(table->rows), {},
                   request.label,        labels_of(request), std::move(table->over)};
  if (request.table.with_baseline) shown.totals = {{"left_out", table->left_out}};
  const Status written = write_rows(std::move(shown), request.targets, console);
  print_left_out(table->left_out, console);
  if (*trials > 0)
    console.print_error(fmt::format("note: {} left out that memlane worst tried: "
                                    "--where 'worst_of IS NOT NULL' shows them\n",
                                    counted(*trials, "input is", "inputs are")));
  for (const std::string& note : table->notes) console.print_error("note: " + note + "\n");
  if (!written) return written.errors();
  return Exit::done;
}

void checked_store(Options& options, std::string& path) { options.take_word("store", &path); }

Result<Exit> check_results(std::string& path, Sources&, Console& console) {
  const Result<sweep::StoreReader> reader = sweep::StoreReader::open(path);
  if (!reader) return reader.errors();
  if (const Status sound = check_store(*reader, path); !sound) return sound.errors();
  const Result<sweep::Rows> count = reader->select("SELECT count(*) FROM results");
  if (!count) return count.errors();
  console.out(fmt::format("{}: {}, all sound\n", path,
                          counted(std::get<std::int64_t>(count->rows[0][0]), "point")));
  return Exit::done;
}

} // namespace

void add_where(Options& options, std::string& where) {
  add_where(options, where,
            "rows that meet an SQL condition over the columns, such as\n"
            "\"program = 'sum' and n >= 1024 and p = 32\"");
}

void add_by(Options& options, std::string& by) {
  options.add("by", "COLUMN", &by, "the column that is compared; time if not given");
}

Status write_rows(StoredRows rows, std::vector<ResultTarget>& targets, Console& console) {
  return write_results([&](Format format, TableStyle) { return render_rows(rows, format); },
                       targets, true, console);
}

void print_left_out(std::int64_t count, const Console& console) {
  if (count > 0)
    console.print_error(fmt::format("note: {} left out that {} not done (stopped or failed)\n",
                                    counted(count, "point") + (count == 1 ? " is" : " are"),
                                    count == 1 ? "is" : "are"));
}

Command results_check_command() {
  Command command;
  command.name = "results check";
  command.usage = "STORE";
  command.summary = "read all of a store: is it damaged?";
  command.description =
      "Check the file's structure, unpack every result, and compare it with the columns of its\n"
      "point. Takes as long as reading everything.";
  command.examples = {
      "memlane sweep sum -D n=64,128 --store sums.db && memlane results check sums.db"};
  command.call = call_with(checked_store, check_results);
  return command;
}

Command results_command() {
  Command command;
  command.name = "results";
  command.usage = "STORE [options]\n"
                  "       memlane results best|check|diff|import|merge ...";
  command.summary = "show, compare, merge and import the results of a store";
  command.description =
      "Show rows of a store that sweep, verify or compare filled. Every count of 'memlane\n"
      "explain counts' is a column, behind the name of its unit or model (shared_requests,\n"
      "agpu_io), and so is every parameter by its name; one that is named like a count is\n"
      "param_NAME. The letters and keys of machines that sweeps vary are names\n"
      "of their columns: p, l, d, shared.latency, unless a program has such a parameter. So\n"
      "are layout, and the array whose layout a sweep varies: t is padded(1) where layouts\n"
      "is t=padded(1). Inputs that worst tried are left out beside runs, unless a condition\n"
      "names them: --where 'worst_of IS NOT NULL'.\n"
      "best: what is best for each value of a column. check: is the file sound? diff: two\n"
      "stores, or two parts of one. import: measurements of a GPU. merge: shards into one\n"
      "store. 'memlane help results diff' shows their options.";
  command.examples = {
      "memlane sweep sum -D n=2^8..2^12:pow2 --store sums.db && memlane results sums.db",
      "memlane results sums.db --where 'n >= 1024' --columns program,n,time --format csv",
      "memlane results sums.db --order time --limit 3 --format markdown"};
  command.call = call_with(results_options, results);
  command.words = {results_best_command(), results_check_command(), results_diff_command(),
                   results_import_command(), results_merge_command()};
  return command;
}

} // namespace memlane::cli
