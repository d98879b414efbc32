// Moves words between memory and registers: whole ranges where lanes access consecutive words.
#include "fast/launch_run.hpp"
#include "lane_ranges.hpp"
#include "tile.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace memlane::fast {

using ir::Scalar;

namespace {

// to[i] = from[e] for elements in rows, of all lanes of the shape.

/// The lanes of a row read one word.
template <class T>
void read_repeated(const T* from, const Rows& rows, const Shape shape, T* to) {
  const int row = rows.row(shape.width);
  for (int k = 0; k < shape.warps; ++k, to += shape.width)
    each_row(rows, shape.width, [&](int lane, std::int64_t offset) {
      std::fill_n(to + lane, row, from[rows.base(k) + offset]);
    });
}

/// Two words apart, as in halves and pairs: with the constant step the compiler vectorises the
/// loop.
template <class T>
void read_pairs(const T* __restrict from, const Rows& rows, const Shape shape, T* __restrict to) {
  const bool one = rows.even && rows.warp_step == 2 * shape.width; // the warps follow each other
  const Shape runs = one ? Shape{1, shape.lanes()} : shape;
  for (int k = 0; k < runs.warps; ++k, to += runs.width) {
    const T* row = from + rows.base(k);
    for (int j = 0; j < runs.width; ++j) to[j] = row[2 * j];
  }
}

/// Words that lie far apart in a large array: those of a later warp are fetched into the caches
/// meanwhile, as the processor does not foresee them.
template <class T>
void read_apart(const T* from, const Rows& rows, const Shape shape, T* __restrict to) {
  constexpr int warps_ahead = 4;
  const std::int64_t step = rows.lane_step, ahead = warps_ahead * rows.warp_step;
  for (int k = 0; k < shape.warps; ++k, to += shape.width) {
    const std::int64_t base = rows.base(k);
    // Behind the last warp, the words may be outside the array: by integers.
    const auto later = reinterpret_cast<std::uintptr_t>(from) +
                       static_cast<std::uintptr_t>(base + ahead) * sizeof(T);
    for (int j = 0; j < shape.width; ++j) {
      const std::int64_t offset = step * j;
      __builtin_prefetch(
          reinterpret_cast<const void*>(later + static_cast<std::uintptr_t>(offset) * sizeof(T)));
      to[j] = from[base + offset];
    }
  }
}

/// False: there is no special way, and nothing was read. `elements`: of the array.
template <class T>
bool read_rows(const T* from, std::int64_t elements, const Rows& rows, const Shape& shape, T* to) {
  constexpr std::int64_t line = 64, large = 1 << 18; // bytes: of a cache's line, and beyond L1
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  if (rows.lane_step == 0) {
    read_repeated(from, rows, shape, to);
  } else if (rows.folds > 0) {
    return false;
  } else if (rows.lane_step == 2) {
    read_pairs(from, rows, shape, to);
  } else if (rows.even && std::abs(rows.lane_step) * size >= line && elements * size >= large) {
    read_apart(from, rows, shape, to);
  } else {
    return false;
  }
  return true;
}

} // namespace

bool Tile::read_words(const Requests& requests, ArrayView& array) {
  const Register& elements = located(*requests.elements, array, *requests.mask);
  const bool anywhere = requests.mask->whole || launch_.facts.writes_all[requests.site];
  with_type(array.type, [&](auto word) {
    using T = decltype(word);
    const T* from = reinterpret_cast<const T*>(array.data);
    if (elements.form == Form::uniform && anywhere)
      return make_uniform(values_.out(), to_value(from[elements.value.integer()]));
    const Shape& shape = values_.shape();
    T* to = make_vector<T>(values_.out(), shape);
    if (requests.mask->full && has_rows(elements) &&
        read_rows(from, array.elements, elements.rows, values_.sets().part(*requests.mask), to))
      return;
    const bool ranges =
        each_range(elements, shape, *requests.mask, values_.sets(),
                   [&](std::int64_t e, int i, int n) { std::copy_n(from + e, n, to + i); });
    if (!ranges)
      each_lane(elements, shape, *requests.mask, values_.sets(),
                [=](std::int64_t e, int i) { to[i] = from[e]; });
  });
  return true;
}

// In lane order: of lanes that write one word the highest-numbered wins.
bool Tile::write_words(const Requests& requests, ArrayView& array, const Register& values) {
  const Register& elements = located(*requests.elements, array, *requests.mask);
  const Shape& shape = values_.shape();
  with_type(array.type, [&](auto word) {
    using T = decltype(word);
    T* to = reinterpret_cast<T*>(array.data);
    if (values.form == Form::uniform) {
      const T value = to_word<T>(values.value);
      const bool ranges =
          each_range(elements, shape, *requests.mask, values_.sets(),
                     [&](std::int64_t e, int, int n) { std::fill_n(to + e, n, value); });
      if (!ranges)
        each_lane(elements, shape, *requests.mask, values_.sets(),
                  [=](std::int64_t e, int) { to[e] = value; });
      return;
    }
    const T* from = values_.words<T>(values, 2, values_.sets().part(*requests.mask));
    const bool ranges =
        each_range(elements, shape, *requests.mask, values_.sets(),
                   [&](std::int64_t e, int i, int n) { std::copy_n(from + i, n, to + e); });
    if (!ranges)
      each_lane(elements, shape, *requests.mask, values_.sets(),
                [=](std::int64_t e, int i) { to[e] = from[i]; });
  });
  if (array.unwritten > 0) mark_written(requests, array);
  return true;
}

// Of shared arrays, whose words have no value before they are written.
bool Tile::written(const Requests& requests, ArrayView& array) {
  if (array.unwritten == 0) return true;
  bool all = true;
  const Register& elements = located(*requests.elements, array, *requests.mask);
  each_lane(elements, values_.shape(), *requests.mask, values_.sets(),
            [&](std::int64_t e, int) { all &= array.written[static_cast<std::size_t>(e)] != 0; });
  return all || refuse();
}

void Tile::mark_written(const Requests& requests, ArrayView& array) {
  const Register& elements = located(*requests.elements, array, *requests.mask);
  each_lane(elements, values_.shape(), *requests.mask, values_.sets(), [&](std::int64_t e, int) {
    std::uint8_t& mark = array.written[static_cast<std::size_t>(e)];
    array.unwritten -= mark ? 0 : 1;
    mark = 1;
  });
}

} // namespace memlane::fast
