// What programs ask of the device: properties, attributes, limits.
#include "properties.hpp"

#include "runtime.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace memlane::cudart {

namespace {

/// A member of cudaDeviceProp, in its order. What is not set is 0.
struct PropertyRow {
  const char* name;
  char kind;     ///< c: bytes; i: int; s: size_t
  int count;     ///< elements
  int last = 99; ///< of the last version that has it
};
constexpr PropertyRow property_rows[] = {
    {"name", 'c', 256},
    {"uuid", 'c', 16},
    {"luid", 'c', 8},
    {"luidDeviceNodeMask", 'i', 1},
    {"totalGlobalMem", 's', 1},
    {"sharedMemPerBlock", 's', 1},
    {"regsPerBlock", 'i', 1},
    {"warpSize", 'i', 1},
    {"memPitch", 's', 1},
    {"maxThreadsPerBlock", 'i', 1},
    {"maxThreadsDim", 'i', 3},
    {"maxGridSize", 'i', 3},
    {"clockRate", 'i', 1, 12},
    {"totalConstMem", 's', 1},
    {"major", 'i', 1},
    {"minor", 'i', 1},
    {"textureAlignment", 's', 1},
    {"texturePitchAlignment", 's', 1},
    {"deviceOverlap", 'i', 1, 12},
    {"multiProcessorCount", 'i', 1},
    {"kernelExecTimeoutEnabled", 'i', 1, 12},
    {"integrated", 'i', 1},
    {"canMapHostMemory", 'i', 1},
    {"computeMode", 'i', 1, 12},
    {"maxTexture1D", 'i', 1},
    {"maxTexture1DMipmap", 'i', 1},
    {"maxTexture1DLinear", 'i', 1, 12},
    {"maxTexture2D", 'i', 2},
    {"maxTexture2DMipmap", 'i', 2},
    {"maxTexture2DLinear", 'i', 3},
    {"maxTexture2DGather", 'i', 2},
    {"maxTexture3D", 'i', 3},
    {"maxTexture3DAlt", 'i', 3},
    {"maxTextureCubemap", 'i', 1},
    {"maxTexture1DLayered", 'i', 2},
    {"maxTexture2DLayered", 'i', 3},
    {"maxTextureCubemapLayered", 'i', 2},
    {"maxSurface1D", 'i', 1},
    {"maxSurface2D", 'i', 2},
    {"maxSurface3D", 'i', 3},
    {"maxSurface1DLayered", 'i', 2},
    {"maxSurface2DLayered", 'i', 3},
    {"maxSurfaceCubemap", 'i', 1},
    {"maxSurfaceCubemapLayered", 'i', 2},
    {"surfaceAlignment", 's', 1},
    {"concurrentKernels", 'i', 1},
    {"ECCEnabled", 'i', 1},
    {"pciBusID", 'i', 1},
    {"pciDeviceID", 'i', 1},
    {"pciDomainID", 'i', 1},
    {"tccDriver", 'i', 1},
    {"asyncEngineCount", 'i', 1},
    {"unifiedAddressing", 'i', 1},
    {"memoryClockRate", 'i', 1, 12},
    {"memoryBusWidth", 'i', 1},
    {"l2CacheSize", 'i', 1},
    {"persistingL2CacheMaxSize", 'i', 1},
    {"maxThreadsPerMultiProcessor", 'i', 1},
    {"streamPrioritiesSupported", 'i', 1},
    {"globalL1CacheSupported", 'i', 1},
    {"localL1CacheSupported", 'i', 1},
    {"sharedMemPerMultiprocessor", 's', 1},
    {"regsPerMultiprocessor", 'i', 1},
    {"managedMemory", 'i', 1},
    {"isMultiGpuBoard", 'i', 1},
    {"multiGpuBoardGroupID", 'i', 1},
    {"hostNativeAtomicSupported", 'i', 1},
    {"singleToDoublePrecisionPerfRatio", 'i', 1, 12},
    {"pageableMemoryAccess", 'i', 1},
    {"concurrentManagedAccess", 'i', 1},
    {"computePreemptionSupported", 'i', 1},
    {"canUseHostPointerForRegisteredMem", 'i', 1},
    {"cooperativeLaunch", 'i', 1},
    {"cooperativeMultiDeviceLaunch", 'i', 1, 12},
    {"sharedMemPerBlockOptin", 's', 1},
    {"pageableMemoryAccessUsesHostPageTables", 'i', 1},
    {"directManagedMemAccessFromHost", 'i', 1},
    {"maxBlocksPerMultiProcessor", 'i', 1},
    {"accessPolicyMaxWindowSize", 'i', 1},
    {"reservedSharedMemPerBlock", 's', 1},
    {"hostRegisterSupported", 'i', 1},
    {"sparseCudaArraySupported", 'i', 1},
    {"hostRegisterReadOnlySupported", 'i', 1},
    {"timelineSemaphoreInteropSupported", 'i', 1},
    {"memoryPoolsSupported", 'i', 1},
    {"gpuDirectRDMASupported", 'i', 1},
    {"gpuDirectRDMAFlushWritesOptions", 'i', 1},
    {"gpuDirectRDMAWritesOrdering", 'i', 1},
    {"memoryPoolSupportedHandleTypes", 'i', 1},
    {"deferredMappingCudaArraySupported", 'i', 1},
    {"ipcEventSupported", 'i', 1},
    {"clusterLaunch", 'i', 1},
    {"unifiedFunctionPointers", 'i', 1},
    {"the rest, which has no meaning here", 'i', 63},
};

/// Numbers by name: those of cudaDeviceProp, and for cudaDeviceGetAttribute.
struct Quantity {
  std::string_view name;
  int attribute; ///< cudaDeviceAttr of the first value, others follow; 0: it has none
  std::array<std::int64_t, 3> value{};
};

std::vector<Quantity> quantities_of(const ptx::DeviceProperties& has) {
  const std::int64_t major = has.capability / 10, minor = has.capability % 10;
  const std::int64_t most_pitch = 2147483647, clock = has.clock_khz;
  return {
      {"maxThreadsPerBlock", 1, {has.threads_of_block}},
      {"maxThreadsDim", 2, has.most_threads},
      {"maxGridSize", 5, has.most_blocks},
      {"sharedMemPerBlock", 8, {has.shared_of_block}},
      {"totalConstMem", 9, {65536}},
      {"warpSize", 10, {32}},
      {"memPitch", 11, {most_pitch}},
      {"regsPerBlock", 12, {has.registers_of_block}},
      {"clockRate", 13, {clock}},
      {"textureAlignment", 14, {has.texture_align}},
      {"deviceOverlap", 15, {1}},
      {"multiProcessorCount", 16, {has.multiprocessors}},
      {"canMapHostMemory", 19, {1}},
      {"maxTexture1D", 21, {131072}},
      {"maxTexture2D", 22, {131072, 65536}},
      {"maxTexture3D", 24, {16384, 16384, 16384}},
      {"maxTexture2DLayered", 27, {32768, 32768, 2048}},
      {"surfaceAlignment", 30, {has.texture_align}},
      {"concurrentKernels", 31, {1}},
      {"pciBusID", 33, {1}},
      {"memoryClockRate", 36, {clock}},
      {"memoryBusWidth", 37, {has.bus_bits}},
      {"l2CacheSize", 38, {4 << 20}},
      {"maxThreadsPerMultiProcessor", 39, {has.threads_of_multiprocessor}},
      {"asyncEngineCount", 40, {1}},
      {"unifiedAddressing", 41, {1}},
      {"maxTexture1DLayered", 42, {32768, 2048}},
      {"maxTexture2DGather", 45, {32768, 32768}},
      {"texturePitchAlignment", 51, {has.texture_pitch_align}},
      {"maxSurface1D", 55, {32768}},
      {"maxSurface2D", 56, {131072, 65536}},
      {"maxSurface3D", 58, {16384, 16384, 16384}},
      {"maxSurface1DLayered", 61, {32768, 2048}},
      {"maxSurface2DLayered", 63, {32768, 32768, 2048}},
      {"maxTexture1DLinear", 69, {std::int64_t{1} << 28}},
      {"maxTexture2DLinear", 70, {131072, 65000, 2097120}},
      {"major", 75, {major}},
      {"minor", 76, {minor}},
      {"streamPrioritiesSupported", 78, {1}},
      {"globalL1CacheSupported", 79, {1}},
      {"localL1CacheSupported", 80, {1}},
      {"sharedMemPerMultiprocessor", 81, {has.shared_of_multiprocessor}},
      {"regsPerMultiprocessor", 82, {has.registers_of_multiprocessor}},
      {"managedMemory", 83, {1}},
      {"singleToDoublePrecisionPerfRatio", 87, {2}},
      {"concurrentManagedAccess", 89, {1}},
      {"computePreemptionSupported", 90, {1}},
      {"canUseHostPointerForRegisteredMem", 91, {1}},
      {"cooperativeLaunch", 95, {1}},
      {"sharedMemPerBlockOptin", 97, {has.shared_of_block_at_most}},
      {"hostRegisterSupported", 99, {1}},
      {"directManagedMemAccessFromHost", 101, {1}},
      {"maxBlocksPerMultiProcessor", 106, {has.blocks_of_multiprocessor}},
      {"persistingL2CacheMaxSize", 108, {3 << 20}},
      {"accessPolicyMaxWindowSize", 109, {4 << 20}},
      {"reservedSharedMemPerBlock", 111, {has.shared_of_system}},
      {"memoryPoolsSupported", 115, {1}},
      {"totalGlobalMem", 0, {has.memory}},
  };
}

/// The most that cudaDeviceAttr has; those that are not listed are 0.
constexpr int last_attribute = 200;

std::size_t bytes_of_kind(char kind) { return kind == 'c' ? 1 : kind == 'i' ? 4 : 8; }

} // namespace

