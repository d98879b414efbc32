#include "registers.hpp"

#include "wide_lanes.hpp"

#include <algorithm>
#include <cstring>

namespace memlane::fast {

using ir::Scalar;
using ir::Value;

Value value_at(const Register& r, const Shape& shape, int k, int j) {
  switch (r.form) {
  case Form::uniform: return r.value;
  case Form::rows:
  case Form::folded: return Value::of(r.rows.at(k, j));
  case Form::vector: break;
  }
  return with_type(
      r.type, [&](auto word) { return to_value(r.words<decltype(word)>()[k * shape.width + j]); });
}

bool same_values(const Register& a, const Register& b, const Shape& shape) {
  for (int k = 0; k < shape.warps; ++k)
    for (int j = 0; j < shape.width; ++j)
      if (value_at(a, shape, k, j) != value_at(b, shape, k, j)) return false;
  return true;
}

namespace {

template <class T>
void expand_rows(const Rows& rows, const Shape& shape, T* to) {
  const int row = rows.row(shape.width);
  const auto step = static_cast<std::uint64_t>(rows.lane_step);
  for (int k = 0; k < shape.warps; ++k, to += shape.width)
    each_row(rows, shape.width, [&](int first, std::int64_t offset) {
      const auto base = static_cast<std::uint64_t>(rows.base(k) + offset);
      T* const lanes = to + first;
      each_wide(row, [=](int j) {
        lanes[j] =
            static_cast<T>(static_cast<std::int64_t>(base + step * static_cast<std::uint64_t>(j)));
      });
    });
}

template <class To, class From>
void convert_words(const From* from, int count, To* to) {
  each_wide(count, [=](int i) { to[i] = static_cast<To>(from[i]); });
}

} // namespace

template <class T>
void expand(const Register& from, const Shape& shape, T* to) {
  const int lanes = shape.lanes();
  switch (from.form) {
  case Form::uniform: std::fill_n(to, lanes, to_word<T>(from.value)); return;
  case Form::rows:
  case Form::folded: expand_rows(from.rows, shape, to); return;
  case Form::vector: break;
  }
  with_type(from.type, [&](auto word) {
    using From = decltype(word);
    if constexpr (std::is_same_v<From, T>) {
      std::copy_n(from.words<T>(), lanes, to);
    } else if constexpr (std::is_integral_v<From> == std::is_integral_v<T>) {
      convert_words(from.words<From>(), lanes, to);
    } else {
      // Registers change between integers and reals by `convert` only: these are old words that
      // nothing reads.
      std::fill_n(to, lanes, T{});
    }
  });
}

template void expand(const Register&, const Shape&, std::uint8_t*);
template void expand(const Register&, const Shape&, std::int32_t*);
template void expand(const Register&, const Shape&, std::int64_t*);
template void expand(const Register&, const Shape&, float*);
template void expand(const Register&, const Shape&, double*);

bool each_below(const std::int32_t* words, const Shape& shape, const std::uint8_t* active,
                std::int64_t end) {
  const int lanes = shape.lanes();
  if (end < 1)
    return active && std::none_of(active, active + lanes, [](int on) { return on != 0; });
  // The sign says it: of the word, or of what is left up to the last.
  const auto last = static_cast<std::uint32_t>(std::min<std::int64_t>(end - 1, INT32_MAX));
  std::uint32_t outside = 0;
  const auto looked_at = [=](int i) {
    const auto word = static_cast<std::uint32_t>(words[i]);
    return word | (last - word);
  };
  if (!active) {
    for (int i = 0; i < lanes; ++i) outside |= looked_at(i);
  } else {
    for (int i = 0; i < lanes; ++i) outside |= active[i] ? looked_at(i) : 0;
  }
  return static_cast<std::int32_t>(outside) >= 0;
}

namespace {

void make_rows(Register& r, std::int64_t first, const Pattern& pattern) {
  r.rows.set(pattern);
  r.rows.even = true;
  r.rows.first = first;
  r.rows.warp_step = 0;
  set_form_of_rows(r);
}

/// Whether words of active lanes follow a linear pattern, which `to` gets.
template <class T>
bool find_line(const T* words, int lanes, const std::uint8_t* active, Register& to) {
  int first = 0, last = lanes - 1;
  while (first < last && active[first] == 0) ++first;
  while (first < last && active[last] == 0) --last;
  constexpr std::int64_t most = std::int64_t{1} << 61; // sums of two stay far from the type's end
  if (std::int64_t{words[first]} > most || std::int64_t{words[first]} < -most ||
      std::int64_t{words[last]} > most || std::int64_t{words[last]} < -most)
    return false;
  const std::int64_t span = std::int64_t{words[last]} - std::int64_t{words[first]};
  Pattern line;
  line.lane_step = first < last ? span / (last - first) : 0;
  const std::int64_t base = words[first] - line.lane_step * first;
  for (int j = first; j <= last; ++j)
    if (active[j] != 0 && words[j] != base + line.lane_step * j) return false;
  make_rows(to, base, line);
  return true;
}

} // namespace

void copy_warp(const Register& from, const Shape& shape, int warp, const std::uint8_t* active,
               Register& to) {
  if (from.form == Form::uniform) return make_uniform(to, from.value);
  if (has_rows(from)) return make_rows(to, from.rows.base(warp), from.rows);
  const auto copy = [&](auto word) {
    using T = decltype(word);
    const T* words = from.words<T>() + warp * shape.width;
    if (!find_line(words, shape.width, active, to))
      std::copy_n(words, shape.width, make_vector<T>(to, {1, shape.width}));
  };
  from.type == ir::Scalar::int32 ? copy(std::int32_t{}) : copy(std::int64_t{});
}

void integers_of_warp(const Register& r, const Shape& shape, int warp, std::int64_t* to) {
  if (r.form == Form::uniform) return void(std::fill_n(to, shape.width, r.value.integer()));
  if (r.form == Form::vector) {
    const int first = warp * shape.width;
    if (r.type == ir::Scalar::int32)
      return convert_words(r.words<std::int32_t>() + first, shape.width, to);
    return convert_words(r.words<std::int64_t>() + first, shape.width, to);
  }
  for (int j = 0; j < shape.width; ++j) to[j] = r.rows.at(warp, j);
}

void copy_register(const Register& from, const Shape& shape, Register& to, int warps) {
  if (from.form == Form::uniform) return make_uniform(to, from.value);
  if (has_rows(from)) {
    to.form = from.form;
    to.rows.set_all(from.rows);
    if (!from.rows.even) to.rows.bases = from.rows.bases;
    return;
  }
  with_type(from.type, [&](auto word) {
    using T = decltype(word);
    std::copy_n(from.words<T>(), warps * shape.width, make_vector<T>(to, shape));
  });
}

} // namespace memlane::fast
