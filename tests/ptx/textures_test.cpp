// Textures and surfaces: each shape, type and mode against a texel at a time, what they cost, and
// what goes wrong.
#include "opcode_tests.hpp"
#include "price_kernels.hpp"
#include "program.hpp"
#include "support/catch.hpp"
#include "support/machines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

namespace memlane::test {

using ptx::Addressing;
using ptx::ChannelKind;
using ptx::Opcode;
using ptx::TextureObject;

const std::vector<Opcode>& texture_opcodes() {
  static const std::vector<Opcode> all{Opcode::tex,  Opcode::tld4, Opcode::txq,
                                       Opcode::suld, Opcode::sust, Opcode::suq};
  return all;
}

namespace {

struct Float4 {
  float v[4] = {};
};
struct Int4 {
  std::int32_t v[4] = {};
};
/// Bits of what a texture gives.
struct Given {
  std::uint32_t v[4] = {};
};

/// Texels in memory, with some bytes behind each row.
struct Texels {
  std::vector<std::uint8_t> bytes;
  ptx::TexelArray array;

  Texels(ptx::TexelFormat format, std::array<std::int64_t, 3> extent, std::int64_t layers) {
    array.format = format;
    array.extent = extent;
    array.layers = layers;
    array.row_bytes = extent[0] * format.bytes() + 32;
    array.slice_bytes = array.row_bytes * extent[1];
    const std::int64_t slices = extent[2] * std::max<std::int64_t>(layers, 1);
    bytes.resize(static_cast<std::size_t>(array.slice_bytes * slices));
    std::mt19937 random(7);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    if (format.kind == ChannelKind::floating)
      for (std::size_t k = 0; k < bytes.size(); k += static_cast<std::size_t>(format.bits) / 8)
        put(k, random);
    array.address = reinterpret_cast<std::uint64_t>(bytes.data());
  }
  /// Numbers of halves that need no more bits than a half has.
  void put(std::size_t at, std::mt19937& random) {
    const float value = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 8;
    if (array.format.bits == 32) {
      std::memcpy(bytes.data() + at, &value, 4);
      return;
    }
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto half = static_cast<std::uint16_t>(
        value == 0
            ? bits >> 16
            : (bits >> 16 & 0x8000) | ((bits >> 23 & 0xff) - 112) << 10 | (bits >> 13 & 0x3ff));
    std::memcpy(bytes.data() + at, &half, 2);
  }
  const std::uint8_t* at(std::int64_t x, std::int64_t y, std::int64_t slice) const {
    return bytes.data() + slice * array.slice_bytes + y * array.row_bytes +
           x * array.format.bytes();
  }
};

/// The definition of the CUDA Programming Guide, "Texture Fetching", for one lane.
class Reference {
public:
  Reference(const Texels& texels, const ptx::Sampler& sampler, int dimensions)
      : texels_(texels), sampler_(sampler), dimensions_(dimensions) {}

