// The points of a search for the worst input, their arrays, and the runs that give inputs values.
#pragma once

#include "memlane/claim/count_formula.hpp"
#include "memlane/points/plan.hpp"
#include "memlane/store/store.hpp"
#include "memlane/study/worst/search.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace memlane::sweep {

/// A point whose inputs are searched: bound, with its limits and the inputs that are not.
struct SearchedPoint {
  PlannedPoint planned;
  CountFormula count;
};

/// The arrays of --vary, each `a`, `a=permutation` or `a=LO..HI`; if there are none, those whose
/// initial values the program draws at random. Of these an array of random(lo, hi) has the values
/// from lo to hi, others are rearranged. Errors: no such array, none that is random, a range that
/// does not fit the array. Cost: the program without main and verify.
Result<std::vector<SearchedArray>> searched_arrays(const SearchedPoint& point,
                                                   const std::vector<std::string>& vary,
                                                   const Sources& sources);

/// What a search keeps of a trial in columns of a store, beside the parameters.
const std::vector<StoreColumn>& worst_columns();

/// Runs trials side by side and reads their count. Trials that are known, from a store or from
/// before, do not run again, nor do blocks that a change of the input does not reach
/// (RunOptions::known_blocks). Claims are judged for each: all of them for starts, and where the
/// count needs time; else those about what blocks add up.
class TrialRuns {
public:
  /// `how` has jobs and memory. All but the store is referred to.
  TrialRuns(const std::vector<SearchedPoint>& points, const std::vector<SearchPlace>& places,
            const PointRuns& how, const Sources& sources);

  /// Reads what the store has, and adds to it from now on all but runs that a limit stopped.
  /// Errors: those of the store.
  Status use_store(const std::string& path);
  std::vector<TrialValue> evaluate(const std::vector<SearchTrial>& trials);

  std::int64_t known() const { return known_; } ///< trials that an earlier search left in the store
  /// Why the first trial without a value has none; empty: all have one.
  const std::string& failure() const { return failure_; }
  /// The first limit that a run reached; none: no run did.
  Stop limit() const { return limit_; }
  /// The first error of the store; the search goes on without it.
  Status status() const { return errors_.status(); }

private:
  std::string key_of_trial(const SearchTrial& trial) const;
  bool knows_blocks(const SearchTrial& trial) const {
    return !trial.is_start && blocks_[trial.place];
  }
  std::optional<double> value_of_run(const SearchedPoint& point, PointResult& result);
  bool refutes(const SearchTrial& trial, const PointResult& result) const;
  void keep(const SearchTrial& trial, const std::string& key, const TrialValue& ended);

  const std::vector<SearchedPoint>& points_;
  const std::vector<SearchPlace>& places_;
  const PointRuns& how_;
  const Sources& sources_;
  std::vector<std::shared_ptr<KnownBlocks>> blocks_; ///< by place, where the count allows it
  std::optional<Store> store_;
  std::map<std::string, TrialValue> values_; ///< by key
  std::map<std::string, TrialValue> stored_; ///< of the store, not asked for yet
  std::int64_t known_ = 0;
  std::string failure_;
  Stop limit_ = Stop::none;
  ErrorCollector errors_;
};

/// The point with the input, which its run then has.
Point point_with(const SearchedPoint& point, const std::vector<SearchedArray>& arrays,
                 const SearchedInput& input);

} // namespace memlane::sweep
