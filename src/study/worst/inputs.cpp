#include "inputs.hpp"

#include "memlane/support/random.hpp"

#include <algorithm>
#include <numeric>

namespace memlane::sweep {
namespace {

using Content = std::vector<ir::Value>;

auto less_by(ir::Scalar type) {
  return [type](ir::Value a, ir::Value b) { return is_less(type, a, b); };
}

Content sorted(Content content, ir::Scalar type) {
  std::sort(content.begin(), content.end(), less_by(type));
  return content;
}

/// a * b, at most INT64_MAX.
std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/// Arrangements of the elements: of equal ones only one.
std::int64_t arrangements(const SearchedArray& array) {
  const Content all = sorted(array.content, array.type);
  std::int64_t count = 1, equal = 0; // C(1, e1) C(2, e2) …: exact at each step
  for (std::size_t k = 0; k < all.size() && count < INT64_MAX; ++k) {
    equal = k > 0 && all[k] == all[k - 1] ? equal + 1 : 1;
    count = times(count, static_cast<std::int64_t>(k) + 1);
    if (count < INT64_MAX) count /= equal;
  }
  return count;
}

std::int64_t contents_of(const SearchedArray& array) {
  if (!array.range) return arrangements(array);
  const auto [lo, hi] = *array.range;
  std::int64_t values = 0, count = 1;
  if (__builtin_sub_overflow(hi, lo, &values) || values == INT64_MAX) return INT64_MAX;
  for (std::size_t k = 0; k < array.content.size() && values > 0 && count < INT64_MAX; ++k)
    count = times(count, values + 1);
  return count;
}

/// The place of each value among the different ones.
std::vector<std::int64_t> ranks_of(const Content& pattern, ir::Scalar type) {
  Content values = sorted(pattern, type);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::vector<std::int64_t> ranks;
  for (const ir::Value value : pattern)
    ranks.push_back(std::lower_bound(values.begin(), values.end(), value, less_by(type)) -
                    values.begin());
  return ranks;
}

// --- Changes of one content.

using Position = std::int64_t;

/// A length of a part, short ones as likely as long ones.
Position part_length(Position most, ChangeNumbers& numbers) {
  Position bits = 0;
  while (most >> (bits + 1) > 0) ++bits;
  const Position power = Position{1} << numbers.from(0, bits);
  return numbers.from(0, 1) == 0 ? power : std::min(most, numbers.from(power, 2 * power - 1));
}

void reverse_part(Content& content, ChangeNumbers& numbers) {
  const auto size = static_cast<Position>(content.size());
  const Position length = std::max<Position>(2, part_length(size, numbers));
  const Position first = numbers.from(0, size - length);
  std::reverse(content.begin() + first, content.begin() + first + length);
}

void rotate_part(Content& content, ChangeNumbers& numbers) {
  const auto size = static_cast<Position>(content.size());
  const Position length = std::max<Position>(2, part_length(size, numbers));
  const Position first = numbers.from(0, size - length);
  const Position by = numbers.from(0, 1) == 0 ? 1 : numbers.from(1, length - 1);
  const auto begin = content.begin() + first;
  std::rotate(begin, numbers.from(0, 1) == 0 ? begin + by : begin + length - by, begin + length);
}

/// Two parts of the same length that do not overlap.
void swap_parts(Content& content, ChangeNumbers& numbers) {
  const auto size = static_cast<Position>(content.size());
  const Position length = part_length(size / 2, numbers);
  const Position parts = size / length;
  Position first = numbers.from(0, parts - 1) * length,
           second = numbers.from(0, parts - 1) * length;
  if (numbers.from(0, 1) == 0) { // parts that begin anywhere
    first = numbers.from(0, size - 2 * length);
    second = numbers.from(first + length, size - length);
  }
  if (first == second) return;
  std::swap_ranges(content.begin() + first, content.begin() + first + length,
                   content.begin() + second);
}

ir::Value& any_of(Content& content, ChangeNumbers& numbers) {
  const auto last = static_cast<Position>(content.size()) - 1;
  return content[static_cast<std::size_t>(numbers.from(0, last))];
}

/// Of the range; its ends are tried now and then, since mistakes are often there.
ir::Value value_in(const std::pair<std::int64_t, std::int64_t>& range, ChangeNumbers& numbers) {
  constexpr std::int64_t ends_in = 32; // one in so many is the least, one the greatest
  const std::int64_t which = numbers.from(0, ends_in - 1);
  return ir::Value::of(which == 0   ? range.first
                       : which == 1 ? range.second
                                    : numbers.from(range.first, range.second));
}

void change_content(Content& content, const SearchedArray& array, ChangeKind kind,
                    ChangeNumbers& numbers) {
  switch (kind) {
  case ChangeKind::swap: return std::swap(any_of(content, numbers), any_of(content, numbers));
  case ChangeKind::reverse: return reverse_part(content, numbers);
  case ChangeKind::rotate: return rotate_part(content, numbers);
  case ChangeKind::exchange: return swap_parts(content, numbers);
  case ChangeKind::copy: any_of(content, numbers) = any_of(content, numbers); return;
  case ChangeKind::draw: any_of(content, numbers) = value_in(*array.range, numbers); return;
  }
}

KindsOfChange allowed_in(const SearchedArray& array) {
  constexpr unsigned rearranging = 0b1111, all = 0b111111,
                     drawing = 1U << static_cast<unsigned>(ChangeKind::draw);
  return array.content.size() < 2 ? (array.range ? drawing : 0) : array.range ? all : rearranging;
}

} // namespace

bool is_less(ir::Scalar type, ir::Value a, ir::Value b) {
  return ir::is_real(type) ? a.real() < b.real() : a.integer() < b.integer();
}

std::int64_t inputs_of(const SearchPlace& place) {
  std::int64_t count = 1;
  for (const SearchedArray& array : place.arrays) count = times(count, contents_of(array));
  return count;
}

std::vector<ir::Value> content_like(const SearchedArray& array,
                                    const std::vector<ir::Value>& pattern) {
  const std::vector<std::int64_t> ranks = ranks_of(pattern, array.type);
  Content content(pattern.size());
  if (!array.range) {
    std::vector<std::size_t> order(pattern.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return ranks[a] < ranks[b]; });
    const Content values = sorted(array.content, array.type);
    for (std::size_t k = 0; k < order.size(); ++k) content[order[k]] = values[k];
    return content;
  }
  const auto [lo, hi] = *array.range;
  if (std::all_of(pattern.begin(), pattern.end(), [lo = lo, hi = hi](ir::Value value) {
        return lo <= value.integer() && value.integer() <= hi;
      }))
    return pattern;
  const std::int64_t different = *std::max_element(ranks.begin(), ranks.end()) + 1;
  __extension__ using Wide = __int128; // lo to hi may be all numbers of 64 bits
  const Wide values = Wide{hi} - lo + 1;
  for (std::size_t k = 0; k < ranks.size(); ++k) {
    const Wide above = different <= values ? Wide{ranks[k]} : ranks[k] * values / different;
    content[k] = ir::Value::of(static_cast<std::int64_t>(lo + above));
  }
  return content;
}

