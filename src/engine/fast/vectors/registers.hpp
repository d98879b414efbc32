// Registers of many threads at once, kept as short as their values allow.
//
// Most values of regular code are equal in all threads, or follow a pattern over the lanes: they
// are kept as one value, or as a base for each warp and the pattern's steps, and cost nothing for
// each thread. Only what comes from memory, or from what an operation makes irregular, is a vector.
#pragma once

#include "rows.hpp"

#include <memory>

namespace memlane::fast {

/// `folded`: rows with folds; `rows` have none.
enum class Form : std::uint8_t { uniform, rows, folded, vector };

/// One register of all lanes. Integers are stored as int32 or int64, whichever their last writer
/// gave them; a reader of the other type converts. A boolean is a byte, 0 or 1.
struct Register {
  Form form = Form::uniform;
  ir::Scalar type = ir::Scalar::int64; ///< type of a vector's words
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

/// Values that do not fit are cut, as by a store to memory.
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

/// Whether all lanes hold the same bits.
bool same_values(const Register& a, const Register& b, const Shape& shape);

/// Makes the register a vector of T without contents, keeping its memory.
template <class T>
T* make_vector(Register& r, const Shape& shape) {
  if (r.room < shape.lanes()) {
    r.room = shape.lanes();
    r.data.reset(new unsigned char[static_cast<std::size_t>(r.room) * 8]); // not cleared
  }
  r.form = Form::vector;
  r.type = scalar_of<T>();
  return r.words<T>();
}

inline void make_uniform(Register& r, ir::Value value) {
  r.form = Form::uniform;
  r.value = value;
}
/// Moves the value of `from`, which has none then; both keep some memory.
inline void take_value(Register& from, Register& to) {
  to.form = from.form;
  if (from.form == Form::uniform) {
    to.value = from.value;
  } else if (from.form == Form::vector) {
    to.type = from.type;
    std::swap(to.data, from.data);
    std::swap(to.room, from.room);
  } else {
    to.rows.set_all(from.rows);
    if (!from.rows.even) std::swap(to.rows.bases, from.rows.bases);
  }
}

/// All lanes of the shape, which may be the first warps of a larger one, as words of T into `to`,
/// cut where they do not fit.
template <class T>
void expand(const Register& from, const Shape& shape, T* to);

/// Whether 0 <= word < end in all lanes, or in those that are active. `active`: null: all are.
bool each_below(const std::int32_t* words, const Shape& shape, const std::uint8_t* active,
                std::int64_t end);
/// Whether the register's integers follow a pattern; one for all is none.
inline bool has_rows(const Register& r) { return r.form == Form::rows || r.form == Form::folded; }
inline void set_form_of_rows(Register& r) { r.form = r.rows.folds > 0 ? Form::folded : Form::rows; }
/// A uniform integer or rows, as rows: the register's own, or made in `room`, which is new or was
/// used here only.
inline const Rows& as_rows(const Register& r, Rows& room) {
  if (has_rows(r)) return r.rows;
  room.first = r.value.integer();
  return room;
}

/// A copy of the integers that one warp holds, as the only warp of `to`: as rows if those of active
/// lanes allow it. Lanes that are not active may get others.
void copy_warp(const Register& from, const Shape& shape, int warp, const std::uint8_t* active,
               Register& to);
/// The integers of the lanes of one warp.
void integers_of_warp(const Register& r, const Shape& shape, int warp, std::int64_t* to);
/// A copy of the value; of a vector, the words of the first `warps`.
void copy_register(const Register& from, const Shape& shape, Register& to, int warps);
inline void copy_register(const Register& from, const Shape& shape, Register& to) {
  copy_register(from, shape, to, shape.warps);
}

// Which lanes are active. Mostly all are: this case costs nothing.

/// A set of the tile's lanes.
struct Mask {
  bool whole = false;               ///< every thread there is; then the vectors are not used
  std::vector<std::uint8_t> lanes;  ///< 1: active
  std::vector<std::int32_t> counts; ///< active lanes of each warp
  int active_warps = 0;
  int end = 0;             ///< no warp from this one on has an active lane
  bool full = false;       ///< all lanes of the warps before `end` are active
  std::int64_t active = 0; ///< lanes
};

/// The lanes of a tile and operations on sets of them. The last warp may have missing threads, and
/// so may each warp that is a block.
class LaneSets {
public:
  /// `threads`: of each of so many blocks; of several, each is one warp.
  void start(const Shape& shape, std::int64_t threads, std::int64_t blocks = 1);

  /// All threads: `whole`, with its vectors filled in.
  const Mask& all() const { return all_; }
  /// The warps up to the last with an active lane.
  Shape part(const Mask& mask) const { return {mask.end, shape_.width}; }

  const std::uint8_t* lanes(const Mask& mask) const {
    return (mask.whole ? all_ : mask).lanes.data();
  }
  /// Null where no lane before mask.end is missing.
  const std::uint8_t* lanes_if_some(const Mask& mask) const {
    return mask.full ? nullptr : lanes(mask);
  }
  const std::int32_t* counts(const Mask& mask) const {
    return (mask.whole ? all_ : mask).counts.data();
  }
  /// Whether each warp has all its threads in the mask, or none.
  bool whole_warps(const Mask& mask) const;

  void set_all(Mask& mask) const;
  /// The mask of these lanes of the shape.
  void set(const std::uint8_t* lanes, Mask& mask) const;
  void set_none(Mask& mask) const;
  /// Lanes of `mask` where the boolean register holds go to `yes`, the others to `no`.
  void split(const Mask& mask, const Register& condition, Mask& yes, Mask& no) const;
  /// Adds the lanes of `other`, which `mask` does not have.
  void unite(Mask& mask, const Mask& other) const;

private:
  void count(Mask& mask) const;

  Shape shape_;
  std::int64_t blocks_ = 0;
  Mask all_;
};

} // namespace memlane::fast
