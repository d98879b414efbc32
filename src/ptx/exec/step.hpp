// An operation as the executor runs it: a function, and where its operands are.
#pragma once

#include "memlane/ptx/module.hpp"

#include <cstdint>

namespace memlane::ptx {

inline constexpr int warp_lanes = 32;
inline constexpr std::uint32_t all_lanes = ~std::uint32_t{0};

/// Where an operand's row of 32 values is, or a predicate's 32 bits: bytes from the beginning of
/// the function's frame; plus 1: of the function's constants; plus 2: of the warp's special
/// registers. -1: there is no operand.
using Place = std::int32_t;
inline constexpr Place in_constants = 1, in_specials = 2;

struct Warp;
struct Step;
struct Memories;
using Handler = void (*)(Warp&, const Step&);

struct Step {
  Handler run = nullptr;
  Place d = -1, q = -1, a = -1, b = -1, c = -1, e = -1;
  Place guard = -1; ///< a predicate; -1: none
  bool guard_negated = false, e_negated = false;
  bool ends = false;          ///< a branch of a kernel to its return: its lanes end
  bool begins_loop = false;   ///< a branch behind it, or it, may go to it
  bool may_wait = false;      ///< a branch back over reads of what others may change meanwhile
  bool kernel_param = false;  ///< a load of the kernel's parameters, which all lanes share
  std::int32_t target = -1;   ///< where lanes go on; which call
  std::int32_t meets = -1;    ///< where the lanes of a branch converge
  std::int64_t value = 0;     ///< an address's offset, lop3's table, …
  int bits_d = 0, bits_a = 0; ///< of the registers
  /// Of vectors, those of d, a, b and c behind each other; -1: not wanted.
  const Place* elements = nullptr;
  std::int64_t offset = 0; ///< of a second address
  /// Of shfl.sync and others that name the lanes that take part: the function, and the mask's row.
  Handler together = nullptr;
  Place members = -1;
  const Operation* op = nullptr;
};

/// Calls f(place) for the operands that the step reads, except its guard; -1: there is none.
template <class F>
void for_sources(const Step& step, F f) {
  for (const Place place : {step.a, step.b, step.c, step.e, step.members}) f(place);
  const Operation& op = *step.op;
  int at = op.d.kind == OperandKind::vector ? op.d.count : 0;
  for (const Operand* operand : {&op.a, &op.b, &op.c})
    if (operand->kind == OperandKind::vector)
      for (int k = 0; k < operand->count; ++k) f(step.elements[at++]);
}

/// How often a step was executed with an active lane, for those who count that.
struct StepCount {
  std::int64_t warps = 0, threads = 0;
  bool counted = true;        ///< its executions are added to Warp::counted
  std::int8_t operation = -1; ///< its class, if there is a unit for it
};

/// What the operations of a warp read and write.
struct Warp {
  /// The frame, the constants and the special registers, by the lowest bits of a Place.
  std::uint8_t* base[4] = {nullptr, nullptr, nullptr, nullptr};
  std::uint32_t mask = 0;  ///< lanes that execute the present step
  std::uint32_t carry = 0; ///< the lanes' carry flags
  Memories* memories = nullptr;
  bool faulted = false; ///< the present step has a fault that ends the launch: Memories::fault
  Place scratch = 0;    ///< of the frame: bytes behind its registers (scratch_bytes)
  std::uint32_t inactive_source = 0; ///< lanes that a shuffle gave a value of an inactive lane
  const StepCount* count = nullptr;  ///< of the present step; null: nobody counts
  std::int64_t counted = 0;          ///< steps executed with an active lane (StepCount::counted)
  // Of the latest steps with a unit: their class, and how many there were one after the other.
  std::int8_t operation = -1;
  std::int64_t operated = 0;
};

/// Rows are of 32, 64 or 16 bits; the files that use them are compiled without strict aliasing.
template <class T>
const T* source(const Warp& warp, Place place) {
  return reinterpret_cast<const T*>(warp.base[place & 3] + (place & ~3));
}
template <class T>
T* destination(Warp& warp, Place place) {
  return reinterpret_cast<T*>(warp.base[0] + place);
}
inline std::uint32_t& predicate(Warp& warp, Place place) {
  return *destination<std::uint32_t>(warp, place);
}

/// d[lane] = f(lane) for the lanes of the mask.
template <class T, class F>
void for_lanes(Warp& warp, Place place, F f) {
  T* const d = destination<T>(warp, place);
  if (warp.mask == all_lanes) {
    for (int lane = 0; lane < warp_lanes; ++lane) d[lane] = f(lane);
    return;
  }
  const std::uint32_t mask = warp.mask;
  for (int lane = 0; lane < warp_lanes; ++lane) {
    const T value = f(lane);
    d[lane] = (mask >> lane & 1) != 0 ? value : d[lane];
  }
}

/// The predicate of f(lane) for the lanes of the mask.
template <class F>
std::uint32_t test_lanes(F f) {
  std::uint32_t bits = 0;
  for (int lane = 0; lane < warp_lanes; ++lane) bits |= static_cast<std::uint32_t>(f(lane)) << lane;
  return bits;
}
inline void set_predicate(Warp& warp, Place place, std::uint32_t bits) {
  std::uint32_t& d = predicate(warp, place);
  d = (d & ~warp.mask) | (bits & warp.mask);
}

} // namespace memlane::ptx