EveryInput::EveryInput(const SearchPlace& place) : place_(place) {
  for (const SearchedArray& array : place.arrays)
    input_.push_back(array.range ? Content(array.content.size(), ir::Value::of(array.range->first))
                                 : sorted(array.content, array.type));
}

bool EveryInput::next() {
  for (std::size_t array = 0; array < input_.size(); ++array)
    if (next(array)) return true; // else it is the first content again, and the next array goes on
  return false;
}

bool EveryInput::next(std::size_t array) {
  const SearchedArray& searched = place_.arrays[array];
  Content& content = input_[array];
  if (!searched.range)
    return std::next_permutation(content.begin(), content.end(), less_by(searched.type));
  for (ir::Value& value : content) {
    if (value.integer() < searched.range->second) {
      value = ir::Value::of(value.integer() + 1);
      return true;
    }
    value = ir::Value::of(searched.range->first);
  }
  return false;
}

std::int64_t ChangeNumbers::from(std::int64_t lo, std::int64_t hi) {
  return random_integer(seed_, stream_, counter_++, lo, hi);
}

void ChangeRates::note(KindsOfChange kinds, bool gains) {
  constexpr std::int64_t remembered = 256;
  for (std::size_t k = 0; k < change_kinds; ++k) {
    if (!kinds[k]) continue;
    rates_[k].tried += 1;
    rates_[k].gained += gains ? 1 : 0;
    if (rates_[k].tried < remembered) continue;
    rates_[k].tried /= 2;
    rates_[k].gained /= 2;
  }
}

/// None is chosen less than a sixteenth as often as the one that gains most.
ChangeKind ChangeRates::choose(KindsOfChange allowed, ChangeNumbers& numbers) const {
  std::array<std::int64_t, change_kinds> weights{};
  std::int64_t most = 0, sum = 0;
  for (std::size_t k = 0; k < change_kinds; ++k) {
    if (allowed[k]) weights[k] = 100'000 * (rates_[k].gained + 1) / (rates_[k].tried + 10);
    most = std::max(most, weights[k]);
  }
  for (std::size_t k = 0; k < change_kinds; ++k)
    sum += weights[k] = allowed[k] ? std::max(weights[k], most / 16) : 0;
  std::size_t kind = 0;
  for (std::int64_t at = numbers.from(0, sum - 1); at >= weights[kind]; ++kind) at -= weights[kind];
  return static_cast<ChangeKind>(kind);
}

KindsOfChange change(SearchedInput& input, const std::vector<SearchedArray>& arrays,
                     const ChangeRates& rates, ChangeNumbers& numbers) {
  KindsOfChange kinds;
  std::int64_t all = 0;
  for (const auto& content : input) all += static_cast<std::int64_t>(content.size());
  do {
    std::int64_t element = numbers.from(0, all - 1);
    std::size_t array = 0;
    while (element >= static_cast<std::int64_t>(input[array].size()))
      element -= static_cast<std::int64_t>(input[array++].size());
    const KindsOfChange allowed = allowed_in(arrays[array]);
    if (allowed.none()) continue;
    const ChangeKind kind = rates.choose(allowed, numbers);
    kinds.set(static_cast<std::size_t>(kind));
    change_content(input[array], arrays[array], kind, numbers);
  } while (numbers.from(0, 2) == 0);
  return kinds;
}

SearchedInput random_input(const std::vector<SearchedArray>& arrays, ChangeNumbers& numbers) {
  SearchedInput input;
  for (const SearchedArray& array : arrays) {
    Content& content = input.emplace_back(array.content);
    for (std::size_t k = content.size(); k-- > 0;)
      if (array.range)
        content[k] = ir::Value::of(numbers.from(array.range->first, array.range->second));
      else
        std::swap(content[k],
                  content[static_cast<std::size_t>(numbers.from(0, static_cast<Position>(k)))]);
  }
  return input;
}

} // namespace memlane::sweep
