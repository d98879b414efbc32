// The runs of a search, side by side, kept in a store.
#include "memlane/engine/run.hpp"
#include "memlane/store/query.hpp"
#include "memlane/study/results/stored_result.hpp"
#include "memlane/study/worst/searched_points.hpp"
#include "memlane/support/sha256.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace memlane::sweep {
namespace {

Cell cell_of_value(std::optional<double> value) {
  if (!value) return {};
  constexpr double most_exact = 9007199254740992; // 2^53
  if (std::trunc(*value) == *value && std::abs(*value) <= most_exact)
    return static_cast<std::int64_t>(*value);
  return *value;
}

std::string on_line(const Diagnostics& errors) {
  constexpr std::size_t widest = 200;
  return errors.empty() ? "" : on_one_line(errors.front().message, widest);
}

/// Why a run that ended is no trial with a value; empty: it is one.
std::string problem_of(const PointResult& result) {
  if (result.run.stop == Stop::error) return on_line(result.run.errors);
  if (result.run.stop != Stop::none) return std::string(stop_text(result.run.stop));
  return result.run.verify == Verdict::failed ? "its verify failed" : "";
}

bool is_cut_off(Stop stop) { return stop == Stop::interrupted || stop == Stop::wall_clock; }

} // namespace

TrialRuns::TrialRuns(const std::vector<SearchedPoint>& points,
                     const std::vector<SearchPlace>& places, const PointRuns& how,
                     const Sources& sources)
    : points_(points), places_(places), how_(how), sources_(sources) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 28;
  const auto part = static_cast<std::int64_t>(8 * points.size());
  for (const SearchedPoint& point : points)
    blocks_.push_back(point.count.of_blocks
                          ? make_known_blocks(std::min(most_bytes, how.memory / part))
                          : nullptr);
}

const std::vector<StoreColumn>& worst_columns() {
  static const std::vector<StoreColumn> columns = {
      {"program", "its name", true},
      {"machine", "its name; of a machine without a file its model", true},
      {worst_of_column, "what memlane worst searched: a count, or a formula of counts", true},
      {worst_value_column, "its value for an input that memlane worst tried", false},
      {worst_refutes_column, "1: a claim or verify fails for that input, or its run", false}};
  return columns;
}

Status TrialRuns::use_store(const std::string& path) {
  Result<Store> store =
      Store::open(path, worst_columns(), points_.front().planned.point.options.limits.check);
  if (!store) return store.errors();
  const Result<StoreReader> reader = StoreReader::open(path);
  if (!reader) return reader.errors();
  const Result<Rows> rows =
      reader->select(fmt::format("SELECT key, \"{}\", \"{}\" FROM results WHERE \"{}\" IS NOT NULL",
                                 worst_value_column, worst_refutes_column, worst_of_column));
  if (!rows) return rows.errors();
  for (const std::vector<Cell>& row : rows->rows)
    if (const auto* key = std::get_if<std::string>(&row[0]))
      stored_[*key] = {true, number_in(row[1]), number_in(row[2]) == 1};
  store_.emplace(std::move(*store));
  return Done{};
}

std::string TrialRuns::key_of_trial(const SearchTrial& trial) const {
  const SearchedPoint& point = points_[trial.place];
  std::string content;
  for (std::size_t k = 0; k < trial.input.size(); ++k) {
    content += places_[trial.place].arrays[k].name + '=';
    for (const ir::Value value : trial.input[k])
      for (unsigned shift = 0; shift < 64; shift += 8)
        content += static_cast<char>(value.bits >> shift & 0xff);
  }
  return key_of(
      {{"point", point.planned.key}, {"worst_of", point.count.text}, {"content", sha256(content)}});
}

/// Where blocks are known, claims about time are not judged.
bool TrialRuns::refutes(const SearchTrial& trial, const PointResult& result) const {
  if (result.run.verify == Verdict::failed) return true;
  if (result.run.stop == Stop::error && !result.run.unfit) return true;
  const auto& claims = points_[trial.place].planned.point.program->checked.claims;
  for (std::size_t k = 0; k < result.claims.size(); ++k)
    if (result.claims[k].verdict == ClaimVerdict::fails &&
        (!knows_blocks(trial) || is_of_blocks(claims[k])))
      return true;
  return false;
}

