// What only moves bits of registers moves the marks of their bytes: shuffles, packed registers,
// shifts, masks, chosen bytes, conversions of integers.
#include "places.hpp"
#include "unwritten.hpp"

#include <cstddef>

namespace memlane::ptx {

/// The lanes' marks go where their values go.
void UnwrittenValues::shuffle(const Step& step, Warp& warp) {
  constexpr std::uint32_t made = 0x100; // above the bits of bytes
  const Marks values = find(step.a);
  Step marks = step;
  marks.a = static_cast<Place>(warp.scratch);
  marks.d = marks.a + static_cast<Place>(scratch_bytes / 2);
  marks.q = -1;
  for (int l = 0; l < warp_lanes; ++l) {
    const bool has = (values.lanes >> l & 1) != 0;
    destination<std::uint32_t>(warp, marks.a)[l] =
        (has ? values.bytes[static_cast<std::size_t>(l)] : 0U) | (values.made >> l & 1) * made;
  }
  (step.together ? step.together : step.run)(warp, marks);
  const auto* const moved = source<std::uint32_t>(warp, marks.d);
  Marks found;
  found.origin = values.origin;
  found.lanes = test_lanes([&](int l) { return (moved[l] & (made - 1)) != 0; });
  found.made = test_lanes([&](int l) { return (moved[l] & made) != 0; });
  for (std::size_t l = 0; l < found.bytes.size(); ++l)
    found.bytes[l] = static_cast<std::uint8_t>(moved[l]);
  define(step.q, warp.mask, {});
  define(step.d, warp.mask, found);
}

/// A register into its parts, or out of them.
void UnwrittenValues::move_halves(const Step& step, std::uint32_t mask) {
  const Operation& op = *step.op;
  const bool parts = op.d.kind == OperandKind::vector;
  const int count = parts ? op.d.count : op.a.count;
  const int bytes = bits_of(op.type) / 8 / count;
  const Marks whole = parts ? find(step.a) : Marks{};
  Marks joined;
  for (int k = 0; k < count; ++k) {
    Marks part = parts ? whole : find(step.elements[k]);
    if (part.lanes != 0) joined.origin = part.origin;
    joined.made |= part.made;
    if (parts) part.lanes = 0;
    for (std::size_t l = 0; l < part.bytes.size(); ++l) {
      if (!parts) joined.bytes[l] |= static_cast<std::uint8_t>(part.bytes[l] << k * bytes);
      part.bytes[l] = static_cast<std::uint8_t>(part.bytes[l] >> k * bytes & ((1 << bytes) - 1));
      if (parts && part.bytes[l] != 0) part.lanes |= whole.lanes & std::uint32_t{1} << l;
    }
    joined.lanes |= part.lanes;
    if (parts) define(step.elements[k], mask, part);
  }
  if (!parts) define(step.d, mask, joined);
}

namespace {

/// Bytes as the bits that they have, and those that have bits.
std::uint64_t bits_of_bytes(std::uint8_t bytes) {
  std::uint64_t bits = 0;
  for (int k = 0; k < 8; ++k)
    if ((bytes >> k & 1) != 0) bits |= std::uint64_t{0xff} << 8 * k;
  return bits;
}
std::uint8_t bytes_of_bits(std::uint64_t bits) {
  std::uint8_t bytes = 0;
  for (int k = 0; k < 8; ++k)
    if ((bits >> 8 * k & 0xff) != 0) bytes |= static_cast<std::uint8_t>(1 << k);
  return bytes;
}

/// The unwritten bits of a shift's result; `bits`: those of the shifted value.
std::uint64_t shifted(const Operation& op, std::uint64_t bits, std::uint32_t by) {
  const int width = bits_of(op.type);
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - width);
  if (op.opcode == Opcode::shl) return by < 64 ? bits << by & all : 0;
  const bool fills = is_signed(op.type) && (bits >> (width - 1) & 1) != 0;
  const std::uint64_t above = fills ? ~std::uint64_t{0} << (width - 1) : 0;
  return ((by < 64 ? bits >> by : 0) | above) & all;
}
/// Those of a conversion of integers.
std::uint64_t converted(const Operation& op, std::uint64_t bits) {
  const int from = bits_of(op.other);
  bits &= ~std::uint64_t{0} >> (64 - from);
  const bool fills = is_signed(op.other) && (bits >> (from - 1) & 1) != 0;
  if (fills) bits |= ~std::uint64_t{0} << (from - 1);
  return bits & ~std::uint64_t{0} >> (64 - bits_of(op.type));
}
/// The chosen bytes of two words.
std::uint8_t chosen(std::uint8_t a, std::uint8_t b, std::uint32_t selector) {
  std::uint8_t bytes = 0;
  for (int k = 0; k < 4; ++k) {
    const std::uint32_t which = selector >> 4 * k & 7;
    const int of = which < 4 ? a >> which : b >> (which - 4);
    bytes |= static_cast<std::uint8_t>((of & 1) << k);
  }
  return bytes;
}

/// Of a & b and a | b: a known byte of zeros, or ones, decides.
std::uint8_t masked(const Step& step, const Warp& warp, int lane, std::uint8_t of_a,
                    std::uint8_t of_b) {
  const int bits = bits_of(step.op->type);
  const std::uint64_t a = read_row(warp, step.a, bits, lane),
                      b = read_row(warp, step.b, bits, lane);
  const std::uint64_t decides = step.op->opcode == Opcode::or_ ? 0xff : 0;
  std::uint8_t bytes = 0;
  for (int k = 0; k < bits / 8; ++k) {
    const bool of_own = (of_a >> k & 1) != 0, of_other = (of_b >> k & 1) != 0;
    const bool known = (!of_own && (a >> 8 * k & 0xff) == decides) ||
                       (!of_other && (b >> 8 * k & 0xff) == decides);
    if ((of_own || of_other) && !known) bytes |= static_cast<std::uint8_t>(1 << k);
  }
  return bytes;
}

} // namespace

