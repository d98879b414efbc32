// Words between memory and registers: whole ranges at once where a tile's lanes lie side by side.
#include "fast/launch_run.hpp"
#include "tile.hpp"

#include <algorithm>
#include <cstring>

namespace memlane::fast {

using ir::Scalar;

namespace {

/// Calls f(e, i) with the element and the number of every lane, in order.
template <class F>
void each_of_all(const Register& elements, const Shape& shape, F f) {
  const int lanes = shape.lanes();
  if (elements.form == Form::vector) {
    with_type(elements.type, [&](auto word) {
      const auto* words = elements.words<decltype(word)>();
      for (int i = 0; i < lanes; ++i) f(static_cast<std::int64_t>(words[i]), i);
    });
    return;
  }
  Rows room;
  const Rows& rows = as_rows(elements, room);
  // What f writes might be the shape, for all that the compiler knows.
  const int warps = shape.warps, width = shape.width, row = rows.row(width);
  const std::int64_t step = rows.lane_step;
  for (int k = 0; k < warps; ++k)
    each_row(rows, width, [&](int lane, std::int64_t offset) {
      const std::int64_t e = rows.base(k) + offset;
      const int first = k * width + lane;
      for (int j = 0; j < row; ++j) f(e + step * j, first + j);
    });
}

/// to[i] = from[e] for the element e of every lane, two words apart in a warp, as halves and pairs
/// frequently are: what the compiler knows of them makes it use vectors.
template <class T>
void read_pairs(const T* __restrict from, const Rows& rows, const Shape shape, T* __restrict to) {
  for (int k = 0; k < shape.warps; ++k, to += shape.width) {
    const T* row = from + rows.base(k);
    for (int j = 0; j < shape.width; ++j) to[j] = row[2 * j];
  }
}

/// Calls f(e, i) with the element and the number of every active lane, in order.
template <class F>
void each_lane(const Register& elements, const Shape& shape, const Mask& mask, const LaneSets& sets,
               F f) {
  const std::uint8_t* active = sets.lanes(mask);
  const std::int32_t* counts = sets.counts(mask);
  if (mask.full) return each_of_all(elements, sets.part(mask), f);
  const auto lanes_of = [&](auto element) {
    for (int k = 0; k < mask.end; ++k) {
      if (counts[k] == 0) continue;
      const int i = k * shape.width;
      if (counts[k] == shape.width) {
        for (int j = 0; j < shape.width; ++j) f(element(k, j), i + j);
      } else {
        for (int j = 0; j < shape.width; ++j)
          if (active[i + j]) f(element(k, j), i + j);
      }
    }
  };
  switch (elements.form) {
  case Form::uniform: {
    const std::int64_t e = elements.value.integer();
    return lanes_of([e](int, int) { return e; });
  }
  case Form::rows:
    if (elements.rows.even) {
      const Rows& rows = elements.rows;
      const std::int64_t first = rows.first, warp = rows.warp_step, lane = rows.lane_step;
      return lanes_of([=](int k, int j) { return first + warp * k + lane * j; });
    }
    return lanes_of([&](int k, int j) { return elements.rows.at(k, j); });
  case Form::folded: return lanes_of([&](int k, int j) { return elements.rows.at(k, j); });
  case Form::vector: break;
  }
  if (elements.type == Scalar::int32) {
    const auto* words = elements.words<std::int32_t>();
    return lanes_of([=](int k, int j) -> std::int64_t { return words[k * shape.width + j]; });
  }
  const auto* words = elements.words<std::int64_t>();
  lanes_of([=](int k, int j) { return words[k * shape.width + j]; });
}

/// Calls f(e, i, n) for each range of n lanes, from lane i on, that has elements e, e + 1, …; false
/// where lanes are not side by side.
template <class F>
bool each_range(const Register& elements, const Shape& shape, const Mask& mask,
                const LaneSets& sets, F f) {
  if (!has_rows(elements) || elements.rows.lane_step != 1) return false;
  const Rows& rows = elements.rows;
  const int width = shape.width, row = rows.row(width);
  const bool plain = elements.form == Form::rows;
  if (mask.full && plain && rows.even && rows.warp_step == width) {
    f(rows.first, 0, sets.part(mask).lanes());
    return true;
  }
  const std::uint8_t* active = sets.lanes(mask);
  const std::int32_t* counts = sets.counts(mask);
  for (int k = 0; k < mask.end; ++k) {
    if (counts[k] == 0) continue;
    const int i = k * width;
    if (counts[k] == width) {
      each_row(rows, width,
               [&](int j, std::int64_t offset) { f(rows.base(k) + offset, i + j, row); });
      continue;
    }
    for (int j = 0; j < width; ++j)
      if (active[i + j]) f(rows.at(k, j), i + j, 1);
  }
  return true;
}

} // namespace

bool Tile::read_words(const Made& made, ArrayView& array) {
  const Register& elements = *made.elements;
  const bool anywhere = made.mask->whole || launch_.facts.writes_all[made.site];
  with_type(array.type, [&](auto word) {
    using T = decltype(word);
    const T* from = reinterpret_cast<const T*>(array.data);
    if (elements.form == Form::uniform && anywhere)
      return make_uniform(values_.out(), to_value(from[elements.value.integer()]));
    const Shape& shape = values_.shape();
    T* to = make_vector<T>(values_.out(), shape);
    if (made.mask->full && elements.form == Form::rows && elements.rows.lane_step == 2)
      return read_pairs(from, elements.rows, values_.sets().part(*made.mask), to);
    const bool ranges =
        each_range(elements, shape, *made.mask, values_.sets(),
                   [&](std::int64_t e, int i, int n) { std::copy_n(from + e, n, to + i); });
    if (!ranges)
      each_lane(elements, shape, *made.mask, values_.sets(),
                [=](std::int64_t e, int i) { to[i] = from[e]; });
  });
  return true;
}

// In lane order: of lanes that write one word the highest-numbered wins.
bool Tile::write_words(const Made& made, ArrayView& array, const Register& values) {
  const Register& elements = *made.elements;
  const Shape& shape = values_.shape();
  with_type(array.type, [&](auto word) {
    using T = decltype(word);
    T* to = reinterpret_cast<T*>(array.data);
    if (values.form == Form::uniform) {
      const T value = to_word<T>(values.value);
      const bool ranges =
          each_range(elements, shape, *made.mask, values_.sets(),
                     [&](std::int64_t e, int, int n) { std::fill_n(to + e, n, value); });
      if (!ranges)
        each_lane(elements, shape, *made.mask, values_.sets(),
                  [=](std::int64_t e, int) { to[e] = value; });
      return;
    }
    const T* from = values_.words<T>(values, 2, values_.sets().part(*made.mask));
    const bool ranges =
        each_range(elements, shape, *made.mask, values_.sets(),
                   [&](std::int64_t e, int i, int n) { std::copy_n(from + i, n, to + e); });
    if (!ranges)
      each_lane(elements, shape, *made.mask, values_.sets(),
                [=](std::int64_t e, int i) { to[e] = from[i]; });
  });
  if (array.unwritten > 0) mark_written(made, array);
  return true;
}

// Of shared arrays, whose words have no value before they are written.
bool Tile::written(const Made& made, ArrayView& array) {
  if (array.unwritten == 0) return true;
  bool all = true;
  each_lane(*made.elements, values_.shape(), *made.mask, values_.sets(),
            [&](std::int64_t e, int) { all &= array.written[static_cast<std::size_t>(e)] != 0; });
  return all || refuse();
}

void Tile::mark_written(const Made& made, ArrayView& array) {
  each_lane(*made.elements, values_.shape(), *made.mask, values_.sets(), [&](std::int64_t e, int) {
    std::uint8_t& mark = array.written[static_cast<std::size_t>(e)];
    array.unwritten -= mark ? 0 : 1;
    mark = 1;
  });
}

} // namespace memlane::fast
