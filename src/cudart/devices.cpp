// The one device: chosen, waited for, reset; versions and limits.
#include "runtime.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

namespace memlane::cudart {

namespace {

/// cudaLimit: the stack of a thread, the buffer of printf, the heap of malloc in kernels, and
/// others.
constexpr int limit_count = 7, limit_of_heap = 2;
constexpr std::array<std::size_t, limit_count> first_limits = {4096, 1 << 20, 8 << 20, 2,
                                                               2048, 128,     0};
auto limits = first_limits;

} // namespace

void reset(Runtime& all) {
  limits = first_limits;
  all.device.reset(); // kernels stay what they are: they have been priced
  all.memory.clear();
  for (const auto& [handle, module] : all.modules)
    if (module->module) set_managed(all, *module);
  for (auto& [function, kernel] : all.kernels) kernel.shared_permitted = 0;
  all.arrays.clear();
  all.objects.clear();
  for (Stream* stream : all.streams) delete stream;
  for (Event* event : all.events) delete event;
  forget_graphs(all);
  all.streams.clear();
  all.events.clear();
  all.sticky = Error::success;
  forget_last_error();
}

namespace {

/// A version as CUDA says it: 1000 * major + 10 * minor.
constexpr int cuda_version = MEMLANE_CUDART * 1000;
constexpr std::size_t most_heap = std::size_t{1} << 40;

/// What only chooses among ways to do the same.
Error take_hint() {
  return with_runtime([](Runtime&) { return Error::success; });
}
Error set_int(int* into, int value) {
  return with_runtime([&](Runtime&) {
    if (!into) return Error::invalid_value;
    *into = value;
    return Error::success;
  });
}

} // namespace

MEMLANE_API Error cudaGetDeviceCount(int* count) { return set_int(count, 1); }
MEMLANE_API Error cudaGetDevice(int* device) { return set_int(device, 0); }
MEMLANE_API Error cudaSetDevice(int device) {
  return with_runtime(
      [&](Runtime&) { return device == 0 ? Error::success : Error::invalid_device; });
}
MEMLANE_API Error cudaInitDevice(int device, unsigned, unsigned) {
  const PublicCall named;
  return cudaSetDevice(device);
}
MEMLANE_API Error cudaChooseDevice(int* device, const void*) { return set_int(device, 0); }
MEMLANE_API Error cudaSetValidDevices(int*, int) { return take_hint(); }
MEMLANE_API Error cudaSetDeviceFlags(unsigned) { return take_hint(); }
MEMLANE_API Error cudaGetDeviceFlags(unsigned* flags) {
  return with_runtime([&](Runtime&) {
    if (!flags) return Error::invalid_value;
    *flags = 8; // host memory can be mapped
    return Error::success;
  });
}
MEMLANE_API Error cudaDeviceSynchronize() { return take_hint(); }
/// Also ends the time after a fault, in which every call fails.
MEMLANE_API Error cudaDeviceReset() {
  Runtime& all = runtime();
  const std::lock_guard<std::recursive_mutex> guard(all.lock);
  reset(all);
  return Error::success;
}
#if MEMLANE_CUDART == 12
MEMLANE_ALIAS(cudaThreadSynchronize, cudaDeviceSynchronize);
MEMLANE_ALIAS(cudaThreadExit, cudaDeviceReset);
MEMLANE_API Error cudaDeviceSetSharedMemConfig(int) { return take_hint(); }
MEMLANE_API Error cudaDeviceGetSharedMemConfig(int* config) { return set_int(config, 1); }
#endif

MEMLANE_API Error cudaDriverGetVersion(int* version) { return set_int(version, cuda_version); }
MEMLANE_API Error cudaRuntimeGetVersion(int* version) { return set_int(version, cuda_version); }
MEMLANE_API Error cudaDeviceSetCacheConfig(int) { return take_hint(); }
MEMLANE_API Error cudaDeviceGetCacheConfig(int* config) { return set_int(config, 0); }
MEMLANE_API Error cudaDeviceSetLimit(int limit, std::size_t value) {
  return with_runtime([&](Runtime& all) {
    if (limit < 0 || limit >= limit_count) return Error::invalid_value;
    limits[static_cast<std::size_t>(limit)] = value;
    if (limit == limit_of_heap)
      all.device.set_heap(static_cast<std::int64_t>(std::min(value, most_heap)));
    return Error::success;
  });
}
MEMLANE_API Error cudaDeviceGetLimit(std::size_t* value, int limit) {
  return with_runtime([&](Runtime&) {
    if (!value || limit < 0 || limit >= limit_count) return Error::invalid_value;
    *value = limits[static_cast<std::size_t>(limit)];
    return Error::success;
  });
}
MEMLANE_API Error cudaCtxResetPersistingL2Cache() { return take_hint(); }
MEMLANE_API Error cudaProfilerStart() { return take_hint(); }
MEMLANE_API Error cudaProfilerStop() { return take_hint(); }

MEMLANE_API Error cudaDeviceGetPCIBusId(char* text, int bytes, int device) {
  return with_runtime([&](Runtime&) {
    if (!text || bytes <= 0) return Error::invalid_value;
    if (device != 0) return Error::invalid_device;
    std::snprintf(text, static_cast<std::size_t>(bytes), "0000:01:00.0");
    return Error::success;
  });
}
MEMLANE_API Error cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return text && std::strcmp(text, "0000:01:00.0") == 0 ? set_int(device, 0)
                                                        : note(Error::invalid_device);
}
// There is no second device.
MEMLANE_API Error cudaDeviceGetP2PAttribute(int* value, int, int, int) {
  return with_runtime(
      [&](Runtime&) { return value ? Error::invalid_device : Error::invalid_value; });
}
MEMLANE_API Error cudaDeviceCanAccessPeer(int* can, int, int) { return set_int(can, 0); }
MEMLANE_API Error cudaDeviceEnablePeerAccess(int, unsigned) {
  return with_runtime([](Runtime&) { return Error::peer_access_unsupported; });
}
MEMLANE_API Error cudaDeviceDisablePeerAccess(int) {
  return with_runtime([](Runtime&) { return Error::peer_access_not_enabled; });
}

} // namespace memlane::cudart
