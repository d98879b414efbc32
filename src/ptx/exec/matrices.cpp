// wmma and mma: fragments of matrices in registers, their way from and to memory, and products (PTX
// ISA 9.0, section 9.7.15). PTX leaves open in which order and how exactly products of fewer than
// 32 bits are added: here they are added as doubles, and the sum with c is rounded once.
#include "matrices.hpp"

#include "places.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace memlane::ptx {

namespace {

#include "halves.hpp"

/// All lanes of the warp take part.
bool are_all_there(Warp& warp, const Step& step) {
  if (warp.mask == all_lanes) return true;
  report(warp, step, {FaultKind::absent, std::countr_zero(warp.mask), Space::generic, 0, 0, &step});
  return false;
}

/// The access of a fragment's register, or of one of its elements, for all lanes.
class FragmentAccess {
public:
  FragmentAccess(Warp& warp, const Step& step, bool writes)
      : warp_(warp), step_(step), fragment_(fragment_in_memory(*step.op)),
        by_rows_(step.op->words.has(Word::row)), writes_(writes),
        whole_(fragment_.follow_each_other(by_rows_)),
        bytes_(whole_ ? bytes_of(fragment_.type) * fragment_.elements : bytes_of(fragment_.type)) {}

  const Fragment& fragment() const { return fragment_; }
  int bytes() const { return bytes_; }
  /// Accesses of a register.
  int parts() const { return whole_ ? 1 : fragment_.elements; }

  /// False: there is a fault.
  bool find(int reg, int part, Places& places) {
    const Place row = warp_.scratch;
    auto* const addresses = destination<std::uint64_t>(warp_, row);
    for (int l = 0; l < warp_lanes; ++l) {
      std::uint64_t address = read_row(warp_, step_.b, step_.bits_a, l) +
                              static_cast<std::uint64_t>(step_.value + offset(l, reg, part));
      if (step_.bits_a == 32) address &= 0xffffffff;
      addresses[l] = address;
    }
    return find_places(warp_, step_, {step_.op->space, row, 64, 0, bytes_, writes_}, places);
  }

private:
  std::int64_t offset(int lane, int reg, int part) const {
    const MatrixPlace at = fragment_.place(lane, reg, part);
    const std::int64_t line = step_.c >= 0
                                  ? std::int64_t{source<std::uint32_t>(warp_, step_.c)[lane]}
                                  : (by_rows_ ? fragment_.columns() : fragment_.rows());
    return bytes_of(fragment_.type) *
           (by_rows_ ? at.row * line + at.column : at.column * line + at.row);
  }

  Warp& warp_;
  const Step& step_;
  Fragment fragment_;
  bool by_rows_, writes_, whole_;
  int bytes_;
};

// Elements of a register as numbers, and back.

/// Of f32 and tf32, whose last 13 digits tensor cores do not look at.
float number_of(std::uint32_t bits, Type type) {
  return __builtin_bit_cast(float, type == Type::tf32 ? bits & ~std::uint32_t{0x1fff} : bits);
}
double element_of(std::uint64_t bits, Type type, int element) {
  const auto half = static_cast<std::uint16_t>(bits >> (16 * element));
  const auto byte = static_cast<std::uint8_t>(bits >> (8 * element));
  switch (type) {
  case Type::f16: return static_cast<double>(Half::to(half));
  case Type::bf16: return static_cast<double>(Brain::to(half));
  case Type::s8: return static_cast<std::int8_t>(byte);
  case Type::u8: return byte;
  case Type::s32: return static_cast<std::int32_t>(bits);
  case Type::f64: return __builtin_bit_cast(double, bits);
  default: return static_cast<double>(number_of(static_cast<std::uint32_t>(bits), type));
  }
}
/// Integers are exact in doubles: 32 products of bytes and c.
std::uint64_t bits_of_sum(double sum, Type type, bool saturates) {
  constexpr double least = std::numeric_limits<std::int32_t>::min(),
                   most = std::numeric_limits<std::int32_t>::max();
  switch (type) {
  case Type::f16: return Half::of(sum);
  case Type::f64: return __builtin_bit_cast(std::uint64_t, sum);
  case Type::s32:
    return static_cast<std::uint32_t>(
        static_cast<std::int64_t>(saturates ? std::clamp(sum, least, most) : sum));
  default:
    return sum != sum ? 0x7fffffff : __builtin_bit_cast(std::uint32_t, static_cast<float>(sum));
  }
}

int bits_of_registers(Type type) { return type == Type::f64 ? 64 : 32; }

/// All elements, row by row.
std::vector<double> gathered(const Warp& warp, const Fragment& fragment, const Place* registers) {
  std::vector<double> all(static_cast<std::size_t>(fragment.rows() * fragment.columns()));
  for (int reg = 0; reg < fragment.distinct; ++reg)
    for (int l = 0; l < warp_lanes; ++l) {
      const std::uint64_t bits =
          read_row(warp, registers[reg], bits_of_registers(fragment.type), l);
      for (int element = 0; element < fragment.elements; ++element) {
        const MatrixPlace at = fragment.place(l, reg, element);
        all[static_cast<std::size_t>(at.row * fragment.columns() + at.column)] =
            element_of(bits, fragment.type, element);
      }
    }
  return all;
}

} // namespace

