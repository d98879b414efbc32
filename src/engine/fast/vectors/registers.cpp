#include "registers.hpp"

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

namespace {

template <class T>
void expand_rows(const Rows& rows, const Shape& shape, T* to) {
  const int row = rows.row(shape.width);
  const auto step = static_cast<std::uint64_t>(rows.lane_step);
  for (int k = 0; k < shape.warps; ++k, to += shape.width)
    each_row(rows, shape.width, [&](int first, std::int64_t offset) {
      const auto base = static_cast<std::uint64_t>(rows.base(k) + offset);
      T* const lanes = to + first;
      for (int j = 0; j < row; ++j)
        lanes[j] =
            static_cast<T>(static_cast<std::int64_t>(base + step * static_cast<std::uint64_t>(j)));
    });
}

template <class To, class From>
void convert_words(const From* from, int count, To* to) {
  for (int i = 0; i < count; ++i) to[i] = static_cast<To>(from[i]);
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
