// The inputs of a search: all of them one by one, and changed ones.
#pragma once

#include "memlane/study/worst/search.hpp"

namespace memlane::sweep {

/// Whether a is before b, as numbers of the type.
bool is_less(ir::Scalar type, ir::Value a, ir::Value b);

/// All inputs of a place in an order of their own. Requires that there are few.
class EveryInput {
public:
  explicit EveryInput(const SearchPlace& place);
  const SearchedInput& input() const { return input_; }
  /// Goes to the next one; false: there is none.
  bool next();

private:
  bool next(std::size_t array);
  const SearchPlace& place_;
  SearchedInput input_;
};

/// Random numbers of one change: a function of seed and stream alone.
class ChangeNumbers {
public:
  ChangeNumbers(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}
  /// From lo to hi, both included.
  std::int64_t from(std::int64_t lo, std::int64_t hi);

private:
  std::uint64_t seed_, stream_, counter_ = 0;
};

/// Changes the input a little. Requires an array with two elements or more, or with a range.
void change(SearchedInput& input, const std::vector<SearchedArray>& arrays, ChangeNumbers& numbers);
/// A random input of the place.
SearchedInput random_input(const std::vector<SearchedArray>& arrays, ChangeNumbers& numbers);

} // namespace memlane::sweep
