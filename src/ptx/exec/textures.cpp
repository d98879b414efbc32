#include "textures.hpp"

#include "places.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

namespace memlane::ptx {

namespace {

#include "halves.hpp"

constexpr int most_channels = 4;
/// What a step gives its lanes: zeros where a fault is allowed.
using Values = std::uint64_t[most_channels][warp_lanes];

/// Calls f(object, lanes) for the lanes of each object, in the order of the first lanes. Lanes with
/// different objects access memory one object after the other.
template <class F>
void for_objects(Warp& warp, const Step& step, F f) {
  const TextureObjects& objects = warp.memories->device->objects;
  const Opcode opcode = step.op->opcode;
  const bool is_surface = opcode == Opcode::suld || opcode == Opcode::sust || opcode == Opcode::suq;
  const auto* const numbers = source<std::uint64_t>(warp, step.b);
  for (std::uint32_t left = warp.mask; left != 0 && !warp.faulted;) {
    const int first = std::countr_zero(left);
    const std::uint64_t number = numbers[first];
    const std::uint32_t lanes = left & test_lanes([&](int l) { return numbers[l] == number; });
    left &= ~lanes;
    const TextureObject* const object = objects.find(number);
    if (object && object->sampler.has_value() != is_surface) {
      f(*object, lanes);
      continue;
    }
    std::string detail = objects.is_removed(number) ? fmt::format("{} has been destroyed", number)
                         : object
                             ? fmt::format("{} is a {}", number, is_surface ? "texture" : "surface")
                             : fmt::format("{:#x} is not the number of one", number);
    for (std::uint32_t each = lanes; each != 0; each &= each - 1)
      if (!report(
              warp, step,
              {FaultKind::no_object, std::countr_zero(each), Space::generic, 0, 0, &step, detail}))
        return;
  }
}

/// The places of one access of these lanes, which is told to who watches. False: there is a fault.
bool find_texels(Warp& warp, const Step& step, std::uint32_t lanes,
                 const std::uint64_t (&addresses)[warp_lanes], int bytes, bool writes,
                 Places& places) {
  if (lanes == 0) return true;
  std::memcpy(destination<std::uint64_t>(warp, warp.scratch), addresses, sizeof addresses);
  const std::uint32_t mask = std::exchange(warp.mask, lanes);
  const bool good =
      find_places(warp, step, {Space::global, warp.scratch, 64, 0, bytes, writes}, places);
  warp.mask = mask;
  return good;
}

/// The bits of the step's k-th coordinate in a lane.
std::uint32_t coordinate(const Warp& warp, const Step& step, int k, int lane) {
  const Operation& op = *step.op;
  const int first = op.d.kind == OperandKind::vector ? op.d.count : 0;
  return source<std::uint32_t>(warp, step.elements[first + k])[lane];
}
/// The number of the lane's layer, which has no sign; without layers 0.
std::int64_t layer_of(const Warp& warp, const Step& step, int lane) {
  return has_layer(step.op->words) ? std::int64_t{coordinate(warp, step, 0, lane)} : 0;
}
/// `byte`: of the row.
std::uint64_t address_of(const TexelArray& texels, std::int64_t byte, std::int64_t row,
                         std::int64_t slice) {
  return texels.address +
         static_cast<std::uint64_t>(slice * texels.slice_bytes + row * texels.row_bytes + byte);
}

void write_values(Warp& warp, const Step& step, const Values& values) {
  if (warp.faulted) return;
  for (int k = 0; k < step.op->d.count; ++k)
    for (std::uint32_t left = warp.mask; left != 0 && step.elements[k] >= 0; left &= left - 1) {
      const int l = std::countr_zero(left);
      write_row(warp, step.elements[k], step.bits_d, l, values[k][l]);
    }
}

// --- textures

/// The texel that stands for number `at` of n; -1: the border.
std::int64_t addressed(std::int64_t at, std::int64_t n, Addressing mode) {
  if (at >= 0 && at < n) return at;
  switch (mode) {
  case Addressing::border: return -1;
  case Addressing::clamp: return at < 0 ? 0 : n - 1;
  case Addressing::wrap: return (at % n + n) % n;
  case Addressing::mirror: {
    const std::int64_t within = (at % (2 * n) + 2 * n) % (2 * n);
    return within < n ? within : 2 * n - 1 - within;
  }
  }
  return -1;
}

/// A channel as the texture gives it: bits of an integer or of a float.
std::uint32_t channel_value(const TexelFormat& format, bool normalizes, const std::uint8_t* at) {
  const int bytes = format.bits / 8;
  const bool sign = format.kind == ChannelKind::signed_;
  const auto bits = static_cast<std::uint32_t>(read_bytes(at, bytes, sign));
  const auto of_float = [](float value) { return __builtin_bit_cast(std::uint32_t, value); };
  if (format.kind == ChannelKind::floating)
    return format.bits == 16 ? of_float(Half::to(static_cast<std::uint16_t>(bits))) : bits;
  if (!normalizes || format.bits == 32) return bits;
  const float most = static_cast<float>((1 << (format.bits - (sign ? 1 : 0))) - 1);
  return of_float(sign ? std::max(static_cast<float>(static_cast<std::int32_t>(bits)) / most, -1.0F)
                       : static_cast<float>(bits) / most);
}

/// Where a direction meets a cube: on which face, and the place there, from 0 to 1 (CUDA
/// Programming Guide, "Cubemap Textures"). Faces are those of x, -x, y, -y, z and -z. Where the
/// guide leaves a choice, at edges, x comes first, then y.
struct CubePlace {
  int face = 0;
  double at[2] = {};
};
CubePlace place_on_cube(double x, double y, double z) {
  const double of_x = std::abs(x), of_y = std::abs(y), of_z = std::abs(z);
  const auto made = [](bool negative, int axis, double most, double s, double t) {
    return CubePlace{2 * axis + (negative ? 1 : 0), {(s / most + 1) / 2, (t / most + 1) / 2}};
  };
  if (of_x >= of_y && of_x >= of_z) return made(x < 0, 0, of_x, x < 0 ? z : -z, -y);
  if (of_y >= of_z) return made(y < 0, 1, of_y, x, y < 0 ? -z : z);
  return made(z < 0, 2, of_z, z < 0 ? -x : x, -y);
}

/// Reads of one texture by some lanes.
class TextureReader {
public:
  TextureReader(Warp& warp, const Step& step, const TextureObject& texture, std::uint32_t lanes)
      : warp_(warp), step_(step), texels_(texture.texels), sampler_(*texture.sampler),
        lanes_(lanes), dimensions_(dimensions_of(step.op->words)),
        is_cube_(is_cube(step.op->words)),
        has_floats_(texels_.format.kind == ChannelKind::floating ||
                    (sampler_.normalizes_values && texels_.format.bits < 32)),
        gathers_(step.op->opcode == Opcode::tld4),
        is_linear_(sampler_.is_linear && has_floats_ && step.op->other == Type::f32 && !gathers_) {
    for (std::uint32_t left = lanes; left != 0; left &= left - 1) find_lane(std::countr_zero(left));
  }