/// Offsets grow by the rules of C: each member at a multiple of its size.
std::size_t offset_of_property(std::string_view name, int version) {
  std::size_t at = 0;
  for (const PropertyRow& row : property_rows) {
    if (row.last < version) continue;
    const std::size_t bytes = bytes_of_kind(row.kind);
    at = (at + bytes - 1) / bytes * bytes;
    if (row.name == name) return at;
    at += bytes * static_cast<std::size_t>(row.count);
  }
  return (at + 7) / 8 * 8;
}

namespace {

void write_properties(const ptx::DeviceProperties& has, char* into) {
  std::memset(into, 0, offset_of_property("", MEMLANE_CUDART));
  constexpr std::size_t longest_name = 255;
  has.name.copy(into, longest_name);
  const std::vector<Quantity> quantities = quantities_of(has);
  for (const PropertyRow& row : property_rows) {
    if (row.last < MEMLANE_CUDART || row.kind == 'c') continue;
    const auto found = std::find_if(quantities.begin(), quantities.end(),
                                    [&](const Quantity& q) { return q.name == row.name; });
    if (found == quantities.end()) continue;
    const std::size_t at = offset_of_property(row.name, MEMLANE_CUDART);
    for (std::size_t k = 0; k < static_cast<std::size_t>(row.count); ++k) {
      const std::size_t bytes = bytes_of_kind(row.kind);
      std::memcpy(into + at + k * bytes, &found->value[k], bytes);
    }
  }
}

} // namespace

