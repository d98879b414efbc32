#include "block_changes.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace memlane::fast::changes {

namespace {

Course reversed(Course course) {
  return course == Course::up ? Course::down : course == Course::down ? Course::up : course;
}

Course sum(Course a, Course b) {
  if (a == Course::same) return b;
  if (b == Course::same || (a == b && a != Course::ends)) return a;
  return Course::free;
}

bool add_up(std::int64_t a, std::int64_t b, std::int64_t& sum) {
  return !__builtin_add_overflow(a, b, &sum) && std::abs(sum) < most_change;
}

std::optional<OfBlocks> sum(const OfBlocks& a, const OfBlocks& b) {
  OfBlocks v;
  const bool fits = add_up(a.least, b.least, v.least) && add_up(a.most, b.most, v.most) &&
                    add_up(a.first, b.first, v.first) && add_up(a.last, b.last, v.last);
  v.by_block = a.by_block && b.by_block;
  return fits ? std::optional(v) : std::nullopt;
}

std::optional<OfBlocks> negated(const OfBlocks& a) {
  return OfBlocks{-a.most, -a.least, -a.first, -a.last, a.by_block};
}

} // namespace

Change of_values(const OfBlocks& v) {
  Change change;
  change.values = v;
  if (v.is_constant()) return change;
  const bool up = v.first == v.least && v.last == v.most;
  const bool down = v.first == v.most && v.last == v.least;
  change.course = up ? Course::up : down ? Course::down : Course::free;
  change.multiple = 1;
  change.most = v.most - v.least;
  return change;
}

Change of_lanes(std::int64_t least, std::int64_t most) {
  Change change;
  change.values = {least, most, least, least, least == most};
  return change;
}

Change either(const Change& a, const Change& b) {
  if (a == b) return a;
  if (!a.known || !b.known) return unknown;
  Change joined;
  joined.narrow = a.narrow || b.narrow;
  joined.multiple = std::gcd(a.multiple, b.multiple);
  joined.most = std::max(a.most, b.most);
  if (a.values && b.values)
    joined.values = {std::min(a.values->least, b.values->least),
                     std::max(a.values->most, b.values->most), 0, 0, false};
  if (a.course == b.course || b.course == Course::same) {
    joined.course = a.course;
  } else if (a.course == Course::same) {
    joined.course = b.course;
  } else {
    joined.course =
        a.course == Course::free || b.course == Course::free ? Course::free : Course::ends;
  }
  return joined;
}

Change add(const Change& a, const Change& b) {
  Change change;
  change.narrow = a.narrow || b.narrow;
  change.course = sum(a.course, b.course);
  change.multiple = std::gcd(a.multiple, b.multiple);
  change.most = a.most + b.most;
  if (a.values && b.values) change.values = sum(*a.values, *b.values);
  return change;
}

Change negate(Change a) {
  a.course = reversed(a.course);
  if (a.values) a.values = negated(*a.values);
  return a;
}

Change times(const Change& a, std::int64_t by) {
  Change change;
  if (by == 0) return constant(0);
  const std::int64_t size = std::abs(by);
  if (by > most_change || by < -most_change ||
      __builtin_mul_overflow(a.multiple, size, &change.multiple) ||
      __builtin_mul_overflow(a.most, size, &change.most))
    return unknown;
  change.narrow = a.narrow;
  change.course = by < 0 ? reversed(a.course) : a.course;
  if (!a.values) return change;
  OfBlocks v;
  const auto product = [&](std::int64_t of, std::int64_t& to) {
    return !__builtin_mul_overflow(of, by, &to);
  };
  if (product(a.values->least, v.least) && product(a.values->most, v.most) &&
      product(a.values->first, v.first) && product(a.values->last, v.last)) {
    if (by < 0) std::swap(v.least, v.most);
    v.by_block = a.values->by_block;
    change.values = v;
  }
  return change;
}

Change quotient(const Change& a, std::int64_t by, bool up) {
  const auto divided = [&](std::int64_t of) { return of / by + (up && of % by != 0 ? 1 : 0); };
  const OfBlocks& v = *a.values;
  Change change = of_values({divided(v.least), divided(v.most), divided(v.first), divided(v.last)});
  if (change.multiple == 0) return change;
  change.course = a.course; // a quotient never falls where its dividend rises
  if (a.multiple % by == 0) change.multiple = a.multiple / by;
  return change;
}

Change remainder(const Change& a, std::int64_t by) {
  const OfBlocks& v = *a.values;
  const bool whole = v.least / by != v.most / by; // else there is one quotient
  Change change = of_values(
      {whole ? 0 : v.least % by, whole ? by - 1 : v.most % by, v.first % by, v.last % by});
  if (a.multiple % by == 0) return constant(v.first % by);
  if (change.multiple != 0) change.multiple = std::gcd(a.multiple, by);
  if (!whole) change.course = a.course;
  return change;
}

} // namespace memlane::fast::changes