  void read(Values& values) {
    double sums[most_channels][warp_lanes] = {};
    const int corners = is_linear_ || gathers_ ? 1 << dimensions_ : 1;
    for (int corner = 0; corner < corners; ++corner) {
      Places places;
      std::uint32_t inside = 0;
      if (!find_corner(corner, inside, places)) return;
      for (std::uint32_t left = lanes_; left != 0; left &= left - 1) {
        const int l = std::countr_zero(left);
        if ((inside & ~places.mask) >> l & 1) continue; // a fault that is allowed
        const std::uint8_t* const at = (inside >> l & 1) != 0 ? places.at[l] : nullptr;
        if (gathers_) {
          // From the corner below at the left, against the clock: rows go down.
          constexpr int place_of_corner[] = {3, 2, 0, 1};
          values[place_of_corner[corner]][l] = channel(gathered_channel(), at);
          continue;
        }
        for (int k = 0; k < texels_.format.channels; ++k) {
          const std::uint32_t bits = channel(k, at);
          if (is_linear_)
            sums[k][l] += weight(corner, l) * double{__builtin_bit_cast(float, bits)};
          else
            values[k][l] = bits;
        }
      }
    }
    for (std::uint32_t left = is_linear_ ? lanes_ : 0; left != 0; left &= left - 1)
      for (int k = 0; k < texels_.format.channels; ++k) {
        const int l = std::countr_zero(left);
        values[k][l] = __builtin_bit_cast(std::uint32_t, static_cast<float>(sums[k][l]));
      }
  }

private:
  /// The first texel and, of a mean, the weight of the next one in each dimension.
  void find_lane(int lane) {
    const int first = has_layer(step_.op->words) ? 1 : 0;
    CubePlace on_cube;
    if (is_cube_) {
      const auto of = [&](int k) {
        return double{__builtin_bit_cast(float, coordinate(warp_, step_, first + k, lane))};
      };
      on_cube = place_on_cube(of(0), of(1), of(2));
      faces_[lane] = on_cube.face;
    }
    for (int k = 0; k < dimensions_; ++k) {
      const std::uint32_t bits = coordinate(warp_, step_, first + k, lane);
      if (step_.op->other != Type::f32) {
        at_[k][lane] = static_cast<std::int32_t>(bits);
        continue;
      }
      constexpr double most = 0x1p40; // beyond all texels
      const double given = is_cube_ ? on_cube.at[k] : double{__builtin_bit_cast(float, bits)};
      const double size = sampler_.has_normalized_places || is_cube_
                              ? static_cast<double>(texels_.extent[static_cast<std::size_t>(k)])
                              : 1;
      const double half = is_linear_ || gathers_ ? 0.5 : 0;
      const double place = given == given ? std::clamp(given * size - half, -most, most) : 0;
      at_[k][lane] = static_cast<std::int64_t>(std::floor(place));
      // A fixed-point number with 8 bits behind the point; it may be 1.
      next_[k][lane] = std::floor((place - std::floor(place)) * 256 + 0.5) / 256;
    }
  }