std::array<std::int64_t, 3> property_of(const ptx::DeviceProperties& has, std::string_view name) {
  for (const Quantity& quantity : quantities_of(has))
    if (quantity.name == name) return quantity.value;
  return {};
}

MEMLANE_API Error cudaGetDeviceProperties(void* properties, int device) {
  return with_runtime([&](Runtime& all) {
    if (!properties) return Error::invalid_value;
    if (device != 0) return Error::invalid_device;
    write_properties(all.device.properties(), static_cast<char*>(properties));
    return Error::success;
  });
}
#if MEMLANE_CUDART == 12
MEMLANE_ALIAS(cudaGetDeviceProperties_v2, cudaGetDeviceProperties);
#endif

MEMLANE_API Error cudaDeviceGetAttribute(int* value, int attribute, int device) {
  return with_runtime([&](Runtime& all) {
    if (!value || attribute <= 0 || attribute > last_attribute) return Error::invalid_value;
    if (device != 0) return Error::invalid_device;
    *value = 0;
    for (const Quantity& quantity : quantities_of(all.device.properties())) {
      const auto k = static_cast<std::size_t>(attribute - quantity.attribute);
      if (quantity.attribute > 0 && k < quantity.value.size() && quantity.value[k] != 0)
        *value = static_cast<int>(std::min<std::int64_t>(quantity.value[k], 2147483647));
    }
    return Error::success;
  });
}

} // namespace memlane::cudart
