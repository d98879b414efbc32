// Arrays, textures and surfaces of memlane's libcudart.
#include "library.hpp"

#include <cstring>
#include <vector>

namespace memlane::test {

namespace {

/// cudaResourceDesc with what follows it in memory: CUDA 12's has 64 bytes, CUDA 13's 144.
struct Resource {
  int type = 0, unused = 0;
  const void* pointer = nullptr;
  int format[5] = {}, padding = 0;
  std::size_t width = 0, height = 0, pitch = 0;
  char behind[96] = {};
};
/// cudaTextureDesc.
struct TextureWay {
  int addressing[3] = {1, 1, 1}, filter = 0, read_mode = 0, srgb = 0;
  float border[4] = {};
  int normalized = 0, others[7] = {};
};
/// cudaExtent.
struct ArrayExtent {
  std::size_t width = 0, height = 0, depth = 0;
};
/// cudaChannelFormatDesc.
struct Channels {
  int x = 32, y = 0, z = 0, w = 0, kind = 2;
};

} // namespace

TEST_CASE("arrays and textures are made as both versions of CUDA lay their descriptions out") {
  for (const int version : {12, 13}) {
    CAPTURE(version);
    const CudaLibrary cuda(version);
    const Channels format = cuda.call<Channels>("cudaCreateChannelDesc", 16, 16, 0, 0, 0);
    CHECK((format.x == 16 && format.y == 16 && format.z == 0 && format.kind == 0));
    void* array = nullptr;
    const auto make = [&](const Channels& of, std::size_t width, std::size_t height,
                          unsigned flags) {
      return cuda.call("cudaMallocArray", &array, &of, width, height, flags);
    };
    CHECK(make({32, 32, 32, 0, 2}, 8, 8, 0) == invalid_value);
    CHECK(make({8, 0, 0, 0, 2}, 8, 8, 0) == invalid_value);
    CHECK(make({32, 16, 0, 0, 0}, 8, 8, 0) == invalid_value);
    CHECK(make({}, 0, 8, 0) == invalid_value);
    CHECK(make({}, 131073, 0, 0) == invalid_value);
    CHECK(make({}, 8, 8, 4) == invalid_value); // a cube has six faces
    const auto make_3d = [&](ArrayExtent extent, unsigned flags) {
      const Channels of;
      return cuda.call("cudaMalloc3DArray", &array, &of, extent, flags);
    };
    CHECK(make_3d({16384, 16384, 16384}, 0) == 2); // no memory
    CHECK(make_3d({16, 16, 16385}, 0) == invalid_value);
    CHECK(make_3d({16, 0, 2}, 0) == invalid_value); // slices without rows
    CHECK(make_3d({16, 0, 0}, 1) == invalid_value); // layers, and none of them
    CHECK(make_3d({16, 0, 2049}, 1) == invalid_value);
    REQUIRE(make_3d({16, 0, 2048}, 1) == 0);
    CHECK(cuda.call("cudaFreeArray", array) == 0);
    REQUIRE(make({}, 131072, 0, 0) == 0);
    CHECK(cuda.call("cudaFreeArray", array) == 0);
    CHECK(cuda.call("cudaFreeArray", array) == invalid_value);
    REQUIRE(make({}, 8, 4, 0) == 0);
    std::vector<float> in(32), out(32);
    std::iota(in.begin(), in.end(), 0.0F);
    const void* const from = in.data();
    void* const to = out.data();
    CHECK(cuda.call("cudaMemcpyToArray", array, std::size_t{0}, std::size_t{0}, from,
                    std::size_t{132}, to_device) == invalid_value);
    REQUIRE(cuda.call("cudaMemcpyToArray", array, std::size_t{0}, std::size_t{0}, from,
                      std::size_t{128}, to_device) == 0);
    CHECK(cuda.call("cudaMemcpyFromArray", to, array, std::size_t{4}, std::size_t{1},
                    std::size_t{40}, to_device) == invalid_direction);
    REQUIRE(cuda.call("cudaMemcpyFromArray", to, array, std::size_t{4}, std::size_t{1},
                      std::size_t{40}, to_host) == 0);
    CHECK((out[0] == 9 && out[9] == 18));

    Resource resource;
    resource.pointer = array;
    TextureWay way;
    std::uint64_t texture = 0;
    const void* const no_view = nullptr;
    const auto texture_of = [&] {
      return cuda.call("cudaCreateTextureObject", &texture, &resource, &way, no_view);
    };
    REQUIRE(texture_of() == 0);
    Resource told;
    std::memset(told.behind, 0x5a, sizeof told.behind);
    REQUIRE(cuda.call("cudaGetTextureObjectResourceDesc", &told, texture) == 0);
    CHECK(told.pointer == array);
    CHECK((told.behind[0] == 0x5a) == (version == 12));
    CHECK(told.behind[80] == 0x5a);
    CHECK(cuda.call("cudaDestroySurfaceObject", texture) == invalid_value);
    CHECK(cuda.call("cudaDestroyTextureObject", texture) == 0);
    CHECK(cuda.call("cudaCreateSurfaceObject", &texture, &resource) == invalid_value);
    way.filter = 2;
    CHECK(texture_of() == invalid_value);
    way.filter = 0;
    way.srgb = 1;
    CHECK(texture_of() == 801);
    way.srgb = 0;
    resource.type = 1;
    CHECK(texture_of() == 801);
    resource.type = 2;
    // Textures may begin where the attribute says, and every allocation does.
    constexpr int texture_alignment = 14;
    int alignment = 0;
    REQUIRE(cuda.call("cudaDeviceGetAttribute", &alignment, texture_alignment, 0) == 0);
    CHECK(alignment == 512);
    for (int k = 0; k < 4; ++k) {
      const auto address = reinterpret_cast<std::uint64_t>(cuda.allocate<float>(1));
      CHECK(address % static_cast<std::uint64_t>(alignment) == 0);
    }
    float* const memory = cuda.allocate<float>(256);
    resource.pointer = memory + 64, resource.width = 64; // 256 bytes further
    resource.format[0] = 32, resource.format[4] = 2;
    CHECK(texture_of() == invalid_value);
    resource.pointer = memory + 128;
    CHECK(texture_of() == 0);
    resource.pointer = memory;
    resource.format[0] = 32, resource.format[4] = 2;
    resource.width = 257;
    CHECK(texture_of() == 0); // 64 texels
    resource.width = 1028;
    CHECK(texture_of() == invalid_value);
    resource.pointer = memory + 1, resource.width = 16;
    CHECK(texture_of() == invalid_value);
    resource.type = 3;
    resource.pointer = memory, resource.width = 8, resource.height = 8, resource.pitch = 32;
    CHECK(texture_of() == 0);
    resource.pitch = 36;
    CHECK(texture_of() == invalid_value);
    resource.pitch = 0;
    CHECK(texture_of() == invalid_value);
    way.filter = 1, resource.pitch = 32, resource.format[4] = 0;
    CHECK(texture_of() == invalid_value); // a mean of integers
    resource.pointer = nullptr;
    CHECK(texture_of() == invalid_value);
  }
}

} // namespace memlane::test
