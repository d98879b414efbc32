#include "memlane/report/tuning_measures.hpp"

#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane {
namespace {

using sweep::Cell;

struct MeasureOfModels {
  std::vector<Model> models;
  TuningMeasure measure;
};

/// All measures, model by model in the order in which tables show them.
const std::vector<MeasureOfModels>& all_measures() {
  using enum Model;
  static const std::vector<Model> memories = {dmm, umm, hmm};
  static const std::vector<Model> with_requests = {dmm, umm, hmm, agpu};
  static const std::vector<MeasureOfModels> all = {
      {with_requests, {"time", "time", "time units", "of the run", {"time"}}},
      {{mmm},
       {"bound",
        "bound",
        "",
        "of the time: by Corollary 1 if it holds for all values, else by Theorem 1 for all",
        {"mmm_corollary1", "mmm_theorem1"},
        false,
        true,
        "R",
        {{"mmm_corollary1", "Corollary 1", "(N/K + Λ)·C"},
         {"mmm_theorem1", "Theorem 1", "(N/P + Λ)·C"}}}},
      {{mmm}, {"work", "work W", "", "operators of all threads", {"mmm_work"}, false, true, "W"}},
      {{mmm},
       {"span", "span S", "", "operators on the heaviest path", {"mmm_span"}, false, true, "S"}},
      {{mmm},
       {"overhead",
        "overhead O",
        "",
        "time of transfers, of all blocks",
        {"mmm_overhead"},
        false,
        true,
        "O"}},
      {{mmm}, {"blocks", "N", "", "thread blocks", {"mmm_blocks"}}},
      {{mmm}, {"path", "Λ", "", "blocks on the longest path", {"mmm_path"}}},
      {{mmm},
       {"antichain", "K", "", "blocks that may run at once", {"mmm_antichain"}, false, false}},
      {{mmm}, {"block_cost", "C", "", "span and overhead of a block, at most", {"mmm_block_cost"}}},
      {{mmm},
       {"time", "time", "time units", "of the greedy schedule on P multiprocessors", {"mmm_time"}}},
      {with_requests, {"io", "I/O", "blocks of w words", "AGPU I/O", {"agpu_io"}}},
      {with_requests,
       {"requests",
        "requests",
        "requests",
        "of warps to all memories",
        {"global_requests", "shared_requests"},
        true}},
      {with_requests,
       {"stages",
        "stages",
        "stages",
        "of these requests",
        {"global_stages", "shared_stages"},
        true}},
      {{agpu},
       {"multiplicity",
        "multiplicity",
        "",
        "blocks that fit a shared memory: larger is better",
        {"agpu_multiplicity"},
        false,
        false}},
  };
  return all;
}

bool measure_is_of(const MeasureOfModels& one, Model model) {
  return std::find(one.models.begin(), one.models.end(), model) != one.models.end();
}

std::vector<std::string> objectives_of_model(Model model) {
  std::vector<std::string> names;
  for (const MeasureOfModels& one : all_measures())
    if (measure_is_of(one, model) && one.measure.may_choose) names.push_back(one.measure.name);
  return names;
}

} // namespace

Cell TuningMeasure::value(const std::function<Cell(const std::string&)>& cell) const {
  Cell found;
  for (const std::string& column : columns) {
    const Cell here = cell(column);
    const auto* more = std::get_if<std::int64_t>(&here);
    const auto* before = std::get_if<std::int64_t>(&found);
    if (here.index() == 0) continue;
    if (!is_sum) return here;
    if (!before || !more) {
      found = here;
      continue;
    }
    std::int64_t sum = 0;
    if (__builtin_add_overflow(*before, *more, &sum))
      found = static_cast<double>(*before) + static_cast<double>(*more);
    else
      found = sum;
  }
  return found;
}

void TuningMeasure::choose_rule(const std::function<bool(const std::string&)>& all_runs_have) {
  for (const TuningRule& one : rules) {
    if (!all_runs_have(one.column)) continue;
    rule = one;
    columns = {one.column};
    meaning = fmt::format("of the time, by {}: {}", one.name, one.formula);
    return;
  }
}

std::string TuningMeasure::label() const {
  return rule ? fmt::format("{} ({})", name, rule->name) : name;
}

std::vector<TuningMeasure> tuning_measures(Model model) {
  std::vector<TuningMeasure> measures;
  for (const MeasureOfModels& one : all_measures())
    if (measure_is_of(one, model)) measures.push_back(one.measure);
  return measures;
}

std::string_view standard_objective(Model model) { return model == Model::mmm ? "bound" : "time"; }

Result<TuningMeasure> find_objective(const std::string& name, Model model,
                                     const std::vector<sweep::StoreColumn>& columns) {
  std::vector<std::string> known;
  std::vector<std::string_view> others; // models that have the measure
  for (const MeasureOfModels& one : all_measures()) {
    if (!one.measure.may_choose) continue;
    known.push_back(one.measure.name);
    if (one.measure.name != name) continue;
    if (measure_is_of(one, model)) return one.measure;
    for (const Model other : one.models) others.push_back(name_of(other));
  }
  const std::string own = fmt::format("objectives on model {}: {}, and every count by its name "
                                      "('memlane explain counts')",
                                      name_of(model), fmt::join(objectives_of_model(model), ", "));
  if (!others.empty())
    return error_in("--objective",
                    fmt::format("a machine of model {} has no {}", name_of(model), name),
                    {own, fmt::format("{} is an objective on {}", name, fmt::join(others, ", "))});
  for (const sweep::StoreColumn& column : columns) {
    if (column.shared) continue; // what was run
    known.push_back(column.name);
    if (column.name != name) continue;
    return TuningMeasure{name, name, "", column.meaning, {name}};
  }
  std::vector<std::string> help = did_you_mean(name, known);
  help.push_back(own);
  return error_in("--objective", fmt::format("'{}' is no count of a run", name), std::move(help));
}

} // namespace memlane
