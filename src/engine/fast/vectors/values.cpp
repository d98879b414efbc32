// Which way an instruction is done: once for all, warp by warp, or lane by lane.
#include "values.hpp"

#include "wide_lanes.hpp"

#include "memlane/ir/arithmetic.hpp"

#include <algorithm>

namespace memlane::fast {

using ir::Instruction;
using ir::Opcode;
using ir::Scalar;
using ir::Value;

Scalar result_type(const Instruction& in) {
  if (ir::compares(in.op)) return Scalar::boolean;
  switch (in.op) {
  case Opcode::iterations:
  case Opcode::special:
  case Opcode::ballot:
  case Opcode::match: return Scalar::int64;
  case Opcode::any:
  case Opcode::all: return Scalar::boolean;
  default: return in.type;
  }
}

void Values::start(const Shape& shape, std::int64_t threads, std::int32_t registers,
                   const Specials& specials) {
  shape_ = shape;
  specials_ = specials;
  sets_.start(shape, threads, specials.together);
  registers_.resize(static_cast<std::size_t>(registers) + 1);
  for (Register& r : registers_) make_uniform(r, {});
}

bool Values::fits(const Register& r, Scalar type, const Mask& mask) const {
  if (type != Scalar::int32) return true;
  switch (r.form) {
  case Form::uniform: return r.value.integer() == static_cast<std::int32_t>(r.value.integer());
  case Form::rows:
  case Form::folded: return rows_fit(r.rows, shape_, type);
  case Form::vector: break;
  }
  if (r.type != Scalar::int64) return true;
  const auto* words = r.words<std::int64_t>();
  const std::uint8_t* active = sets_.lanes(mask);
  for (int i = 0; i < sets_.part(mask).lanes(); ++i)
    if (active[i] && words[i] != static_cast<std::int32_t>(words[i])) return false;
  return true;
}

namespace {

template <class T>
void blend(const T* fresh, const std::uint8_t* active, int lanes, T* words) {
  each_wide(lanes, [=](int i) { words[i] = active[i] ? fresh[i] : words[i]; });
}

bool fits_32(const Register& r, const Shape& shape) {
  if (r.form == Form::vector) return r.type != Scalar::int64;
  Rows room;
  return rows_fit(as_rows(r, room), shape, Scalar::int32);
}

} // namespace

void Values::commit(ir::Register d, Scalar type, const Mask& mask, bool writes_all) {
  Register& target = (*this)[d];
  if (writes_all || mask.whole) return take_value(out_, target);
  if (target.form == Form::uniform && out_.form == Form::uniform && target.value == out_.value)
    return;
  // A variable's words may be wider than its type: an index counts in 64 bits.
  if (type == Scalar::int32 && !(fits_32(target, shape_) && fits_32(out_, shape_)))
    type = Scalar::int64;
  with_type(type, [&](auto word) {
    using T = decltype(word);
    const Shape part = sets_.part(mask);
    const T* fresh = words<T>(out_, 0, part);
    if (target.form != Form::vector || target.type != type) {
      expand(target, shape_, make_vector<T>(scratch_[1], shape_));
      take_value(scratch_[1], target);
    }
    blend(fresh, sets_.lanes(mask), part.lanes(), target.words<T>());
  });
}

bool Values::special(const Instruction& in) {
  const auto rows = [&](std::int64_t first, std::int64_t warp_step, std::int64_t lane_step) {
    out_.form = Form::rows;
    out_.rows.even = true;
    out_.rows.first = first;
    out_.rows.warp_step = warp_step;
    out_.rows.lane_step = lane_step;
    out_.rows.folds = 0;
  };
  const bool several = specials_.together > 1;
  switch (static_cast<ir::Special>(in.immediate)) {
  case ir::Special::thread: rows(specials_.thread, several ? 0 : shape_.width, 1); break;
  case ir::Special::threads: make_uniform(out_, Value::of(specials_.threads)); break;
  case ir::Special::block:
    if (several) {
      rows(specials_.block, 1, 0);
    } else {
      make_uniform(out_, Value::of(specials_.block));
    }
    break;
  case ir::Special::blocks: make_uniform(out_, Value::of(specials_.blocks)); break;
  case ir::Special::lane: rows(0, 0, 1); break;
  case ir::Special::warp: rows(specials_.warp, several ? 0 : 1, 0); break;
  case ir::Special::warps: make_uniform(out_, Value::of(specials_.warps)); break;
  case ir::Special::index: rows(specials_.index, shape_.width, 1); break;
  }
  return true;
}

bool Values::compute(const Instruction& in, const Mask& mask, bool writes_all) {
  const auto is_uniform = [&](ir::Register r) { return (*this)[r].form == Form::uniform; };
  const auto is_vector = [&](ir::Register r) { return (*this)[r].form == Form::vector; };
  bool done = true;
  if (in.op == Opcode::constant) {
    make_uniform(out_, Value::of(in.immediate));
  } else if (in.op == Opcode::special) {
    done = special(in);
  } else if (in.op == Opcode::move) {
    copy_register((*this)[in.a], shape_, out_, mask.end);
  } else if (is_uniform(in.a) && is_uniform(in.b) && is_uniform(in.c)) {
    const ir::Outcome outcome = ir::apply(in.op, in.type, (*this)[in.a].value, (*this)[in.b].value,
                                          (*this)[in.c].value, static_cast<Scalar>(in.immediate));
    if (outcome.trap) return false;
    make_uniform(out_, outcome.value);
  } else if (is_vector(in.a) || is_vector(in.b) || is_vector(in.c) || !compute_rows(in)) {
    if (in.op == Opcode::convert) {
      done = convert(in, mask);
    } else if (in.op == Opcode::select) {
      done = select(in, mask);
    } else {
      switch (in.type) {
      case Scalar::boolean: done = compute_booleans(in, mask); break;
      case Scalar::int32: done = compute_integers<std::int32_t>(in, mask); break;
      case Scalar::int64: done = compute_integers<std::int64_t>(in, mask); break;
      case Scalar::float32: done = compute_reals<float>(in, mask); break;
      case Scalar::float64: done = compute_reals<double>(in, mask); break;
      }
    }
    if (!done) done = compute_lanes(in, mask);
  }
  if (!done) return false;
  commit(in.d, result_type(in), mask, writes_all);
  return true;
}

// The definition itself, a lane at a time. Results wider than their type (an index that is moved)
// keep their width.
bool Values::compute_lanes(const Instruction& in, const Mask& mask) {
  Scalar type = result_type(in);
  if (type == Scalar::int32 &&
      (in.op == Opcode::select || in.op == Opcode::min || in.op == Opcode::max))
    type = Scalar::int64;
  const Register &a = (*this)[in.a], &b = (*this)[in.b], &c = (*this)[in.c];
  const std::uint8_t* active = sets_.lanes(mask);
  bool whole = true;
  with_type(type, [&](auto word) {
    using T = decltype(word);
    T* to = make_vector<T>(out_, shape_);
    for (int k = 0; k < mask.end && whole; ++k)
      for (int j = 0; j < shape_.width; ++j) {
        const int i = k * shape_.width + j;
        if (!active[i]) continue;
        const ir::Outcome outcome =
            ir::apply(in.op, in.type, value_at(a, shape_, k, j), value_at(b, shape_, k, j),
                      value_at(c, shape_, k, j), static_cast<Scalar>(in.immediate));
        if (outcome.trap) {
          whole = false;
          break;
        }
        to[i] = to_word<T>(outcome.value);
      }
  });
  return whole;
}

} // namespace memlane::fast
