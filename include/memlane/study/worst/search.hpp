// A search for the input with the greatest or least value: starts that are given, then local
// search. It knows nothing of programs: a function of the caller gives inputs their values.
#pragma once

#include "memlane/ir/arithmetic.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memlane::sweep {

/// An array whose content is searched.
struct SearchedArray {
  std::string name;
  ir::Scalar type = ir::Scalar::int32;
  /// Every element is a whole number from the first to the second; none: the elements of `content`
  /// are rearranged.
  std::optional<std::pair<std::int64_t, std::int64_t>> range = {};
  std::vector<ir::Value> content = {}; ///< that the program itself gives it, row-major
};

/// A content for each searched array, in their order.
using SearchedInput = std::vector<std::vector<ir::Value>>;

/// An input that is tried before the local search.
struct SearchStart {
  std::string how; ///< `descending`
  SearchedInput input;
};

/// One program on one machine with values for its parameters.
struct SearchPlace {
  std::vector<SearchedArray> arrays;
  std::vector<SearchStart> starts;
};

/// An input at a place.
struct SearchTrial {
  std::size_t place = 0;
  SearchedInput input;
  bool is_start = false; ///< else it is one of many
};

/// What became of a trial.
struct TrialValue {
  bool ended = false;               ///< false: the work was asked to stop before
  std::optional<double> value = {}; ///< none: its run ended with an error, or its verify failed
  bool refutes = false;             ///< a claim, or its verify failed, or it ended with an error
  bool limited = false;             ///< it has no value since a limit of its own stopped its run
};
/// Gives trials their values, in their order.
using EvaluateTrials = std::function<std::vector<TrialValue>(const std::vector<SearchTrial>&)>;

struct SearchOptions {
  bool least = false;      ///< else the greatest value is searched
  std::int64_t trials = 0; ///< at most
  std::uint64_t seed = 1;  ///< of the local search's random numbers
};

struct FoundInput {
  std::size_t place = 0;
  SearchedInput input;
  std::optional<double> value; ///< as TrialValue has it
  std::size_t start = 0;       ///< number of the start at its place that it came from
  std::int64_t trial = 0;      ///< its number, from 1
  bool is_start = false;       ///< it is that start itself
};

/// A start that was tried.
struct TriedStart {
  std::size_t place = 0, start = 0;
  std::optional<double> value; ///< none: its run ended with an error
};

struct SearchOutcome {
  std::optional<FoundInput> found;    ///< none: no trial had a value
  std::optional<FoundInput> refuting; ///< the first trial that refutes; none: none did
  std::vector<TriedStart> starts;
  std::int64_t trials = 0, failed = 0; ///< those that ended; those of them without a value
  std::int64_t limited = 0;            ///< of `failed`, those that a limit of their own stopped
  bool enumerates = false;             ///< inputs are tried one after the other, without starts
  bool every_input = false;            ///< all inputs there are were tried: nothing is beyond
  bool stopped = false;                ///< the work was asked to stop
};

/// Tries all inputs where there are at most as many as trials; else all starts, then changes of the
/// best of them: swaps, reversed and rotated parts, exchanged blocks, other values. The outcome
/// depends on the values alone, not on how many trials are evaluated side by side. Requires a
/// place, with at least one start each.
SearchOutcome search_inputs(const std::vector<SearchPlace>& places, const SearchOptions& options,
                            const EvaluateTrials& evaluate);

/// How many inputs there are at a place; INT64_MAX: so many or more.
std::int64_t inputs_of(const SearchPlace& place);

/// A content of the array that follows a pattern of as many values: the values themselves, if they
/// are in the array's range; else others in the same order.
std::vector<ir::Value> content_like(const SearchedArray& array,
                                    const std::vector<ir::Value>& pattern);

} // namespace memlane::sweep