std::optional<double> TrialRuns::value_of_run(const SearchedPoint& point, PointResult& result) {
  std::string problem = problem_of(result);
  if (problem.empty()) {
    const Point& run = point.planned.point;
    const CountFormulaValue value =
        value_of(point.count, run.program->checked,
                 {run.code.get(), &run.machine, &result.run, &run.options.limits});
    if (value.value) return value.value->value;
    problem = value.reason;
  }
  if (failure_.empty()) failure_ = std::move(problem);
  const Stop stop = result.run.stop;
  if (limit_ == Stop::none && stop != Stop::error) limit_ = stop;
  return std::nullopt;
}

void TrialRuns::keep(const SearchTrial& trial, const std::string& key, const TrialValue& ended) {
  const std::optional<double>& value = ended.value;
  const SearchedPoint& point = points_[trial.place];
  const PlannedPoint& planned = point.planned;
  StoredPoint stored;
  stored.key = key;
  stored.sweep = "worst";
  stored.key_parts = {{"program", planned.point.program->info.sha256}, {"point", planned.key}};
  ProgramInfo info;
  info.parameters = parameters_of(*planned.point.code);
  stored.parameters = stored_parameters(info);
  const std::string& machine = planned.machine->path;
  stored.cells = {
      name_of_file(planned.point.program->info.path),
      machine.empty() ? std::string(name_of(planned.point.machine.model)) : name_of_file(machine),
      point.count.text, cell_of_value(value), ended.refutes ? Cell(std::int64_t{1}) : Cell()};
  stored.json = value ? fmt::format("{{\"{}\":{}}}", worst_value_column, *value) : "{}";
  errors_.check(store_->add(stored, value ? PointStatus::done : PointStatus::failed, false, ""));
}

std::vector<TrialValue> TrialRuns::evaluate(const std::vector<SearchTrial>& trials) {
  std::vector<std::string> keys;
  std::vector<std::size_t> to_run; // the first trial of each key that is not known
  std::map<std::string, std::size_t> asked;
  for (const SearchTrial& trial : trials) {
    const std::string& key = keys.emplace_back(key_of_trial(trial));
    if (const auto stored = stored_.find(key); stored != stored_.end()) {
      values_.insert(*stored);
      stored_.erase(stored);
      ++known_;
    }
    if (!values_.contains(key) && asked.emplace(key, to_run.size()).second)
      to_run.push_back(keys.size() - 1);
  }
  const PointSource source{to_run.size(), [&](std::size_t number) {
                             const SearchTrial& trial = trials[to_run[number]];
                             Point point = point_with(points_[trial.place],
                                                      places_[trial.place].arrays, trial.input);
                             point.options.pram = points_[trial.place].count.needs_pram;
                             if (knows_blocks(trial))
                               point.options.known_blocks = blocks_[trial.place];
                             return point;
                           }};
  std::vector<std::pair<std::size_t, TrialValue>> ended;
  run_points(source, sources_, how_, [&](std::size_t number, PointResult result) {
    if (is_cut_off(result.run.stop)) return;
    const std::size_t trial = to_run[number];
    const bool limited = result.run.stop != Stop::none && result.run.stop != Stop::error;
    const TrialValue value{true, value_of_run(points_[trials[trial].place], result),
                           refutes(trials[trial], result), limited};
    values_[keys[trial]] = value;
    if (!limited) ended.emplace_back(trial, value); // a later search may allow it more
  });
  if (store_ && errors_.ok() && !ended.empty())
    errors_.check(store_->in_one_commit([&] {
      for (const auto& [trial, value] : ended) keep(trials[trial], keys[trial], value);
      return errors_.status();
    }));
  std::vector<TrialValue> values;
  for (const std::string& key : keys) {
    const auto known = values_.find(key);
    values.push_back(known == values_.end() ? TrialValue{} : known->second);
  }
  return values;
}

} // namespace memlane::sweep
