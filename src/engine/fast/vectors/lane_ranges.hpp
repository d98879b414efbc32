// Loops over the elements that lanes access, by the forms of a register: consecutive elements as
// ranges, else lane by lane.
#pragma once

#include "registers.hpp"

namespace memlane::fast {

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
  // Local copies: for the compiler, f might write to the shape.
  const int warps = shape.warps, width = shape.width, row = rows.row(width);
  const std::int64_t step = rows.lane_step;
  for (int k = 0; k < warps; ++k)
    each_row(rows, width, [&](int lane, std::int64_t offset) {
      const std::int64_t e = rows.base(k) + offset;
      const int first = k * width + lane;
      for (int j = 0; j < row; ++j) f(e + step * j, first + j);
    });
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
  if (elements.type == ir::Scalar::int32) {
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

} // namespace memlane::fast
