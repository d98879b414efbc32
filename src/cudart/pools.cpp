// Pools of memory: they all have the device's memory, and give it back at once.
#include "runtime.hpp"

#include <cstring>

namespace memlane::cudart {

struct Pool {
  std::uint64_t release_threshold = 0;
  int reuse[3] = {1, 1, 1}; ///< permissions to use memory again, which change nothing here
};

namespace {

Pool default_pool;

std::set<Pool*>& pools() {
  static std::set<Pool*> all = {&default_pool};
  return all;
}

/// cudaMemPoolAttr.
constexpr int reuse_first = 1, reuse_last = 3, threshold = 4, reserved_now = 5, used_high = 8;

template <class F>
Error with_pool(Pool* pool, F f) {
  return with_runtime(
      [&](Runtime& all) { return pools().count(pool) != 0 ? f(all) : Error::invalid_value; });
}

} // namespace

MEMLANE_API Error cudaDeviceGetDefaultMemPool(Pool** pool, int device) {
  return with_runtime([&](Runtime&) {
    if (!pool) return Error::invalid_value;
    if (device != 0) return Error::invalid_device;
    *pool = &default_pool;
    return Error::success;
  });
}
MEMLANE_API Error cudaDeviceGetMemPool(Pool** pool, int device) {
  const PublicCall named;
  return cudaDeviceGetDefaultMemPool(pool, device);
}
MEMLANE_API Error cudaDeviceSetMemPool(int device, Pool* pool) {
  return with_pool(pool,
                   [&](Runtime&) { return device == 0 ? Error::success : Error::invalid_device; });
}
MEMLANE_API Error cudaMemPoolCreate(Pool** pool, const void* properties) {
  return with_runtime([&](Runtime&) {
    if (!pool || !properties) return Error::invalid_value;
    *pool = new Pool;
    pools().insert(*pool);
    return Error::success;
  });
}
MEMLANE_API Error cudaMemPoolDestroy(Pool* pool) {
  return with_pool(pool, [&](Runtime&) {
    if (pool == &default_pool) return Error::invalid_value;
    pools().erase(pool);
    delete pool;
    return Error::success;
  });
}
MEMLANE_API Error cudaMemPoolTrimTo(Pool* pool, std::size_t) {
  return with_pool(pool, [](Runtime&) { return Error::success; });
}
MEMLANE_API Error cudaMemPoolSetAccess(Pool* pool, const void*, std::size_t) {
  return with_pool(pool, [](Runtime&) { return Error::success; });
}
MEMLANE_API Error cudaMemPoolSetAttribute(Pool* pool, int attribute, void* value) {
  return with_pool(pool, [&](Runtime&) {
    if (!value) return Error::invalid_value;
    if (attribute == threshold)
      std::memcpy(&pool->release_threshold, value, sizeof pool->release_threshold);
    else if (attribute >= reuse_first && attribute <= reuse_last)
      std::memcpy(&pool->reuse[attribute - reuse_first], value, sizeof(int));
    else // the highest values may be set back to 0
      return attribute > threshold && attribute <= used_high ? Error::success
                                                             : Error::invalid_value;
    return Error::success;
  });
}
MEMLANE_API Error cudaMemPoolGetAttribute(Pool* pool, int attribute, void* value) {
  return with_pool(pool, [&](Runtime& all) {
    if (!value) return Error::invalid_value;
    const auto in_use = static_cast<std::uint64_t>(all.device.allocated());
    if (attribute == threshold)
      std::memcpy(value, &pool->release_threshold, sizeof pool->release_threshold);
    else if (attribute >= reuse_first && attribute <= reuse_last)
      std::memcpy(value, &pool->reuse[attribute - reuse_first], sizeof(int));
    else if (attribute >= reserved_now && attribute <= used_high)
      std::memcpy(value, &in_use, sizeof in_use);
    else
      return Error::invalid_value;
    return Error::success;
  });
}

} // namespace memlane::cudart
