// A program without any kernel: it asks for what the device has.
#include <cstdio>

int main() {
  int count = 0, persisting = 0;
  cudaDeviceProp properties;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count != 1) return 1;
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return 2;
  if (cudaDeviceGetAttribute(&persisting, cudaDevAttrMaxPersistingL2CacheSize, 0) != cudaSuccess)
    return 3;
  // Programs that set aside a part of the cache do not run without one.
  if (persisting <= 0 || persisting != properties.persistingL2CacheMaxSize) return 4;
  if (cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, persisting) != cudaSuccess) return 5;
  std::printf("query: ok, shared memory %zu, %zu, %zu\n", properties.sharedMemPerBlock,
              properties.sharedMemPerBlockOptin, properties.sharedMemPerMultiprocessor);
}
