// Kernels' attributes, and how many of their blocks fit.
#include "runtime.hpp"

#include <algorithm>

namespace memlane::cudart {

namespace {

/// cudaFuncAttribute.
constexpr int attribute_dynamic_shared = 8, attribute_carveout = 9;

Error set_attribute(Runtime& all, Kernel& kernel, int attribute, int value) {
  const ptx::DeviceProperties& has = all.device.properties();
  const ptx::KernelInfo& info = all.device.kernel(*kernel.id);
  if (attribute == attribute_dynamic_shared) {
    const std::int64_t wanted = info.static_shared + value;
    if (value < 0 || wanted > has.shared_of_block_at_most) return Error::invalid_value;
    kernel.shared_permitted = wanted;
    return Error::success;
  }
  // How memory is divided between cache and shared memory: a hint.
  if (attribute == attribute_carveout)
    return value >= -1 && value <= 100 ? Error::success : Error::invalid_value;
  return Error::invalid_value;
}

int most_threads_of(const ptx::Device& device, const ptx::KernelInfo& info) {
  const ptx::DeviceProperties& has = device.properties();
  std::int64_t most = has.threads_of_block;
  if (info.registers > 0) most = std::min(most, has.registers_of_block / info.registers / 32 * 32);
  const auto& bound = info.directives.most_threads;
  if (bound[0] > 0)
    most = std::min(most, bound[0] * std::max<std::int64_t>(bound[1], 1) *
                              std::max<std::int64_t>(bound[2], 1));
  return static_cast<int>(most);
}

} // namespace

MEMLANE_API Error cudaFuncGetAttributes(FunctionAttributes* attributes, const void* function) {
  return with_runtime([&](Runtime& all) {
    if (!attributes) return Error::invalid_value;
    Kernel* kernel = nullptr;
    if (const Error error = find_kernel(all, function, kernel); error != Error::success)
      return error;
    const ptx::KernelInfo& info = all.device.kernel(*kernel->id);
    *attributes = {};
    attributes->static_shared = static_cast<std::size_t>(info.static_shared);
    attributes->local = static_cast<std::size_t>(info.local);
    attributes->most_threads = most_threads_of(all.device, info);
    attributes->registers = info.registers;
    attributes->ptx_version = static_cast<int>(kernel->owner->text_architecture);
    attributes->binary_version =
        static_cast<int>(kernel->owner->code_architecture > 0 ? kernel->owner->code_architecture
                                                              : kernel->owner->text_architecture);
    attributes->most_dynamic_shared = static_cast<int>(
        std::max(kernel->shared_permitted, all.device.properties().shared_of_block) -
        info.static_shared);
    attributes->preferred_shared = -1;
    return Error::success;
  });
}
MEMLANE_API Error cudaFuncSetAttribute(const void* function, int attribute, int value) {
  return with_runtime([&](Runtime& all) {
    Kernel* kernel = nullptr;
    if (const Error error = find_kernel(all, function, kernel); error != Error::success)
      return error;
    return set_attribute(all, *kernel, attribute, value);
  });
}
/// A hint; the function must be one.
MEMLANE_API Error cudaFuncSetCacheConfig(const void* function, int) {
  return with_runtime([&](Runtime& all) {
    Kernel* kernel = nullptr;
    return find_kernel(all, function, kernel);
  });
}
#if MEMLANE_CUDART == 12
MEMLANE_API Error cudaFuncSetSharedMemConfig(const void* function, int) {
  const PublicCall named;
  return cudaFuncSetCacheConfig(function, 0);
}
#endif
MEMLANE_API Error cudaFuncGetName(const char** name, const void* function) {
  return with_runtime([&](Runtime& all) {
    Kernel* kernel = nullptr;
    const Error error = find_kernel(all, function, kernel);
    if (error == Error::success && name) *name = kernel->name.c_str();
    return error;
  });
}

MEMLANE_API Error cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* function, int threads, std::size_t dynamic_shared, unsigned) {
  return with_runtime([&](Runtime& all) {
    if (!blocks || threads <= 0 || dynamic_shared > std::size_t{1} << 40)
      return Error::invalid_value;
    Kernel* kernel = nullptr;
    if (const Error error = find_kernel(all, function, kernel); error != Error::success)
      return error;
    *blocks = static_cast<int>(all.device.resident_blocks(
        *kernel->id, threads, static_cast<std::int64_t>(dynamic_shared)));
    return Error::success;
  });
}
MEMLANE_API Error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                                int threads,
                                                                std::size_t dynamic_shared) {
  const PublicCall named;
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads,
                                                                dynamic_shared, 0);
}
MEMLANE_API Error cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes,
                                                            const void* function, int blocks,
                                                            int threads) {
  return with_runtime([&](Runtime& all) {
    if (!bytes || blocks <= 0 || threads <= 0) return Error::invalid_value;
    Kernel* kernel = nullptr;
    if (const Error error = find_kernel(all, function, kernel); error != Error::success)
      return error;
    const ptx::DeviceProperties& has = all.device.properties();
    const std::int64_t share = has.shared_of_multiprocessor / blocks - has.shared_of_system -
                               all.device.kernel(*kernel->id).static_shared;
    *bytes =
        static_cast<std::size_t>(std::clamp<std::int64_t>(share, 0, has.shared_of_block_at_most));
    return Error::success;
  });
}

} // namespace memlane::cudart