void load_fragment(Warp& warp, const Step& step) {
  if (!are_all_there(warp, step)) return;
  FragmentAccess access(warp, step, false);
  const Fragment& fragment = access.fragment();
  for (int reg = 0; reg < fragment.distinct; ++reg) {
    std::uint64_t values[warp_lanes] = {};
    for (int part = 0; part < access.parts(); ++part) {
      Places places;
      if (!access.find(reg, part, places)) return;
      for (int l = 0; l < warp_lanes; ++l)
        if ((places.mask >> l & 1) != 0)
          values[l] |= read_bytes(places.at[l], access.bytes(), false)
                       << (8 * access.bytes() * part);
    }
    for (int copy = reg; copy < fragment.registers; copy += fragment.distinct)
      for (int l = 0; l < warp_lanes; ++l)
        write_row(warp, step.elements[copy], bits_of_registers(fragment.type), l, values[l]);
  }
}

void store_fragment(Warp& warp, const Step& step) {
  if (!are_all_there(warp, step)) return;
  FragmentAccess access(warp, step, true);
  const Fragment& fragment = access.fragment();
  const auto bytes = static_cast<std::size_t>(access.bytes());
  for (int reg = 0; reg < fragment.distinct; ++reg)
    for (int part = 0; part < access.parts(); ++part) {
      Places places;
      if (!access.find(reg, part, places)) return;
      for (int l = 0; l < warp_lanes; ++l) {
        if ((places.mask >> l & 1) == 0) continue;
        const std::uint64_t value =
            read_row(warp, step.elements[reg], bits_of_registers(fragment.type), l) >>
            (8 * access.bytes() * part);
        std::memcpy(places.at[l], &value, bytes);
      }
    }
}

void multiply_matrices(Warp& warp, const Step& step) {
  if (!are_all_there(warp, step)) return;
  const Operation& op = *step.op;
  const MatrixShape shape = shape_of(op.words);
  const auto fragment = [&](MatrixRole role, Type type) {
    return fragment_of(op.opcode, shape, role, type);
  };
  const Fragment of_d = fragment(MatrixRole::c, op.type), of_a = fragment(MatrixRole::a, op.other),
                 of_b = fragment(MatrixRole::b, op.of_b), of_c = fragment(MatrixRole::c, op.of_c);
  const Place* const d = step.elements;
  const Place* const first_a = d + of_d.registers;
  const Place* const first_b = first_a + of_a.registers;
  const std::vector<double> a = gathered(warp, of_a, first_a), b = gathered(warp, of_b, first_b),
                            c = gathered(warp, of_c, first_b + of_b.registers);
  const auto sum = [&](const MatrixPlace& at) {
    const auto term = [&](int k, double added) {
      return std::fma(a[static_cast<std::size_t>(at.row * shape.k + k)],
                      b[static_cast<std::size_t>(k * shape.n + at.column)], added);
    };
    const double before = c[static_cast<std::size_t>(at.row * shape.n + at.column)];
    const bool in_order = op.type == Type::f64; // one product after the other, from c on
    double all = in_order ? before : 0;
    for (int k = 0; k < shape.k; ++k) all = term(k, all);
    return in_order ? all : all + before;
  };
  for (int reg = 0; reg < of_d.registers; ++reg)
    for (int l = 0; l < warp_lanes; ++l) {
      std::uint64_t bits = 0;
      for (int element = 0; element < of_d.elements; ++element)
        bits |=
            bits_of_sum(sum(of_d.place(l, reg, element)), op.type, op.words.has(Word::satfinite))
            << (16 * element);
      write_row(warp, d[reg], bits_of_registers(op.type), l, bits);
    }
}

} // namespace memlane::ptx
