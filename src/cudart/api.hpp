// What CUDA programs and memlane's runtime library share: types and numbers as CUDA's public
// documentation lists them, declared by ourselves. tests/cudart/layout.cu holds them against the
// headers of an installed nvcc.
#pragma once

#include <cstddef>
#include <cstdint>

#ifndef MEMLANE_CUDART
#define MEMLANE_CUDART 13
#endif

/// A function that programs import.
#define MEMLANE_API extern "C" __attribute__((visibility("default")))
/// The same function under a second name, such as that for a default stream of each thread: streams
/// here do everything at once, so both are the same.
#define MEMLANE_ALIAS(name, other)                                                                 \
  extern "C" __attribute__((visibility("default"), alias(#other))) decltype(other) name

namespace memlane::cudart {

/// cudaError_t: those that the library returns, with CUDA's numbers. errors.cpp has their names.
enum class Error : int {
  success = 0,
  invalid_value = 1,
  memory_allocation = 2,
  initialization = 3,
  invalid_configuration = 9,
  invalid_pitch_value = 12,
  invalid_symbol = 13,
  invalid_device_pointer = 17,
  invalid_memcpy_direction = 21,
  invalid_device_function = 98,
  no_device = 100,
  invalid_device = 101,
  no_kernel_image = 209,
  peer_access_unsupported = 217,
  invalid_ptx = 218,
  invalid_resource_handle = 400,
  illegal_state = 401,
  symbol_not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  launch_out_of_resources = 701,
  launch_timeout = 702,
  peer_access_not_enabled = 705,
  context_is_destroyed = 709,
  assertion = 710,
  host_memory_already_registered = 712,
  host_memory_not_registered = 713,
  hardware_stack = 714,
  misaligned_address = 716,
  invalid_pc = 718,
  launch_failure = 719,
  cooperative_launch_too_large = 720,
  not_permitted = 800,
  not_supported = 801,
  stream_capture_unsupported = 900,
  stream_capture_invalidated = 901,
  stream_capture_unmatched = 903,
  graph_update_failure = 910,
};

struct Dim {
  unsigned x = 1, y = 1, z = 1;
};

/// cudaMemcpyKind.
enum class Copy : int {
  host_to_host = 0,
  host_to_device = 1,
  device_to_host = 2,
  device_to_device = 3,
  by_address = 4,
};

struct Stream;
struct Event;
struct Graph;
struct GraphNode;
struct GraphRun; ///< an executable graph
struct Kernel;
using StreamHandle = Stream*;
using HostFunction = void (*)(void*);

struct Extent {
  std::size_t width = 0, height = 0, depth = 0;
};
struct Position {
  std::size_t x = 0, y = 0, z = 0;
};
struct PitchedPointer {
  void* pointer = nullptr;
  std::size_t pitch = 0, width = 0, height = 0;
};
/// cudaChannelFormatDesc: bits of the channels, and 0 signed, 1 unsigned, 2 float.
struct ChannelFormat {
  int x, y, z, w, kind;
};
/// cudaResourceDesc.
struct ResourceDescription {
  int type = 0;            ///< 0 array, 1 mipmapped array, 2 linear, 3 with a pitch
  void* pointer = nullptr; ///< an array, or memory: the format follows
  ChannelFormat format{};
  std::size_t width = 0; ///< of linear memory bytes
  std::size_t height = 0, pitch = 0;
#if MEMLANE_CUDART >= 13
  int unused[18] = {};
  unsigned flags = 0;
#endif
};
/// cudaTextureDesc.
struct TextureDescription {
  int addressing[3] = {}; ///< 0 wrap, 1 clamp, 2 mirror, 3 border
  int filter = 0;         ///< 0 point, 1 linear
  int read_mode = 0;      ///< 0 elements, 1 normalized floats
  int srgb = 0;
  float border[4] = {};
  int has_normalized_places = 0;
  unsigned anisotropy = 0;
  int mipmap_filter = 0;
  float mipmap_bias = 0, least_level = 0, greatest_level = 0;
  int without_trilinear = 0, seamless_cube = 0;
};
/// cudaMemcpy3DParms.
struct Copy3D {
  void* from_array = nullptr;
  Position from_position;
  PitchedPointer from;
  void* to_array = nullptr;
  Position to_position;
  PitchedPointer to;
  Extent extent;
  Copy kind = Copy::by_address;
};
/// cudaKernelNodeParams.
struct KernelNode {
  void* function = nullptr;
  Dim grid, block;
  unsigned shared = 0;
  void** parameters = nullptr;
  void** extra = nullptr;
};
/// cudaMemsetParams.
struct MemsetNode {
  void* to = nullptr;
  std::size_t pitch = 0;
  unsigned value = 0, element_bytes = 1;
  std::size_t width = 0, height = 0;
};
/// cudaHostNodeParams.
struct HostNode {
  HostFunction function = nullptr;
  void* argument = nullptr;
};

/// cudaMemcpyNodeParams.
struct CopyNode {
  int unused[4] = {};
  Copy3D copy;
};
/// cudaMemAllocNodeParams: the properties of its pool say nothing here.
struct AllocationNode {
  char pool[88] = {};
  const void* access = nullptr;
  std::size_t access_count = 0, bytes = 0;
  void* pointer = nullptr; ///< what the node allocates
};
/// cudaGraphNodeParams: a type, and the parameters of a node of this type.
struct NodeParameters {
  int type = 0;
  int unused[3] = {};
  alignas(8) char of_type[232] = {};
  long long reserved = 0;
};

/// cudaLaunchAttribute: 4 bytes of its kind, 4 unused, 64 of its value.
struct LaunchAttribute {
  int id = 0;
  char unused[4] = {};
  alignas(8) char value[64] = {};
};
/// cudaLaunchConfig_t.
struct LaunchConfig {
  Dim grid, block;
  std::size_t dynamic_shared = 0;
  StreamHandle stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};

/// cudaFuncAttributes, whose end is unused.
struct FunctionAttributes {
  std::size_t static_shared = 0, constant = 0, local = 0;
  int most_threads = 0, registers = 0, ptx_version = 0, binary_version = 0, cache_mode = 0;
  int most_dynamic_shared = 0, preferred_shared = 0, cluster_must_be_set = 0, cluster_width = 0,
      cluster_height = 0, cluster_depth = 0, cluster_policy = 0, nonportable_cluster = 0;
  int reserved[16] = {};
};

/// cudaPointerAttributes.
struct PointerAttributes {
  int type = 0; ///< 0 unregistered, 1 host, 2 device, 3 managed
  int device = 0;
  void* device_pointer = nullptr;
  void* host_pointer = nullptr;
#if MEMLANE_CUDART >= 13
  long reserved[8] = {};
#endif
};

} // namespace memlane::cudart