  Addressing addressing(int k) const {
    const Addressing mode = sampler_.addressing[static_cast<std::size_t>(k)];
    const bool repeats = mode == Addressing::wrap || mode == Addressing::mirror;
    const bool may_repeat = sampler_.has_normalized_places && step_.op->other == Type::f32;
    return repeats && !may_repeat ? Addressing::clamp : mode;
  }

  /// The access of one corner of all lanes' filters; bit k of its number: the next texel in
  /// dimension k. False: there is a fault.
  bool find_corner(int corner, std::uint32_t& inside, Places& places) {
    std::uint64_t addresses[warp_lanes] = {};
    for (std::uint32_t left = lanes_; left != 0; left &= left - 1) {
      const int l = std::countr_zero(left);
      std::int64_t at[3] = {0, 0, 0};
      bool is_inside = true;
      for (int k = 0; k < dimensions_; ++k) {
        at[k] = addressed(at_[k][l] + (corner >> k & 1),
                          texels_.extent[static_cast<std::size_t>(k)], addressing(k));
        is_inside = is_inside && at[k] >= 0;
      }
      if (!is_inside) continue;
      addresses[l] = address_of(texels_, at[0] * texels_.format.bytes(), at[1], at[2] + layer(l));
      inside |= std::uint32_t{1} << l;
    }
    return find_texels(warp_, step_, inside, addresses, texels_.format.bytes(), false, places);
  }

  /// The layer that a lane reads, the last one for those beyond it. A cube has six.
  std::int64_t layer(int lane) const {
    const std::int64_t of_each = is_cube_ ? 6 : 1;
    const std::int64_t all = std::max<std::int64_t>(texels_.layers, 1);
    const std::int64_t most = std::max<std::int64_t>(all / of_each, 1) - 1;
    return std::min(std::min(layer_of(warp_, step_, lane), most) * of_each + faces_[lane], all - 1);
  }

  double weight(int corner, int lane) const {
    double product = 1;
    for (int k = 0; k < dimensions_; ++k)
      product *= (corner >> k & 1) != 0 ? next_[k][lane] : 1 - next_[k][lane];
    return product;
  }

  /// Of the texel there; null: of the border.
  std::uint32_t channel(int k, const std::uint8_t* at) const {
    if (k >= texels_.format.channels) return 0;
    if (at)
      return channel_value(texels_.format, sampler_.normalizes_values,
                           at + k * texels_.format.bits / 8);
    const float border = sampler_.border[static_cast<std::size_t>(k)];
    return has_floats_ ? __builtin_bit_cast(std::uint32_t, border)
                       : static_cast<std::uint32_t>(
                             static_cast<std::int64_t>(std::clamp(border, -0x1p31F, 0x1p32F)));
  }
  int gathered_channel() const {
    const Words& words = step_.op->words;
    return words.has(Word::r)           ? 0
           : words.has(Word::channel_g) ? 1
           : words.has(Word::matrix_b)  ? 2
                                        : 3;
  }

