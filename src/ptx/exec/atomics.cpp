#include "memory.hpp"
#include "places.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace memlane::ptx {

namespace {

#include "halves.hpp"

template <class T>
T updated(const Words& words, T old, T b, T c) {
  if (words.has(Word::exch)) return b;
  if (words.has(Word::cas)) return old == b ? c : old;
  if (words.has(Word::add)) {
    if constexpr (std::is_floating_point_v<T>)
      return old + b;
    else
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(old) +
                            static_cast<std::make_unsigned_t<T>>(b));
  }
  if (words.has(Word::min)) return std::min(old, b);
  if (words.has(Word::max)) return std::max(old, b);
  if constexpr (!std::is_floating_point_v<T>) {
    if (words.has(Word::inc)) return old >= b ? T{0} : static_cast<T>(old + 1);
    if (words.has(Word::dec)) return old == 0 || old > b ? b : static_cast<T>(old - 1);
    if (words.has(Word::and_)) return static_cast<T>(old & b);
    if (words.has(Word::or_)) return static_cast<T>(old | b);
    if (words.has(Word::xor_)) return static_cast<T>(old ^ b);
  }
  return old;
}

/// Lane by lane, in rising order. Returns whether a word has changed.
template <class T>
bool update_lanes(Warp& warp, const Step& step, const Places& places) {
  bool changed = false;
  for (int l = 0; l < warp_lanes; ++l) {
    if ((places.mask >> l & 1) == 0) continue;
    T old{};
    std::memcpy(&old, places.at[l], sizeof(T));
    const T b = source<T>(warp, step.b)[l];
    const T c = step.c >= 0 ? source<T>(warp, step.c)[l] : b;
    const T now = updated(step.op->words, old, b, c);
    changed = changed || std::memcmp(&now, &old, sizeof(T)) != 0;
    std::memcpy(places.at[l], &now, sizeof(T));
    if (step.d >= 0) destination<T>(warp, step.d)[l] = old;
  }
  return changed;
}

/// `atom.add` of f16 and bf16, one or two of them.
template <class Format>
std::uint32_t sum_of_halves(std::uint32_t a, std::uint32_t b) {
  std::uint32_t sum = 0;
  for (int k = 0; k < 32; k += 16) {
    const double x = Format::to(static_cast<std::uint16_t>(a >> k));
    const double y = Format::to(static_cast<std::uint16_t>(b >> k));
    sum |= static_cast<std::uint32_t>(Format::of(odd_fma(x, 1, y))) << k;
  }
  return sum;
}
bool update_halves(Warp& warp, const Step& step, const Places& places) {
  bool changed = false;
  const Type type = step.op->type;
  const bool brain = type == Type::bf16 || type == Type::bf16x2;
  const int bits = bits_of(type);
  for (int l = 0; l < warp_lanes; ++l) {
    if ((places.mask >> l & 1) == 0) continue;
    const auto old = static_cast<std::uint32_t>(read_bytes(places.at[l], bits / 8, false));
    const auto b = static_cast<std::uint32_t>(read_row(warp, step.b, bits, l));
    const std::uint32_t now = brain ? sum_of_halves<Brain>(old, b) : sum_of_halves<Half>(old, b);
    changed = changed || now != old;
    std::memcpy(places.at[l], &now, static_cast<std::size_t>(bits / 8));
    if (step.d >= 0) write_row(warp, step.d, bits, l, old);
  }
  return changed;
}

bool update(Warp& warp, const Step& step, const Places& places) {
  switch (step.op->type) {
  case Type::b16: return update_lanes<std::uint16_t>(warp, step, places);
  case Type::b32:
  case Type::u32: return update_lanes<std::uint32_t>(warp, step, places);
  case Type::s32: return update_lanes<std::int32_t>(warp, step, places);
  case Type::b64:
  case Type::u64: return update_lanes<std::uint64_t>(warp, step, places);
  case Type::s64: return update_lanes<std::int64_t>(warp, step, places);
  case Type::f32: return update_lanes<float>(warp, step, places);
  case Type::f64: return update_lanes<double>(warp, step, places);
  default: return update_halves(warp, step, places);
  }
}

} // namespace

/// Sources are in b and c, the address in a. One that leaves all words as they were is no write: a
/// thread that only repeats it waits for others. What is made of a word that nothing has written
/// counts as not written, as the word's old value does; `exch` writes it.
void atomic(Warp& warp, const Step& step) {
  const Operation& op = *step.op;
  const std::int64_t writes = warp.memories->writes;
  Places places;
  const int bytes = bytes_of(op.type);
  if (!find_places(warp, step, {op.space, step.a, step.bits_a, step.value, bytes, true, true},
                   places))
    return;
  if (!update(warp, step, places)) warp.memories->writes = writes;
  if (places.unwritten.mask == 0) return;
  for (std::uint32_t left = places.unwritten.mask; op.words.has(Word::exch) && left != 0;
       left &= left - 1)
    warp.memories->shared_words->write(places.unwritten.address[std::countr_zero(left)],
                                       static_cast<std::uint64_t>(bytes));
  warp.memories->unwritten = places.unwritten;
  warp.faulted = true;
}

} // namespace memlane::ptx
