// The inputs of a search: all of them one by one, and changed ones.
#pragma once

#include "memlane/study/worst/search.hpp"

#include <array>
#include <bitset>

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

enum class ChangeKind : std::uint8_t {
  swap,     ///< two elements
  reverse,  ///< a part
  rotate,   ///< a part
  exchange, ///< two parts of one length
  copy,     ///< an element's value to another one, where the array has a range
  draw,     ///< a value of the range
};
constexpr std::size_t change_kinds = 6;

/// A bit for each kind.
using KindsOfChange = std::bitset<change_kinds>;

/// Which kinds of changes have gained lately: those that did are chosen more often.
class ChangeRates {
public:
  void note(KindsOfChange kinds, bool gains);
  /// Of kinds that the array allows; at least one is.
  ChangeKind choose(KindsOfChange allowed, ChangeNumbers& numbers) const;

private:
  struct Rate {
    std::int64_t tried = 0, gained = 0;
  };
  std::array<Rate, change_kinds> rates_{};
};

/// Changes the input a little; says how. Requires an array with two elements or more, or with a
/// range.
KindsOfChange change(SearchedInput& input, const std::vector<SearchedArray>& arrays,
                     const ChangeRates& rates, ChangeNumbers& numbers);
/// A random input of the place.
SearchedInput random_input(const std::vector<SearchedArray>& arrays, ChangeNumbers& numbers);

} // namespace memlane::sweep