/// What only moves bits moves the marks of their bytes. False: the step does more.
bool UnwrittenValues::move_bits(const Step& step, const Warp& warp) {
  const Operation& op = *step.op;
  const Marks a = find(step.a), b = find(step.b);
  const bool shifts = op.opcode == Opcode::shl || op.opcode == Opcode::shr;
  const bool converts = op.opcode == Opcode::cvt && !is_float(op.type) && !is_float(op.other) &&
                        !op.words.has(Word::sat);
  const bool chooses = op.opcode == Opcode::prmt && op.words == Words{} && find(step.c).lanes == 0;
  const bool masks =
      (op.opcode == Opcode::and_ || op.opcode == Opcode::or_) && op.type != Type::pred;
  if (!(shifts && b.lanes == 0) && !converts && !chooses && !masks) return false;
  Marks found;
  found.origin = a.lanes != 0 ? a.origin : b.origin;
  found.made = a.made | b.made;
  for (int l = 0; l < warp_lanes; ++l) {
    const auto at = static_cast<std::size_t>(l);
    const std::uint8_t of_a = (a.lanes >> l & 1) != 0 ? a.bytes[at] : 0;
    const std::uint8_t of_b = (b.lanes >> l & 1) != 0 ? b.bytes[at] : 0;
    if ((of_a | of_b) == 0) continue;
    std::uint8_t& bytes = found.bytes[at];
    if (shifts)
      bytes =
          bytes_of_bits(shifted(op, bits_of_bytes(of_a), source<std::uint32_t>(warp, step.b)[l]));
    else if (converts)
      bytes = bytes_of_bits(converted(op, bits_of_bytes(of_a)));
    else if (chooses)
      bytes = chosen(of_a, of_b, source<std::uint32_t>(warp, step.c)[l]);
    else
      bytes = masked(step, warp, l, of_a, of_b);
    found.lanes |= static_cast<std::uint32_t>(bytes != 0) << l;
  }
  define(step.d, warp.mask, found);
  return true;
}

} // namespace memlane::ptx