  Warp& warp_;
  const Step& step_;
  const TexelArray& texels_;
  const Sampler& sampler_;
  std::uint32_t lanes_;
  int dimensions_;
  bool is_cube_, has_floats_, gathers_, is_linear_;
  int faces_[warp_lanes] = {};
  std::int64_t at_[3][warp_lanes] = {};
  double next_[3][warp_lanes] = {};
};

// --- surfaces

/// The first byte of an access in its row, its row, its slice or layer: within the surface, or
/// moved to the nearest place there (.clamp). False: it is outside.
bool place_in_surface(const TexelArray& texels, const Words& words, std::int64_t bytes,
                      std::int64_t (&at)[3], std::int64_t& layer) {
  const std::int64_t ends[] = {texels.extent[0] * texels.format.bytes() - bytes + 1,
                               texels.extent[1], texels.extent[2],
                               std::max<std::int64_t>(texels.layers, 1)};
  bool inside = true;
  for (int k = 0; k < 4; ++k) {
    std::int64_t& one = k < 3 ? at[k] : layer;
    if (one >= 0 && one < ends[k]) continue;
    if (!words.has(Word::clamp) || ends[k] <= 0)
      inside = false;
    else
      one = one < 0 ? 0 : ends[k] - 1;
  }
  return inside;
}

/// The places of the lanes' accesses to one surface. False: there is a fault.
bool find_in_surface(Warp& warp, const Step& step, const TexelArray& texels, std::uint32_t lanes,
                     bool writes, Places& places) {
  const Operation& op = *step.op;
  const int bytes = bytes_of(op.type) * op.lanes_of_vector;
  const int first = has_layer(op.words) ? 1 : 0;
  std::uint64_t addresses[warp_lanes] = {};
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const int l = std::countr_zero(left);
    std::int64_t at[3] = {0, 0, 0};
    for (int k = 0; k < dimensions_of(op.words); ++k)
      at[k] = static_cast<std::int32_t>(coordinate(warp, step, first + k, l));
    std::int64_t layer = layer_of(warp, step, l);
    if (place_in_surface(texels, op.words, bytes, at, layer)) {
      addresses[l] = address_of(texels, at[0], at[1], at[2] + layer);
      continue;
    }
    lanes &= ~(std::uint32_t{1} << l);
    if (!op.words.has(Word::trap)) continue;
    if (!report(
            warp, step,
            {FaultKind::outside, l, Space::generic, 0, bytes, &step,
             fmt::format("byte {} of row {}, slice {}; it has {} in a row, {}, {}", at[0], at[1],
                         at[2] + layer, counted(texels.extent[0] * texels.format.bytes(), "byte"),
                         counted(texels.extent[1], "row"),
                         counted(std::max(texels.extent[2], texels.layers), "slice"))}))
      return false;
  }
  return find_texels(warp, step, lanes, addresses, bytes, writes, places);
}

} // namespace

void read_texture(Warp& warp, const Step& step) {
  Values values = {};
  for_objects(warp, step, [&](const TextureObject& texture, std::uint32_t lanes) {
    TextureReader(warp, step, texture, lanes).read(values);
  });
  write_values(warp, step, values);
  if (step.q >= 0) set_predicate(warp, step.q, all_lanes); // all texels are there
}

void read_surface(Warp& warp, const Step& step) {
  Values values = {};
  const int bytes = bytes_of(step.op->type);
  for_objects(warp, step, [&](const TextureObject& surface, std::uint32_t lanes) {
    Places places;
    if (!find_in_surface(warp, step, surface.texels, lanes, false, places)) return;
    for (std::uint32_t left = places.mask; left != 0; left &= left - 1) {
      const int l = std::countr_zero(left);
      for (int k = 0; k < step.op->d.count; ++k)
        values[k][l] = read_bytes(places.at[l] + k * bytes, bytes, false);
    }
  });
  write_values(warp, step, values);
}

void write_surface(Warp& warp, const Step& step) {
  const Operation& op = *step.op;
  const int bytes = bytes_of(op.type);
  for_objects(warp, step, [&](const TextureObject& surface, std::uint32_t lanes) {
    Places places;
    if (!find_in_surface(warp, step, surface.texels, lanes, true, places)) return;
    for (std::uint32_t left = places.mask; left != 0; left &= left - 1) {
      const int l = std::countr_zero(left);
      for (int k = 0; k < op.b.count; ++k) {
        const std::uint64_t value = read_row(warp, step.elements[op.a.count + k], step.bits_d, l);
        std::memcpy(places.at[l] + k * bytes, &value, static_cast<std::size_t>(bytes));
      }
    }
  });
}

void query_object(Warp& warp, const Step& step) {
  const Words& words = step.op->words;
  std::uint32_t values[warp_lanes] = {};
  for_objects(warp, step, [&](const TextureObject& object, std::uint32_t lanes) {
    const TexelArray& texels = object.texels;
    const std::int64_t value = words.has(Word::width)    ? texels.extent[0]
                               : words.has(Word::height) ? texels.extent[1]
                               : words.has(Word::depth)  ? texels.extent[2]
                                                         : texels.layers;
    for (std::uint32_t left = lanes; left != 0; left &= left - 1)
      values[std::countr_zero(left)] = static_cast<std::uint32_t>(value);
  });
  if (!warp.faulted) for_lanes<std::uint32_t>(warp, step.d, [&](int l) { return values[l]; });
}

} // namespace memlane::ptx