  bool has_floats() const {
    const ptx::TexelFormat& format = texels_.array.format;
    return format.kind == ChannelKind::floating || (sampler_.normalizes_values && format.bits < 32);
  }
  /// A channel's number; of elements that are integers, the integer.
  double read(const float* at, std::int64_t layer, int channel) const {
    std::int64_t texel[3] = {};
    return mean(at, layer, channel, 0, texel);
  }
  double texel(const std::int64_t (&at)[3], std::int64_t layer, int channel) const {
    const ptx::TexelFormat& format = texels_.array.format;
    if (channel >= format.channels) return 0;
    if (std::any_of(at, at + 3, [](std::int64_t one) { return one < 0; }))
      return double{sampler_.border[static_cast<std::size_t>(channel)]};
    const std::uint8_t* const bytes =
        texels_.at(at[0], at[1], at[2] + layer) + channel * format.bits / 8;
    const bool normal = sampler_.normalizes_values;
    switch (format.kind) {
    case ChannelKind::floating:
      if (format.bits == 32) return double{load<float>(bytes)};
      return of_half(load<std::uint16_t>(bytes));
    case ChannelKind::signed_:
      if (format.bits == 8) return part(load<std::int8_t>(bytes), normal ? 127 : 1);
      if (format.bits == 16) return part(load<std::int16_t>(bytes), normal ? 32767 : 1);
      return load<std::int32_t>(bytes);
    case ChannelKind::unsigned_: break;
    }
    if (format.bits == 8) return part(load<std::uint8_t>(bytes), normal ? 255 : 1);
    if (format.bits == 16) return part(load<std::uint16_t>(bytes), normal ? 65535 : 1);
    return load<std::uint32_t>(bytes);
  }
  /// The texel of a number in a dimension; -1: the border.
  std::int64_t addressed(std::int64_t i, int k) const {
    const std::int64_t n = texels_.array.extent[static_cast<std::size_t>(k)];
    if (i >= 0 && i < n) return i;
    const Addressing mode = sampler_.addressing[static_cast<std::size_t>(k)];
    if (mode == Addressing::border) return -1;
    if (mode == Addressing::clamp || !sampler_.has_normalized_places)
      return std::min(std::max<std::int64_t>(i, 0), n - 1);
    // One period after the other, each second one backwards.
    std::int64_t period = 0;
    while (i < 0) i += n, ++period;
    while (i >= n) i -= n, ++period;
    return mode == Addressing::mirror && period % 2 != 0 ? n - 1 - i : i;
  }

private:
  template <class T>
  static T load(const std::uint8_t* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  static double part(double value, int most) {
    return most == 1
               ? value
               : double{std::max(static_cast<float>(value) / static_cast<float>(most), -1.0F)};
  }
  static double of_half(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const double size = exponent == 0 ? std::ldexp(bits & 1023, -24)
                                      : std::ldexp(1024 + (bits & 1023), exponent - 25);
    return (bits & 0x8000) != 0 ? -size : size;
  }

  double mean(const float* at, std::int64_t layer, int channel, int k,
              std::int64_t (&found)[3]) const {
    if (k == dimensions_) return texel(found, layer, channel);
    const std::int64_t n = texels_.array.extent[static_cast<std::size_t>(k)];
    const double x =
        sampler_.has_normalized_places ? double{at[k]} * static_cast<double>(n) : double{at[k]};
    if (!sampler_.is_linear || !has_floats()) {
      found[k] = addressed(static_cast<std::int64_t>(std::floor(x)), k);
      return mean(at, layer, channel, k + 1, found);
    }
    const double begin = std::floor(x - 0.5);
    const double weight = std::floor((x - 0.5 - begin) * 256 + 0.5) / 256;
    found[k] = addressed(static_cast<std::int64_t>(begin), k);
    const double first = mean(at, layer, channel, k + 1, found);
    found[k] = addressed(static_cast<std::int64_t>(begin) + 1, k);
    return (1 - weight) * first + weight * mean(at, layer, channel, k + 1, found);
  }

  const Texels& texels_;
  const ptx::Sampler& sampler_;
  int dimensions_;
};

struct Shape {
  const char* name;
  int dimensions;
  std::array<std::int64_t, 3> extent;
  std::int64_t layers;
};
constexpr Shape shapes[] = {{"1d", 1, {13, 1, 1}, 0},
                            {"2d", 2, {13, 6, 1}, 0},
                            {"3d", 3, {13, 6, 3}, 0},
                            {"a1d", 1, {13, 1, 1}, 3},
                            {"a2d", 2, {13, 6, 1}, 3}};
constexpr std::size_t texture_lanes = 32;

/// A layer's number has no sign: those below 0 are beyond the last one.
std::int64_t layer_of(std::int32_t number, std::int64_t layers) {
  return std::min<std::int64_t>(static_cast<std::uint32_t>(number),
                                std::max<std::int64_t>(layers, 1) - 1);
}

/// Places inside and outside of the texture, some of them where two texels meet. Some layers do not
/// exist.
std::vector<Float4> places_of(const Shape& shape, bool normalized, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Float4> places(texture_lanes);
  for (Float4& place : places) {
    for (int k = 0; k < 3; ++k) {
      const auto n = static_cast<float>(shape.extent[static_cast<std::size_t>(k)]);
      const bool is_edge = random() % 3 == 0;
      const float x = static_cast<float>(random() % 4096) / 1024 * n - 1.5F * n;
      const float at = is_edge ? std::floor(x) + static_cast<float>(random() % 2) / 2 : x;
      place.v[k] = normalized ? at / n : at;
    }
    place.v[3] = static_cast<float>(static_cast<int>(random() % 5) - 1);
  }
  return places;
}

std::string texels_text(const ptx::TexelFormat& format, const ptx::Sampler& sampler,
                        const Shape& shape) {
  return fmt::format("{} channels of {} bits, kind {}, {}, {}, mode {}, {}, {}", format.channels,
                     format.bits, static_cast<int>(format.kind), shape.name,
                     sampler.is_linear ? "linear" : "point",
                     static_cast<int>(sampler.addressing[0]),
                     sampler.has_normalized_places ? "normalized places" : "texels",
                     sampler.normalizes_values ? "normalized values" : "elements");
}

/// Reads one shape of a texture, and compares each lane and channel.
void compare_reads(Program& program, const ptx::TexelFormat& format, const ptx::Sampler& sampler,
                   const Shape& shape) {
  INFO(texels_text(format, sampler, shape));
  Texels texels(format, shape.extent, shape.layers);
  program.give(texels.bytes);
  const std::uint64_t object = program.device->objects.add({texels.array, sampler});
  std::vector<Float4> at = places_of(shape, sampler.has_normalized_places, 3);
  std::vector<Given> out(texture_lanes);
  program.give(at), program.give(out);
  const Reference reference(texels, sampler, shape.dimensions);
  const bool floats = reference.has_floats();
  const char* const type = floats                                ? "floats"
                           : format.kind == ChannelKind::signed_ ? "ints"
                                                                 : "unsigned_ints";
  const Launched launched = program.launch(fmt::format("{}_{}", type, shape.name), {1, 1, 1},
                                           {texture_lanes, 1, 1}, object, at, out);
  REQUIRE(launched.fault == "");
  std::size_t wrong = 0;
  for (std::size_t l = 0; l < texture_lanes; ++l)
    for (int k = 0; k < 4; ++k) {
      const double wanted =
          reference.read(at[l].v, layer_of(static_cast<std::int32_t>(at[l].v[3]), shape.layers), k);
      const std::uint32_t bits = out[l].v[k];
      // Sums in another order may differ in the last place.
      const double got = floats ? double{std::bit_cast<float>(bits)}
                         : format.kind == ChannelKind::signed_
                             ? double{static_cast<double>(static_cast<std::int32_t>(bits))}
                             : double{static_cast<double>(bits)};
      const double slack = sampler.is_linear && floats ? std::abs(wanted) * 0x1p-23 : 0;
      wrong += std::abs(got - (slack == 0 && floats ? double{static_cast<float>(wanted)}
                                                    : wanted)) > slack
                   ? 1
                   : 0;
    }
  CHECK(wrong == 0);
  program.device->free(reinterpret_cast<std::uint64_t>(texels.bytes.data()));
}

std::vector<ptx::TexelFormat> all_formats() {
  std::vector<ptx::TexelFormat> formats;
  for (const int bits : {8, 16, 32})
    for (const ChannelKind kind :
         {ChannelKind::signed_, ChannelKind::unsigned_, ChannelKind::floating})
      if (bits != 8 || kind != ChannelKind::floating)
        for (const int channels : {1, 2, 4}) formats.push_back({channels, bits, kind});
  return formats;
}

Program textures() { return Program::of_kernels("textures"); }

} // namespace

TEST_CASE("textures: each format, filter, mode, place and shape as the guide defines it") {
  Program program = textures();
  for (const ptx::TexelFormat& format : all_formats())
    for (const Shape& shape : shapes)
      for (const Addressing mode :
           {Addressing::wrap, Addressing::clamp, Addressing::mirror, Addressing::border})
        for (unsigned bits = 0; bits < 8; ++bits) {
          ptx::Sampler sampler;
          sampler.addressing = {mode, mode, mode};
          sampler.is_linear = (bits & 1) != 0;
          sampler.has_normalized_places = (bits & 2) != 0;
          sampler.normalizes_values = (bits & 4) != 0;
          sampler.border = {1, 0.5F, 0, 0.25F};
          const bool integers = format.kind != ChannelKind::floating &&
                                !(sampler.normalizes_values && format.bits < 32);
          if (integers) sampler.border = {1, 7, 0, 2};
          compare_reads(program, format, sampler, shape);
        }
}

TEST_CASE("textures: modes may differ between dimensions") {
  Program program = textures();
  ptx::Sampler sampler;
  sampler.addressing = {Addressing::wrap, Addressing::border, Addressing::mirror};
  sampler.has_normalized_places = sampler.is_linear = true;
  compare_reads(program, {4, 32, ChannelKind::floating}, sampler, shapes[2]);
}

TEST_CASE("textures: fetches of linear memory, of lanes with different textures too") {
  Program program = textures();
  Texels a({1, 32, ChannelKind::floating}, {40, 1, 1}, 0);
  Texels b({1, 16, ChannelKind::unsigned_}, {16, 1, 1}, 0);
  program.give(a.bytes), program.give(b.bytes);
  ptx::Sampler sampler;
  sampler.addressing = {Addressing::border, Addressing::border, Addressing::border};
  const std::uint64_t first = program.device->objects.add({a.array, sampler});
  sampler.normalizes_values = true;
  const std::uint64_t second = program.device->objects.add({b.array, sampler});
  std::vector<std::int32_t> at(texture_lanes);
  for (std::size_t l = 0; l < texture_lanes; ++l) at[l] = static_cast<int>(l) * 2 - 10;
  std::vector<Float4> out(texture_lanes);
  program.give(at), program.give(out);
  REQUIRE(program.launch("fetch", {1, 1, 1}, {texture_lanes, 1, 1}, first, at, out).fault == "");
  const Reference of_a(a, sampler, 1);
  for (std::size_t l = 0; l < texture_lanes; ++l) {
    const bool inside = at[l] >= 0 && at[l] < 40;
    CHECK(out[l].v[0] == (inside ? static_cast<float>(of_a.texel({at[l], 0, 0}, 0, 0)) : 0.0F));
  }
  std::vector<float> either(texture_lanes);
  program.give(either);
  REQUIRE(program.launch("fetch_either", {1, 1, 1}, {texture_lanes, 1, 1}, first, second, either)
              .fault == "");
  const Reference of_b(b, sampler, 1);
  for (std::size_t l = 0; l < texture_lanes; ++l) {
    const auto x = static_cast<std::int64_t>(l);
    const double wanted = l % 2 == 0 ? of_a.texel({x, 0, 0}, 0, 0)
                          : x < 16   ? of_b.texel({x, 0, 0}, 0, 0)
                                     : 0;
    CHECK(either[l] == static_cast<float>(wanted));
  }
}

TEST_CASE("textures: gathered channels, levels, predicates and sizes") {
  Program program = textures();
  Texels texels({4, 8, ChannelKind::unsigned_}, {13, 6, 1}, 0);
  Texels layers({1, 32, ChannelKind::signed_}, {5, 4, 1}, 7);
  program.give(texels.bytes);
  ptx::Sampler sampler;
  sampler.normalizes_values = true;
  const std::uint64_t object = program.device->objects.add({texels.array, sampler});
  std::vector<Float4> at = places_of(shapes[1], false, 5), out(4 * texture_lanes);
  program.give(at), program.give(out);
  REQUIRE(program.launch("gather", {1, 1, 1}, {texture_lanes, 1, 1}, object, at, out).fault == "");
  const Reference reference(texels, sampler, 2);
  for (std::size_t l = 0; l < texture_lanes; ++l) {
    const auto x = static_cast<std::int64_t>(std::floor(at[l].v[0] - 0.5F));
    const auto y = static_cast<std::int64_t>(std::floor(at[l].v[1] - 0.5F));
    const std::int64_t corners[4][2] = {{x, y + 1}, {x + 1, y + 1}, {x + 1, y}, {x, y}};
    for (std::size_t channel = 0; channel < 4; ++channel)
      for (std::size_t k = 0; k < 4; ++k)
        CHECK(out[4 * l + channel].v[k] ==
              static_cast<float>(reference.texel(
                  {reference.addressed(corners[k][0], 0), reference.addressed(corners[k][1], 1), 0},
                  0, static_cast<int>(channel))));
  }
  REQUIRE(program.launch("levels", {1, 1, 1}, {texture_lanes, 1, 1}, object, at, out).fault == "");
  for (std::size_t l = 0; l < texture_lanes; ++l)
    for (std::size_t k = 0; k < 3; ++k)
      CHECK(out[3 * l + k].v[1] == static_cast<float>(reference.read(at[l].v, 0, 1)));
  const std::uint64_t surface = program.device->objects.add({layers.array, std::nullopt});
  std::vector<std::int32_t> sizes(6);
  program.give(sizes);
  REQUIRE(program.launch("sizes", {1, 1, 1}, {1, 1, 1}, object, surface, sizes).fault == "");
  CHECK(sizes == std::vector<std::int32_t>{13, 6, 1, 5, 4, 7});
}

TEST_CASE("textures: directions read the faces of cubes") {
  Program program = textures();
  constexpr std::int64_t n = 8;
  Texels texels({4, 32, ChannelKind::floating}, {n, n, 1}, 2 * 6);
  program.give(texels.bytes);
  // Axes of the guide's table: which coordinates s and t of each face are, from 1, with their
  // signs.
  constexpr int faces[6][2] = {{-3, -2}, {3, -2}, {1, 3}, {1, -3}, {1, -2}, {-1, -2}};
  for (const bool is_linear : {false, true}) {
    ptx::Sampler sampler;
    sampler.is_linear = is_linear;
    sampler.has_normalized_places = true;
    const std::uint64_t object = program.device->objects.add({texels.array, sampler});
    std::vector<Float4> at(texture_lanes), out(2 * texture_lanes);
    std::vector<std::size_t> met(texture_lanes);
    std::mt19937 random(7);
    for (std::size_t l = 0; l < texture_lanes; ++l) {
      met[l] = l % 6;
      for (float& one : at[l].v) one = static_cast<float>(random() % 1024) / 512 - 1;
      at[l].v[met[l] / 2] = met[l] % 2 == 0 ? 2.0F : -2.0F;
      at[l].v[3] = static_cast<float>(l / 6 % 3);
    }
    program.give(at), program.give(out);
    REQUIRE(program.launch("cubes", {1, 1, 1}, {texture_lanes, 1, 1}, object, at, out).fault == "");
    const Reference reference(texels, sampler, 2);
    for (std::size_t l = 0; l < texture_lanes; ++l) {
      float place[2] = {};
      for (int k = 0; k < 2; ++k) {
        const int axis = faces[met[l]][k];
        const float value = at[l].v[std::abs(axis) - 1];
        place[k] = ((axis < 0 ? -value : value) / 2 + 1) / 2;
      }
      const auto face = static_cast<std::int64_t>(met[l]);
      const std::int64_t cube = std::min<std::int64_t>(static_cast<std::int64_t>(l / 6 % 3), 1);
      for (int k = 0; k < 4; ++k) {
        const auto c = static_cast<std::size_t>(k);
        CHECK(std::abs(out[2 * l].v[c] - reference.read(place, face, k)) <= 1e-4);
        CHECK(std::abs(out[2 * l + 1].v[c] - reference.read(place, 6 * cube + face, k)) <= 1e-4);
      }
    }
  }
}

TEST_CASE("surfaces: each width, mode and shape against a lane at a time") {
  struct Kind {
    const char* name;
    int channels, bits, bytes;
    bool clamps;
  };
  for (const Kind& kind :
       {Kind{"bytes_zero", 1, 8, 1, false}, Kind{"shorts_clamp", 2, 16, 4, true},
        Kind{"words_zero", 1, 32, 4, false}, Kind{"words_clamp", 4, 8, 4, true},
        Kind{"vectors_zero", 4, 32, 16, false}, Kind{"longs_clamp", 4, 32, 16, true}})
    for (const Shape& shape : shapes) {
      Program program = textures();
      INFO(kind.name << " " << shape.name);
      Texels texels({kind.channels, kind.bits, ChannelKind::unsigned_}, shape.extent, shape.layers);
      const Texels before = texels;
      program.give(texels.bytes);
      const std::uint64_t object = program.device->objects.add({texels.array, std::nullopt});
      // Each lane its own place, so that no lane writes what another one reads, except at borders.
      std::vector<Int4> at(texture_lanes);
      for (std::size_t l = 0; l < texture_lanes; ++l) {
        const auto n = static_cast<int>(l);
        at[l] = {{kind.bytes * (n % 16 - 1), n / 16 % 2 + n % 5, n % 4 - 1, n % 6 - 2}};
      }
      std::vector<std::uint8_t> words(texture_lanes * static_cast<std::size_t>(kind.bytes));
      for (std::size_t k = 0; k < words.size(); ++k) words[k] = static_cast<std::uint8_t>(k * 7);
      const std::vector<std::uint8_t> written = words;
      program.give(at), program.give(words);
      REQUIRE(program
                  .launch(fmt::format("{}_{}", kind.name, shape.name), {1, 1, 1},
                          {texture_lanes, 1, 1}, object, at, words)
                  .fault == "");
      std::vector<std::uint8_t> wanted = before.bytes;
      const auto bytes = static_cast<std::size_t>(kind.bytes);
      for (std::size_t l = 0; l < texture_lanes; ++l) {
        std::int64_t place[4] = {at[l].v[0], shape.dimensions > 1 ? at[l].v[1] : 0,
                                 shape.dimensions > 2 ? at[l].v[2] : 0,
                                 shape.layers > 0 ? at[l].v[3] : 0};
        const std::int64_t most[4] = {(shape.extent[0] - 1) * kind.bytes, shape.extent[1] - 1,
                                      shape.extent[2] - 1,
                                      std::max<std::int64_t>(shape.layers, 1) - 1};
        bool inside = true;
        for (int k = 0; k < 4; ++k) {
          inside = inside && place[k] >= 0 && place[k] <= most[k];
          place[k] = k == 3 ? layer_of(static_cast<std::int32_t>(place[k]), shape.layers)
                            : std::clamp<std::int64_t>(place[k], 0, most[k]);
        }
        const auto from = static_cast<std::size_t>(before.at(0, place[1], place[2] + place[3]) -
                                                   before.bytes.data() + place[0]);
        const bool moves = inside || kind.clamps;
        for (std::size_t k = 0; k < bytes; ++k) {
          CHECK(words[l * bytes + k] == (moves ? before.bytes[from + k] : 0));
          if (moves) wanted[from + k] = written[l * bytes + k];
        }
      }
      CHECK(texels.bytes == wanted);
    }
}

TEST_CASE("textures and surfaces that go wrong are said with their lines") {
  Program program = textures();
  Texels texels({1, 32, ChannelKind::floating}, {8, 4, 1}, 0);
  program.give(texels.bytes);
  std::vector<Float4> at(texture_lanes), out(texture_lanes);
  std::vector<Int4> places(texture_lanes);
  std::vector<std::int32_t> words(texture_lanes, 5);
  program.give(at), program.give(out), program.give(places), program.give(words);
  const std::uint64_t texture = program.device->objects.add({texels.array, ptx::Sampler()});
  const std::uint64_t surface = program.device->objects.add({texels.array, std::nullopt});
  const auto reads = [&](std::uint64_t object) {
    return program.launch("floats_2d", {1, 1, 1}, {texture_lanes, 1, 1}, object, at, out);
  };
  says(reads(0), {"textures.cu:20: error: thread (0, 0, 0) of block (0, 0, 0) uses a texture or "
                  "surface object that does not exist: 0x0 is not the number of one",
                  "in kernel floats_2d", "cudaCreateTextureObject", "--allow-texture-object"});
  says(reads(surface), {"2 is a surface"});
  says(program.launch("words_zero_2d", {1, 1, 1}, {texture_lanes, 1, 1}, texture, places, words),
       {"1 is a texture"});
  places[3].v[0] = 32;
  says(program.launch("words_trap_2d", {1, 1, 1}, {texture_lanes, 1, 1}, surface, places, words),
       {"thread (3, 0, 0) of block (0, 0, 0) reads 4 bytes outside of its surface: byte 32 of row "
        "0, "
        "slice 0; it has 32 bytes in a row, 4 rows, 1 slice",
        "--allow-out-of-bounds"});
  places[3].v[0] = 2;
  says(program.launch("words_zero_2d", {1, 1, 1}, {texture_lanes, 1, 1}, surface, places, words),
       {"which is no multiple of that size"});
  REQUIRE(program.device->objects.remove(texture));
  says(reads(texture), {"1 has been destroyed"});
  const std::uint64_t other = program.device->objects.add({texels.array, ptx::Sampler()});
  CHECK(other == 3);
  CHECK(reads(other).fault == "");
  program.state.allowed.set(static_cast<std::size_t>(ptx::FaultKind::no_object));
  out.assign(texture_lanes, Float4{{1, 1, 1, 1}});
  CHECK(reads(texture).fault == "");
  CHECK(out[31].v[0] == 0);
  program.device->free(texels.array.address);
  says(reads(other), {"which has been freed"});
}

TEST_CASE("textures cost a read request for each texel that a filter touches") {
  PricedRun run("textures.ptx", hmm(2, 32, 1, 1));
  auto* const memory = run.kernels.array<float>(32 * 32 * 2, "texels");
  auto* const out = run.kernels.array<float>(64, "out");
  ptx::TexelArray array{reinterpret_cast<std::uint64_t>(memory),
                        {1, 32, ChannelKind::floating},
                        {32, 32, 2},
                        0,
                        128,
                        128 * 32};
  ptx::Sampler sampler;
  auto& objects = run.kernels.device.objects;
  const std::uint64_t texture = objects.add({array, sampler});
  const std::uint64_t surface = objects.add({array, std::nullopt});
  REQUIRE(run.launch("costs", grid_of({1, 1, 1}, {32, 1, 1}), texture, surface, out, 0));
  // A row is one address group, a column one a lane; two lanes write each word of half a row.
  CHECK(run.line("tex2D<float>(t, x + 0.5F").requests == 1);
  CHECK(run.line("tex2D<float>(t, x + 0.5F").stages == 1);
  CHECK(run.sectors("tex2D<float>(t, x + 0.5F").sectors == 4);
  CHECK(run.line("tex2D<float>(t, 1.5F").stages == 32);
  CHECK(run.sectors("tex2D<float>(t, 1.5F").sectors == 32);
  CHECK(run.line("surf2Dread").stages == 1);
  CHECK(run.line("surf2Dwrite").requests == 1);
  CHECK(run.sectors("surf2Dwrite").sectors == 2);
  const UnitCounts unit = run.pricing.result().counts.global.at(0);
  CHECK(unit.concurrent_writes == 16);

  // A mean has 8 requests. With a border, the 9th texel asks for nothing: the last lane takes no
  // part in the 4 corners to its right.
  sampler.is_linear = true;
  sampler.addressing = {Addressing::border, Addressing::border, Addressing::border};
  const std::uint64_t mean = objects.add({array, sampler});
  REQUIRE(run.launch("means", grid_of({1, 1, 1}, {32, 1, 1}), mean, out));
  CHECK(run.line("tex3D").requests == 8);
  CHECK(run.line("tex3D").stages == 8);
}

TEST_CASE("textures: what is stored waits for all reads of a mean") {
  MachineSpec machine = hmm(1, 32, 4, 20);
  machine.requests_in_flight = 8;
  const auto launch = [](PricedRun& run) {
    auto* const memory = run.kernels.array<float>(40 * 2 * 2, "texels");
    auto* const out = run.kernels.array<float>(32, "out");
    const ptx::TexelArray array{reinterpret_cast<std::uint64_t>(memory),
                                {1, 32, ChannelKind::floating},
                                {40, 2, 2},
                                0,
                                160,
                                320};
    ptx::Sampler sampler;
    sampler.is_linear = true;
    const std::uint64_t texture = run.kernels.device.objects.add({array, sampler});
    const auto done = run.launch("means", grid_of({1, 1, 1}, {32, 1, 1}), texture, out);
    if (!done || !*done) throw std::runtime_error("the launch fails");
    return run.pricing.time().value;
  };
  const Seen seen = seen_in_both_ways("textures.ptx", machine, launch);
  REQUIRE(seen.dispatched.size() == 9);
  // The rows at y = 1 and z = 1 begin within a group: those requests take two stages.
  CHECK(seen.dispatched[8] > seen.dispatched[7] + 20);
  CHECK(seen.dispatched[8] == seen.end - 20);
}

TEST_CASE("reads of textures race with writes of surfaces") {
  PricedRun run("textures.ptx", hmm(2, 32, 1, 1));
  auto* const memory = run.kernels.array<float>(64, "texels");
  auto* const out = run.kernels.array<float>(64, "out");
  const ptx::TexelArray array{reinterpret_cast<std::uint64_t>(memory),
                              {1, 32, ChannelKind::floating},
                              {32, 2, 1},
                              0,
                              128,
                              256};
  const std::uint64_t texture = run.kernels.device.objects.add({array, ptx::Sampler()});
  const std::uint64_t surface = run.kernels.device.objects.add({array, std::nullopt});
  REQUIRE(run.launch("races", grid_of({2, 1, 1}, {32, 1, 1}), texture, surface, out));
  const RaceCounts races = run.pricing.result().races;
  CHECK(races.races == 32);
  REQUIRE(races.pairs.size() == 1);
  CHECK(races.pairs[0].earlier == AccessKind::read);
  CHECK(races.pairs[0].later == AccessKind::write);
  const std::string said = render({races.pairs[0].first}, run.pricing.sources());
  INFO(said);
  CHECK(said.find("of texels") != std::string::npos);
  CHECK(said.find("surf2Dwrite(1.0F") != std::string::npos);
}

} // namespace memlane::test
