// Registers of many threads at once, kept as short as their values allow.
//
// Most values of regular code are equal in all threads, or grow by a constant from lane to lane:
// they are kept as one value, or as a base for each warp and a step from lane to lane, and cost
// nothing for each thread. Only what comes from memory, or from what an operation makes irregular,
// is a vector.
#pragma once

#include "memlane/ir/value.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace memlane::fast {

/// The threads that are executed together: whole warps of one block.
struct Shape {
  int warps = 1;
  int width = 1;
  int lanes() const { return warps * width; }
};

enum class Form : std::uint8_t { uniform, rows, vector };

/// Integers: lane j of warp k holds base(k) + lane_step * j.
struct Rows {
  bool even = true; ///< base(k) = first + warp_step * k, and `bases` is not used
  std::int64_t first = 0;
  std::int64_t warp_step = 0;
  std::int64_t lane_step = 0;
  std::vector<std::int64_t> bases;

  std::int64_t base(int k) const {
    return even ? first + warp_step * k : bases[static_cast<std::size_t>(k)];
  }
  std::int64_t at(int k, int j) const { return base(k) + lane_step * j; }
};

/// One register of all lanes. Integers are stored as int32 or int64, whichever their last writer
/// gave them; a reader of the other type converts. A boolean is a byte, 0 or 1.
struct Register {
  Form form = Form::uniform;
  ir::Scalar type = ir::Scalar::int64; ///< of a vector's words
  ir::Value value;                     ///< uniform
  Rows rows;
  std::unique_ptr<unsigned char[]> data; ///< vector: a word a lane
  int room = 0;                          ///< lanes of `data`, 8 bytes each

  template <class T>
  T* words() {
    return reinterpret_cast<T*>(data.get());
  }
  template <class T>
  const T* words() const {
    return reinterpret_cast<const T*>(data.get());
  }
};

template <class T>
constexpr ir::Scalar scalar_of();
template <>
constexpr ir::Scalar scalar_of<std::uint8_t>() {
  return ir::Scalar::boolean;
}
template <>
constexpr ir::Scalar scalar_of<std::int32_t>() {
  return ir::Scalar::int32;
}
template <>
constexpr ir::Scalar scalar_of<std::int64_t>() {
  return ir::Scalar::int64;
}
template <>
constexpr ir::Scalar scalar_of<float>() {
  return ir::Scalar::float32;
}
template <>
constexpr ir::Scalar scalar_of<double>() {
  return ir::Scalar::float64;
}

/// Calls `f` with a word of the type: with_type(type, [&](auto word) { using T = decltype(word);
/// }).
template <class F>
decltype(auto) with_type(ir::Scalar type, F&& f) {
  switch (type) {
  case ir::Scalar::boolean: return f(std::uint8_t{});
  case ir::Scalar::int32: return f(std::int32_t{});
  case ir::Scalar::int64: return f(std::int64_t{});
  case ir::Scalar::float32: return f(float{});
  case ir::Scalar::float64: break;
  }
  return f(double{});
}

template <class T>
ir::Value to_value(T word) {
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    return ir::Value::of(word != 0);
  } else if constexpr (std::is_integral_v<T>) {
    return ir::Value::of(std::int64_t{word});
  } else {
    return ir::Value::of(static_cast<double>(word));
  }
}

/// Whatever does not fit is cut, as a store to memory does.
template <class T>
T to_word(ir::Value value) {
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    return value.truth() ? 1 : 0;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(value.integer());
  } else {
    return static_cast<T>(value.real());
  }
}

/// The value of one lane of warp k.
ir::Value value_at(const Register& r, const Shape& shape, int k, int j);

/// Makes the register a vector of T without contents, keeping its memory.
template <class T>
T* make_vector(Register& r, const Shape& shape) {
  if (r.room < shape.lanes()) {
    r.room = shape.lanes();
    r.data = std::make_unique_for_overwrite<unsigned char[]>(static_cast<std::size_t>(r.room) * 8);
  }
  r.form = Form::vector;
  r.type = scalar_of<T>();
  return r.words<T>();
}

void make_uniform(Register& r, ir::Value value);

/// All lanes of `from` as words of T into `to`, cut where they do not fit.
template <class T>
void expand(const Register& from, const Shape& shape, T* to);

/// Whether every lane fits `type`, the inactive ones, too; of longs, whether they are below 2^61,
/// so that sums and differences of two cannot overflow.
inline bool rows_fit(const Rows& rows, const Shape& shape, ir::Scalar type) {
  const std::int64_t most = type == ir::Scalar::int32 ? INT32_MAX : std::int64_t{1} << 61;
  const auto good = [&](std::int64_t x) { return x >= -most - 1 && x <= most; };
  std::int64_t across = 0, down = 0, last = 0;
  if (__builtin_mul_overflow(rows.lane_step, shape.width - 1, &across)) return false;
  const auto inside = [&](std::int64_t base) {
    std::int64_t end = 0;
    return good(base) && !__builtin_add_overflow(base, across, &end) && good(end);
  };
  if (rows.even)
    return inside(rows.first) && !__builtin_mul_overflow(rows.warp_step, shape.warps - 1, &down) &&
           !__builtin_add_overflow(rows.first, down, &last) && inside(last);
  return std::all_of(rows.bases.begin(), rows.bases.begin() + shape.warps, inside);
}
/// Whether 0 <= word < end in all lanes, or in those that are active. `active`: null: all are.
bool each_below(const std::int32_t* words, const Shape& shape, const std::uint8_t* active,
                std::int64_t end);
/// Finds out whether the bases are in steps; forgets `bases` if so.
void make_even(Rows& rows, const Shape& shape);
/// A uniform integer or rows, as rows: the register's own, or made in `room`, which is new.
inline const Rows& as_rows(const Register& r, Rows& room) {
  if (r.form == Form::rows) return r.rows;
  room.first = r.value.integer();
  return room;
}

/// A copy of the value; of a vector the words themselves.
void copy_register(const Register& from, const Shape& shape, Register& to);

} // namespace memlane::fast
