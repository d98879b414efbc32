// Textures and surfaces of a device: which memory they show, and how a texture is read (CUDA
// Programming Guide, "Texture Fetching").
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>

namespace memlane::ptx {

enum class ChannelKind : std::uint8_t { signed_, unsigned_, floating };

/// A texel has 1, 2 or 4 channels of 8, 16 or 32 bits.
struct TexelFormat {
  int channels = 1, bits = 32;
  ChannelKind kind = ChannelKind::floating;

  int bytes() const { return channels * bits / 8; }
  bool operator==(const TexelFormat&) const = default;
};

/// Texels in global memory, row by row, then slice by slice or layer by layer.
struct TexelArray {
  std::uint64_t address = 0;
  TexelFormat format;
  std::array<std::int64_t, 3> extent{1, 1, 1}; ///< width, height, depth
  std::int64_t layers = 0;                     ///< 0: it has none
  std::int64_t row_bytes = 0, slice_bytes = 0; ///< from a row, and a slice or layer, to the next
};

/// What stands for a texel beyond the extent.
enum class Addressing : std::uint8_t { wrap, clamp, mirror, border };

/// How a texture is read.
struct Sampler {
  std::array<Addressing, 3> addressing{Addressing::clamp, Addressing::clamp, Addressing::clamp};
  bool is_linear = false;             ///< means of neighbours, not the nearest texel
  bool normalizes_values = false;     ///< integers of 8 and 16 bits become floats up to 1
  bool has_normalized_places = false; ///< coordinates are parts of the extent
  std::array<float, 4> border{};
};

struct TextureObject {
  TexelArray texels;
  std::optional<Sampler> sampler; ///< none: a surface
};

/// Objects by their numbers, which rise: none is used twice.
class TextureObjects {
public:
  std::uint64_t add(const TextureObject& object) {
    objects_[++last_] = object;
    return last_;
  }
  /// False: there is none.
  bool remove(std::uint64_t number) { return objects_.erase(number) != 0; }
  void clear() { objects_.clear(); }
  /// Null: there is none.
  const TextureObject* find(std::uint64_t number) const {
    const auto found = objects_.find(number);
    return found == objects_.end() ? nullptr : &found->second;
  }
  /// Whether there was one.
  bool is_removed(std::uint64_t number) const {
    return number > 0 && number <= last_ && !find(number);
  }

private:
  std::map<std::uint64_t, TextureObject> objects_;
  std::uint64_t last_ = 0;
};

} // namespace memlane::ptx
